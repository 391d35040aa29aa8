#pragma once
#include <string>

#include "capture/program.h"
#include "cli/verb.h"

namespace cutelab::cli {

/// What `cutelab capture --sweep` was asked for.
struct CaptureSweep {
  std::string folder;        ///< a CUTLASS checkout, or any folder of CuTe DSL programs
  std::string only;          ///< a part of the paths to run; empty = all
  std::string arch;          ///< empty: what each program needs
  capture::Request request;  ///< limits, torch, cache and whether kept captures count
  bool retry = false;        ///< run again what was not captured
  int jobs = 1;              ///< programs at once
  bool json = false;
};

/// Whether a recipe (FILE.json) is of its form and names parts that there are, before anything is set up for
/// it; other paths pass. Errors: those of capture::read_recipe; (kind input) an unknown part.
Status check_recipe(const std::string& path, const Context& context);

/// Captures every CuTe DSL program with a main below the folder, launches and intermediate form, and says of
/// each how it ended. Each capture is kept as soon as it is made, so that a sweep that was stopped goes on
/// where it was. Errors (kind input): no such folder, no program in it.
Result<ExitCode> run_capture_sweep(const CaptureSweep& asked, capture::Toolchain toolchain, Context& context);

}  // namespace cutelab::cli
