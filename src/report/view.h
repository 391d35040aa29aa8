#pragma once
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "render/paint.h"

namespace cutelab::report {

/// How a terminal view is written.
struct ViewOptions {
  int width = 100;
  render::Paint paint;
  std::vector<evidence::Family> families;  ///< only these; empty = all
  std::string kernel;                      ///< only kernels whose name contains it; empty = all
  std::string program = "cutelab";         ///< for the commands that a view suggests
};

}  // namespace cutelab::report
