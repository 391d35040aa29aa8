#include <algorithm>
#include <optional>

#include "reading/models/element_types.h"
#include "reading/models/storage.h"

/// cute.struct and cute.union: sizes, offsets and alignments as the DSL computes them.
///
/// Record "struct" (Class::storage): name, members (list of Records "member": name, bytes, offset, alignment,
/// type, count, dtype), bytes, alignment. Record "MemRange": dtype, count. Record "Align": type, alignment.
/// A struct in memory is a Record "storage": one field per member, `struct`, and `offset` in shared memory.
namespace cutelab::reading::machine {
namespace storage_models {

Value aligned(Machine& m, const Value& offset, std::int64_t alignment) {
  if (alignment <= 1) return offset;
  const Value up = m.arithmetic("+", offset, Value::integer(alignment - 1));
  return m.arithmetic("*", m.arithmetic("//", up, Value::integer(alignment)), Value::integer(alignment));
}

Record* struct_of(const Value& value) {
  if (const auto* klass = value.as<Class>(); klass && klass->storage)
    return static_cast<Record*>(klass->storage);
  return record_if(value, "struct");
}

struct Member {
  Value type;  ///< what the annotation says, without Align
  Value bytes, count, dtype;
  std::int64_t alignment = 1;  ///< 0 = not known
};

/// A member whose type is not known lies where Align asks for: no element asks for more than 16 bytes.
Member untold_member(Machine& m, const Value& annotation, Symbol name) {
  Member out{annotation, m.unknown("a member whose type is not known", m.name_of(name)), {}, {}, 0};
  if (const Record* align = record_if(annotation, "Align")) {
    const auto asked = integer_in(m.field(align, "alignment"));
    if (asked && *asked >= 16) out.alignment = *asked;
  }
  return out;
}

/// nullopt = not a type that a struct can hold, or not known.
std::optional<Member> member_of(Machine& m, const Value& annotation) {
  Member out{annotation, {}, {}, {}, 1};
  if (const Record* align = record_if(annotation, "Align")) {
    out.type = m.field(align, "type");
    const auto alignment = integer_in(m.field(align, "alignment"));
    if (!alignment || *alignment < 1) return std::nullopt;
    out.alignment = *alignment;
  }
  if (const ElementType* type = element_type_of(out.type)) {
    out.dtype = out.type;
    out.count = Value::integer(1);
    out.bytes = Value::integer(std::max(1, type->bits / 8));
    out.alignment = std::max<std::int64_t>(out.alignment, std::max(1, type->bits / 8));
    return out;
  }
  if (const Record* range = record_if(out.type, "MemRange")) {
    out.dtype = m.field(range, "dtype");
    out.count = m.field(range, "count");
    const ElementType* type = element_type_of(out.dtype);
    if (!type) return std::nullopt;
    const std::int64_t bits = type->name == "Boolean" ? 8 : type->bits;
    out.bytes = m.arithmetic("//", m.arithmetic("*", out.count, Value::integer(bits)), Value::integer(8));
    out.alignment = std::max(out.alignment, std::max<std::int64_t>(1, bits / 8));
    return out;
  }
  if (const Record* inner = struct_of(out.type)) {
    out.bytes = m.field(inner, "bytes");
    const auto alignment = integer_in(m.field(inner, "alignment"));
    out.alignment = std::max(out.alignment, alignment.value_or(1));
    return out;
  }
  return std::nullopt;
}

Value alignment_value(Machine& m, std::int64_t alignment) {
  return alignment ? Value::integer(alignment) : m.unknown("a member whose type is not known");
}

Record* member_record(Machine& m, const Member& member, const Value& offset, Symbol name, const Class* klass,
                      source::Node at) {
  Record* record = m.record("member", "cutlass.cute.struct.member");
  record->made_at = at;
  record->made_in = klass->module;
  put(m, record, "name", m.text(m.name_of(name)));
  put(m, record, "bytes", member.bytes);
  put(m, record, "offset", offset);
  put(m, record, "alignment", alignment_value(m, member.alignment));
  put(m, record, "type", member.type);
  if (member.count.bound()) put(m, record, "count", member.count);
  if (member.dtype.bound()) put(m, record, "dtype", member.dtype);
  return record;
}

Value computed(Call& call, Class* klass, bool is_union) {
  Machine& m = call.machine;
  Record* made = m.record("struct", std::string(call.path));
  made->made_at = klass->node;
  made->made_in = klass->module;
  put(m, made, "name", m.text(klass->name));
  std::vector<Value> members;
  Value end = Value::integer(0);
  std::int64_t alignment = 1;
  for (const auto& [name, node] : klass->annotations) {
    const Value annotation = m.evaluate(node, klass->scope);
    if (m.raising()) return {};
    auto member = member_of(m, annotation);
    if (!member) member = untold_member(m, annotation, name);
    alignment = alignment && member->alignment ? std::max(alignment, member->alignment) : 0;
    const bool starts = is_union || (end.is_integral() && end.number() == 0);
    const Value offset = starts              ? Value::integer(0)
                         : member->alignment ? aligned(m, end, member->alignment)
                                             : alignment_value(m, 0);
    members.push_back(member_record(m, *member, offset, name, klass, node));
    const Value after = m.arithmetic("+", offset, member->bytes);
    const bool grows =
        !is_union || !after.is_integral() || !end.is_integral() || after.number() > end.number();
    if (grows) end = after;
  }
  put(m, made, "members", m.list(std::move(members)));
  put(m, made, "alignment", alignment_value(m, alignment));
  put(m, made, "bytes", aligned(m, end, alignment));
  klass->storage = made;
  return klass;
}

std::optional<Value> decorate(Call& call) {
  Class* klass = call.get(0, "cls").as<Class>();
  if (!klass) return std::nullopt;
  return computed(call, klass, leaf_name(call.path) == "union");
}

std::optional<Value> not_a_call(Call&) { return std::nullopt; }

std::optional<Value> range_of(Call& call) {
  if (call.count() != 2) return std::nullopt;
  return record_of(call, "MemRange", {{"dtype", call.arguments[0]}, {"count", call.arguments[1]}});
}

std::optional<Value> align_of(Call& call) {
  if (call.count() != 2) return std::nullopt;
  return record_of(call, "Align", {{"type", call.arguments[0]}, {"alignment", call.arguments[1]}});
}

std::optional<Value> struct_bytes(Call& call) {
  const Record* self = struct_of(call.self);
  return self ? std::optional<Value>(call.machine.field(self, "bytes")) : std::nullopt;
}

std::optional<Value> struct_alignment(Call& call) {
  const Record* self = struct_of(call.self);
  return self ? std::optional<Value>(call.machine.field(self, "alignment")) : std::nullopt;
}

std::optional<Value> range_bytes(Machine& m, const Value& self) {
  const auto member = member_of(m, self);
  return member ? std::optional<Value>(member->bytes) : std::nullopt;
}

std::optional<Value> range_count(Machine& m, const Value& self) {
  const Record* range = record_if(self, "MemRange");
  return range ? std::optional<Value>(m.field(range, "count")) : std::nullopt;
}

std::optional<Value> placed(Call& call) {
  const Record* self = struct_of(call.self);
  if (!self) return std::nullopt;
  const Record* over = record_if(call.get(0, "base"), "Pointer");
  const Value offset = over ? call.machine.field(over, "offset") : Value();
  return place_struct(call, self, offset.bound() ? offset : Value::integer(0));
}

// --- members in memory
// ------------------------------------------------------------------------------------------

std::optional<Value> data_pointer(Call& call) {
  const Record* data = record_if(call.self, "MemRangeData");
  if (!data) return std::nullopt;
  return shared_pointer(call, call.machine.field(data, "dtype"), call.machine.field(data, "offset"));
}

std::optional<Value> data_tensor(Call& call) {
  Machine& m = call.machine;
  const Record* data = record_if(call.self, "MemRangeData");
  if (!data) return std::nullopt;
  const Value type = call.get(2, "dtype", m.field(data, "dtype"));
  return shared_tensor(call, type.is_none() ? m.field(data, "dtype") : type, call.get(0, "layout"),
                       call.get(1, "swizzle", Value::none()), m.field(data, "offset"));
}

}  // namespace storage_models

Value shared_pointer(Call& call, const Value& dtype, const Value& offset) {
  return record_of(call, "Pointer",
                   {{"dtype", dtype},
                    {"memspace", call.machine.text("smem")},
                    {"alignment", Value::none()},
                    {"offset", offset}});
}

Value shared_tensor(Call& call, const Value& dtype, const Value& layout, const Value& swizzle,
                    const Value& offset) {
  Machine& m = call.machine;
  const Value pointer = shared_pointer(call, dtype, offset);
  put(m, pointer.as<Record>(), "swizzle", swizzle);
  Value inside = layout;
  if (!layout.as<LayoutObject>() && !layout.is_unknown())
    if (auto shape = m.int_tuple(layout)) inside = m.layout(layout::ComposedLayout(layout::Layout(*shape)));
  return record_of(call, "Tensor",
                   {{"layout", inside},
                    {"element_type", dtype},
                    {"memspace", m.text("smem")},
                    {"iterator", pointer},
                    {"swizzle", swizzle}});
}

Value place_struct(Call& call, const Record* shape, const Value& base) {
  Machine& m = call.machine;
  Record* made = record_of(call, "storage", {{"struct", const_cast<Record*>(shape)}, {"offset", base}});
  const auto* members = m.field(shape, "members").as<List>();
  if (!members) return made;
  for (const Value& one : members->items) {
    const Record* member = record_if(one, "member");
    const auto name = text_in(m.field(member, "name"));
    const Value type = m.field(member, "type"), offset = m.arithmetic("+", base, m.field(member, "offset"));
    Value field;
    if (record_if(type, "MemRange")) {
      field = record_of(call, "MemRangeData",
                        {{"dtype", m.field(member, "dtype")},
                         {"count", m.field(member, "count")},
                         {"offset", offset},
                         {"member", one}});
    } else if (const Record* inner = storage_models::struct_of(type)) {
      field = place_struct(call, inner, offset);
    } else {
      field = shared_pointer(call, m.field(member, "dtype"), offset);
      put(m, field.as<Record>(), "ptr", field);
      put(m, field.as<Record>(), "member", one);
    }
    put(m, made, *name, field);
  }
  return made;
}

const Record* struct_record(const Value& value) { return storage_models::struct_of(value); }

void add_storage(Natives& natives) {
  using namespace storage_models;
  natives.function("cutlass", "struct", decorate);
  natives.function("cutlass", "union", decorate);
  natives.function("cutlass", "struct.MemRange", not_a_call);
  natives.function("cutlass", "struct.Align", not_a_call);
  natives.function("cutlass", "struct.MemRange.__getitem__", range_of);
  natives.function("cutlass", "struct.Align.__getitem__", align_of);
  for (const char* name : {"size_in_bytes", "__sizeof__"}) natives.method("struct", name, struct_bytes);
  natives.method("struct", "__alignof__", struct_alignment);
  natives.method("struct", "__call__", placed);
  natives.getter("MemRange", "size_in_bytes", range_bytes);
  natives.getter("MemRange", "size", range_count);
  natives.method("MemRangeData", "data_ptr", data_pointer);
  natives.method("MemRangeData", "get_tensor", data_tensor);
  natives.method("MemRangeData", "__getitem__", answer_runtime);
  natives.method("MemRangeData", "__setitem__", answer_none);
  add_allocators(natives);
}

}  // namespace cutelab::reading::machine
