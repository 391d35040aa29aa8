// Names of every CUTLASS release: P01 (tree moved), P02 (four files of one name), P16 (answer per checkout),
// renames, typos.
#include "corpus/resolve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.h"
#include "corpus/tree.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {
using namespace test;

struct NameSpan {
  std::string name, first, last;
  std::vector<std::string> paths;
};

std::vector<NameSpan> asked_for_names() {
  std::ifstream in(std::string(CUTELAB_SOURCE_DIR) + "/tests/corpus/cases/names_by_release.tsv");
  std::vector<NameSpan> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    const auto f = split(line, '\t');
    NameSpan s{std::string(f[0]), std::string(f[1]), std::string(f[2]), {}};
    if (f[3] != "-")
      for (const std::string_view p : split(f[3], ',')) s.paths.emplace_back(p);
    out.push_back(s);
  }
  return out;
}

Device device(const Workspace& w, const std::string& name) { return *w.archs.device(name); }

std::set<std::string> candidate_paths(const Workspace& w, const Resolution& r) {
  std::set<std::string> out;
  for (const int i : r.candidates)
    out.insert(example(w, i).path().substr(std::string("examples/python/CuTeDSL/").size()));
  return out;
}

class EveryRelease : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryRelease, EveryAskedForNameLiesWhereTheTableSays) {
  MemoryFiles files;
  const ScratchFolder scratch;
  const std::string release = GetParam();
  const auto w = open_release(files, scratch, release);
  ASSERT_TRUE(w);
  const auto& releases = w->history.releases();
  const auto order = [&](const std::string& r) {
    return std::find(releases.begin(), releases.end(), r) - releases.begin();
  };
  int seen = 0;
  for (const NameSpan& s : asked_for_names()) {
    if (order(release) < order(s.first) || order(release) > order(s.last)) continue;
    if (s.name == "fmha_helpers.py" || s.name == "sparse_utils.py")
      continue;  // spans of the table skip releases
    ++seen;
    const auto r = resolve(s.name, std::nullopt, *w->catalog, w->history);
    if (s.paths.empty()) {
      if (r) {
        EXPECT_EQ(r->candidates.empty(), false);
        EXPECT_FALSE(r->notes.empty()) << s.name << ": another name stands for it, and that is said";
        for (const int i : r->candidates) EXPECT_NE(basename_of(example(*w, i).path()), s.name);
      } else {
        EXPECT_NE(r.error().wrong.find(s.name), std::string::npos);
      }
      continue;
    }
    ASSERT_TRUE(r) << s.name << " in " << release << ": " << r.error().message();
    EXPECT_EQ(candidate_paths(*w, *r), std::set<std::string>(s.paths.begin(), s.paths.end()))
        << s.name << " in " << release;
    EXPECT_EQ(r->chosen >= 0, s.paths.size() == 1) << s.name;
  }
  EXPECT_GE(seen, 60);
}

/// Every path of every other release leads to the file of the same name and generation here, and the
/// correction is said.
TEST_P(EveryRelease, StalePathsLeadToTheFileOfTheSameGeneration) {
  MemoryFiles files;
  const ScratchFolder scratch;
  const auto w = open_release(files, scratch, GetParam());
  ASSERT_TRUE(w);
  int followed = 0;
  for (const NameSpan& s : asked_for_names())
    for (const std::string& stale : s.paths) {
      const auto r = resolve(stale, std::nullopt, *w->catalog, w->history);
      if (!r || basename_of(example(*w, r->candidates.front()).path()) != s.name)
        continue;  // absent or renamed here
      const std::string wanted = generation_of_path(stale, w->archs);
      const bool there = std::any_of(r->candidates.begin(), r->candidates.end(),
                                     [&](int i) { return example(*w, i).generation == wanted; });
      if (!there || s.name == "fmha_helpers.py" || s.name == "sparse_utils.py") continue;
      ASSERT_GE(r->chosen, 0) << stale << " in " << GetParam();
      EXPECT_EQ(example(*w, r->chosen).generation, wanted)
          << stale << " -> " << example(*w, r->chosen).path();
      if (!example(*w, r->chosen).path().ends_with("/" + stale)) {
        ++followed;
        ASSERT_FALSE(r->notes.empty()) << stale;
        EXPECT_NE(r->notes.front().find("you asked for " + stale), std::string::npos) << r->notes.front();
      }
    }
  EXPECT_GT(followed, 5);
}

