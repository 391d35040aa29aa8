// Plans of the whole ladder without a GPU: what they say must hold for every problem in their legal range.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

#include "../tile_order.h"
#include "kernel/registry.h"
#include "support/truncated_sums.h"

namespace {

using namespace cutelab;
using namespace cutelab::kernel;

std::vector<Package> ladder() {
  std::vector<Package> found;
  for (auto& package : all_packages())
    if (package.design == "dense_gemm") found.push_back(package);
  return found;
}

using Given = std::vector<std::pair<std::string, std::string>>;
kernel::Params problem(const KernelPlan& plan, const Given& given) {
  auto p = parse_parameters("dense_gemm", plan.parameters(), given);
  EXPECT_TRUE(p) << p.error().message();
  return *p;
}

TEST(DenseGemm, TheLadderHasEveryRung) {
  std::set<std::string> versions;
  for (const auto& package : ladder()) versions.insert(package.version);
  for (const char* version : {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"})
    EXPECT_TRUE(versions.count(version)) << version;
}

TEST(DenseGemm, ReferenceByHand) {
  const auto package = ladder().front();
  for (const auto& [a, b] : {std::pair{"k", "k"}, {"m", "n"}, {"k", "n"}, {"m", "k"}}) {
    const auto p = problem(*package.plan, {{"m", "8"},
                                           {"n", "8"},
                                           {"k", "8"},
                                           {"batch", "2"},
                                           {"alpha", "2"},
                                           {"beta", "-1"},
                                           {"a", a},
                                           {"b", b}});
    auto inputs = package.plan->prepare_inputs(p, Fill::uniform, 1);
    for (auto& tensor : inputs.tensors)
      for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, 0);
    // Batch 1: A[3][5] = 4, B[6][5] = 0.5, C[3][6] = 7; everything else 0.
    inputs.tensors[0].set(64 + (a[0] == 'k' ? 3 * 8 + 5 : 5 * 8 + 3), 4);
    inputs.tensors[1].set(64 + (b[0] == 'k' ? 6 * 8 + 5 : 5 * 8 + 6), 0.5);
    inputs.tensors[2].set(64 + 3 * 8 + 6, 7);
    const auto d = package.plan->reference_fn(p, inputs).tensors[0];
    for (std::int64_t i = 0; i < d.size(); ++i)
      EXPECT_EQ(d.at(i), i == 64 + 3 * 8 + 6 ? 2 * 2.0 - 7 : 0) << a << b << d.coordinates(i);
  }
}

TEST(DenseGemm, ReferenceAgainstPlainDoubleSums) {
  const auto package = ladder().front();
  const auto p = problem(*package.plan, {{"m", "5"}, {"n", "72"}, {"k", "200"}});
  const auto inputs = package.plan->prepare_inputs(p, Fill::adversarial, 3);
  const auto d = package.plan->reference_fn(p, inputs).tensors[0];
  for (std::int64_t m = 0; m < 5; ++m)
    for (std::int64_t n = 0; n < 72; ++n) {
      double sum = 0, size = 0;
      for (std::int64_t k = 0; k < 200; ++k) {
        const double product = inputs.tensors[0].at(m * 200 + k) * inputs.tensors[1].at(n * 200 + k);
        sum += product;
        size += std::abs(product);
      }
      EXPECT_NEAR(d.at(m * 72 + n), sum, size * 0x1p-22);
    }
}

TEST(DenseGemm, TheReferenceRoundedOnceIsWithinTheTolerance) {
  const auto package = ladder().front();
  for (const char* dtype : {"bf16", "fp16"})
    for (const auto fill : {Fill::uniform, Fill::normal, Fill::adversarial}) {
      const auto p = problem(*package.plan, {{"m", "40"}, {"n", "64"}, {"k", "264"}, {"dtype", dtype}});
      const auto reference =
          package.plan->reference_fn(p, package.plan->prepare_inputs(p, fill, 5)).tensors[0];
      auto rounded = package.plan->prepare_outputs(p).tensors[0];
      for (std::int64_t i = 0; i < rounded.size(); ++i) rounded.set(i, reference.at(i));
      const auto tolerance = package.plan->tolerance(p);
      EXPECT_TRUE(compare(rounded, reference, tolerance).passed) << dtype;
      // One product left out of one sum must show.
      if (fill == Fill::adversarial) continue;
      rounded.set(100, reference.at(100) + 1);
      EXPECT_FALSE(compare(rounded, reference, tolerance).passed) << dtype;
    }
}

TEST(DenseGemm, SumsThatDropBitsAreWithinTheTolerance) {
  const auto package = ladder().front();
  for (const std::int64_t k : {512, 4096}) {
    const auto p = problem(*package.plan, {{"m", "48"}, {"n", "48"}, {"k", std::to_string(k)}});
    const auto inputs = package.plan->prepare_inputs(p, Fill::adversarial, 7);
    auto out = package.plan->prepare_outputs(p).tensors[0];
    const double dropped =
        kernel::testing::multiply_dropping_bits(inputs.tensors[0], inputs.tensors[1], k, out);
    const auto tolerance = package.plan->tolerance(p);
    const auto report = compare(out, package.plan->reference_fn(p, inputs).tensors[0], tolerance);
    EXPECT_TRUE(report.passed) << report.text;
    const double allowed = tolerance.floor * tolerance.relative_norm / 4;
    EXPECT_LT(dropped, allowed);
    EXPECT_GT(dropped, allowed / 10) << "what is allowed for sums is not slack";
    EXPECT_NE(tolerance.reason.find("root mean square 10.9"), std::string::npos) << tolerance.reason;
  }
}

// Every problem has a configuration, in every version; rejected ones say why; legal ones come first and can
// be planned.
TEST(DenseGemm, EveryProblemHasALegalConfiguration) {
  const std::vector<std::tuple<int, int, int>> shapes = {
      {4096, 4096, 4096}, {8192, 1024, 8192}, {16, 8192, 8192},      {1, 8, 8},      {2112, 7168, 4096},
      {128, 7168, 16384}, {1048576, 256, 64}, {8, 1048576, 1048576}, {200, 488, 264}};
  for (const auto& package : ladder())
    for (const auto& [m, n, k] : shapes)
      for (const char* b : {"k", "n"}) {
        const auto p =
            problem(*package.plan,
                    {{"m", std::to_string(m)}, {"n", std::to_string(n)}, {"k", std::to_string(k)}, {"b", b}});
        EXPECT_TRUE(package.plan->check(p));
        const auto configs = package.plan->autotune_configs(p);
        ASSERT_FALSE(configs.empty());
        EXPECT_TRUE(configs[0].legal())
            << package.title() << " " << p.text() << ": " << configs[0].rejected_because;
        bool rejected = false;
        for (const auto& config : configs) {
          rejected |= !config.legal();
          EXPECT_EQ(rejected, !config.legal()) << "legal ones come first";
          auto kernel = package.plan->plan(p, config);
          EXPECT_EQ(static_cast<bool>(kernel), config.legal());
          if (!config.legal()) continue;
          const auto shape = kernel->launch(132);
          EXPECT_GE(shape.grid[0], 1U);
          EXPECT_EQ(shape.grid[0] % shape.cluster[0], 0U);
          EXPECT_LE(shape.dynamic_smem_bytes, 232448U);
          for (const auto& ragged : package.plan->ragged_params(p, config)) {
            EXPECT_TRUE(package.plan->check(ragged)) << ragged.text();
            EXPECT_TRUE(package.plan->plan(ragged, config)) << package.title() << " " << ragged.text();
          }
        }
      }
}

TEST(DenseGemm, StridesThatTmaCannotTakeAreRefusedWithTheRemedy) {
  const auto package = ladder().front();
  const KernelPlan& plan = *package.plan;
  for (const auto& given :
       {Given{{"n", "100"}, {"k", "64"}}, Given{{"k", "100"}}, Given{{"m", "100"}, {"a", "m"}}}) {
    const auto status = plan.check(problem(plan, given));
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message().find("pad"), std::string::npos) << status.error().message();
    EXPECT_NE(status.error().message().find("104"), std::string::npos) << status.error().message();
  }
  EXPECT_TRUE(plan.check(problem(plan, {{"m", "1"}, {"n", "8"}, {"k", "8"}})));
  EXPECT_TRUE(plan.check(problem(plan, {{"m", "8"}, {"n", "8"}, {"k", "1"}, {"a", "m"}, {"b", "n"}})));
}

// The estimate behind v6's order prefers what was measured fastest (docs/kernels/dense_gemm.md).
TEST(DenseGemm, SkinnyProblemsGetTheMeasuredConfigurations) {
  const auto package = *find_package(all_packages(), "dense_gemm", "v6");
  const auto first = [&](const char* m, const char* n, const char* k) {
    return package.plan->autotune_configs(problem(*package.plan, {{"m", m}, {"n", n}, {"k", k}}))[0];
  };
  const auto sixteen = first("16", "8192", "8192");
  EXPECT_EQ(sixteen.value("row_contiguous"), 1);
  EXPECT_EQ(sixteen.value("tile_n"), 16);
  EXPECT_EQ(sixteen.value("splits"), 1);
  const auto wide = first("128", "7168", "16384");
  EXPECT_EQ(wide.value("tile_m"), 128);
  EXPECT_EQ(wide.value("tile_n"), 112);
  EXPECT_EQ(wide.value("splits"), 2);
}

// Post-condition of TileOrder: at() is a bijection from [0, count()) onto the tiles; it stays within `group`
// rows as long as the group has tiles.
TEST(DenseGemm, TileOrderVisitsEveryTileOnce) {
  for (const int rows : {1, 2, 7, 16, 17, 64})
    for (const int columns : {1, 3, 28})
      for (const int group : {1, 4, 8, 16, 100}) {
        const dense_gemm::TileOrder order{rows, columns, 2, group};
        std::set<std::tuple<int, int, int>> seen;
        for (int i = 0; i < order.count(); ++i) {
          const auto tile = order.at(i);
          EXPECT_TRUE(tile.m >= 0 && tile.m < rows && tile.n >= 0 && tile.n < columns);
          EXPECT_EQ(tile.batch, i / (rows * columns));
          EXPECT_EQ(tile.m / group, i % (rows * columns) / (group * columns));
          seen.insert({tile.m, tile.n, tile.batch});
        }
        EXPECT_EQ(static_cast<int>(seen.size()), order.count());
      }
}

TEST(DenseGemm, WorkIsEachOperandOnce) {
  const auto package = ladder().front();
  const KernelPlan& plan = *package.plan;
  const auto work =
      plan.algorithmic_flops_bytes(problem(plan, {{"m", "16"}, {"n", "32"}, {"k", "64"}, {"batch", "3"}}));
  EXPECT_EQ(work.compulsory.count(), 3 * 2 * (16 * 64 + 32 * 64 + 16 * 32));
  EXPECT_DOUBLE_EQ(work.flops.at("bf16-tensor"), 3 * 2.0 * 16 * 32 * 64);
}

}  // namespace
