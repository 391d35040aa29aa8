#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "evidence/reading.h"

namespace cutelab::compiled {

/// A kernel of a module.
struct IrKernel {
  std::string name;       ///< "Gemm.kernel" as far as the locations tell: class or module, and function
  std::string symbol;     ///< in the device code
  evidence::Location at;  ///< its definition
  std::int64_t shared_bytes = 0;  ///< of all its allocations, each aligned, in their order
  /// Dynamic shared memory that the launch asks for by a number of its own, whatever the kernel allocates.
  std::optional<std::int64_t> configured_bytes = std::nullopt;
  bool without_lines = false;  ///< its operations have no locations; a later pass adds allocations
};

/// What one module of the compiler's intermediate form says, in the reading's schema.
struct IrReading {
  std::vector<IrKernel> kernels;
  /// Each with the innermost line of the program's own files; `known_by` compiled. Lines further out stand
  /// in the `origins` of the value "through", the library's part of the chain in its text. The value "inside"
  /// lists the loops and branches around, outermost first, as "if 722", "for 742". Facts of a kernel whose
  /// operations have no locations have none either.
  std::vector<evidence::Fact> facts;
  /// What is no fact of its own, and answers a statement of the source: plain layouts, views, fragments.
  std::vector<evidence::Fact> lesser;
  std::vector<std::pair<int, int>> lines;  ///< file and line of the program's own that operations come from
  std::map<std::string, int> unread;       ///< operations from which no fact was drawn, by name
  int operations = 0;
  int lost_values = 0;  ///< operations of interest whose own text was not as expected
};

/// Parses the module and draws its facts. `files` are the program's own sources in the order of the reading's
/// files; every other path belongs to a library. Errors: as ir::parse.
Result<IrReading> read_ir(std::string_view text, const std::vector<std::string>& files);

}  // namespace cutelab::compiled
