#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cutelab::compiled {

/// What the kernels of a module do with the memory that an argument of its host function refers to.
struct ArgumentUse {
  bool read = false;
  bool written = false;
};

struct MemoryUse {
  std::vector<ArgumentUse> arguments;  ///< of the host function, in its order
  /// Operations that write memory which is none of the arguments' as far as the text tells: an address that
  /// is loaded, a descriptor that the device makes, a function that is called.
  int writes_elsewhere = 0;
};

/// Follows each argument of the host function `function` through views, iterators, casts, TMA descriptors and
/// launches to the operations that read or write. Errors (kind input): the text is none of a module, it has
/// no such function.
Result<MemoryUse> memory_use(std::string_view text, std::string_view function);

}  // namespace cutelab::compiled
