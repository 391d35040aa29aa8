#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/parse.h"
#include "reading/machine/machine.h"

// What the models of layouts, tensors, atoms and descriptors share: values of Python as values of the layout
// room and back.
//
// Records of these models and their fields:
//   Tensor       layout, element_type, memspace ("gmem" "smem" "rmem" "tmem" "generic"), iterator
//   Pointer      dtype, memspace, alignment; into tensor memory also those of tensor_memory.h
//   Swizzle      num_bits, num_base, num_shift
//   ScaledBasis  value, mode (list of integers)

namespace cutelab::reading::machine {

/// Integers, booleans, ScaledBasis and tuples or lists of them; unknown leaves become symbols. nullopt:
/// something else, or a value of which not even the nesting is known.
std::optional<layout::IntTuple> int_tuple_of(Machine& machine, const Value& value);
Value value_of(Machine& machine, layout::TupleView tuple);
inline Value value_of(Machine& machine, const layout::Int& leaf) {
  return value_of(machine, layout::IntTuple(leaf).view());
}
inline Value value_of(Machine& machine, const layout::IntTuple& tuple) {
  return value_of(machine, tuple.view());
}

/// Layouts, tensors (their layout), swizzles, shapes and tilers.
std::optional<layout::Value> operand_of(Machine& machine, const Value& value);
std::optional<layout::Tiler> tiler_of(Machine& machine, const Value& value);
std::optional<layout::Slicer> slicer_of(Machine& machine, const Value& value);
/// A layout, a tensor's layout, or the compact layout of a shape.
std::optional<layout::ComposedLayout> layout_of(Machine& machine, const Value& value);
Value value_of(Machine& machine, const layout::Value& value);

Record* record_of(const Value& value, std::string_view kind);
inline Record* tensor_of(const Value& value) { return record_of(value, "Tensor"); }
struct TensorParts {
  Value layout, element_type;
  std::string memspace = "generic";
  Value iterator;
};
Record* make_tensor_record(Call& call, TensorParts parts);
/// The same tensor with another layout.
Value with_layout(Call& call, const Record* tensor, Value layout);
Value make_pointer(Call& call, Value dtype, std::string memspace, Value alignment = Value::none());
/// `value` as an operation on a tensor gives it: a layout becomes a tensor when `like` is one.
Value as_like(Call& call, const Value& like, Value value);

/// The mode of stride 1 and extent over 1: its index, the path to a nested one, or None.
Value leading_mode(Machine& machine, const layout::IntTuple& shape, const layout::IntTuple& stride);

/// Bits of an element type, by its width, or by the name of a type of the DSL.
std::optional<std::int64_t> width_of(Machine& machine, const Value& dtype);
/// The member's name of an enumeration's value: "K" of OperandMajorMode.K. Empty: not an enumeration.
std::string member_name(Machine& machine, const Value& value);
std::string text_of(const Value& value);
std::optional<std::int64_t> integer_of(const Value& value);
/// Text of a dtype record's name or of an external's last name: "Float16".
std::string type_name(Machine& machine, const Value& dtype);

/// An unknown that says which call it comes from.
Value not_told(Call& call, std::string reason, const Value& because = {});
/// The layout room's answer, or an unknown with its reason.
Value told(Call& call, const Result<layout::Value>& answer);
template <class T>
Value told(Call& call, Result<T> answer) {
  if (!answer) return told(call, Result<layout::Value>(answer.error()));
  return told(call, Result<layout::Value>(layout::Value(std::move(*answer))));
}

/// Registers a function of cutlass.cute under the modules it lives in.
void add_cute(Natives& natives, std::string_view name, Native native);

// Parts of add_layouts, add_tensors and add_atoms.
void add_layout_algebra(Natives& natives);
void add_layout_shapes(Natives& natives);
void add_layout_tuples(Natives& natives);
void add_layout_attributes(Natives& natives);
void add_tensor_views(Natives& natives);
void add_tensor_memory(Natives& natives);
void add_mma_operations(Natives& natives);
void add_copy_operations(Natives& natives);
void add_tiled_mma(Natives& natives);
void add_tiled_copies(Natives& natives);

}  // namespace cutelab::reading::machine
