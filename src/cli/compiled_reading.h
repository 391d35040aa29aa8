#pragma once
#include <string>
#include <vector>

#include "capture/program.h"
#include "cli/verb.h"
#include "compiled/compare.h"

namespace cutelab::cli {

/// Runs the program of a reading on a stand-in device, reads what its compiler was given, and holds both
/// readings against each other. `flags` are the program's own command line. Errors (kind unavailable): no
/// DSL; (kind input) the program did not come to compile a kernel of its own, with why.
Result<compiled::Merged> compile_and_compare(const evidence::Reading& reading, const std::string& arch,
                                             const std::vector<std::string>& flags, Context& context);

/// Puts what the recorded launches tell into the launches of the modules: the grid, and whatever else the
/// compiler leaves to run time.
void add_recorded(const capture::Capture& captured, std::vector<compiled::IrReading>& modules);

}  // namespace cutelab::cli
