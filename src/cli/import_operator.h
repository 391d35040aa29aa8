#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/import_probe.h"
#include "kernel/imported_package.h"

namespace cutelab::cli {

/// What a call seems to compute, and on what that rests.
struct OperatorGuess {
  kernel::Operator op;  ///< unknown where nothing fits
  std::vector<std::string> assumed;
  std::vector<std::string> undetermined;
};

/// By the extents of the tensors and how they follow the program's options: the last tensor is taken for the
/// output, three matrices that share an extent each for a product; the other operators have extents alike, so
/// the program's words decide among them. The check on a GPU holds the result against the guess. `named` is
/// the operator that the user names; empty = none.
OperatorGuess guess_operator(const kernel::ExportedCall& call, const std::vector<ProbedFlag>& flags,
                             const std::string& words, const std::string& named);

}  // namespace cutelab::cli
