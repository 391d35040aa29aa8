#include <algorithm>

#include "reading/models/element_types.h"
#include "reading/models/stand_in_device.h"
#include "reading/models/storage.h"
#include "reading/models/tensor_memory.h"

/// SmemAllocator and TmemAllocator: what a kernel takes of shared and tensor memory.
namespace cutelab::reading::machine {
namespace allocator_models {

constexpr std::int64_t most_tmem_columns = 512, least_tmem_columns = 32;

std::int64_t rounded_up(std::int64_t n, std::int64_t to) { return to > 1 ? (n + to - 1) / to * to : n; }

/// partition= of a call: an enumeration's member.
Partition partition_of(Call& call) {
  const Value given = call.get(-1, "partition");
  if (const auto* instance = given.as<Instance>())
    if (const Value* name = instance->attributes.find(call.machine.symbol("name"));
        name && text_in(*name) == "RESERVED")
      return Partition::reserved;
  const auto* name = given.as<External>();
  return name && name->leaf() == "RESERVED" ? Partition::reserved : Partition::user;
}

std::int64_t storage_bits(const ElementType& type) { return type.name == "Boolean" ? 8 : type.bits; }

Value larger(Machine& m, const Value& a, std::int64_t b) {
  if (!a.bound()) return Value::integer(b);
  if (a.is_integral()) return Value::integer(std::max(a.number(), b));
  return m.unknown("an alignment that is not known");
}

/// What is allocated on its own says how much of shared memory it takes and where.
Value allocated(Call& call, Value made, const Value& bytes, const Value& offset, const Value& alignment) {
  Record* record = made.as<Record>();
  put(call.machine, record, "allocated_bytes", bytes);
  put(call.machine, record, "allocated_at", offset);
  put(call.machine, record, "allocated_alignment", alignment);
  return made;
}

std::optional<Value> allocator(Call& call) { return record_of(call, "SmemAllocator"); }

std::optional<Value> capacity(Call& call) {
  const Value given = call.get(0, "compute_capability", Value::none());
  const auto text = text_in(given);
  if (!text && !given.is_none()) return std::nullopt;
  const auto bytes = shared_memory_of(text ? *text : call.machine.arch());
  return bytes ? std::optional<Value>(Value::integer(*bytes)) : std::nullopt;
}

std::optional<Value> allocate(Call& call) {
  Machine& m = call.machine;
  const Value what = call.get(0, "size_or_type"),
              alignment = call.get(1, "byte_alignment", Value::integer(1));
  const Partition partition = partition_of(call);
  if (const Record* shape = struct_record(what)) {
    const auto own = integer_in(m.field(shape, "alignment"));
    const Value offset =
        take_shared(call, m.field(shape, "bytes"), larger(m, alignment, own.value_or(1)), partition);
    return place_struct(call, shape, offset);
  }
  if (const ElementType* type = element_type_of(what)) {
    const Value bytes = Value::integer((storage_bits(*type) + 7) / 8);
    const Value offset = take_shared(call, bytes, alignment, partition);
    return allocated(call, shared_pointer(call, what, offset), bytes, offset, alignment);
  }
  const Value offset = take_shared(call, what, alignment, partition);
  return allocated(call, shared_pointer(call, element_type(m, "Int8"), offset), what, offset, alignment);
}

std::optional<Value> allocate_array(Call& call) {
  Machine& m = call.machine;
  const Value dtype = call.get(0, "element_type"), count = call.get(1, "num_elems", Value::integer(1));
  const ElementType* type = element_type_of(dtype);
  Value bytes = m.unknown("elements of an unknown type");
  if (type)
    bytes =
        m.arithmetic("//", m.arithmetic("*", count, Value::integer(storage_bits(*type))), Value::integer(8));
  const Value alignment = larger(m, call.get(-1, "byte_alignment"),
                                 type ? std::max<std::int64_t>(1, storage_bits(*type) / 8) : 1);
  const Value offset = take_shared(call, bytes, alignment, partition_of(call));
  return allocated(call, shared_pointer(call, dtype, offset), bytes, offset, alignment);
}

/// A swizzled pointer starts where its pattern does: 2^(bits + base + shift) bytes.
std::int64_t pattern_bytes(Machine& m, const Value& swizzle) {
  const Record* record = record_if(swizzle, "Swizzle");
  if (!record) return 1;
  const auto bits = integer_in(m.field(record, "num_bits")), base = integer_in(m.field(record, "num_base")),
             shift = integer_in(m.field(record, "num_shift"));
  if (!bits || !base || !shift || *bits <= 0 || *bits + *base + *shift > 16) return 1;
  return std::int64_t{1} << (*bits + *base + *shift);
}

std::optional<Value> allocate_tensor(Call& call) {
  Machine& m = call.machine;
  const Value dtype = call.get(0, "element_type"), layout = call.get(1, "layout");
  const ElementType* type = element_type_of(dtype);
  Value elements = m.unknown("a layout that is not known");
  if (const auto* object = layout.as<LayoutObject>())
    elements = m.from_int_tuple(layout::IntTuple(layout::cosize(object->layout)).view());
  else if (layout.is_integral())
    elements = layout;
  Value bytes = m.unknown("elements of an unknown type");
  if (type)
    bytes = m.arithmetic("//", m.arithmetic("*", elements, Value::integer(storage_bits(*type))),
                         Value::integer(8));
  const Value swizzle = call.get(3, "swizzle", Value::none());
  const std::int64_t natural = type ? std::max<std::int64_t>(1, storage_bits(*type) / 8) : 1;
  const Value alignment =
      larger(m, call.get(2, "byte_alignment"),
             call.get(2, "byte_alignment").bound() ? natural : std::max(natural, pattern_bytes(m, swizzle)));
  const Value offset = take_shared(call, bytes, alignment, partition_of(call));
  return allocated(call, shared_tensor(call, dtype, layout, swizzle, offset), bytes, offset, alignment);
}

/// cute.arch.alloc_smem(type, count, alignment): static shared memory.
std::optional<Value> alloc_smem(Call& call) {
  const Value dtype = call.get(0, "element_type");
  const ElementType* type = element_type_of(dtype);
  Value bytes = call.machine.unknown("elements of an unknown type");
  if (type)
    bytes = call.machine.arithmetic("*", call.get(1, "size_in_elems"), Value::integer(bytes_of(*type)));
  return record_of(call, "Pointer",
                   {{"dtype", dtype}, {"memspace", call.machine.text("smem")}, {"static_bytes", bytes}});
}

std::optional<Value> dynamic_smem(Call& call) {
  return shared_pointer(call, call.get(0, "element_type"), Value::integer(0));
}

// --- tensor memory
// ------------------------------------------------------------------------------------------------

/// A pointer to column `first` of what the kernel allocated.
Value tmem_pointer(Call& call, const Value& dtype, const Value& first = Value::integer(0)) {
  Record* made =
      record_of(call, "Pointer",
                {{"dtype", dtype}, {"memspace", call.machine.text("tmem")}, {"alignment", Value::none()}});
  place_in_tensor_memory(call.machine, made,
                         call.machine.arithmetic("*", first, Value::integer(tmem_column_bits)), "allocation");
  return made;
}

/// Record "TmemAllocator": is_two_cta, allocator_warp_id, arch, columns (list of what was asked for).
std::optional<Value> tmem_allocator(Call& call) {
  Machine& m = call.machine;
  Record* made = record_of(call, "TmemAllocator");
  for (const char* name : {"barrier_for_retrieve", "allocator_warp_id", "is_two_cta", "arch"})
    put(m, made, name, call.get(-1, name, Value::none()));
  put(m, made, "columns", m.list({}));
  const auto two = flag_of(m, call.get(-1, "is_two_cta", Value::boolean(false)));
  if (call.get(0, "alloc_result_dst_smem_ptr", Value::none()).is_none())
    take_shared(call, Value::integer(4), Value::integer(8), Partition::reserved);
  if (two && *two && call.get(-1, "two_cta_tmem_dealloc_mbar_ptr", Value::none()).is_none())
    take_shared(call, Value::integer(8), Value::integer(8), Partition::reserved);
  return made;
}

std::optional<Value> take_columns(Call& call) {
  const Value columns = call.get(0, "num_columns");
  if (Record* self = record_if(call.self, "TmemAllocator"))
    if (List* list = call.machine.field(self, "columns").as<List>())
      call.machine.mutable_items(list).push_back(columns);
  return Value::none();
}

/// Record "TmemPool": total_cols, next (the first column that is not taken).
std::optional<Value> reserve(Call& call) {
  take_columns(call);
  return record_of(call, "TmemPool",
                   {{"total_cols", call.get(0, "num_columns")}, {"next", Value::integer(0)}});
}

std::optional<Value> retrieve(Call& call) {
  return tmem_pointer(call, call.get(0, "dtype", element_type(call.machine, "Float32")));
}

std::optional<Value> retrieve_pointer(Call& call) { return tmem_pointer(call, call.get(0, "element_type")); }
/// The next columns of a pool, as many as a number or a layout says.
std::optional<Value> pool_pointer(Call& call) {
  Machine& m = call.machine;
  Record* pool = call.self.as<Record>();
  const Value given = call.get(0, call.path.ends_with("tensor") ? "layout" : "size"),
              dtype = call.get(1, "dtype");
  const Value first = m.field(pool, "next");
  Value columns = given;
  if (!given.is_integral() && !given.is_unknown()) {
    const auto part = extent_in_tensor_memory(m, given, dtype, 0);
    columns =
        part ? Value::integer(part->columns) : not_told(call, "the layout or its type is not known", given);
  }
  m.set_field(pool, "next", m.arithmetic("+", first, columns));
  return tmem_pointer(call, dtype, first);
}

std::optional<Value> pool_tensor(Call& call) {
  return record_of(call, "Tensor",
                   {{"layout", call.get(0, "layout")},
                    {"element_type", call.get(1, "dtype")},
                    {"memspace", call.machine.text("tmem")},
                    {"iterator", *pool_pointer(call)}});
}

std::optional<Value> most_columns(Call&) { return Value::integer(most_tmem_columns); }
std::optional<Value> least_columns(Call&) { return Value::integer(least_tmem_columns); }

}  // namespace allocator_models

Value take_shared(Call& call, const Value& bytes, const Value& alignment, Partition partition) {
  using namespace allocator_models;
  Launch* launch = call.machine.current_launch();
  if (!launch) return call.machine.unknown("shared memory outside a kernel's launch");
  if (!bytes.is_integral() || !alignment.is_integral() || alignment.number() < 1) {
    launch->allocated_known = false;
    const Value& open = bytes.is_integral() ? alignment : bytes;
    const auto* unknown = open.as<Unknown>();
    call.machine.give_up(
        "shared memory of unknown size: " + (unknown ? unknown->reason : std::string("not a number")),
        unknown ? unknown->depends_on : std::string(), call.module, call.node);
    return call.machine.unknown("an allocation of unknown size");
  }
  std::int64_t& used = partition == Partition::reserved ? launch->reserved : launch->user;
  const std::int64_t offset = rounded_up(used, alignment.number());
  used = offset + bytes.number();
  if (partition == Partition::user) launch->alignment = std::max(launch->alignment, alignment.number());
  launch->allocated = rounded_up(launch->reserved, launch->user > 0 ? launch->alignment : 1) + launch->user;
  return Value::integer(offset);
}

void add_allocators(Natives& natives) {
  using namespace allocator_models;
  natives.function("cutlass", "SmemAllocator", allocator);
  natives.function("cutlass", "SmemAllocator.capacity_in_bytes", capacity);
  natives.function("cutlass", "get_smem_capacity_in_bytes", capacity);
  natives.method("SmemAllocator", "capacity_in_bytes", capacity);
  natives.method("SmemAllocator", "allocate", allocate);
  natives.method("SmemAllocator", "allocate_array", allocate_array);
  natives.method("SmemAllocator", "allocate_tensor", allocate_tensor);
  natives.function("cutlass", "arch.alloc_smem", alloc_smem);
  natives.function("cutlass", "arch.get_dyn_smem", dynamic_smem);
  natives.function("cutlass", "TmemAllocator", tmem_allocator);
  natives.method("TmemAllocator", "allocate", take_columns);
  natives.method("TmemAllocator", "reserve", reserve);
  natives.method("TmemAllocator", "retrieve_ptr", retrieve);
  for (const char* name : {"wait_for_alloc", "relinquish_alloc_permit", "free"})
    natives.method("TmemAllocator", name, answer_none);
  natives.method("TmemPool", "allocate", pool_pointer);
  natives.method("TmemPool", "allocate_tensor", pool_tensor);
  natives.function("cutlass", "arch.retrieve_tmem_ptr", retrieve_pointer);
  natives.function("cutlass", "get_max_tmem_alloc_cols", most_columns);
  natives.function("cutlass", "get_min_tmem_alloc_cols", least_columns);
  for (const char* name : {"arch.alloc_tmem", "arch.dealloc_tmem", "arch.relinquish_tmem_alloc_permit"})
    natives.function("cutlass", name, answer_none);
}

}  // namespace cutelab::reading::machine
