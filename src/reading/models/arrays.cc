#include <algorithm>

#include "reading/models/element_types.h"
#include "reading/models/runtime.h"
#include "reading/models/storage.h"

/// cutlass.Array: Record "Array" with dtype, shape (tuple), memspace, alignment, layout (row-major), offset
/// in shared memory.
namespace cutelab::reading::machine {
namespace array_models {

std::string space_name(Machine& m, const Value& space) {
  if (const auto* name = space.as<External>()) return std::string(name->leaf());
  if (const auto* instance = space.as<Instance>())
    if (const Value* name = instance->attributes.find(m.symbol("name"))) return text_in(*name).value_or("");
  return space.bound() ? "" : "rmem";
}

Value row_major(Machine& m, const Value& shape) {
  if (const auto extents = m.int_tuple(shape))
    return m.layout(layout::ComposedLayout(layout::Layout::row_major(*extents)));
  return m.unknown("an array's shape is not known");
}

std::optional<Value> array(Call& call) {
  Machine& m = call.machine;
  const Value dtype = call.get(0, "dtype"), given = call.get(1, "shape");
  if (!given.bound()) return std::nullopt;
  const auto* items = sequence_of(given);
  const Value shape = items ? m.tuple(*items) : m.tuple({given});
  const std::string space = space_name(m, call.get(-1, "space"));
  const Value alignment = call.get(-1, "alignment", Value::integer(4));
  Value offset = Value::none(), bytes = Value::none();
  if (space == "smem") {
    const ElementType* type = element_type_of(dtype);
    const std::int64_t bits = type ? (type->name == "Boolean" ? 8 : type->bits) : 0;
    bytes = m.unknown("elements of an unknown type");
    const Value count = product(m, shape.as<Tuple>()->items);
    if (type) bytes = m.arithmetic("//", m.arithmetic("*", count, Value::integer(bits)), Value::integer(8));
    const std::int64_t natural = std::max<std::int64_t>(1, bits / 8);
    offset = take_shared(
        call, bytes,
        alignment.is_integral() ? Value::integer(std::max(alignment.number(), natural)) : alignment);
  }
  return record_of(call, "Array",
                   {{"dtype", dtype},
                    {"allocated_bytes", bytes},
                    {"element_type", dtype},
                    {"shape", shape},
                    {"memspace", m.text(space)},
                    {"alignment", alignment},
                    {"offset", offset},
                    {"layout", row_major(m, shape)}});
}

std::optional<Value> view(Call& call) {
  const Value source = call.get(0, "tensor");
  return source.as<Record>() ? std::optional<Value>(source) : std::nullopt;
}

std::optional<Value> part(Call& call) {
  const Record* self = record_if(call.self, "Array");
  if (!self) return std::nullopt;
  Record* made = record_of(call, "Array");
  made->fields.copy_names(self->fields);
  if (const Value shape = call.get(1, "shape"); shape.bound()) put(call.machine, made, "shape", shape);
  return made;
}

std::optional<Value> pointer(Call& call) {
  const Record* self = record_if(call.self, "Array");
  if (!self) return std::nullopt;
  return record_of(call, "Pointer",
                   {{"dtype", call.machine.field(self, "dtype")},
                    {"memspace", call.machine.field(self, "memspace")},
                    {"alignment", call.machine.field(self, "alignment")}});
}

std::optional<Value> element_count(Machine& m, const Value& self) {
  const auto* shape = sequence_of(m.field(self.as<Record>(), "shape"));
  return shape ? std::optional<Value>(product(m, *shape)) : std::nullopt;
}

}  // namespace array_models

void add_arrays(Natives& natives) {
  using namespace array_models;
  natives.function("cutlass", "Array", array);
  natives.function("cutlass", "make_array_view", view);
  for (const char* name : {"subview", "reshape", "view"}) natives.method("Array", name, part);
  natives.method("Array", "data_ptr", pointer);
  for (const char* name : {"load", "__getitem__", "load_swizzled", "ir_value"})
    natives.method("Array", name, answer_runtime);
  for (const char* name : {"store", "__setitem__", "fill", "store_swizzled", "print_runtime"})
    natives.method("Array", name, answer_none);
  natives.getter("Array", "size", element_count);
}

}  // namespace cutelab::reading::machine
