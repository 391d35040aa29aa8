#include "reading/models/layout_values.h"

#include <fmt/format.h>

namespace cutelab::reading::machine {
namespace {

std::optional<layout::Int> leaf_of(Machine& machine, const Value& value) {
  if (value.is_integral()) return layout::Int(value.number());
  if (value.is_unknown()) {
    auto symbol = machine.int_tuple(value);
    if (symbol && symbol->is_leaf()) return symbol->leaf();
    return std::nullopt;
  }
  const Record* basis = record_of(value, "ScaledBasis");
  if (!basis) return std::nullopt;
  auto scale = leaf_of(machine, machine.field(basis, "value"));
  auto mode = machine.items(machine.field(basis, "mode"));
  if (!scale || !mode) return std::nullopt;
  layout::Basis path;
  for (const Value& index : *mode) {
    if (!index.is_int() || path.depth() == layout::Basis::max_depth) return std::nullopt;
    path = path.then(static_cast<int>(index.number()));
  }
  return scale->with_basis(path);
}

const std::vector<Value>* sequence(const Value& value) {
  if (const Tuple* tuple = value.as<Tuple>()) return &tuple->items;
  if (const List* list = value.as<List>()) return &list->items;
  return nullptr;
}

bool write(Machine& machine, const Value& value, layout::TupleBuilder& build) {
  const auto* items = sequence(value);
  if (!items) {
    auto leaf = leaf_of(machine, value);
    if (!leaf) return false;
    build.leaf(std::move(*leaf));
    return true;
  }
  const std::size_t at = build.open();
  for (const Value& item : *items)
    if (!write(machine, item, build)) return false;
  build.close(at, static_cast<int>(items->size()));
  return true;
}

Value basis_value(Machine& machine, const layout::Int& leaf) {
  Record* basis = machine.record("ScaledBasis", "cutlass.cute.ScaledBasis");
  std::vector<Value> mode;
  for (int i = 0; i < leaf.basis().depth(); ++i) mode.push_back(Value::integer(leaf.basis()[i]));
  machine.set_field(basis, "value", value_of(machine, leaf.scale()));
  machine.set_field(basis, "mode", machine.list(std::move(mode)));
  return basis;
}

}  // namespace

std::optional<layout::IntTuple> int_tuple_of(Machine& machine, const Value& value) {
  if (!value.bound()) return std::nullopt;
  layout::TupleBuilder build;
  if (!write(machine, value, build)) return std::nullopt;
  return build.take();
}

Value value_of(Machine& machine, layout::TupleView tuple) {
  if (!tuple.is_leaf()) {
    std::vector<Value> items;
    for (int i = 0; i < tuple.rank(); ++i) items.push_back(value_of(machine, tuple.mode(i)));
    return machine.tuple(std::move(items));
  }
  const layout::Int& leaf = tuple.leaf();
  if (!leaf.plain()) return basis_value(machine, leaf);
  if (leaf.known()) return Value::integer(leaf.value());
  return machine.from_int_tuple(tuple);
}

std::optional<layout::Tiler> tiler_of(Machine& machine, const Value& value) {
  if (value.is_none()) return layout::Tiler::all();
  if (const LayoutObject* l = value.as<LayoutObject>()) return layout::Tiler(l->layout.layout());
  if (const auto* items = sequence(value)) {
    std::vector<layout::Tiler> modes;
    for (const Value& item : *items) {
      auto mode = tiler_of(machine, item);
      if (!mode) return std::nullopt;
      modes.push_back(std::move(*mode));
    }
    return layout::Tiler::tuple(std::move(modes));
  }
  auto shape = int_tuple_of(machine, value);
  if (!shape) return std::nullopt;
  return layout::Tiler::of_shape(*shape);
}

std::optional<layout::Slicer> slicer_of(Machine& machine, const Value& value) {
  if (value.is_none()) return layout::Slicer::all();
  if (const auto* items = sequence(value)) {
    std::vector<layout::Slicer> modes;
    for (const Value& item : *items) {
      auto mode = slicer_of(machine, item);
      if (!mode) return std::nullopt;
      modes.push_back(std::move(*mode));
    }
    return layout::Slicer::tuple(std::move(modes));
  }
  auto coordinate = int_tuple_of(machine, value);
  if (!coordinate) return std::nullopt;
  return layout::Slicer(std::move(*coordinate));
}

std::optional<layout::Value> operand_of(Machine& machine, const Value& value) {
  if (!value.bound() || value.is_unknown()) return std::nullopt;
  if (const LayoutObject* l = value.as<LayoutObject>()) return layout::Value(l->layout);
  if (const Record* tensor = tensor_of(value)) return operand_of(machine, machine.field(tensor, "layout"));
  if (const Record* swizzle = record_of(value, "Swizzle")) {
    auto bits = integer_of(machine.field(swizzle, "num_bits"));
    auto base = integer_of(machine.field(swizzle, "num_base"));
    auto shift = integer_of(machine.field(swizzle, "num_shift"));
    if (!bits || !base || !shift) return std::nullopt;
    auto made = layout::Swizzle::make(*bits, *base, *shift);
    if (!made) return std::nullopt;
    return layout::Value(*made);
  }
  if (auto tuple = int_tuple_of(machine, value)) return layout::Value(std::move(*tuple));
  if (auto tiler = tiler_of(machine, value)) return layout::Value(std::move(*tiler));
  return std::nullopt;
}

std::optional<layout::ComposedLayout> layout_of(Machine& machine, const Value& value) {
  auto operand = operand_of(machine, value);
  if (!operand) return std::nullopt;
  auto answer = operand->as_layout();
  if (!answer) return std::nullopt;
  return std::move(*answer);
}

namespace {
Value tiler_value(Machine& machine, const layout::Tiler& tiler) {
  if (tiler.kind() == layout::Tiler::Kind::all) return Value::none();
  if (tiler.kind() == layout::Tiler::Kind::integer) return value_of(machine, tiler.layout().shape());
  if (tiler.kind() == layout::Tiler::Kind::layout)
    return machine.layout(layout::ComposedLayout(tiler.layout()));
  std::vector<Value> modes;
  for (const auto& mode : tiler.modes()) modes.push_back(tiler_value(machine, mode));
  return machine.tuple(std::move(modes));
}
}  // namespace

Value value_of(Machine& machine, const layout::Value& value) {
  if (const auto* tuple = value.tuple()) return value_of(machine, tuple->view());
  if (const auto* swizzle = value.swizzle()) {
    Record* made = machine.record("Swizzle", "cutlass.cute.make_swizzle");
    machine.set_field(made, "num_bits", Value::integer(swizzle->bits));
    machine.set_field(made, "num_base", Value::integer(swizzle->base));
    machine.set_field(made, "num_shift", Value::integer(swizzle->shift));
    return made;
  }
  if (value.is_layout()) {
    auto composed = value.as_layout();
    return composed ? machine.layout(std::move(*composed)) : machine.unknown("no layout");
  }
  auto tiler = value.as_tiler();
  return tiler ? tiler_value(machine, *tiler) : machine.unknown("no tiler");
}

Record* record_of(const Value& value, std::string_view kind) {
  Record* record = value.as<Record>();
  return record && record->kind == kind ? record : nullptr;
}

Record* make_tensor_record(Call& call, TensorParts parts) {
  Machine& m = call.machine;
  Record* tensor = m.record("Tensor", std::string(call.path), &call);
  m.set_field(tensor, "layout", parts.layout);
  m.set_field(tensor, "element_type", parts.element_type.bound() ? parts.element_type : Value::none());
  m.set_field(tensor, "memspace", m.text(std::move(parts.memspace)));
  if (parts.iterator.bound()) m.set_field(tensor, "iterator", parts.iterator);
  return tensor;
}

Value with_layout(Call& call, const Record* tensor, Value layout) {
  Machine& m = call.machine;
  Record* made = m.record("Tensor", tensor->path.empty() ? std::string(call.path) : tensor->path, &call);
  made->fields.copy_names(tensor->fields);
  m.set_field(made, "layout", layout);
  return made;
}

Value as_like(Call& call, const Value& like, Value value) {
  const Record* tensor = tensor_of(like);
  if (!tensor || !(value.as<LayoutObject>() || value.is_unknown())) return value;
  return with_layout(call, tensor, value);
}

Value make_pointer(Call& call, Value dtype, std::string memspace, Value alignment) {
  Machine& m = call.machine;
  Record* pointer = m.record("Pointer", std::string(call.path), &call);
  m.set_field(pointer, "dtype", dtype);
  m.set_field(pointer, "memspace", m.text(std::move(memspace)));
  m.set_field(pointer, "alignment", alignment);
  return pointer;
}

std::string type_name(Machine& machine, const Value& dtype) {
  if (const Record* record = record_of(dtype, "dtype")) return text_of(machine.field(record, "name"));
  if (const External* external = dtype.as<External>()) return std::string(external->leaf());
  if (const Class* klass = dtype.as<Class>()) return klass->name;
  return {};
}

std::optional<std::int64_t> width_of(Machine& machine, const Value& dtype) {
  if (const Record* record = record_of(dtype, "dtype")) return integer_of(machine.field(record, "width"));
  const std::string name = type_name(machine, dtype);
  if (name == "Boolean") return 8;
  // "Float16", "TFloat32", "Int4", "Float8E4M3FN": the digits after the word.
  std::size_t at = name.find_first_of("0123456789");
  if (at == std::string::npos || at == 0) return std::nullopt;
  for (const char* word : {"Float", "BFloat", "TFloat", "Int", "Uint"})
    if (name.compare(0, at, word) == 0) return name == "TFloat32" ? 32 : std::stoll(name.substr(at, 3));
  return std::nullopt;
}

std::string member_name(Machine& machine, const Value& value) {
  if (const External* external = value.as<External>()) return std::string(external->leaf());
  if (const Text* text = value.as<Text>()) return text->text;
  if (value.as<Instance>()) return text_of(machine.attribute(value, "name"));
  if (const Record* record = value.as<Record>()) return text_of(machine.field(record, "name"));
  return {};
}

std::string text_of(const Value& value) {
  const Text* text = value.as<Text>();
  return text ? text->text : std::string();
}

std::optional<std::int64_t> integer_of(const Value& value) {
  if (value.is_integral()) return value.number();
  return std::nullopt;
}

Value not_told(Call& call, std::string reason, const Value& because) {
  std::string depends;
  if (const Unknown* unknown = because.as<Unknown>())
    depends = unknown->depends_on.empty() ? unknown->reason : unknown->depends_on;
  return call.machine.unknown(std::move(reason), std::move(depends), std::string(call.path));
}

Value told(Call& call, const Result<layout::Value>& answer) {
  if (answer) return value_of(call.machine, *answer);
  return not_told(call, answer.error().wrong);
}

void add_cute(Natives& natives, std::string_view name, Native native) {
  for (const char* where : {"cute.", "core.", "tuple.", "tensor.", "atom.", "algorithm."})
    natives.function("cutlass", std::string(where) + std::string(name), native);
}

}  // namespace cutelab::reading::machine
