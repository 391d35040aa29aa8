// The plan without a GPU: what it says must hold for every problem in its legal range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "config.h"
#include "kernel/registry.h"

namespace {

using namespace cutelab;
using namespace cutelab::kernel;

class Rmsnorm : public ::testing::Test {
 protected:
  Rmsnorm() : package(*find_package(all_packages(), "rmsnorm", "")), plan(*package.plan) {}
  kernel::Params problem(std::int64_t b, std::int64_t h, const std::string& dtype = "bf16") {
    auto p = *parse_parameters("rmsnorm", plan.parameters(),
                               {{"b", std::to_string(b)}, {"h", std::to_string(h)}, {"dtype", dtype}});
    return p;
  }
  Package package;
  const KernelPlan& plan;
};

TEST_F(Rmsnorm, ReferenceByHand) {
  const auto p = problem(1, 2);
  Inputs inputs = plan.prepare_inputs(p, Fill::uniform, 1);
  inputs.tensors[0].set(0, 3);
  inputs.tensors[0].set(1, 4);
  inputs.tensors[1].set(0, 1);
  inputs.tensors[1].set(1, 2);
  const auto y = plan.reference_fn(p, inputs);
  const double scale = 1 / std::sqrt(12.5 + 1e-6);
  EXPECT_NEAR(y.tensors[0].at(0), 3 * scale, 1e-7);
  EXPECT_NEAR(y.tensors[0].at(1), 8 * scale, 1e-7);
}

TEST_F(Rmsnorm, TheReferenceRoundedOnceIsWithinTheTolerance) {
  for (const char* dtype : {"bf16", "fp16"}) {
    for (const auto fill : {Fill::uniform, Fill::normal, Fill::adversarial}) {
      const auto p = problem(16, 300, dtype);
      const auto reference = plan.reference_fn(p, plan.prepare_inputs(p, fill, 5));
      auto rounded = plan.prepare_outputs(p);
      for (std::int64_t i = 0; i < rounded.tensors[0].size(); ++i)
        rounded.tensors[0].set(i, reference.tensors[0].at(i));
      const auto report = compare(rounded.tensors[0], reference.tensors[0], plan.tolerance(p));
      EXPECT_TRUE(report.passed) << dtype << " " << name_of(fill) << " " << report.text;
      EXPECT_GT(report.relative_norm, plan.tolerance(p).relative_norm / 10) << "the tolerance is not slack";
    }
  }
}

// Every hidden size has a configuration that holds the row; rejected ones say why; legal ones come first.
TEST_F(Rmsnorm, EveryHiddenSizeHasALegalConfiguration) {
  for (const std::int64_t h :
       {1, 2, 7, 31, 512, 1000, 1001, 4095, 4096, 4100, 8192, 30001, 32768, 65535, 65536}) {
    const auto p = problem(100, h);
    const auto configs = plan.autotune_configs(p);
    ASSERT_FALSE(configs.empty());
    EXPECT_TRUE(configs[0].legal()) << h << ": " << configs[0].rejected_because;
    bool rejected = false;
    for (const auto& config : configs) {
      if (!config.legal()) rejected = true;
      EXPECT_FALSE(config.legal() && rejected) << "legal ones come first";
      if (!config.legal()) {
        EXPECT_FALSE(plan.plan(p, config));
        continue;
      }
      EXPECT_GE(config.value("threads_per_row") * config.value("elements_per_thread"), h);
      EXPECT_EQ(h % config.value("vector_elements"), 0);
      EXPECT_EQ(config.value("elements_per_thread") % config.value("vector_elements"), 0);
      EXPECT_LE(config.value("threads_per_row") * config.value("rows_per_cta"), 1024);
      auto kernel = plan.plan(p, config);
      ASSERT_TRUE(kernel) << kernel.error().message();
      for (const auto& ragged : plan.ragged_params(p, config))
        EXPECT_TRUE(plan.plan(ragged, config)) << ragged.text();
    }
  }
}

TEST_F(Rmsnorm, TheGridCoversEveryRowOnce) {
  for (const std::int64_t b : {1, 17, 8192, 100'003}) {
    const auto p = problem(b, 512);
    for (const auto& config : plan.autotune_configs(p)) {
      if (!config.legal()) continue;
      const auto shape = plan.plan(p, config)->launch(132);
      const std::int64_t blocks = (b + config.value("rows_per_cta") - 1) / config.value("rows_per_cta");
      if (config.value("persistent"))
        EXPECT_EQ(shape.grid[0], std::min<std::int64_t>(blocks, 132 * config.value("ctas_per_sm")));
      else
        EXPECT_EQ(shape.grid[0], blocks);
    }
  }
}

TEST_F(Rmsnorm, WorkIsOneReadAndOneWrite) {
  const auto work = plan.algorithmic_flops_bytes(problem(8192, 8192));
  EXPECT_EQ(work.compulsory.count(), 2LL * 8192 * 8192 * 2 + 8192 * 2);
  EXPECT_DOUBLE_EQ(work.flops.at("fp32"), 4.0 * 8192 * 8192);
}

}  // namespace
