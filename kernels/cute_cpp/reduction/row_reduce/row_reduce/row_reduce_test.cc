// Reductions of rows without a GPU: what the plans say must hold for every problem in their legal range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel/registry.h"

namespace {

using namespace cutelab;
using namespace cutelab::kernel;

class Reductions : public ::testing::TestWithParam<const char*> {
 protected:
  Reductions() : package(*find_package(all_packages(), GetParam(), "")), plan(*package.plan) {}
  kernel::Params problem(std::int64_t b, std::int64_t h, const char* op = "sum", const char* dtype = "bf16") {
    return *parse_parameters(
        package.design, plan.parameters(),
        {{"b", std::to_string(b)}, {"h", std::to_string(h)}, {"op", op}, {"dtype", dtype}});
  }
  Package package;
  const KernelPlan& plan;
};

TEST_P(Reductions, ReferenceByHand) {
  const auto p = problem(2, 3);
  Inputs inputs = plan.prepare_inputs(p, Fill::uniform, 1);
  for (int i = 0; i < 6; ++i) inputs.tensors[0].set(i, i - 2);  // -2 -1 0 / 1 2 3
  const auto y = [&](const char* op, int row) {
    return plan.reference_fn(problem(2, 3, op), inputs).tensors[0].at(row);
  };
  EXPECT_EQ(y("sum", 0), -3);
  EXPECT_EQ(y("sum", 1), 6);
  EXPECT_EQ(y("largest", 0), 0);
  EXPECT_EQ(y("least", 1), 1);
  EXPECT_EQ(y("sum_of_squares", 1), 14);
}

/// Partial sums in fp32, as a row of threads makes them, keep to the tolerance; one element left out does
/// not.
TEST_P(Reductions, SumsInFp32AreWithinTheToleranceAndAForgottenElementIsNot) {
  for (const auto fill : {Fill::uniform, Fill::normal})
    for (const char* op : {"sum", "sum_of_squares"}) {
      const auto p = problem(64, 5000, op);
      const auto inputs = plan.prepare_inputs(p, fill, 3);
      const auto reference = plan.reference_fn(p, inputs);
      auto whole = plan.prepare_outputs(p), lacking = plan.prepare_outputs(p);
      for (std::int64_t row = 0; row < 64; ++row) {
        float parts[128] = {}, sum = 0;
        for (std::int64_t c = 0; c < 5000; ++c) {
          const auto x = static_cast<float>(inputs.tensors[0].at(row * 5000 + c));
          parts[c % 128] += *op == 's' && op[3] == 0 ? x : x * x;
        }
        for (const float part : parts) sum += part;
        whole.tensors[0].set(row, sum);
        const double last = inputs.tensors[0].at(row * 5000 + 4999);
        lacking.tensors[0].set(row, sum - (op[3] == 0 ? last : last * last));
      }
      const auto good = compare(whole.tensors[0], reference.tensors[0], plan.tolerance(p));
      EXPECT_TRUE(good.passed) << op << " " << name_of(fill) << " " << good.text;
      EXPECT_FALSE(compare(lacking.tensors[0], reference.tensors[0], plan.tolerance(p)).passed)
          << op << " " << name_of(fill);
    }
}

TEST_P(Reductions, EveryProblemHasALegalConfigurationAndRejectedOnesSayWhy) {
  for (const auto& [b, h] :
       {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 1 << 24}, {7, 1001}, {8192, 8192}, {100'003, 2}})
    for (const char* dtype : {"bf16", "fp16", "fp32"}) {
      const auto p = problem(b, h, "least", dtype);
      const auto configs = plan.autotune_configs(p);
      ASSERT_FALSE(configs.empty());
      EXPECT_TRUE(configs[0].legal()) << configs[0].rejected_because;
      for (const auto& config : configs) {
        const auto kernel = plan.plan(p, config);
        EXPECT_EQ(config.legal(), static_cast<bool>(kernel)) << config.text();
        if (!config.legal()) continue;
        for (const auto& ragged : plan.ragged_params(p, config))
          EXPECT_TRUE(plan.plan(ragged, config)) << ragged.text();
      }
    }
}

TEST_P(Reductions, WorkIsOneRead) {
  const auto work = plan.algorithmic_flops_bytes(problem(100, 1000, "sum", "fp32"));
  EXPECT_EQ(work.compulsory.count(), 100 * 1000 * 4 + 100 * 4);
}

INSTANTIATE_TEST_SUITE_P(Designs, Reductions, ::testing::Values("row_reduce", "cub_reduce"));

TEST(CubReduce, TheWholeDeviceReducesOneRowOnly) {
  const auto package = *find_package(all_packages(), "cub_reduce", "");
  const auto& plan = *package.plan;
  const auto of = [&](const char* rows) {
    return plan.autotune_configs(*parse_parameters("cub_reduce", plan.parameters(), {{"b", rows}}));
  };
  EXPECT_EQ(of("1")[0].value("method"), 1);
  EXPECT_TRUE(of("1")[1].legal());
  EXPECT_EQ(of("2")[0].value("method"), 0);
  EXPECT_EQ(of("2")[1].rejected_because, "cub::DeviceReduce gives one result, not 2");
}

TEST(RowReduce, TheGridCoversEveryRow) {
  const auto package = *find_package(all_packages(), "row_reduce", "");
  const auto& plan = *package.plan;
  for (const char* h : {"8", "512", "8192", "100000"}) {
    const auto p = *parse_parameters("row_reduce", plan.parameters(), {{"b", "1001"}, {"h", h}});
    for (const auto& config : plan.autotune_configs(p)) {
      if (!config.legal()) continue;
      const auto shape = plan.plan(p, config)->launch(132);
      EXPECT_GE(shape.grid[0] * config.value("rows_per_cta"), 1001);
      EXPECT_LT((shape.grid[0] - 1) * config.value("rows_per_cta"), 1001);
      EXPECT_EQ(shape.block[0], config.value("threads_per_row") * config.value("rows_per_cta"));
    }
  }
}

}  // namespace
