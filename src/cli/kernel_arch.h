#pragma once
#include <string>

#include "cli/verb.h"
#include "kernel/registry.h"

namespace cutelab::cli {

/// What the package's source needs of a GPU and the line that decides: "its source needs sm_90a: uses
/// ClusterTransactionBarrier (kernels/…/kernel.cu:16)". Empty where the source does not tell.
std::string needed_by_source(const kernel::Package& package, const Context& context);

/// `--for GPU`: whether the package would run on a GPU named by product ("B200", "RTX 5090") or architecture,
/// with the rule, what was normalised in the name and the deciding line; what can be done without such a GPU
/// if not. No GPU is asked. Exit code unavailable if it would not run. Errors (kind usage): no such name.
Result<ExitCode> check_for_gpu(const kernel::Package& package, const std::string& gpu, Context& context);

}  // namespace cutelab::cli
