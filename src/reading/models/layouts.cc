#include "reading/models/layout_values.h"

// cutlass.cute: making layouts.

namespace cutelab::reading::machine {
namespace {

using Answer = std::optional<Value>;

/// A tuple of layouts side by side, as make_layout of layouts takes it.
Answer concatenated(Call& call, const Tuple& modes) {
  std::vector<layout::Layout> parts;
  for (const Value& item : modes.items) {
    const LayoutObject* mode = item.as<LayoutObject>();
    if (!mode || !mode->layout.plain()) return std::nullopt;
    parts.push_back(mode->layout.layout());
  }
  if (parts.empty()) return std::nullopt;
  return call.machine.layout(layout::ComposedLayout(layout::Layout::concat(parts)));
}

Answer make_layout(Call& call) {
  Machine& m = call.machine;
  const Value shape_value = call.get(0, "shape"), stride_value = call.get(1, "stride", Value::none());
  if (const Tuple* modes = shape_value.as<Tuple>(); modes && stride_value.is_none())
    if (Answer made = concatenated(call, *modes)) return made;
  if (shape_value.is_unknown()) return not_told(call, "the shape is not known", shape_value);
  auto shape = int_tuple_of(m, shape_value);
  if (!shape) return not_told(call, "the shape is not known", shape_value);
  if (stride_value.is_none()) return m.layout(layout::ComposedLayout(layout::Layout(*shape)));
  auto stride = int_tuple_of(m, stride_value);
  if (!stride) return not_told(call, "the strides are not known", stride_value);
  return told(call, layout::Layout::make(std::move(*shape), std::move(*stride)));
}

Answer make_ordered_layout(Call& call) {
  Machine& m = call.machine;
  auto shape = int_tuple_of(m, call.get(0, "shape")), order = int_tuple_of(m, call.get(1, "order"));
  if (!shape || !order) return not_told(call, "shape or order is not known", call.get(0, "shape"));
  return told(call, layout::make_ordered_layout(*shape, *order));
}

Answer make_identity_layout(Call& call) {
  if (call.get(0, "shape").is_unknown())
    return not_told(call, "the shape is not known", call.get(0, "shape"));
  auto shape = int_tuple_of(call.machine, call.get(0, "shape"));
  if (!shape) return not_told(call, "the shape is not known", call.get(0, "shape"));
  return call.machine.layout(layout::ComposedLayout(layout::Layout::identity(*shape)));
}

Answer make_swizzle(Call& call) {
  auto bits = integer_of(call.get(0, "b")), base = integer_of(call.get(1, "m")),
       shift = integer_of(call.get(2, "s"));
  if (!bits || !base || !shift) return not_told(call, "the swizzle's numbers are not known");
  return told(call, layout::Swizzle::make(*bits, *base, *shift));
}

Answer make_composed_layout(Call& call) {
  Machine& m = call.machine;
  auto inner = operand_of(m, call.get(0, "inner"));
  auto offset = int_tuple_of(m, call.get(1, "offset"));
  auto outer = layout_of(m, call.get(2, "outer"));
  if (!inner || !outer || !offset) return not_told(call, "its parts are not known", call.get(2, "outer"));
  if (!outer->plain() || !offset->is_leaf())
    return not_told(call, "a swizzle inside a swizzle is not computed");
  if (inner->swizzle())
    return m.layout(layout::ComposedLayout(*inner->swizzle(), offset->leaf(), outer->layout()));
  if (inner->is_layout() && offset->leaf().is_zero()) {
    auto left = inner->as_layout();
    if (left) return told(call, layout::composition(*left, layout::Tiler(outer->layout())));
  }
  return not_told(call, "an inner function that is no swizzle is not computed");
}

Answer make_layout_like(Call& call) {
  auto like = layout_of(call.machine, call.get(0, "input"));
  if (!like) return not_told(call, "the layout is not known", call.get(0, "input"));
  return told(call, like->map([](const layout::Layout& l) { return layout::make_layout_like(l); }));
}

Answer make_layout_tv(Call& call) {
  Machine& m = call.machine;
  auto threads = layout_of(m, call.get(0, "thr_layout")), values = layout_of(m, call.get(1, "val_layout"));
  if (!threads || !values)
    return not_told(call, "thread or value layout is not known", call.get(0, "thr_layout"));
  auto tv = layout::make_layout_tv(threads->layout(), values->layout());
  if (!tv) return not_told(call, tv.error().wrong);
  return m.tuple({value_of(m, tv->tiler.view()), m.layout(layout::ComposedLayout(std::move(tv->tv)))});
}

Answer recast_layout(Call& call) {
  Machine& m = call.machine;
  auto to = integer_of(call.get(0, "new_type_bits")), from = integer_of(call.get(1, "old_type_bits"));
  auto source = layout_of(m, call.get(2, "src_layout"));
  if (!to || !from || !source)
    return not_told(call, "widths or layout are not known", call.get(2, "src_layout"));
  return told(call, layout::recast(*source, *from, *to));
}

Answer make_basis(Call& call) {
  const Value mode = call.get(0, "mode");
  Machine& m = call.machine;
  std::vector<Value> path;
  if (mode.is_int())
    path.push_back(mode);
  else if (auto items = m.items(mode))
    path = *items;
  else
    return not_told(call, "the mode is not known", mode);
  if (path.empty()) return Value::integer(1);
  Record* basis = m.record("ScaledBasis", std::string(call.path), &call);
  m.set_field(basis, "value", Value::integer(1));
  m.set_field(basis, "mode", m.list(std::move(path)));
  return basis;
}

Answer make_scaled_basis(Call& call) {
  Machine& m = call.machine;
  const Value mode = call.get(1, "mode");
  Record* basis = m.record("ScaledBasis", std::string(call.path), &call);
  m.set_field(basis, "value", call.get(0, "value"));
  m.set_field(basis, "mode", mode.is_int() ? m.list({mode}) : mode);
  return basis;
}

/// factor * basis, basis * factor.
Answer scale_basis(Call& call) {
  Machine& m = call.machine;
  const Record* basis = record_of(call.self, "ScaledBasis");
  if (!basis || call.count() < 1) return std::nullopt;
  Record* scaled = m.record("ScaledBasis", "cutlass.cute.ScaledBasis", &call);
  m.set_field(scaled, "value", m.arithmetic("*", call.get(0, "other"), m.field(basis, "value")));
  m.set_field(scaled, "mode", m.field(basis, "mode"));
  return scaled;
}

}  // namespace

void add_layouts(Natives& natives) {
  add_cute(natives, "make_layout", make_layout);
  add_cute(natives, "make_ordered_layout", make_ordered_layout);
  add_cute(natives, "make_identity_layout", make_identity_layout);
  add_cute(natives, "make_swizzle", make_swizzle);
  add_cute(natives, "make_composed_layout", make_composed_layout);
  add_cute(natives, "make_layout_like", make_layout_like);
  add_cute(natives, "make_layout_tv", make_layout_tv);
  add_cute(natives, "recast_layout", recast_layout);
  add_cute(natives, "E", make_basis);
  add_cute(natives, "ScaledBasis", make_scaled_basis);
  natives.method("ScaledBasis", "__mul__", scale_basis);
  natives.method("ScaledBasis", "__rmul__", scale_basis);
  add_layout_algebra(natives);
  add_layout_shapes(natives);
  add_layout_tuples(natives);
  add_layout_attributes(natives);
}

}  // namespace cutelab::reading::machine
