#include <algorithm>

#include "reading/models/element_types.h"
#include "reading/models/runtime.h"
#include "reading/models/stand_in_device.h"
#include "reading/models/torch_tensor.h"

/// cutlass.cute.runtime, the device's figures, cute.compile.
namespace cutelab::reading::machine {
namespace runtime_models {

using Values = std::vector<Value>;
/// The pointer as it was made; `iterator` is it with the tensor's element type.
constexpr const char* made_pointer = "pointer as made";

Value global_pointer(Call& call, const Value& dtype, const Value& alignment) {
  return record_of(call, "Pointer",
                   {{"dtype", dtype}, {"memspace", call.machine.text("gmem")}, {"alignment", alignment}});
}

/// Record "Tensor" of global memory; `fake` marks one that stands for tensors to come.
Value global_tensor(Call& call, const Values& shape, const Values& strides, const Value& dtype,
                    const Value& alignment, bool fake) {
  Machine& m = call.machine;
  const auto extents = m.int_tuple(m.tuple(shape)), steps = m.int_tuple(m.tuple(strides));
  Value layout = m.unknown("the tensor's layout is not known");
  if (extents && steps)
    if (auto made = layout::Layout::make(*extents, *steps))
      layout = m.layout(layout::ComposedLayout(std::move(*made)));
  return record_of(call, "Tensor",
                   {{"layout", layout},
                    {"element_type", dtype},
                    {"memspace", m.text("gmem")},
                    {made_pointer, global_pointer(call, dtype, alignment)},
                    {"assumed_align", alignment},
                    {"fake", Value::boolean(fake)}});
}

/// Packed fp4 pairs are two elements along the mode of stride 1.
void unpack_pairs(Machine& m, TorchTensor& t) {
  const auto is_one = [](const Value& v) { return v.is_integral() && v.number() == 1; };
  std::size_t leading = t.shape.size();
  for (std::size_t i = 0; i < t.strides.size(); ++i)
    if (is_one(t.strides[i]) && (leading == t.shape.size() || is_one(t.shape[leading]))) leading = i;
  for (std::size_t i = 0; i < t.shape.size(); ++i) {
    Value& wide = i == leading ? t.shape[i] : t.strides[i];
    wide = m.arithmetic("*", wide, Value::integer(2));
  }
}

std::optional<Value> from_dlpack(Call& call) {
  Machine& m = call.machine;
  const Value given = call.get(0, "tensor_dlpack");
  if (record_if(given, "Tensor")) return given;
  auto t = torch_tensor_of(m, given);
  if (!t) return m.unknown("a tensor made from one that is not known", {}, std::string(call.path));
  const std::string_view torch = torch_name_of(t->dtype);
  const ElementType* type = element_type_of_torch(torch);
  const Value tf32 = call.get(-1, "force_tf32");
  if (type && type->name == "Float32" && tf32.bound() && m.truth(tf32) == Machine::Truth::yes)
    type = find_element_type("TFloat32");
  if (torch == "float4_e2m1fn_x2") unpack_pairs(m, *t);
  const Value dtype = type ? element_type(m, *type) : m.unknown("an element type that is not known");
  return global_tensor(call, t->shape, t->strides, dtype, call.get(1, "assumed_align", Value::none()), false);
}

std::optional<Value> fake_tensor(Call& call) {
  const auto *shape = sequence_of(call.get(1, "shape")), *strides = sequence_of(call.get(2, "stride"));
  if (!shape || !strides) return std::nullopt;
  return global_tensor(call, *shape, *strides, call.get(0, "dtype"),
                       call.get(-1, "assumed_align", Value::none()), true);
}

std::optional<Value> fake_compact_tensor(Call& call) {
  Machine& m = call.machine;
  const auto* shape = sequence_of(call.get(1, "shape"));
  if (!shape) return std::nullopt;
  const auto* order = sequence_of(call.get(-1, "stride_order", Value::none()));
  Values strides(shape->size());
  Value running = Value::integer(1);
  for (std::size_t rank = 0; rank < shape->size(); ++rank) {
    std::size_t at = order ? shape->size() : rank;
    for (std::size_t i = 0; order && i < std::min(order->size(), shape->size()); ++i)
      if ((*order)[i].is_integral() && (*order)[i].number() == static_cast<std::int64_t>(rank)) at = i;
    if (at == shape->size()) return std::nullopt;
    strides[at] = running;
    running = m.arithmetic("*", running, (*shape)[at]);
  }
  return global_tensor(call, *shape, strides, call.get(0, "dtype"),
                       call.get(-1, "assumed_align", Value::none()), true);
}

std::optional<Value> symbolic_integer(Call& call) {
  const auto symbol = text_in(call.get(-1, "symbol"));
  return call.machine.unknown("known when the kernel is launched", symbol.value_or(""),
                              std::string(call.path));
}

std::optional<Value> null_pointer(Call& call) {
  return global_pointer(call, call.get(0, "dtype"), call.get(2, "assumed_align", Value::none()));
}

std::optional<Value> stream(Call& call) { return record_of(call, "cuda.handle"); }

std::optional<Value> tensor_bytes(Machine& m, const Value& self) {
  const Record* tensor = record_if(self, "Tensor");
  const auto* layout = m.field(tensor, "layout").as<LayoutObject>();
  const ElementType* type = element_type_of(m.field(tensor, "element_type"));
  if (!layout || !type) return std::nullopt;
  const Value count = m.from_int_tuple(layout::IntTuple(layout::size(layout->layout)).view());
  return m.arithmetic("//", m.arithmetic("*", count, Value::integer(type->bits)), Value::integer(8));
}

/// `tensor.element_type = Float8E5M2` over bytes of torch: the pointer is one to such elements too.
std::optional<Value> pointer_of_elements(Machine& m, const Value& self) {
  Record* tensor = self.as<Record>();
  const Value held = m.field(tensor, made_pointer), type = m.field(tensor, "element_type");
  const Record* pointer = record_if(held, "Pointer");
  if (!pointer) return std::nullopt;
  const ElementType* wanted = element_type_of(type);
  if (!wanted || wanted == element_type_of(m.field(pointer, "dtype"))) return held;
  Record* made = m.record("Pointer", pointer->path);
  made->fields.copy_names(pointer->fields);
  m.set_field(made, "dtype", type);
  return made;
}

std::optional<Value> address(Machine& m, const Value&) { return m.unknown("a device address"); }

// --- the device
// -------------------------------------------------------------------------------------------------

std::optional<Value> hardware(Call& call) { return record_of(call, "HardwareInfo"); }

/// Clusters that run at a time: the multiprocessors over the cluster's blocks, one block each. A real device
/// gives fewer for large clusters, where its groups of multiprocessors do not divide.
std::optional<Value> active_clusters(Call& call) {
  const auto device = stand_in_device(call.machine);
  const auto size = integer_in(call.get(0, "cluster_size"));
  if (!device || !size || *size < 1) return std::nullopt;
  return Value::integer(device->multiprocessors / *size);
}

std::optional<Value> multiprocessors(Call& call) {
  const auto device = stand_in_device(call.machine);
  return device ? std::optional<Value>(Value::integer(device->multiprocessors)) : std::nullopt;
}

std::optional<Value> l2_bytes(Call& call) {
  const auto device = stand_in_device(call.machine);
  return device ? std::optional<Value>(Value::integer(device->l2_bytes)) : std::nullopt;
}

std::optional<Value> running_dsl(Call& call) { return record_of(call, "Dsl"); }

/// The target as a member of the library's own enumeration, which compares and knows its family.
std::optional<Value> arch_of_target(Call& call) {
  Machine& m = call.machine;
  if (m.arch().empty()) return std::nullopt;
  for (const char* path : {"cutlass.base_dsl.enums.Arch", "cutlass.base_dsl.arch.Arch"})
    if (const Value member = m.attribute(m.external(path), m.arch()); member.as<Instance>()) return member;
  return std::nullopt;
}

/// The sources of a checkout carry a placeholder where a wheel has its version.
std::optional<Value> version(Call& call) {
  return call.machine.unknown("the installed version of the DSL", "cutlass.__version__",
                              std::string(call.path));
}

}  // namespace runtime_models

void add_runtime(Natives& natives) {
  using namespace runtime_models;
  natives.function("cutlass", "from_dlpack", from_dlpack);
  natives.function("cutlass", "make_fake_tensor", fake_tensor);
  natives.function("cutlass", "make_fake_compact_tensor", fake_compact_tensor);
  natives.function("cutlass", "make_fake_stream", stream);
  natives.function("cutlass", "runtime.nullptr", null_pointer);
  for (const char* name : {"sym_int", "sym_int32", "sym_int64", "SymInt"})
    natives.function("cutlass", name, symbolic_integer);
  for (const char* name : {"mark_layout_dynamic", "mark_compact_shape_dynamic"})
    natives.method("Tensor", name, answer_self);
  natives.getter("Tensor", "size_in_bytes", tensor_bytes);
  natives.getter("Tensor", "data_ptr", address);
  natives.getter("Tensor", "iterator", pointer_of_elements);
  natives.function("cutlass", "__version__.__get__", version);
  natives.function("cutlass", "_get_dsl", running_dsl);
  natives.method("Dsl", "get_arch_enum", arch_of_target);
  natives.function("cutlass", "HardwareInfo", hardware);
  natives.method("HardwareInfo", "get_max_active_clusters", active_clusters);
  natives.method("HardwareInfo", "get_device_multiprocessor_count", multiprocessors);
  natives.method("HardwareInfo", "get_l2_cache_size_in_bytes", l2_bytes);
  for (const char* name : {"cuda.initialize_cuda_context", "cuda.stream_sync", "cuda.destroy_stream",
                           "cuda.stream_destroy", "cuda.deallocate", "cuda.memcpy_h2d", "cuda.memcpy_d2h"})
    natives.function("cutlass", name, answer_none);
  for (const char* name : {"cuda.default_stream", "cuda.create_stream", "cuda.stream_create"})
    natives.function("cutlass", name, stream);
  add_compilation(natives);
  add_testing(natives);
  add_device_functions(natives);
  add_pipelines(natives);
  add_arrays(natives);
  add_task_scheduling(natives);
  add_tensor_maps(natives);
}

}  // namespace cutelab::reading::machine
