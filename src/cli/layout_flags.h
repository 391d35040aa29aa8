#pragma once
#include <vector>

#include "cli/verb.h"

namespace cutelab::cli {

/// A flag that applies one operation of the expression language to the layout.
struct LayoutStepFlag {
  const char* flag;
  const char* value;      ///< empty: no argument
  const char* operation;  ///< empty: the argument names which inverse
};

/// In the order in which they are applied.
const std::vector<LayoutStepFlag>& layout_steps();
std::vector<Flag> layout_flags();

}  // namespace cutelab::cli