INSTANTIATE_TEST_SUITE_P(Cutlass, EveryRelease,
                         ::testing::Values("4.0.0", "4.1.0", "4.2.0", "4.2.1", "4.2.2", "4.3.0", "4.3.1",
                                           "4.3.4", "4.3.6", "4.4.0", "4.4.3", "main-2026-03-17", "4.5.0",
                                           "4.5.3", "4.6.0", "4.6.2", "4.7.0"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           for (char& c : name)
                             if (c == '.' || c == '-') c = '_';
                           return "v" + name;
                         });

TEST(Resolve, MovedTreeIsNamedWithItsLayout) {  // P01
  MemoryFiles files;
  const ScratchFolder scratch;
  const auto w = open_release(files, scratch, "4.5.0");
  const auto r = resolve("blackwell/dense_gemm.py", std::nullopt, *w->catalog, w->history);
  ASSERT_TRUE(r);
  ASSERT_GE(r->chosen, 0);
  EXPECT_EQ(example(*w, r->chosen).path(),
            "examples/python/CuTeDSL/cute/blackwell/kernel/dense_gemm/dense_gemm.py");
  EXPECT_EQ(
      r->notes.front(),
      "you asked for blackwell/dense_gemm.py; in this checkout (CUTLASS 4.5.0, layout D, 4.5-4.6) it is "
      "cute/blackwell/kernel/dense_gemm/dense_gemm.py");
}

TEST(Resolve, NewPathInAnOldTree) {  // P01, the other way
  MemoryFiles files;
  const ScratchFolder scratch;
  const auto w = open_release(files, scratch, "4.4.3");
  const auto r =
      resolve("cute/blackwell/kernel/dense_gemm/dense_gemm.py", std::nullopt, *w->catalog, w->history);
  ASSERT_TRUE(r);
  ASSERT_GE(r->chosen, 0);
  EXPECT_EQ(example(*w, r->chosen).path(), "examples/python/CuTeDSL/blackwell/dense_gemm.py");
  EXPECT_NE(r->notes.front().find("layout C, 4.4"), std::string::npos) << r->notes.front();
}

TEST(Resolve, TheExtensionFolderKeepsItsMeaningAcrossItsRename) {
  MemoryFiles files;
  const ScratchFolder scratch;
  const auto w = open_release(files, scratch, "4.7.0");
  const auto r = resolve("experimental/blackwell/dense_gemm.py", std::nullopt, *w->catalog, w->history);
  ASSERT_TRUE(r);
  ASSERT_GE(r->chosen, 0);
  EXPECT_EQ(example(*w, r->chosen).path(), "examples/python/CuTeDSL/cute_ext/blackwell/dense_gemm.py");
}

TEST(Resolve, FourFilesOfOneNameAreAllListed) {  // P02
  MemoryFiles files;
  const ScratchFolder scratch;
  const auto w = open_release(files, scratch, "4.7.0");
  const auto r = resolve("dense_gemm", std::nullopt, *w->catalog, w->history);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->candidates.size(), 4u);
  EXPECT_EQ(r->chosen, -1) << "no first hit is taken when nothing decides";
  for (const auto& [gpu, generation] :
       {std::pair("sm_90", "hopper"), std::pair("RTX 5090", "blackwell_geforce"),
        std::pair("sm_121", "blackwell_geforce"), std::pair("B200", "blackwell")}) {
    const auto picked = resolve("dense_gemm.py", device(*w, gpu), *w->catalog, w->history);
    ASSERT_TRUE(picked);
    ASSERT_GE(picked->chosen, 0) << gpu;
    EXPECT_EQ(example(*w, picked->chosen).generation, generation) << gpu;
    EXPECT_EQ(example(*w, picked->chosen).layer, Layer::cute) << gpu;
  }
}

TEST(Resolve, NoneRunsOnThisDevice) {  // P02: before 4.3 there was no GeForce form
  MemoryFiles files;
  const ScratchFolder scratch;
  const auto w = open_release(files, scratch, "4.2.2");
  const auto r = resolve("dense_gemm", device(*w, "sm_120"), *w->catalog, w->history);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->candidates.size(), 2u);
  EXPECT_EQ(r->chosen, -1);
}

