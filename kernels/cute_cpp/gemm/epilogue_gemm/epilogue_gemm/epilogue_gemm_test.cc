// The epilogue's plan without a GPU: its reference by hand, its outputs and what it asks to be compiled.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel/registry.h"

namespace {

using namespace cutelab;
using namespace cutelab::kernel;

using Given = std::vector<std::pair<std::string, std::string>>;
Package package() { return *find_package(all_packages(), "epilogue_gemm", ""); }
kernel::Params problem(const Given& given) {
  const auto found = package();
  auto p = parse_parameters("epilogue_gemm", found.plan->parameters(), given);
  EXPECT_TRUE(p) << p.error().message();
  return *p;
}
double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x))); }
double silu(double x) { return x / (1 + std::exp(-x)); }

/// alpha · A · Bᵀ + bias at one place, summed plainly.
double product(const Inputs& in, std::int64_t m, std::int64_t n, std::int64_t k, double alpha) {
  double sum = 0;
  for (std::int64_t i = 0; i < k; ++i) sum += in.find("a")->at(m * k + i) * in.find("b")->at(n * k + i);
  return alpha * sum + (in.find("bias") ? in.find("bias")->at(n) : 0);
}

TEST(EpilogueGemm, ReferenceOfBiasGeluResidualAmax) {
  const auto plan = package().plan;
  const auto p =
      problem({{"m", "5"}, {"n", "16"}, {"k", "24"}, {"alpha", "2"}, {"beta", "-1"}, {"amax", "yes"}});
  const auto in = plan->prepare_inputs(p, Fill::uniform, 7);
  const auto out = plan->reference_fn(p, in);
  double largest = 0;
  for (std::int64_t m = 0; m < 5; ++m)
    for (std::int64_t n = 0; n < 16; ++n) {
      const double y = gelu(product(in, m, n, 24, 2)) - in.find("c")->at(m * 16 + n);
      largest = std::max(largest, std::abs(y));
      EXPECT_NEAR(out.find("d")->at(m * 16 + n), y, 1e-5);
    }
  EXPECT_NEAR(out.find("amax")->at(0), largest, 1e-5);
}

TEST(EpilogueGemm, GatedHalvesTheColumnsAndAuxKeepsThem) {
  const auto plan = package().plan;
  const auto p = problem({{"m", "3"},
                          {"n", "32"},
                          {"k", "8"},
                          {"activation", "silu"},
                          {"gated", "yes"},
                          {"aux", "yes"},
                          {"bias", "no"}});
  const auto in = plan->prepare_inputs(p, Fill::normal, 2);
  EXPECT_EQ(in.find("bias"), nullptr);
  const auto out = plan->reference_fn(p, in);
  ASSERT_EQ(out.find("d")->size(), 3 * 16);
  ASSERT_EQ(out.find("aux")->size(), 3 * 32);
  for (std::int64_t m = 0; m < 3; ++m)
    for (std::int64_t n = 0; n < 16; ++n) {
      const std::int64_t gate = n / 8 * 16 + n % 8;  // 8 columns of gate, 8 of value
      const double x = product(in, m, gate, 8, 1), value = product(in, m, gate + 8, 8, 1);
      EXPECT_NEAR(out.find("d")->at(m * 16 + n), silu(x) * value, 1e-5);
      EXPECT_NEAR(out.find("aux")->at(m * 32 + gate), x, 1e-5);
    }
  EXPECT_FALSE(plan->check(problem({{"n", "24"}, {"gated", "yes"}})));
  EXPECT_TRUE(plan->check(problem({{"n", "24"}})));
}

