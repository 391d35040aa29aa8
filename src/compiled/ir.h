#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "compiled/ir_locations.h"

namespace cutelab::compiled::ir {

/// One operation of textual MLIR. Views point into the text that was parsed, which must outlive the module.
struct Operation {
  std::string_view name;    ///< "cute.copy"
  std::string_view header;  ///< what follows the name up to the first region, the location or the line's end
  std::string_view
      trailer;  ///< what follows its last region, up to the location: "{cutlass.pipelining = 2 : i32}"
  Id parent = none;
  Id end = 0;            ///< one past the last operation inside it: [own index + 1, end) is its content
  Id location = none;    ///< into Module::locations
  Id first_operand = 0;  ///< into Module::operands: values named in the header, in order
  Id operands = 0;
  Id first_result = 0;  ///< into Module::values
  Id results = 0;
  std::uint32_t line = 0;  ///< of the text, from 1
};

/// An SSA value: a result of an operation, or an argument of a region.
struct SsaValue {
  std::string_view name;  ///< "%smem"; several results share one name
  Id operation = none;    ///< that makes it; for an argument, the one whose region it belongs to
  Id result = 0;
  bool argument = false;
  Id initial = none;      ///< of a loop's argument: what it begins with
  std::string_view type;  ///< of an argument that states it
};

/// A module as a flat list: operations in the order of the text, each with the range of its content.
struct Module {
  std::vector<Operation> operations;
  std::vector<SsaValue> values;
  std::vector<Id> operands;  ///< value ids; `none` for a name that nothing defines
  std::unordered_map<std::string_view, std::string_view> aliases;  ///< "!memref" -> its type; "#map" likewise
  Locations locations;

  /// Operand `index` of the operation; `none` if there is none.
  Id operand(const Operation& operation, std::size_t index) const {
    return index < operation.operands ? operands[operation.first_operand + index] : none;
  }
  /// The operation that made the value; nullptr for arguments and `none`.
  const Operation* maker(Id value) const {
    if (value == none || values[value].argument || values[value].operation == none) return nullptr;
    return &operations[values[value].operation];
  }
  Id index_of(const Operation& operation) const { return static_cast<Id>(&operation - operations.data()); }
};

/// Parses what MLIR's printer writes: any dialect, custom and generic form, with or without locations. What
/// an operation's own syntax means is not looked at: only names, values, regions, brackets, strings and
/// locations are. No recursion over the text, so nesting may be of any depth. Errors (kind input) name line
/// and column: a bracket that does not fit, a text that ends inside a string or a region, a line that begins
/// no operation, no operation at all.
Result<Module> parse(std::string_view text);

}  // namespace cutelab::compiled::ir
