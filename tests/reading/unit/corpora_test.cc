// The reading over real code: the PyPI corpora of the set-up, and a CUTLASS checkout where CUTLASS_DIR names
// one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "reading/read.h"

namespace cutelab {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> sources(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    const auto extension = entry.path().extension();
    if (entry.is_regular_file() && (extension.string() == ".py" || extension.string() == ".cu") &&
        entry.file_size() > 0)
      out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void every_file_reads(const std::string& folder) {
  const DiskFileSource files;
  for (const std::string& path : sources(folder)) {
    reading::Request request;
    request.path = path;
    const auto result = reading::read(request, files);
    ASSERT_TRUE(result.ok()) << result.error().message();
    EXPECT_EQ(result->patterns.size(), 10u) << path;
    const int lines = result->files.front().lines;
    for (const auto& fact : result->facts) {
      ASSERT_GE(fact.at.line(), 1) << path << " " << fact.says;
      if (fact.at.file == 0) {
        ASSERT_LE(fact.at.line(), lines) << path << " " << fact.says;
      }
    }
    for (const auto& pattern : result->patterns)
      if (pattern.present) {
        EXPECT_FALSE(pattern.at.empty()) << path << " " << pattern.id;
      }
  }
}

std::string corpora() { return std::string(CUTELAB_DEPS_DIR) + "/corpora"; }

TEST(Corpora, EveryFileGivesAReading) {
  if (!fs::exists(corpora())) GTEST_SKIP() << "the part 'corpora' is not set up: ./cutelab setup corpora";
  every_file_reads(corpora());
}

TEST(Corpora, EveryExampleOfACheckoutGivesAReading) {
  const char* checkout = std::getenv("CUTLASS_DIR");
  if (!checkout || !*checkout) GTEST_SKIP() << "CUTLASS_DIR names no CUTLASS checkout";
  every_file_reads(std::string(checkout) + "/examples");
}

const evidence::Fact* on_line(const evidence::Reading& reading, const std::string& kind,
                              const std::string& line_text, const std::string& text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  for (const auto& fact : reading.facts)
    if (fact.at.file == 0 && fact.kind == kind &&
        lines.at(static_cast<std::size_t>(fact.at.line()) - 1).find(line_text) != std::string_view::npos)
      return &fact;
  return nullptr;
}

// A real Hopper GEMM: its roles, pipelines and launch stand on the lines that carry them.
TEST(Corpora, HopperGemmNamesRolesPipelinesAndLaunch) {
  const std::string path = corpora() + "/quack-kernels/quack/gemm_sm90.py";
  if (!fs::exists(path)) GTEST_SKIP() << "the part 'corpora' is not set up: ./cutelab setup corpora";
  const DiskFileSource files;
  const auto text = files.read(path, max_source_bytes);
  reading::Request request;
  request.path = path;
  const auto result = reading::read(request, files);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->arch.minimum, "sm_90a");
  EXPECT_NE(on_line(*result, "grid", "grid=grid", *text), nullptr);
  EXPECT_NE(on_line(*result, "block", "block=", *text), nullptr);
  EXPECT_NE(on_line(*result, "cluster", "cluster=", *text), nullptr);
  const auto* load = on_line(*result, "role", "if warp_idx >= self.ab_load_warp_id", *text);
  const auto* math = on_line(*result, "role", "if warp_idx < self.ab_load_warp_id", *text);
  ASSERT_NE(load, nullptr);
  ASSERT_NE(math, nullptr);
  EXPECT_EQ(math->subject, "mma");
  const auto* ring = on_line(*result, "pipeline", "ab_pipeline = ", *text);
  ASSERT_NE(ring, nullptr);
  EXPECT_EQ(ring->values.at("class").text(), "PipelineTmaAsync");
  EXPECT_NE(on_line(*result, "register-budget", "setmaxregister_decrease", *text), nullptr);
  EXPECT_NE(on_line(*result, "register-budget", "setmaxregister_increase", *text), nullptr);
  for (const char* id : {"P1", "P2", "P3", "P5", "P6", "P8", "P10"})
    EXPECT_TRUE(std::any_of(result->patterns.begin(), result->patterns.end(), [&](auto& p) {
      return p.id == id && p.present;
    })) << id;
}

}  // namespace
}  // namespace cutelab
