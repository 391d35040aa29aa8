#include "kernel/device_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernel/operator_forms.h"
#include "kernel/operator_groups.h"

namespace cutelab::kernel {
namespace {

/// A role's tensor in the operator's order of modes; nullopt where a mode is made of several.
std::optional<DeviceMatrix> matrix_of(const Operator& op, const ExportedCall& call, const std::string& name) {
  const OperatorRole& role = op.roles.at(name);
  const auto& tensor = *call.find(role.tensor);
  const Seen seen = seen_as(role, tensor, find_operator(op.name)->modes.at(name));
  DeviceMatrix matrix{role.tensor, dsl_dtype(tensor.dtype).value_or(DType::fp32), {}};
  if (seen.stride.size() > matrix.stride.size()) return std::nullopt;
  std::copy(seen.stride.begin(), seen.stride.end(), matrix.stride.begin());
  return matrix;
}

std::optional<DeviceProduct> product_of(const Operator& op, const ExportedCall& call) {
  const auto a = matrix_of(op, call, "a"), b = matrix_of(op, call, "b"), d = matrix_of(op, call, "d");
  if (!a || !b || !d) return std::nullopt;
  DeviceProduct product{*a, *b, std::nullopt, {}, *d};
  product.d.dtype = DType::fp32;
  const auto extent = [&](const char* role, const char* mode) {
    return extent_of(op.roles.at(role), *call.find(op.roles.at(role).tensor), mode);
  };
  product.batch = extent("d", "l"), product.m = extent("d", "m");
  product.n = extent("d", "n"), product.k = extent("a", "k");
  product.alpha = op.number("alpha"), product.beta = op.number("beta");
  product.activation = static_cast<int>(op.number("activation"));
  for (const char* scale : {"scale_a", "scale_b"})
    if (op.roles.count(scale)) product.scales.push_back(*matrix_of(op, call, scale));
  if (!op.roles.count("c")) return product;
  product.c = matrix_of(op, call, "c");
  return product.c ? std::optional(product) : std::nullopt;
}

/// Extents of the modes of a proof: none is a multiple of a usual tile, and all are different.
std::int64_t small_extent(const std::string& mode) {
  static const std::map<std::string, std::int64_t> known = {{"m", 33}, {"n", 40}, {"k", 72}, {"l", 2}};
  const auto it = known.find(mode);
  return it == known.end() ? INT64_MAX : it->second;
}

/// The role's tensor with small extents, dense in the same order of memory.
ExportedCall::Tensor small_tensor(const OperatorRole& role, ExportedCall::Tensor tensor, int buffer) {
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    tensor.shape[i] = std::min(tensor.shape[i], small_extent(role.modes[i]));
  const auto order = memory_order(tensor);
  std::int64_t elements = 1;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    tensor.stride[*i] = elements;
    elements *= tensor.shape[*i];
  }
  tensor.buffer = buffer;
  tensor.offset = 0;
  tensor.bytes = static_cast<std::int64_t>(bytes_of(dsl_dtype(tensor.dtype).value_or(DType::fp32), elements));
  return tensor;
}

}  // namespace

std::optional<DeviceReference> device_reference_of(const Operator& op, const ExportedCall& call,
                                                   const DeviceArguments& arguments) {
  if (op.name != "gemm" || !arguments) return std::nullopt;
  const auto groups = groups_of(op, call);
  if (!groups) return std::nullopt;
  DeviceReference reference;
  std::vector<DeviceProduct> products;
  for (const Operator& group : *groups) {
    const auto product = product_of(group, call);
    if (!product) return std::nullopt;
    reference.operations += static_cast<double>(product->batch) * static_cast<double>(product->m) *
                            static_cast<double>(product->n) * static_cast<double>(product->k);
    const auto& result = *call.find(product->d.tensor);
    reference.outputs.tensors.emplace_back(result.name, DType::fp32, host_tensor(result).shape);
    products.push_back(*product);
  }
  reference.arguments = [products, arguments](const Addresses& in, const Addresses& out) {
    return arguments(products, in, out);
  };
  return reference;
}

std::optional<OperatorProof> operator_proof_of(const Operator& op, const ExportedCall& call,
                                               const DeviceArguments& arguments) {
  const auto groups = groups_of(op, call);
  if (!groups || groups->empty()) return std::nullopt;
  const Operator& one = groups->front();
  const OperatorSpec* spec = find_operator(op.name);
  ExportedCall small = call;
  small.tensors.clear();
  OperatorProof proof;
  for (const auto& [name, role] : one.roles) {
    small.tensors.push_back(
        small_tensor(role, *call.find(role.tensor), static_cast<int>(small.tensors.size())));
    if (!proof.problem.empty()) proof.problem += ", ";
    proof.problem += fmt::format("{} ({})", name, fmt::join(small.tensors.back().shape, ", "));
    if (name == spec->output) continue;
    Tensor input = host_tensor(small.tensors.back());
    input.fill(fill_for(one, role.tensor, Fill::normal), 1 + small.tensors.size());
    proof.inputs.tensors.push_back(std::move(input));
  }
  auto device = device_reference_of(one, small, arguments);
  if (!device) return std::nullopt;
  proof.device = std::move(*device);
  proof.expected.tensors.push_back(evaluate(one, small, proof.inputs));
  return proof;
}

}  // namespace cutelab::kernel
