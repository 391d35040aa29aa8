// The cuTile packages without a GPU: what they say must hold for every legal problem, and every problem that
// one build is checked on must be one that this build serves.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/registry.h"
#include "kernel/tile_program.h"

namespace {

using namespace cutelab;
using namespace cutelab::kernel;
using Given = std::vector<std::pair<std::string, std::string>>;

Params problem(const Package& package, const Given& given) {
  auto params = parse_parameters(package.design, package.plan->parameters(), given);
  EXPECT_TRUE(params) << params.error().message();
  EXPECT_TRUE(package.plan->check(*params)) << params->text();
  return *params;
}

/// One build serves all problems of a check: the requests to the compiler are the same.
void expect_plans(const std::string& design, const std::vector<Given>& problems) {
  const Package package = *find_package(all_packages(), design, "");
  EXPECT_EQ(package.language, "cutile-dsl");
  EXPECT_EQ(package.architectures.front(), "sm_90");
  for (const Given& given : problems) {
    const Params params = problem(package, given);
    const auto configs = package.plan->autotune_configs(params);
    ASSERT_FALSE(configs.empty());
    EXPECT_TRUE(configs[0].legal()) << design << " " << params.text() << ": " << configs[0].rejected_because;
    for (const Config& config : configs) {
      const auto kernel = package.plan->plan(params, config);
      EXPECT_EQ(kernel.ok(), config.legal()) << design << " " << params.text() << " " << config.text();
      if (!kernel) continue;
      ASSERT_TRUE(kernel->tile);
      for (const Params& ragged : package.plan->ragged_params(params, config)) {
        EXPECT_TRUE(package.plan->check(ragged)) << ragged.text();
        const auto other = package.plan->plan(ragged, config);
        ASSERT_TRUE(other) << ragged.text() << ": " << other.error().message();
        EXPECT_EQ(other->defines, kernel->defines) << design << " " << ragged.text();
      }
    }
  }
}

TEST(TilePlans, OneBuildServesTheProblemsOfItsCheck) {
  expect_plans("tile_gemm", {{},
                             {{"m", "16"}, {"n", "8192"}},
                             {{"m", "520"}, {"n", "264"}, {"k", "72"}, {"batch", "3"}},
                             {{"a", "m"}, {"b", "n"}, {"m", "64"}, {"dtype", "fp16"}}});
  expect_plans("tile_rmsnorm", {{},
                                {{"h", "1"}},
                                {{"h", "7"}},
                                {{"h", "100"}},
                                {{"h", "1000"}},
                                {{"h", "4096"}},
                                {{"h", "30001"}, {"dtype", "fp16"}},
                                {{"h", "65536"}}});
  expect_plans("tile_attention", {{},
                                  {{"causal", "yes"}},
                                  {{"lse", "yes"}, {"d", "64"}},
                                  {{"d", "256"}, {"heads_kv", "2"}},
                                  {{"d", "96"}}});
  expect_plans(
      "tile_mla_decode",
      {{}, {{"b", "1"}, {"t", "65536"}}, {{"heads", "16"}}, {{"b", "32"}, {"s", "2"}}, {{"causal", "no"}}});
}

TEST(TilePlans, GemmRefusesWhatItDoesNotCompute) {
  const Package package = *find_package(all_packages(), "tile_gemm", "");
  for (const auto& [name, value] : {std::pair{"alpha", "2"}, {"beta", "1"}}) {
    const auto params = parse_parameters("tile_gemm", package.plan->parameters(), {{name, value}});
    ASSERT_TRUE(params);
    const auto status = package.plan->check(*params);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().wrong, "it computes D = A·Bᵀ alone");
  }
}

// Operands that are contiguous the other way reach the kernel as the same array with other strides.
TEST(TilePlans, GemmPassesMajornessAsStrides) {
  const Package package = *find_package(all_packages(), "tile_gemm", "");
  const Params params = problem(package, {{"m", "64"}, {"n", "128"}, {"k", "32"}, {"a", "m"}, {"b", "k"}});
  const auto kernel = package.plan->plan(params, package.plan->autotune_configs(params)[0]);
  ASSERT_TRUE(kernel);
  const auto& arrays = kernel->tile->steps[0].parameters;
  EXPECT_EQ(arrays[0].shape, (std::vector<std::int64_t>{1, 64, 32}));
  EXPECT_EQ(arrays[0].strides, (std::vector<std::int64_t>{2048, 1, 64}));
  EXPECT_EQ(arrays[0].contiguous, 1u);
  EXPECT_EQ(arrays[1].strides, (std::vector<std::int64_t>{4096, 32, 1}));
}

// Few sequences: the tokens of one are shared until the multiprocessors have something to do; partial results
// lie in a workspace, one after the other.
TEST(TilePlans, MlaSplitsTheTokensOfFewSequences) {
  const Package package = *find_package(all_packages(), "tile_mla_decode", "");
  const auto steps = [&](const Given& given) {
    const Params params = problem(package, given);
    return *package.plan->plan(params, package.plan->autotune_configs(params)[0])->tile;
  };
  const TileProgram full = steps({{"b", "128"}, {"heads", "128"}});
  ASSERT_EQ(full.steps.size(), 1u);
  EXPECT_EQ(full.steps[0].function, "tile_mla_decode");
  EXPECT_EQ(full.workspace_bytes, 0);
  const TileProgram split = steps({{"b", "2"}, {"heads", "128"}, {"t", "65536"}});
  ASSERT_EQ(split.steps.size(), 2u);
  EXPECT_EQ(split.steps[0].function, "tile_mla_split");
  EXPECT_EQ(split.steps[0].grid, (std::array<unsigned, 3>{2, 32, 2})) << "as near to 132 as the splits allow";
  EXPECT_EQ(split.steps[1].function, "tile_mla_combine");
  EXPECT_EQ(split.steps[1].grid, (std::array<unsigned, 3>{128, 2, 1}));
  EXPECT_EQ(split.workspace_bytes, 2 * 32 * 128 * (512 + 1) * 4);
  EXPECT_EQ(split.steps[0].parameters[3].workspace % 256, 0) << "arrays begin as the driver's allocations do";
}

}  // namespace
