#include "kernel/operator_forms.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace cutelab::kernel {

std::vector<std::size_t> memory_order(const ExportedCall::Tensor& tensor) {
  std::vector<std::size_t> order(tensor.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto stride = [&](std::size_t i) { return tensor.shape[i] == 1 ? INT64_MAX : tensor.stride[i]; };
    return stride(a) > stride(b);
  });
  return order;
}

bool is_dense(const ExportedCall::Tensor& tensor) {
  std::int64_t expected = 1;
  const auto order = memory_order(tensor);
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    if (tensor.shape[*i] == 1) continue;
    if (tensor.stride[*i] != expected) return false;
    expected *= tensor.shape[*i];
  }
  return true;
}

std::int64_t extent_of(const OperatorRole& role, const ExportedCall::Tensor& tensor,
                       const std::string& mode) {
  std::int64_t extent = 1;
  for (std::size_t i = 0; i < role.modes.size(); ++i)
    if (role.modes[i] == mode) extent *= tensor.shape[i];
  return extent;
}

Seen seen_as(const OperatorRole& role, const ExportedCall::Tensor& tensor,
             const std::vector<std::string>& modes) {
  Seen seen;
  for (const std::string& mode : modes) {
    bool found = false;
    for (std::size_t i = 0; i < role.modes.size(); ++i) {
      if (role.modes[i] + "*" != mode && role.modes[i] != mode) continue;
      seen.shape.push_back(tensor.shape[i]);
      seen.stride.push_back(tensor.stride[i]);
      found = true;
    }
    if (found || mode.back() == '*') continue;
    seen.shape.push_back(1);
    seen.stride.push_back(0);
  }
  return seen;
}

void shape_runs(const Operator& op, ExportedCall& call) {
  const auto weight = op.roles.find("weight");
  const auto* columns = weight == op.roles.end() ? nullptr : call.find(weight->second.tensor);
  if (columns == nullptr || columns->shape.size() != 1 || columns->shape[0] <= 0) return;
  const std::int64_t count = columns->shape[0];
  for (const auto& [name, role] : op.roles)
    for (auto& tensor : call.tensors)
      if (tensor.name == role.tensor && tensor.shape.size() == 1 && role.modes.size() == 2 &&
          tensor.shape[0] % count == 0) {
        tensor.shape = {tensor.shape[0] / count, count};
        tensor.stride = {count, 1};
      }
}

std::int64_t Seen::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace cutelab::kernel
