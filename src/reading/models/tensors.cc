#include "reading/models/tensor_memory.h"

// cutlass.cute: making tensors and pointers, and what their attributes say.

namespace cutelab::reading::machine {
namespace tensors_models {

using Answer = std::optional<Value>;

std::string space_of(Machine& m, const Value& value) {
  std::string name = member_name(m, value);
  return name.empty() ? "generic" : name;
}

/// A layout object for a layout, a tensor's layout or a shape; an unknown otherwise.
Value layout_value(Call& call, const Value& value) {
  if (value.as<LayoutObject>()) return value;
  auto layout = layout_of(call.machine, value);
  if (!layout) return not_told(call, "the layout is not known", value);
  return call.machine.layout(std::move(*layout));
}

Answer make_tensor(Call& call) {
  Machine& m = call.machine;
  const Value iterator = call.get(0, "iterator");
  TensorParts parts;
  parts.layout = layout_value(call, call.get(1, "layout"));
  parts.iterator = iterator;
  if (const Record* pointer = iterator.as<Record>()) {
    parts.element_type = m.field(pointer, "dtype");
    if (!parts.element_type.bound()) parts.element_type = m.field(pointer, "element_type");
    if (const Value space = m.field(pointer, "memspace"); space.bound()) parts.memspace = space_of(m, space);
  }
  if (iterator.is_unknown()) parts.element_type = not_told(call, "the pointer is not known", iterator);
  return make_tensor_record(call, std::move(parts));
}

Answer make_identity_tensor(Call& call) {
  Machine& m = call.machine;
  const Value shape_value = call.get(0, "shape");
  auto shape = shape_value.is_unknown() ? std::nullopt : int_tuple_of(m, shape_value);
  TensorParts parts;
  if (!shape) {
    parts.layout = not_told(call, "the shape is not known", shape_value);
  } else {
    parts.layout = m.layout(layout::ComposedLayout(layout::Layout::identity(*shape)));
    parts.iterator = value_of(m, layout::repeat_like(*shape, layout::Int(0)));
  }
  return make_tensor_record(call, std::move(parts));
}

/// make_rmem_tensor, make_fragment.
Answer make_rmem_tensor(Call& call) {
  TensorParts parts;
  parts.layout = layout_value(call, call.get(0, "layout_or_shape"));
  parts.element_type = call.get(1, "dtype");
  parts.memspace = "rmem";
  parts.iterator = make_pointer(call, parts.element_type, "rmem");
  return make_tensor_record(call, std::move(parts));
}

/// make_rmem_tensor_like; make_fragment_like, which gives a layout for a layout.
Answer make_like(Call& call) {
  Machine& m = call.machine;
  const Value source = call.get(0, "src"), dtype = call.get(1, "dtype", Value::none());
  const bool fragment = call.path.find("make_fragment_like") != std::string_view::npos && !tensor_of(source);
  TensorParts parts;
  parts.memspace = "rmem";
  parts.element_type = dtype;
  if (const Record* tensor = tensor_of(source); tensor && dtype.is_none())
    parts.element_type = m.field(tensor, "element_type");
  auto like = source.is_unknown() ? std::nullopt : layout_of(m, source);
  if (!like) {
    parts.layout = not_told(call, "the layout is not known", source);
  } else {
    const bool coordinates = layout::has_basis(like->layout());
    const layout::Layout plain = coordinates ? layout::Layout(like->shape()) : like->layout();
    parts.layout = told(call, fragment ? layout::make_fragment_like(plain) : layout::make_layout_like(plain));
  }
  if (fragment && dtype.is_none()) return parts.layout;
  parts.iterator = make_pointer(call, parts.element_type, "rmem");
  return make_tensor_record(call, std::move(parts));
}

Answer recast_tensor(Call& call) {
  Machine& m = call.machine;
  const Value source = call.get(0, "src"), dtype = call.get(1, "dtype");
  const Record* tensor = tensor_of(source);
  if (!tensor) return not_told(call, "the tensor is not known", source);
  auto from = width_of(m, m.field(tensor, "element_type")), to = width_of(m, dtype);
  auto layout = layout_of(m, source);
  Value recast = !from || !to || !layout ? not_told(call, "widths or layout are not known", source)
                                         : told(call, layout::recast(*layout, *from, *to));
  const Value made = with_layout(call, tensor, recast);
  m.set_field(made.as<Record>(), "element_type", dtype);
  const Record* from_pointer = record_of(m.field(tensor, "iterator"), "Pointer");
  if (from_pointer && m.field(from_pointer, "tmem_bits").bound()) {
    Record* pointer = m.record("Pointer", from_pointer->path);
    pointer->fields.copy_names(from_pointer->fields);
    m.set_field(pointer, "dtype", dtype);
    m.set_field(made.as<Record>(), "iterator", pointer);
  }
  return made;
}

Answer make_ptr(Call& call) {
  Machine& m = call.machine;
  const Value space_value = call.get(2, "mem_space", Value::none()), address = call.get(1, "value");
  const std::string space = space_value.is_none() ? "generic" : space_of(m, space_value);
  const Value made =
      make_pointer(call, call.get(0, "dtype"), space, call.get(-1, "assumed_align", Value::none()));
  if (space == "tmem")
    place_in_tensor_memory(m, made.as<Record>(),
                           address.is_integral() ? Value::integer(address.number() * tmem_column_bits)
                                                 : not_told(call, "the address is not known", address),
                           "zero");
  return made;
}

Answer recast_ptr(Call& call) {
  Machine& m = call.machine;
  const Value source = call.get(0, "ptr"), dtype = call.get(2, "dtype", Value::none());
  const Record* pointer = source.as<Record>();
  if (!pointer) return not_told(call, "the pointer is not known", source);
  Record* made = m.record("Pointer", std::string(call.path), &call);
  made->fields.copy_names(pointer->fields);
  if (!dtype.is_none()) m.set_field(made, "dtype", dtype);
  if (const Value swizzle = call.get(1, "swizzle_"); swizzle.bound()) m.set_field(made, "swizzle", swizzle);
  return made;
}

Answer nothing(Call&) { return Value::none(); }

// --- attributes

std::optional<layout::ComposedLayout> tensor_layout(Machine& m, const Value& self) {
  return layout_of(m, m.field(self.as<Record>(), "layout"));
}

Value layout_unknown(Machine& m, const Value& self) { return m.field(self.as<Record>(), "layout"); }

Answer shape(Machine& m, const Value& self) {
  auto layout = tensor_layout(m, self);
  return layout ? value_of(m, layout->shape()) : layout_unknown(m, self);
}
Answer stride(Machine& m, const Value& self) {
  auto layout = tensor_layout(m, self);
  return layout ? value_of(m, layout->layout().stride()) : layout_unknown(m, self);
}
Answer leading_dim(Machine& m, const Value& self) {
  auto layout = tensor_layout(m, self);
  if (!layout) return layout_unknown(m, self);
  return leading_mode(m, layout->shape(), layout->layout().stride());
}
Answer memspace(Machine& m, const Value& self) {
  const Value space = m.field(self.as<Record>(), "memspace");
  if (!space.as<Text>()) return space;
  return m.external("cutlass.cute.AddressSpace." + text_of(space));
}
Answer element_type(Machine& m, const Value& self) { return m.field(self.as<Record>(), "element_type"); }
Answer iterator(Machine& m, const Value& self) {
  const Record* tensor = self.as<Record>();
  if (const Value held = m.field(tensor, "iterator"); held.bound()) return held;
  Record* pointer = m.record("Pointer", "cutlass.cute.Tensor.iterator");
  m.set_field(pointer, "dtype", m.field(tensor, "element_type"));
  m.set_field(pointer, "memspace", m.field(tensor, "memspace"));
  m.set_field(pointer, "alignment", Value::none());
  return pointer;
}
Answer itself(Machine&, const Value& self) { return self; }

void add_attributes(Natives& natives) {
  natives.getter("Tensor", "shape", shape);
  natives.getter("Tensor", "stride", stride);
  natives.getter("Tensor", "leading_dim", leading_dim);
  natives.getter("Tensor", "memspace", memspace);
  natives.getter("Tensor", "dtype", element_type);
  natives.getter("Tensor", "iterator", iterator);
  natives.getter("Tensor", "value", itself);
  natives.getter("Pointer", "memspace", memspace);
  natives.getter("Pointer", "value_type",
                 [](Machine& m, const Value& self) { return Answer(m.field(self.as<Record>(), "dtype")); });
  natives.getter("Pointer", "max_alignment", [](Machine& m, const Value& self) {
    return Answer(m.field(self.as<Record>(), "alignment"));
  });
  for (const char* name : {"store", "fill", "__setitem__"}) natives.method("Tensor", name, nothing);
}

}  // namespace tensors_models

void add_tensors(Natives& natives) {
  using namespace tensors_models;
  add_cute(natives, "make_tensor", make_tensor);
  add_cute(natives, "make_identity_tensor", make_identity_tensor);
  add_cute(natives, "make_rmem_tensor", make_rmem_tensor);
  add_cute(natives, "make_fragment", make_rmem_tensor);
  add_cute(natives, "make_rmem_tensor_like", make_like);
  add_cute(natives, "make_fragment_like", make_like);
  add_cute(natives, "recast_tensor", recast_tensor);
  add_cute(natives, "make_ptr", make_ptr);
  natives.function("cutlass", "runtime.make_ptr", make_ptr);
  add_cute(natives, "recast_ptr", recast_ptr);
  for (const char* name : {"print_tensor", "printf"}) add_cute(natives, name, nothing);
  add_attributes(natives);
  add_tensor_views(natives);
  add_tensor_memory(natives);
}

}  // namespace cutelab::reading::machine
