#include "reading/models/layout_values.h"

// Attributes and methods of Layout, ComposedLayout, Swizzle and Pointer objects.

namespace cutelab::reading::machine {
namespace {

using Answer = std::optional<Value>;

const layout::ComposedLayout* composed(const Value& self) {
  const LayoutObject* object = self.as<LayoutObject>();
  return object ? &object->layout : nullptr;
}

Answer shape(Machine& m, const Value& self) { return value_of(m, composed(self)->shape().view()); }
Answer stride(Machine& m, const Value& self) { return value_of(m, composed(self)->layout().stride().view()); }
Answer inner(Machine& m, const Value& self) { return value_of(m, layout::Value(composed(self)->swizzle())); }
Answer offset(Machine& m, const Value& self) { return value_of(m, composed(self)->offset()); }
Answer outer(Machine& m, const Value& self) {
  return m.layout(layout::ComposedLayout(composed(self)->layout()));
}
Answer itself(Machine&, const Value& self) { return self; }
Answer is_normal(Machine&, const Value& self) { return Value::boolean(composed(self)->plain()); }

Answer max_alignment(Machine& m, const Value& self) {
  auto answer = layout::max_alignment(composed(self)->layout());
  if (!answer) return std::nullopt;
  return value_of(m, *answer);
}

/// layout(coordinate)
Answer evaluate(Call& call) {
  Machine& m = call.machine;
  const Value coordinate = call.count() == 1 ? call.arguments[0] : m.tuple(call.arguments);
  auto slicer = slicer_of(m, coordinate);
  if (!slicer) return not_told(call, "the coordinate is not known", coordinate);
  if (auto at = int_tuple_of(m, coordinate)) return told(call, layout::crd2idx(*at, *composed(call.self)));
  return told(call, layout::slice(*composed(call.self), *slicer));
}

/// layout[mode]
Answer item(Call& call) {
  const auto* self = composed(call.self);
  auto mode = call.count() == 1 ? integer_of(call.arguments[0]) : std::nullopt;
  if (!mode) return not_told(call, "the mode is not known");
  const int at = static_cast<int>(*mode < 0 ? *mode + self->rank() : *mode);
  if (at < 0 || at >= self->rank()) return not_told(call, "there is no such mode");
  return call.machine.layout({self->swizzle(), self->offset(), self->layout().mode(at)});
}

Answer hier_coord(Call& call) {
  auto index = int_tuple_of(call.machine, call.get(0, "idx"));
  if (!index) return not_told(call, "the index is not known", call.get(0, "idx"));
  return told(call, layout::idx2crd(index->view(), composed(call.self)->shape().view()));
}

Answer equals(Call& call) {
  const auto* other = call.count() == 1 ? composed(call.arguments[0]) : nullptr;
  if (!other)
    return call.count() == 1 && !call.arguments[0].is_unknown() ? Answer(Value::boolean(false))
                                                                : std::nullopt;
  return Value::boolean(*composed(call.self) == *other);
}

}  // namespace

void add_layout_attributes(Natives& natives) {
  natives.getter("Layout", "shape", shape);
  natives.getter("Layout", "stride", stride);
  natives.getter("Layout", "inner", inner);
  natives.getter("Layout", "offset", offset);
  natives.getter("Layout", "outer", outer);
  natives.getter("Layout", "type", itself);
  natives.getter("Layout", "value", itself);
  natives.getter("Layout", "is_normal", is_normal);
  natives.getter("Layout", "max_alignment", max_alignment);
  natives.method("Layout", "__call__", evaluate);
  natives.method("Layout", "__getitem__", item);
  natives.method("Layout", "__eq__", equals);
  natives.method("Layout", "get_hier_coord", hier_coord);
  natives.method("Layout", "get_flat_coord", hier_coord);
  natives.getter("Swizzle", "type", itself);
}

}  // namespace cutelab::reading::machine
