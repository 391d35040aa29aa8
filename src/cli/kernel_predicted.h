#pragma once
#include <string>

#include "cli/verb.h"
#include "kernel/imported_plan.h"

namespace cutelab::cli {

/// The launch that the reading of an imported kernel's source predicts, held against the recorded one:
/// "predicted from the source / recorded: block 128×1×1 / 128×1×1, …; they agree". What the reading leaves
/// undetermined is "?" and not counted. Empty: the source is not here, or the reading finds no such launch.
std::string predicted_against_recorded(const kernel::ImportedPlan& plan, const kernel::Params& params,
                                       const kernel::Config& config, const kernel::CuteKernel& kernel,
                                       const Context& context);

}  // namespace cutelab::cli
