// What plans ask of the device's reference operators, answered by the same functions on the host: it is what
// their reference_fn says.
#include <gtest/gtest.h>

#include <algorithm>

#include "calls.h"
#include "kernel/registry.h"

namespace {

using namespace cutelab;
using namespace cutelab::kernel;
namespace ops = cutelab_reference;

template <class Problem>
void compute_all(const Problem& p) {
  for (long long item = 0; item < p.items(); ++item) compute(p, item);
}

Outputs on_the_host(const DeviceReference& reference, const Inputs& inputs) {
  Outputs outputs = reference.outputs;
  Addresses in, out;
  for (const TensorSet* set : {&inputs, &reference.inputs})
    for (const Tensor& t : set->tensors) in[t.name] = reinterpret_cast<unsigned long long>(t.data.data());
  for (Tensor& t : outputs.tensors) out[t.name] = reinterpret_cast<unsigned long long>(t.data.data());
  const auto bytes = reference.arguments(in, out);
  ops::Call call;
  EXPECT_EQ(bytes.size(), sizeof call);
  std::memcpy(&call, bytes.data(), sizeof call);
  if (call.op == ops::Call::gemm_op) compute_all(call.gemm);
  if (call.op == ops::Call::attention_op) compute_all(call.attention);
  if (call.op == ops::Call::rows_op) compute_all(call.rows);
  return outputs;
}

void expect_same(const Package& package, const Params& params) {
  const auto reference = package.plan->device_reference(params);
  ASSERT_TRUE(reference) << package.title();
  EXPECT_GT(reference->operations, 0);
  const auto inputs = package.plan->prepare_inputs(params, Fill::normal, 7);
  const auto expected = package.plan->reference_fn(params, inputs);
  const auto got = on_the_host(*reference, inputs);
  for (const Tensor& wanted : expected.tensors) {
    const Tensor* seen = got.find(wanted.name);
    ASSERT_NE(seen, nullptr) << package.title() << " " << wanted.name;
    ASSERT_EQ(seen->size(), wanted.size());
    const auto report = compare(*seen, wanted, {1e-5, 1e-4, 1, ""});
    EXPECT_TRUE(report.passed) << package.title() << " " << params.text() << ": " << report.text;
  }
}

Params parsed(const Package& package, const std::vector<std::pair<std::string, std::string>>& values) {
  auto params = parse_parameters(package.design, package.plan->parameters(), values);
  EXPECT_TRUE(params) << params.error().message();
  return *params;
}

TEST(DeviceReference, OfTheLadderIsItsReference) {
  const auto package = *find_package(all_packages(), "dense_gemm", "v7");
  for (const char* major : {"k", "m"})
    for (const char* beta : {"0", "-2"})
      expect_same(package, parsed(package, {{"m", "24"},
                                            {"n", "40"},
                                            {"k", "72"},
                                            {"batch", "2"},
                                            {"alpha", "3"},
                                            {"beta", beta},
                                            {"a", major},
                                            {"b", *major == 'm' ? "n" : "k"},
                                            {"dtype", *beta == '0' ? "bf16" : "fp16"}}));
}

TEST(DeviceReference, OfMlaDecodingIsItsReference) {
  const auto package = *find_package(all_packages(), "tile_mla_decode", "");
  for (const char* causal : {"yes", "no"})
    expect_same(package,
                parsed(package, {{"b", "2"}, {"s", "2"}, {"heads", "3"}, {"t", "9"}, {"causal", causal}}));
}

TEST(DeviceReference, OfNormsAndReductionsIsTheirReference) {
  const auto norm = *find_package(all_packages(), "rmsnorm", "");
  expect_same(norm, parsed(norm, {{"b", "5"}, {"h", "100"}, {"dtype", "fp16"}}));
  for (const char* design : {"row_reduce", "cub_reduce"}) {
    const auto package = *find_package(all_packages(), design, "");
    for (const char* op : {"sum", "largest", "least", "sum_of_squares"})
      expect_same(package, parsed(package, {{"b", "6"}, {"h", "77"}, {"op", op}, {"dtype", "fp32"}}));
  }
}

TEST(DeviceReference, OfAttentionIsItsReference) {
  const auto package = *find_package(all_packages(), "cudnn_attention", "");
  for (const char* causal : {"no", "yes"})
    for (const char* heads_kv : {"4", "2", "1"})
      expect_same(package, parsed(package, {{"b", "2"},
                                            {"heads", "4"},
                                            {"heads_kv", heads_kv},
                                            {"s", "9"},
                                            {"t", "21"},
                                            {"d", "16"},
                                            {"causal", causal},
                                            {"lse", "yes"}}));
}

/// A package that large problems can be checked on must have a small problem too, on which the operators are
/// proven.
TEST(DeviceReference, EveryPackageThatHasOneHasASmallProblem) {
  int with = 0;
  for (const Package& package : all_packages()) {
    const auto params = parsed(package, {});
    if (!package.plan->device_reference(params)) continue;
    ++with;
    double least = 1e30;
    for (const Params& ragged :
         package.plan->ragged_params(params, package.plan->autotune_configs(params)[0]))
      least = std::min(least, package.plan->device_reference(ragged)->operations);
    EXPECT_LT(least, 1e6) << package.title();
  }
  EXPECT_GE(with, 12);
}

}  // namespace
