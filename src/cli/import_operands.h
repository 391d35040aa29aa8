#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/import_operator.h"

namespace cutelab::cli {

using CallTensor = kernel::ExportedCall::Tensor;

/// A tensor of a call that holds numbers to compute with.
struct Operand {
  const CallTensor* tensor = nullptr;
  /// Of each mode: the options that its extent follows, joined with '*'; else the extent itself.
  std::vector<std::string> keys;
};

/// What goes in, in the order of the call, and what comes out.
struct Operands {
  std::vector<Operand> inputs;
  Operand output;
};

/// By what the kernels read and write; where that is not known, the last tensor is taken for the output.
/// Tensors of indices and tensors that nothing touches are left out; of several that are written the first
/// that suits. None: there is no output, or nothing but one. What is assumed is added to `assumed`.
std::optional<Operands> operands_of(const kernel::ExportedCall& call, const std::vector<ProbedFlag>& flags,
                                    std::vector<std::string>& assumed);

/// Of a, b and d of a product.
using ThreeModes = std::array<std::vector<std::string>, 3>;
using ThreeTensors = std::array<const CallTensor*, 3>;

/// Where numbers alone cannot tell modes apart (m = n = k), their usual order is taken: the first one that
/// the extents of every problem allow.
std::optional<ThreeModes> usual_modes(const std::vector<ThreeTensors>& problems);

/// A product for each problem of a group, where three columns of addresses lead to tensors: a, b and d in
/// their order.
void take_grouped_product(const kernel::ExportedCall& call, OperatorGuess& guess);

/// Names the modes of q, k, v and o of attention: elements lie together in memory, batches farthest apart;
/// tokens and heads by the options that they follow, else by their extents.
void take_attention(const Operands& operands, OperatorGuess& guess);

}  // namespace cutelab::cli
