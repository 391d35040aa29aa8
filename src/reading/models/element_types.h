#pragma once
#include <optional>
#include <string_view>

#include "reading/machine/machine.h"

/// Element types of the DSL, of torch and of numpy, as the machine's values hold them.
namespace cutelab::reading::machine {

/// One concrete numeric type of the DSL.
struct ElementType {
  std::string_view name;   ///< "Float16"
  int bits;                ///< of one element; of one packed unit for the x2 and x4 types
  bool floating;           ///< else an integer
  bool is_signed;          ///< of integers; floats are signed
  std::string_view torch;  ///< its torch dtype ("float16"); empty = none
};

/// Storage of one element in bytes: at least one.
constexpr int bytes_of(const ElementType& type) { return type.bits < 8 ? 1 : (type.bits + 7) / 8; }

const ElementType* find_element_type(std::string_view name);
/// The type that a value names, an External that ends in one ("cutlass.cute.typing.Float16"); null = none.
const ElementType* element_type_of(const Value& value);
/// The External "cutlass.<name>": element types are held by their names, and compare by the last one.
Value element_type(Machine& machine, const ElementType& type);
Value element_type(Machine& machine, std::string_view name);

/// "float16" of a torch or numpy dtype; empty = not one.
std::string_view torch_name_of(const Value& value);
/// Bytes of one element of a torch dtype; nullopt = not known.
std::optional<int> torch_bytes(std::string_view name);
Value torch_type(Machine& machine, std::string_view name);
/// What from_dlpack makes of a torch dtype; null = nothing.
const ElementType* element_type_of_torch(std::string_view name);

/// isinstance and issubclass where the class is one of the DSL's numeric types or their metaclasses; nullopt
/// = not told here.
std::optional<bool> is_numeric_instance(const Value& value, const Value& type);
std::optional<bool> is_numeric_subclass(const Value& value, const Value& type);

/// The value of `value` as that type: a Python number, or an unknown with the reason.
Value converted(Machine& machine, const ElementType& type, const Value& value);

}  // namespace cutelab::reading::machine
