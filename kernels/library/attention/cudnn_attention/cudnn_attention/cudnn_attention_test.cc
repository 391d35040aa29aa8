// The attention problem without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel/registry.h"

namespace {

using namespace cutelab;
using namespace cutelab::kernel;

class Attention : public ::testing::Test {
 protected:
  using Values = std::vector<std::pair<std::string, std::string>>;
  kernel::Params problem(const Values& values) {
    auto params = parse_parameters("cudnn_attention", plan.parameters(), values);
    EXPECT_TRUE(params) << params.error().message();
    return *params;
  }
  Package package = *find_package(all_packages(), "cudnn_attention", "");
  const KernelPlan& plan = *package.plan;
};

TEST_F(Attention, WhatNoKernelCanDoIsRefusedWithWhatToDo) {
  const auto refused = [&](const Values& values) { return plan.check(problem(values)).error().wrong; };
  EXPECT_EQ(refused({{"heads", "6"}, {"heads_kv", "4"}}),
            "6 query heads are no multiple of 4 key-value heads");
  EXPECT_EQ(refused({{"d", "100"}}), "d = 100 is no multiple of 8: rows of 16 bytes are wanted");
  EXPECT_EQ(refused({{"causal", "yes"}, {"s", "10"}, {"t", "7"}}), "the first 3 queries would see no key");
  EXPECT_TRUE(plan.check(problem({})));
}

TEST_F(Attention, WorkCountsWhatTheMaskLeaves) {
  const Values small = {{"b", "2"}, {"heads", "4"}, {"heads_kv", "2"}, {"s", "3"}, {"t", "5"}, {"d", "8"}};
  auto work = plan.algorithmic_flops_bytes(problem(small));
  EXPECT_EQ(work.flops.at("bf16-tensor"), 4.0 * 2 * 4 * 8 * 15);
  EXPECT_EQ(work.compulsory.count(), 2 * 2 * 8 * (2 * 3 * 4 + 2 * 5 * 2));
  auto causal = small;
  causal.push_back({"causal", "yes"});
  EXPECT_EQ(plan.algorithmic_flops_bytes(problem(causal)).flops.at("bf16-tensor"),
            4.0 * 2 * 4 * 8 * (3 + 4 + 5));
}

/// What flash attention does, on the host: weights rounded to bf16 before they meet V, the result once more.
TEST_F(Attention, RoundedWeightsAreWithinTheToleranceAndAMissingKeyIsNot) {
  const auto p =
      problem({{"b", "1"}, {"heads", "2"}, {"heads_kv", "1"}, {"s", "40"}, {"t", "150"}, {"d", "32"}});
  for (const auto fill : {Fill::uniform, Fill::normal, Fill::adversarial}) {
    const auto inputs = plan.prepare_inputs(p, fill, 11);
    const auto reference = plan.reference_fn(p, inputs);
    const auto flash = [&](int keys) {
      auto out = plan.prepare_outputs(p);
      for (int q = 0; q < 40; ++q)
        for (int h = 0; h < 2; ++h) {
          std::vector<double> scores(static_cast<std::size_t>(keys));
          double most = -INFINITY, sum = 0;
          for (int key = 0; key < keys; ++key) {
            double dot = 0;
            for (int e = 0; e < 32; ++e)
              dot += inputs.tensors[0].at((q * 2 + h) * 32 + e) * inputs.tensors[1].at(key * 32 + e);
            scores[static_cast<std::size_t>(key)] = dot / std::sqrt(32.0);
            most = std::max(most, dot / std::sqrt(32.0));
          }
          for (double& s : scores) sum += s = std::exp(s - most);
          for (int e = 0; e < 32; ++e) {
            double value = 0;
            for (int key = 0; key < keys; ++key)
              value += from_bf16(to_bf16(static_cast<float>(scores[static_cast<std::size_t>(key)]))) *
                       inputs.tensors[2].at(key * 32 + e);
            out.tensors[0].set((q * 2 + h) * 32 + e, value / sum);
          }
        }
      return out;
    };
    const auto good = compare(flash(150).tensors[0], reference.tensors[0], plan.tolerance(p));
    EXPECT_TRUE(good.passed) << name_of(fill) << " " << good.text;
    EXPECT_GT(good.relative_norm, plan.tolerance(p).relative_norm / 4) << "the tolerance is not slack";
    EXPECT_FALSE(compare(flash(149).tensors[0], reference.tensors[0], plan.tolerance(p)).passed)
        << name_of(fill);
  }
}

// P66: keys in two halves, each with a maximum of its own, joined as if both had the same. Inputs that are
// small make all scores nearly equal and hide it; each fill of a check shows it.
TEST_F(Attention, AWrongMergeOfSplitsIsSeenByEveryFillOfACheckAndByNoSmallInputs) {
  const auto p =
      problem({{"b", "1"}, {"heads", "1"}, {"heads_kv", "1"}, {"s", "24"}, {"t", "128"}, {"d", "64"}});
  const auto merged_wrongly = [&](const Inputs& inputs) {
    auto out = plan.prepare_outputs(p);
    for (int q = 0; q < 24; ++q) {
      double total = 0, values[64] = {};
      for (int half = 0; half < 2; ++half) {
        double scores[64], most = -INFINITY;
        for (int i = 0; i < 64; ++i) {
          double dot = 0;
          for (int e = 0; e < 64; ++e)
            dot += inputs.tensors[0].at(q * 64 + e) * inputs.tensors[1].at((half * 64 + i) * 64 + e);
          scores[i] = dot / 8;
          most = std::max(most, scores[i]);
        }
        for (int i = 0; i < 64; ++i) {
          const double weight = std::exp(scores[i] - most);
          total += weight;
          for (int e = 0; e < 64; ++e) values[e] += weight * inputs.tensors[2].at((half * 64 + i) * 64 + e);
        }
      }
      for (int e = 0; e < 64; ++e) out.tensors[0].set(q * 64 + e, values[e] / total);
    }
    return out;
  };
  const auto passes = [&](const Inputs& inputs) {
    const auto reference = plan.reference_fn(p, inputs);
    return compare(merged_wrongly(inputs).tensors[0], reference.tensors[0], plan.tolerance(p)).passed;
  };
  for (const auto fill : {Fill::uniform, Fill::normal, Fill::adversarial})
    EXPECT_FALSE(passes(plan.prepare_inputs(p, fill, 3))) << name_of(fill);
  auto small = plan.prepare_inputs(p, Fill::uniform, 3);
  for (std::size_t which : {0u, 1u})
    for (std::int64_t i = 0; i < small.tensors[which].size(); ++i)
      small.tensors[which].set(i, small.tensors[which].at(i) / 64);
  EXPECT_TRUE(passes(small)) << "that is why inputs are not scaled down";
}

TEST_F(Attention, EveryRaggedProblemIsLegal) {
  for (const char* d : {"64", "128", "256"}) {
    const auto p = problem({{"d", d}});
    const auto config = plan.autotune_configs(p)[0];
    for (const auto& ragged : plan.ragged_params(p, config)) {
      EXPECT_TRUE(plan.check(ragged)) << ragged.text();
      EXPECT_TRUE(plan.plan(ragged, config)) << ragged.text();
    }
  }
  EXPECT_FALSE(plan.plan(problem({}), {{{"plan", 8}}, ""}));
}

}  // namespace