TEST(EpilogueGemm, WhatIsNotAskedForIsNotCompiled) {
  const auto plan = package().plan;
  const auto defines = [&](const Given& given) {
    const auto p = problem(given);
    return plan->plan(p, plan->autotune_configs(p)[0])->defines;
  };
  const auto has = [](const std::vector<std::string>& all, const char* one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  const auto plain = defines({});
  EXPECT_TRUE(has(plain, "EPILOGUE_ACTIVATION=Gelu") && has(plain, "EPILOGUE_BIAS=1"));
  EXPECT_TRUE(has(plain, "EPILOGUE_RESIDUAL=0") && has(plain, "EPILOGUE_AMAX=0"));
  const auto own = defines({{"activation", "softcap"}, {"beta", "1"}, {"bias", "no"}});
  EXPECT_TRUE(has(own, "EPILOGUE_ACTIVATION=Softcap") && has(own, "EPILOGUE_RESIDUAL=1"));
  EXPECT_TRUE(has(own, "EPILOGUE_BIAS=0"));
}

// Which way a tile ends depends on what its end has to do (docs/kernels/epilogue_gemm.md).
TEST(EpilogueGemm, TheWayToTheEndSuitsWhatIsAskedFor) {
  const auto plan = package().plan;
  const auto first = [&](const Given& given) { return plan->autotune_configs(problem(given))[0]; };
  EXPECT_EQ(first({}).value("halves"), 2);
  EXPECT_EQ(first({{"activation", "none"}}).value("halves"), 1);
  for (const Given& given : {Given{{"beta", "1"}}, {{"aux", "yes"}}, {{"aux", "yes"}, {"gated", "yes"}}}) {
    EXPECT_EQ(first(given).value("staged"), 1);
    EXPECT_EQ(first(given).value("halves"), 1);
  }
  const auto p = problem({});
  Config config = plan->autotune_configs(p)[0];
  EXPECT_EQ(config.value("staged"), 0);
  config.values["staged"] = 1;
  config.values["halves"] = 1;
  EXPECT_NE(plan->plan(p, config).error().wrong.find("neither"), std::string::npos);
}

TEST(EpilogueGemm, EveryCheckProblemIsLegal) {
  const auto plan = package().plan;
  for (const Given& given : {Given{},
                             {{"gated", "yes"}, {"activation", "silu"}},
                             {{"m", "1"}, {"n", "48"}},
                             {{"aux", "yes"}, {"beta", "1"}}}) {
    const auto p = problem(given);
    const auto config = plan->autotune_configs(p)[0];
    ASSERT_TRUE(config.legal());
    for (const auto& ragged : plan->ragged_params(p, config)) {
      EXPECT_TRUE(plan->check(ragged)) << ragged.text();
      EXPECT_TRUE(plan->plan(ragged, config)) << ragged.text();
    }
  }
}

// A wrong activation or a missing bias must not pass.
TEST(EpilogueGemm, TheToleranceSeesAWrongEpilogue) {
  const auto plan = package().plan;
  const auto p = problem({{"m", "16"}, {"n", "64"}, {"k", "256"}});
  const auto in = plan->prepare_inputs(p, Fill::uniform, 5);
  const auto reference = plan->reference_fn(p, in).tensors[0];
  const auto tolerance = plan->tolerance(p);
  auto right = plan->prepare_outputs(p).tensors[0];
  for (std::int64_t i = 0; i < right.size(); ++i) right.set(i, reference.at(i));
  EXPECT_TRUE(compare(right, reference, tolerance).passed);
  for (const Given& other : {Given{{"activation", "relu"}}, {{"bias", "no"}}}) {
    Given given = {{"m", "16"}, {"n", "64"}, {"k", "256"}};
    given.insert(given.end(), other.begin(), other.end());
    const auto q = problem(given);
    Inputs without;
    for (const auto& tensor : in.tensors)
      if (other[0].first != "bias" || tensor.name != "bias") without.tensors.push_back(tensor);
    const auto wrong = plan->reference_fn(q, without).tensors[0];
    for (std::int64_t i = 0; i < right.size(); ++i) right.set(i, wrong.at(i));
    EXPECT_FALSE(compare(right, reference, tolerance).passed) << other[0].first;
  }
}

}  // namespace
