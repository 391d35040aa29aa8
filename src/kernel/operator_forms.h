#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/operators.h"

namespace cutelab::kernel {

using Extents = std::vector<std::int64_t>;

/// Modes of a call's tensor by falling stride; those of one element say nothing.
std::vector<std::size_t> memory_order(const ExportedCall::Tensor& tensor);
bool is_dense(const ExportedCall::Tensor& tensor);

/// Elements of all the role's modes of that name; 1 if it has none.
std::int64_t extent_of(const OperatorRole& role, const ExportedCall::Tensor& tensor, const std::string& mode);

/// A role's tensor seen in the operator's own order of modes; "row*" are all of its modes of that name.
struct Seen {
  Extents shape, stride;  ///< elements
  std::int64_t size() const;
};
Seen seen_as(const OperatorRole& role, const ExportedCall::Tensor& tensor,
             const std::vector<std::string>& modes);

/// Calls `visit(dense index, offset)` for every coordinate, the last mode fastest.
template <class Visit>
void for_each_coordinate(const Seen& seen, const Visit& visit) {
  Extents at(seen.shape.size(), 0);
  std::int64_t offset = 0;
  const std::int64_t count = seen.size();
  for (std::int64_t index = 0; index < count; ++index) {
    visit(index, offset);
    for (std::size_t d = seen.shape.size(); d-- > 0;) {
      offset += seen.stride[d];
      if (++at[d] < seen.shape[d]) break;
      offset -= seen.stride[d] * seen.shape[d];
      at[d] = 0;
    }
  }
}

/// What an operator gives for these inputs, dense in its own order of modes (operator_results.cc).
/// Precondition: check_operator.
Tensor dense_result(const Operator& op, const ExportedCall& call, const Inputs& inputs);

}  // namespace cutelab::kernel
