// Readings of the examples in examples/cute_dsl, held to numbers worked out by hand from their sources.
#include <gtest/gtest.h>

#include <filesystem>

#include "evidence/names.h"
#include "reading/read.h"

namespace cutelab {
namespace {

struct Expected {
  const char* file;
  const char *grid, *block;
  std::int64_t smem_bytes;
  const char* stages;    ///< of its mbarrier ring; "" = it has none
  const char* tx_bytes;  ///< that one stage of it waits for
};

/// One tile of C in shared memory is 128 x 128 x 2 bytes, as is a stage of A and B together (256 x 64 x 2).
/// (232,448 - 32,768 - 1,024) / 32,768 = 6 stages; 1,024 bytes in front, barriers and alignment.
constexpr Expected expected[] = {
    {"elementwise_add.py", "(1008, 1, 1)", "(256, 1, 1)", 0, "", ""},  // ceil(1000 / 16) * 4096 / 256 tiles
    {"online_softmax.py", "(250, 1, 1)", "(128, 1, 1)", 0, "", ""},    // 4 rows of 1000 each
    {"gemm_persistent_warp_specialized.py", "(1, 1, 132)", "(384, 1, 1)", 1024 + 7 * 32768, "6", "32768"},
    {"gemm_wgmma_pipelined.py", "(16, 16, 1)", "(128, 1, 1)", 1024 + 7 * 32768, "7", "32768"},
    {"tma_copy.py", "(16, 16, 1)", "(128, 1, 1)", 128 + 64 * 128 * 2, "", ""},
    {"rmsnorm.py", "(4096, 1, 1)", "(256, 1, 1)", 8 * 4, "", ""},
};

class OwnExample : public ::testing::TestWithParam<Expected> {
 protected:
  static evidence::Reading read(const char* file) {
    reading::Request request;
    request.path = std::string(CUTELAB_SOURCE_DIR) + "/examples/cute_dsl/" + file;
    request.library_roots = {CUTELAB_DEPS_DIR "/dsl-sources/nvidia_cutlass_dsl/dsl_packages"};
    const auto result = reading::read(request, DiskFileSource());
    EXPECT_TRUE(result.ok());
    return *result;
  }
  static std::string value(const evidence::Fact& fact, const char* name) {
    const auto found = fact.values.find(name);
    return found == fact.values.end() ? "" : found->second.text();
  }
};

TEST_P(OwnExample, IsReadToTheLastNumber) {
  if (!std::filesystem::exists(CUTELAB_DEPS_DIR "/dsl-sources"))
    GTEST_SKIP() << "the part 'dsl-sources' is not set up";
  const Expected& want = GetParam();
  const evidence::Reading reading = read(want.file);
  int launches = 0, rings = 0;
  for (const evidence::Fact& fact : reading.facts) {
    for (const auto& [name, one] : fact.values)
      EXPECT_TRUE(one.determined()) << fact.at.line() << " " << fact.subject << "." << name;
    if (fact.kind == evidence::kind::launch) {
      ++launches;
      EXPECT_EQ(value(fact, "grid"), want.grid);
      EXPECT_EQ(value(fact, "block"), want.block);
      EXPECT_EQ(value(fact, "smem_bytes"), std::to_string(want.smem_bytes));
    }
    if (fact.kind == evidence::kind::pipeline && value(fact, "class") == "PipelineTmaAsync") {
      ++rings;
      EXPECT_EQ(value(fact, "stages"), want.stages);
      EXPECT_EQ(value(fact, "bytes"), want.tx_bytes);
    }
  }
  EXPECT_EQ(launches, 1);
  EXPECT_EQ(rings, *want.stages ? 1 : 0);
  EXPECT_TRUE(reading.give_ups.empty()) << reading.give_ups.front().reason;
}

std::string name_of_example(const ::testing::TestParamInfo<Expected>& info) {
  const std::string file = info.param.file;
  return file.substr(0, file.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Examples, OwnExample, ::testing::ValuesIn(expected), name_of_example);

}  // namespace
}  // namespace cutelab
