#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "capture/program.h"

namespace cutelab::capture {

/// One program of a sweep. Exactly one of `capture` and `problem` is there once it was run.
struct Swept {
  std::string file;           ///< below the sweep's root
  bool holds_kernel = false;  ///< a kernel is defined in the file itself, not only in a helper
  std::optional<Capture> capture;
  std::string problem;  ///< why it could not be run at all

  bool captured() const { return capture && capture->compiled(); }
};

/// Many programs run one after another.
struct Sweep {
  std::string root;
  std::string dsl_version;
  double seconds = 0;  ///< of the whole, wall clock
  std::vector<Swept> programs;

  std::size_t captured() const;  ///< with launch and intermediate form
};

/// Calls `run(i)` for each i below `count`, at most `jobs` at once, in order; returns when all have ended.
/// `run` is called on several threads.
void run_all(std::size_t count, int jobs, const std::function<void(std::size_t)>& run);

/// Schema `cutelab.capture-sweep`, version 1 (docs/capture.md).
std::string to_json(const Sweep& sweep);

}  // namespace cutelab::capture
