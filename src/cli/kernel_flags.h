#pragma once
#include "cli/kernel_run.h"
#include "cli/verb.h"

namespace cutelab::cli {

/// Flags of `cutelab kernel` that say nothing without another one, or contradict one another. A flag that
/// would be passed over in silence is an error (kind usage).
Status check_kernel_flags(const Arguments& arguments);
/// Flags that are for a sweep, or for one problem alone. `sweeps`: a parameter has several values. Errors:
/// kind usage.
Status check_sweep_flags(const Arguments& arguments, bool sweeps);

/// --dsl-version and --line-info, as they are given again. Errors (kind usage): the package's compiler has no
/// such choice.
Result<std::vector<std::string>> given_export_flags(const Arguments& arguments,
                                                    const kernel::Package& package);

/// --dry-run: parameters, work, configurations and launch.
void print_plan(const KernelRequest& request, const Context& context);

}  // namespace cutelab::cli
