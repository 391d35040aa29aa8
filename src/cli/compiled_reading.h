#pragma once
#include <string>
#include <vector>

#include "capture/program.h"
#include "cli/verb.h"
#include "compiled/compare.h"

namespace cutelab::cli {

/// How the program of a reading is to be compiled.
struct CompileRequest {
  std::string arch;                ///< empty: the one that the reading is for
  std::string dsl_version;         ///< empty: the one that the program's checkout pins
  std::vector<std::string> flags;  ///< the program's own command line
  bool code = false;               ///< the machine code, too
};

/// Runs the program of a reading on a stand-in device, reads what its compiler was given, and holds both
/// readings against each other. Where the machine code cannot be read, a note says why. Errors (kind
/// unavailable): no DSL; (kind input) the program did not come to compile a kernel of its own, with why.
Result<compiled::Merged> compile_and_compare(const evidence::Reading& reading, const CompileRequest& wanted,
                                             Context& context);

/// Puts what the recorded launches tell into the launches of the modules: the grid, and whatever else the
/// compiler leaves to run time.
void add_recorded(const capture::Capture& captured, std::vector<compiled::IrReading>& modules);

}  // namespace cutelab::cli
