// What plans ask of the device's reference operators, answered by the same functions on the host: it is what
// their reference_fn says.
#include <gtest/gtest.h>

#include <algorithm>

#include "calls.h"
#include "kernel/device_operators.h"
#include "kernel/operator_groups.h"
#include "kernel/registry.h"
#include "support/exported_tensor.h"

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
  EXPECT_EQ(bytes.size() % sizeof call, 0u);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof call) {
    std::memcpy(&call, bytes.data() + at, sizeof call);
    if (call.op == ops::Call::gemm_op) compute_all(call.gemm);
    if (call.op == ops::Call::attention_op) compute_all(call.attention);
    if (call.op == ops::Call::rows_op) compute_all(call.rows);
  }
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

/// What an imported product asks of the operators, against what the host says of it.
void expect_same_product(const Operator& op, const ExportedCall& call) {
  ASSERT_TRUE(check_operator(op, call)) << check_operator(op, call).error().wrong;
  const auto reference = device_reference_of(op, call, device_arguments);
  ASSERT_TRUE(reference);
  Inputs inputs;
  for (const auto& tensor : call.tensors) {
    Tensor host = host_tensor(tensor);
    host.fill(Fill::normal, 3 + inputs.tensors.size());
    inputs.tensors.push_back(std::move(host));
  }
  const auto seen = on_the_host(*reference, inputs).tensors.at(0);
  const auto report = compare(seen, evaluate(op, call, inputs), {1e-6, 1e-5, 1, ""});
  EXPECT_TRUE(report.passed) << report.text;
  const auto proof = operator_proof_of(op, call, device_arguments);
  ASSERT_TRUE(proof);
  const auto proven = on_the_host(proof->device, proof->inputs).tensors.at(0);
  EXPECT_TRUE(compare(proven, proof->expected.tensors.at(0), {1e-6, 1e-5, 1, ""}).passed) << proof->problem;
  EXPECT_LT(proof->device.operations, 1e6);
}

TEST(DeviceReference, OfAnImportedProductFollowsItsStridesAndModes) {
  using kernel::testing::exported_tensor;
  Operator op;
  op.name = "gemm";
  op.roles = {{"a", {"x", {"m", "k", "l"}}}, {"b", {"y", {"n", "k", "l"}}}, {"d", {"z", {"m", "n", "l"}}}};
  ExportedCall call;
  call.tensors = {exported_tensor("x", {50, 90, 3}, {1, 50, 4500}, 0, "Float16"),
                  exported_tensor("y", {60, 90, 3}, {90, 1, 5400}, 1, "BFloat16"),
                  exported_tensor("z", {50, 60, 3}, {1, 50, 3000}, 2, "Float16")};
  expect_same_product(op, call);
  call.tensors[2].stride = {60, 1, 3000};
  op.numbers = {{"alpha", -2}, {"activation", 4}};
  expect_same_product(op, call);
  call.tensors.push_back(exported_tensor("w", {50, 60, 3}, {60, 1, 3000}, 3, "Float32"));
  call.tensors.push_back(exported_tensor("s", {1}, {1}, 4, "Float32"));
  op.roles["c"] = {"w", {"m", "n", "l"}};
  op.roles["scale_b"] = {"s", {"one"}};
  op.numbers = {{"beta", 0.5}};
  expect_same_product(op, call);
  EXPECT_FALSE(device_reference_of(op, call, nullptr)) << "nobody calls them";
  op.name = "softmax";
  EXPECT_FALSE(device_reference_of(op, call, device_arguments)) << "not one of the device's operators";
}

TEST(DeviceReference, OfAGroupIsACallForEachProblem) {
  using kernel::testing::exported_tensor;
  ExportedCall call;
  auto table = exported_tensor("at", {2, 3}, {3, 1}, 0, "Int64");
  table.content = std::vector<std::byte>(48);
  call.tensors = {table};
  for (int i = 0; i < 6; ++i) {
    call.tensors[0].relocations.push_back({static_cast<std::size_t>(8 * i), 1 + i, 0});
    const std::int64_t m = i < 3 ? 4 : 9, n = i < 3 ? 8 : 2, k = i < 3 ? 5 : 7;
    const std::int64_t rows = i % 3 == 1 ? n : m, columns = i % 3 == 2 ? n : k;
    call.tensors.push_back(exported_tensor("t" + std::to_string(i), {rows, columns}, {columns, 1}, 1 + i));
  }
  Operator op;
  op.name = "gemm";
  op.roles = {{"a", {"at[*,0]", {"m", "k"}}}, {"b", {"at[*,1]", {"n", "k"}}}, {"d", {"at[*,2]", {"m", "n"}}}};
  const auto reference = device_reference_of(op, call, device_arguments);
  ASSERT_TRUE(reference);
  EXPECT_EQ(reference->operations, 4 * 8 * 5 + 9 * 2 * 7);
  Inputs inputs;
  for (const auto& tensor : call.tensors) {
    inputs.tensors.push_back(host_tensor(tensor));
    inputs.tensors.back().fill(Fill::normal, inputs.tensors.size());
  }
  const auto seen = on_the_host(*reference, inputs);
  ASSERT_EQ(seen.tensors.size(), 2u);
  const auto groups = groups_of(op, call);
  ASSERT_TRUE(groups);
  for (const Operator& one : *groups) {
    const Tensor expected = evaluate(one, call, inputs);
    EXPECT_TRUE(compare(*seen.find(expected.name), expected, {1e-6, 1e-5, 1, ""}).passed) << expected.name;
  }
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
