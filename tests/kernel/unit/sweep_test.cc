#include "kernel/sweep.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace cutelab::kernel {
namespace {

/// Parameters alone; n is even.
struct EvenPlan final : KernelPlan {
  std::vector<ParameterSpec> parameters() const override {
    return {{"b", "rows", "32", 1, 1 << 20, {}},
            {"n", "columns", "8", 1, 1 << 20, {}},
            {"dtype", "type", "bf16", 0, 0, {"bf16", "fp16"}}};
  }
  Status check(const Params& p) const override {
    if (p.number("n") % 2 == 0) return {};
    return Error{ErrorKind::usage, "plan", "n is odd", "", ""};
  }
  Inputs prepare_inputs(const Params&, Fill, Seed) const override { return {}; }
  Outputs prepare_outputs(const Params&) const override { return {}; }
  Outputs reference_fn(const Params&, const Inputs&) const override { return {}; }
  Tolerance tolerance(const Params&) const override { return {}; }
  std::vector<Config> autotune_configs(const Params&) const override { return {}; }
  Work algorithmic_flops_bytes(const Params&) const override { return {}; }
  std::vector<Params> ragged_params(const Params&, const Config&) const override { return {}; }
  Result<CuteKernel> plan(const Params&, const Config&) const override { return CuteKernel{}; }
};

const ParameterSpec number{"t", "tokens", "1", 1, 1 << 20, {}};

std::string values(const std::string& text) {
  auto all = sweep_values("k", number, text);
  return all ? join(*all, " ") : "error: " + all.error().wrong;
}

TEST(SweepValues, Ranges) {
  EXPECT_EQ(values("7"), "7");
  EXPECT_EQ(values("1024:65536:x2"), "1024 2048 4096 8192 16384 32768 65536");
  EXPECT_EQ(values("3:20:x3"), "3 9");
  EXPECT_EQ(values("64:256:64"), "64 128 192 256");
  EXPECT_EQ(values("1:4"), "1 2 3 4");
  EXPECT_EQ(values("4:1:-1"), "4 3 2 1");
  EXPECT_EQ(values("1,8,4:16:x2"), "1 8 4 16");
}

TEST(SweepValues, WhatIsNoRangeIsSaid) {
  EXPECT_EQ(values("1:4:x1"), "error: --t: '1:4:x1' is no range that has an end");
  EXPECT_EQ(values("0:4:x2"), "error: --t: '0:4:x2' is no range that has an end");
  EXPECT_EQ(values("4:1"), "error: --t: '4:1' is no range that has an end");
  EXPECT_EQ(values("1:4:0"), "error: --t: '1:4:0' is no range that has an end");
  EXPECT_EQ(values("1:b"), "error: --t: '1:b' is no range that has an end");
  EXPECT_EQ(values("1,,2"), "error: --t=1,,2 has an empty item");
  EXPECT_EQ(values("1:1000000"), "error: --t=1:1000000 has more than 4096 values");
}

TEST(Sweep, EveryCombinationWithTheLastGivenFastest) {
  auto sweep = parse_sweep("k", EvenPlan(), {{"b", "1,2"}, {"dtype", "bf16,fp16"}});
  ASSERT_TRUE(sweep);
  std::vector<std::string> all;
  for (const Params& p : sweep->problems) all.push_back(p.text());
  EXPECT_EQ(all, (std::vector<std::string>{"b=1 dtype=bf16 n=8", "b=1 dtype=fp16 n=8", "b=2 dtype=bf16 n=8",
                                           "b=2 dtype=fp16 n=8"}));
  EXPECT_EQ(sweep->varying, (std::vector<std::string>{"b", "dtype"}));
}

TEST(Sweep, RefusedProblemsAreKeptApartWithTheirReason) {
  auto sweep = parse_sweep("k", EvenPlan(), {{"n", "1:4"}});
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->problems.size(), 2u);
  ASSERT_EQ(sweep->refused.size(), 2u);
  EXPECT_EQ(sweep->refused[0].problem, "b=32 dtype=bf16 n=1");
  EXPECT_EQ(sweep->refused[0].because, "n is odd");
}

TEST(Sweep, OneProblemIsHeldToTheRulesAsEver) {
  EXPECT_EQ(parse_sweep("k", EvenPlan(), {})->problems.size(), 1u);
  EXPECT_EQ(parse_sweep("k", EvenPlan(), {{"n", "3"}}).error().wrong, "n is odd");
  EXPECT_EQ(parse_sweep("k", EvenPlan(), {{"m", "3"}}).error().wrong, "no parameter --m");
  EXPECT_EQ(parse_sweep("k", EvenPlan(), {{"b", "1,0"}}).error().wrong, "--b=0 is out of range");
  EXPECT_EQ(parse_sweep("k", EvenPlan(), {{"n", "1,3"}}).error().wrong, "no problem of the sweep is legal");
  EXPECT_EQ(parse_sweep("k", EvenPlan(), {{"b", "1:100"}, {"n", "2:200:2"}}).error().wrong,
            "the sweep has more than 4096 problems");
}

TEST(Sweep, TheLastOfTwoFlagsWins) {
  auto sweep = parse_sweep("k", EvenPlan(), {{"b", "1,2"}, {"b", "7"}});
  ASSERT_TRUE(sweep);
  ASSERT_EQ(sweep->problems.size(), 1u);
  EXPECT_EQ(sweep->problems[0].number("b"), 7);
  EXPECT_TRUE(sweep->varying.empty());
}

}  // namespace
}  // namespace cutelab::kernel
