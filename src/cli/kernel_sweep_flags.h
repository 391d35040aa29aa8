#pragma once
#include <string>
#include <vector>

#include "cli/kernel_run.h"
#include "kernel/sweep.h"

namespace cutelab::cli {

/// The flags of `cutelab kernel` that concern sweeps.
std::vector<Flag> sweep_flags();

/// --store, else the user's own.
std::string store_file(const Arguments& arguments, const Context& context);

/// Runs the sweep that the command line asks for and shows it.
Result<ExitCode> sweep_kernel(KernelRequest base, kernel::Sweep sweep, const Arguments& arguments,
                              Context& context);

}  // namespace cutelab::cli
