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

/// By what the kernels read and write, by the extents of the tensors and how they follow the program's
/// options: matrices that share an extent each are a product; the other operators have extents alike, so the
/// program's words decide among them. The check on a GPU holds the result against the guess. `named` is the
/// operator that the user names; empty = none.
OperatorGuess guess_operator(const kernel::ExportedCall& call, const std::vector<ProbedFlag>& flags,
                             const std::string& words, const std::string& named);

/// Where an attention's causal mask begins, by what the program checks itself with: torch's
/// scaled_dot_product_attention lets query i see the keys up to i. Else it ends at the last key.
void take_mask(const std::string& program_text, OperatorGuess& guess);

/// What a program says of itself: its file's name, what it compiles, and the words that its object, its
/// constants and its options hold ("norm_type layer"); without those of the option `left_out`.
std::string words_of_call(const std::string& path, const kernel::ExportedCall& call,
                          const std::string& left_out = "");

/// Options that change what is computed are the problem's, not the configuration's: those that a number of
/// the operator follows become parameters; those whose words decided on the operator stay as they are.
void settle_parameters(const std::string& path, const kernel::ExportedCall& call,
                       const std::vector<ProbedFlag>& flags, kernel::PackageDescription& description);

/// Switches with which the call is not one of the operator are no parameters: one that skips the program's
/// own check may skip the call that was imported.
void leave_out_misfits(const kernel::Exporter& exporter, const kernel::ExportWanted& base,
                       kernel::PackageDescription& description);

}  // namespace cutelab::cli