TEST(Resolve, AnswersPerCheckout) {  // P16
  MemoryFiles old_files, new_files;
  const ScratchFolder scratch;
  const auto old_tree = open_release(old_files, scratch, "4.4.3");
  const auto before =
      resolve("hopper/grouped_gemm.py", device(*old_tree, "H100"), *old_tree->catalog, old_tree->history);
  ASSERT_TRUE(before);
  EXPECT_EQ(example(*old_tree, before->candidates.front()).generation, "blackwell");
  EXPECT_EQ(before->candidates.size(), 1u);
  const ScratchFolder other;
  const auto new_tree = open_release(new_files, other, "4.5.0");
  const auto after =
      resolve("grouped_gemm", device(*new_tree, "H100"), *new_tree->catalog, new_tree->history);
  ASSERT_TRUE(after);
  ASSERT_GE(after->chosen, 0);
  EXPECT_EQ(example(*new_tree, after->chosen).path(),
            "examples/python/CuTeDSL/cute/hopper/kernel/grouped_gemm/grouped_gemm.py");
}

TEST(Resolve, RenamedExamplesAreFollowedBothWays) {
  MemoryFiles files;
  const ScratchFolder scratch;
  const auto w = open_release(files, scratch, "4.7.0");
  const auto mla = resolve("mla", std::nullopt, *w->catalog, w->history);
  ASSERT_TRUE(mla);
  EXPECT_EQ(mla->candidates.size(), 2u);
  EXPECT_EQ(mla->notes.front(),
            "mla.py is called mla_decode_fp16.py and mla_decode_fp8.py since 4.4.0 (split by number format)");
  MemoryFiles old_files;
  const ScratchFolder other;
  const auto old_tree = open_release(old_files, other, "4.3.0");
  const auto back =
      resolve("mixed_input_fmha_prefill_d512.py", std::nullopt, *old_tree->catalog, old_tree->history);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->candidates.size(), 1u);
  EXPECT_EQ(basename_of(example(*old_tree, back->candidates.front()).path()), "mixed_input_fmha_prefill.py");
}

TEST(Resolve, AbsentExamplesSayWhenTheyExist) {
  MemoryFiles files;
  const ScratchFolder scratch;
  const auto w = open_release(files, scratch, "4.3.0");
  const auto r = resolve("dense_gemm_fp8_gelu_persistent", std::nullopt, *w->catalog, w->history);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind, ErrorKind::input);
  EXPECT_EQ(r.error().wrong,
            "dense_gemm_fp8_gelu_persistent.py is not in cutlass (CUTLASS 4.3.0, layout B, 4.3)");
  EXPECT_EQ(r.error().where,
            "CUTLASS has it in 4.7.0 as cute/hopper/kernel/dense_gemm/dense_gemm_fp8_gelu_persistent.py");
}

TEST(Resolve, TyposGetASuggestion) {
  MemoryFiles files;
  const ScratchFolder scratch;
  const auto w = open_release(files, scratch, "4.7.0");
  const auto r = resolve("dense_gem_persistant.py", std::nullopt, *w->catalog, w->history);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().remedy, "did you mean dense_gemm_persistent?");
}

TEST(Resolve, EveryLayoutIsRecognised) {
  for (const auto& [release, layout] : std::map<std::string, std::string>{{"4.0.0", "A"},
                                                                          {"4.1.0", "A"},
                                                                          {"4.2.2", "A"},
                                                                          {"4.3.0", "B"},
                                                                          {"4.3.6", "B"},
                                                                          {"4.4.0", "C"},
                                                                          {"4.4.3", "C"},
                                                                          {"main-2026-03-17", "C'"},
                                                                          {"4.5.0", "D"},
                                                                          {"4.6.2", "D"},
                                                                          {"4.7.0", "E"}}) {
    MemoryFiles files;
    const ScratchFolder scratch;
    const auto w = open_release(files, scratch, release);
    const LayoutEpoch* epoch = w->history.epoch_of(w->catalog->corpora().front());
    ASSERT_TRUE(epoch) << release;
    EXPECT_EQ(epoch->id, layout) << release;
  }
}

}  // namespace
}  // namespace cutelab::corpus
