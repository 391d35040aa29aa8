// A real CUTLASS checkout, named by CUTLASS_DIR; skipped without one. Nothing here knows a release: the
// checkout's own version decides what has to be there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "corpus/commands.h"
#include "corpus/select.h"
#include "corpus/tree.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {
using namespace test;

class RealCheckout : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("CUTLASS_DIR");
    if (!folder || !*folder) GTEST_SKIP() << "CUTLASS_DIR names no checkout";
    auto w =
        Workspace::open({folder, {"cutlass"}, CUTELAB_SOURCE_DIR}, environment_in(scratch_.path()), files_);
    ASSERT_TRUE(w) << w.error().message();
    w_ = std::move(*w);
  }
  const CorpusView& view() const { return w_->catalog->corpora().front(); }
  bool is_dsl(const Example& e) const { return e.path().starts_with("examples/python/CuTeDSL/"); }

  DiskFileSource files_;
  ScratchFolder scratch_;
  std::unique_ptr<Workspace> w_;
};

TEST_F(RealCheckout, EveryNameOfItsReleaseResolvesToItsPath) {
  ASSERT_TRUE(view().release);
  ASSERT_TRUE(w_->history.epoch_of(view())) << "the layout is recognised";
  const std::string release = view().release->text();
  const auto& releases = w_->history.releases();
  const auto order = [&](const std::string& r) {
    return std::find(releases.begin(), releases.end(), r) - releases.begin();
  };
  int checked = 0;
  for (const auto& [name, spans] : w_->history.files())
    for (const auto& span : spans) {
      if (order(release) < order(span.first) || order(release) > order(span.last)) continue;
      const auto r = resolve(name, std::nullopt, *w_->catalog, w_->history);
      ASSERT_TRUE(r) << name << ": " << r.error().message();
      for (const std::string& path : span.paths) {
        const bool listed = std::any_of(r->candidates.begin(), r->candidates.end(), [&](int i) {
          return example(*w_, i).path() == "examples/python/CuTeDSL/" + path;
        });
        EXPECT_TRUE(listed) << path;
        ++checked;
      }
    }
  EXPECT_GE(checked, 12);
}

TEST_F(RealCheckout, TheFolderAndTheConstructsAgreeAboutTheGeneration) {
  for (const Example& e : w_->catalog->examples()) {
    if (!is_dsl(e) || e.facts->kernels.empty()) continue;
    EXPECT_FALSE(e.arch.minimum.empty()) << e.path();
    const auto verdict = [&](const char* gpu) {
      return w_->catalog->runs_on(e, w_->archs.device(gpu)->arch);
    };
    if (e.generation == "hopper") {
      EXPECT_EQ(verdict("H100").runs, Runs::yes) << e.path() << ": " << verdict("H100").why;
    }
    if (e.generation == "ampere") {
      EXPECT_EQ(verdict("A100").runs, Runs::yes) << e.path() << ": " << verdict("A100").why;
    }
    if (e.generation == "blackwell" && e.path().find("sm103") == std::string::npos) {
      EXPECT_EQ(verdict("B200").runs, Runs::yes) << e.path() << ": " << verdict("B200").why;
    }
    if (e.generation == "blackwell_geforce") {
      EXPECT_EQ(verdict("RTX 5090").runs, Runs::yes) << e.path() << ": " << verdict("RTX 5090").why;
    }
    const auto uses = [&](const char* construct) {
      return std::find(e.constructs.begin(), e.constructs.end(), construct) != e.constructs.end();
    };
    if (uses("tensor memory")) {
      EXPECT_EQ(verdict("H100").runs, Runs::no) << e.path();
    }
  }
}

TEST_F(RealCheckout, EveryExampleHasACategoryALayerAndASummary) {
  int with = 0, without = 0;
  for (const Example& e : w_->catalog->examples()) {
    if (!is_dsl(e) || !e.facts->has_main) continue;
    EXPECT_FALSE(e.categories.empty()) << e.path();
    (e.facts->summary.empty() ? without : with) += 1;
    for (const RunCommand& c : run_commands(e, *w_->catalog))
      EXPECT_NE(c.text.find(w_->catalog->full_path(e)), std::string::npos) << c.text;
  }
  EXPECT_GT(with, without);
}

TEST_F(RealCheckout, HelpersAreRunBySomething) {
  for (const Example& e : w_->catalog->examples())
    if (is_dsl(e) && stem_of(e.path()).ends_with("_helpers") && e.facts->kernels.empty()) {
      EXPECT_EQ(e.layer, Layer::helper) << e.path();
    }
}

TEST_F(RealCheckout, FourFilesOfOneName) {
  const auto r = resolve("dense_gemm", w_->archs.device("H200").value(), *w_->catalog, w_->history);
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_GE(r->candidates.size(), 2u);
  ASSERT_GE(r->chosen, 0);
  EXPECT_EQ(example(*w_, r->chosen).generation, "hopper");
}

TEST_F(RealCheckout, DocumentationExplainsLayouts) {
  const auto found = find_docs({"swizzle"}, *w_->catalog, 10);
  ASSERT_FALSE(found.empty());
  EXPECT_GT(found.front().line, 0);
}

}  // namespace
}  // namespace cutelab::corpus
