#include "layout/operations.h"
#include "reading/models/layout_values.h"

// cutlass.cute: measures of shapes, layouts and tensors; coordinates; selections of modes.

namespace cutelab::reading::machine {
namespace {

using Answer = std::optional<Value>;
using layout::IntTuple;
using layout::TupleView;

/// Shape of anything that has one: a shape itself, a layout, a tensor, a tiler with layouts.
std::optional<IntTuple> shape_of(Machine& m, const Value& value) {
  if (value.is_unknown()) return m.int_tuple(value);
  if (auto tuple = int_tuple_of(m, value)) return tuple;
  if (const Tuple* tiler = value.as<Tuple>()) {
    std::vector<IntTuple> modes;
    for (const Value& item : tiler->items) {
      auto mode = shape_of(m, item);
      if (!mode) return std::nullopt;
      modes.push_back(std::move(*mode));
    }
    return IntTuple::tuple(modes);
  }
  auto composed = layout_of(m, value);
  if (!composed) return std::nullopt;
  return composed->shape();
}

/// Indices of `mode=`: an integer or a list of them.
std::optional<std::vector<int>> modes_of(Machine& m, const Value& value) {
  std::vector<int> out;
  if (!value.bound() || value.is_none()) return out;
  if (value.is_int()) return std::vector<int>{static_cast<int>(value.number())};
  auto items = m.items(value);
  if (!items) return std::nullopt;
  for (const Value& item : *items) {
    if (!item.is_int()) return std::nullopt;
    out.push_back(static_cast<int>(item.number()));
  }
  return out;
}

std::optional<TupleView> at(TupleView tuple, const std::vector<int>& modes) {
  for (int mode : modes) {
    if (mode < 0) mode += tuple.rank();
    if (mode < 0 || mode >= tuple.rank()) return std::nullopt;
    tuple = tuple.mode(mode);
  }
  return tuple;
}

std::optional<layout::LayoutView> at(layout::LayoutView view, const std::vector<int>& modes) {
  for (int mode : modes) {
    if (mode < 0) mode += view.rank();
    if (mode < 0 || mode >= view.rank()) return std::nullopt;
    view = view.mode(mode);
  }
  return view;
}

Answer size(Call& call) {
  Machine& m = call.machine;
  const Value object = call.get(0, "a");
  if (const Record* record = object.as<Record>();
      record && (record->kind == "TiledMma" || record->kind == "TiledCopy"))
    return m.attribute(object, "size");
  auto modes = modes_of(m, call.get(1, "mode", Value()));
  if (object.is_unknown() && modes && !modes->empty())
    return not_told(call, "the shape is not known", object);
  auto shape = shape_of(m, object);
  if (!shape || !modes) return not_told(call, "the shape is not known", object);
  auto part = at(*shape, *modes);
  if (!part) return not_told(call, "there is no such mode");
  return value_of(m, layout::product(*part));
}

Answer cosize(Call& call) {
  Machine& m = call.machine;
  const Value object = call.get(0, "a");
  auto composed = layout_of(m, object);
  auto modes = modes_of(m, call.get(1, "mode", Value()));
  if (!composed || !modes) return not_told(call, "the layout is not known", object);
  auto part = at(composed->layout().view(), *modes);
  if (!part) return not_told(call, "there is no such mode");
  return value_of(m, layout::cosize(*part));
}

Answer size_in_bytes(Call& call) {
  Machine& m = call.machine;
  const Value object = call.get(1, "layout");
  if (object.is_none()) return Value::integer(0);
  auto composed = layout_of(m, object);
  auto width = width_of(m, call.get(0, "dtype"));
  if (!composed) return not_told(call, "the layout is not known", object);
  if (!width) return not_told(call, "the element type is not known", call.get(0, "dtype"));
  return value_of(m, layout::ceil_div(layout::cosize(*composed) * layout::Int(*width), layout::Int(8)));
}

Answer rank(Call& call) {
  Machine& m = call.machine;
  const Value object = call.get(0, "a");
  auto modes = modes_of(m, call.get(1, "mode", Value()));
  if (const Tuple* tuple = object.as<Tuple>(); tuple && modes && modes->empty())
    return Value::integer(static_cast<std::int64_t>(tuple->items.size()));
  if (object.is_none()) return Value::integer(1);
  if (object.is_unknown()) return not_told(call, "the shape is not known", object);
  auto shape = shape_of(m, object);
  auto part = shape && modes ? at(shape->view(), *modes) : std::nullopt;
  if (!part) return not_told(call, "the shape is not known", object);
  return Value::integer(part->rank());
}

Answer depth(Call& call) {
  const Value object = call.get(0, "a");
  auto shape = object.is_unknown() ? std::nullopt : shape_of(call.machine, object);
  if (!shape) return not_told(call, "the shape is not known", object);
  return Value::integer(shape->depth());
}

Answer shape(Call& call) {
  Machine& m = call.machine;
  const Value object = call.get(0, "input");
  auto modes = modes_of(m, call.get(1, "mode", Value()));
  auto shape = object.is_unknown() ? std::nullopt : shape_of(m, object);
  if (!shape || !modes) return not_told(call, "the shape is not known", object);
  auto part = at(*shape, *modes);
  if (!part) return not_told(call, "there is no such mode");
  return value_of(m, *part);
}

/// The nested item of a tuple, or mode of a layout or tensor.
Answer get(Call& call) {
  Machine& m = call.machine;
  Value object = call.get(0, "input");
  auto modes = modes_of(m, call.get(1, "mode", Value()));
  if (!modes) return not_told(call, "the mode is not known");
  if (modes->empty()) return object;
  if (object.as<LayoutObject>() || tensor_of(object)) {
    auto composed = layout_of(m, object);
    auto part = composed ? at(composed->layout().view(), *modes) : std::nullopt;
    if (!part) return as_like(call, object, not_told(call, "the layout is not known"));
    return as_like(call, object, m.layout({composed->swizzle(), composed->offset(), layout::Layout(*part)}));
  }
  for (int mode : *modes) {
    const Tuple* tuple = object.as<Tuple>();
    if (!tuple && !object.is_unknown() && mode == 0) continue;
    if (tuple && mode < 0) mode += static_cast<int>(tuple->items.size());
    if (!tuple || mode < 0 || mode >= static_cast<int>(tuple->items.size()))
      return not_told(call, "there is no such mode", object);
    object = tuple->items[static_cast<std::size_t>(mode)];
  }
  return object;
}

Answer select(Call& call) {
  Machine& m = call.machine;
  const Value object = call.get(0, "input");
  auto modes = modes_of(m, call.get(1, "mode", Value()));
  if (!modes) return not_told(call, "the modes are not known");
  if (const Tuple* tuple = object.as<Tuple>()) {
    std::vector<Value> items;
    for (int mode : *modes) {
      if (mode < 0 || mode >= static_cast<int>(tuple->items.size()))
        return not_told(call, "there is no such mode");
      items.push_back(tuple->items[static_cast<std::size_t>(mode)]);
    }
    return m.tuple(std::move(items));
  }
  auto composed = object.is_unknown() ? std::nullopt : layout_of(m, object);
  if (!composed) return as_like(call, object, not_told(call, "the layout is not known", object));
  return as_like(
      call, object,
      told(call, composed->map([&](const layout::Layout& l) { return layout::select(l, *modes); })));
}

Answer group_modes(Call& call) {
  Machine& m = call.machine;
  const Value object = call.get(0, "input");
  auto begin = integer_of(call.get(1, "begin", Value::integer(0))),
       end = integer_of(call.get(2, "end", Value::integer(-1)));
  if (!begin || !end) return not_told(call, "the modes are not known");
  if (const Tuple* tuple = object.as<Tuple>()) {
    const auto count = static_cast<std::int64_t>(tuple->items.size());
    const std::int64_t last = *end < 0 ? count : *end;
    if (*begin < 0 || *begin > last || last > count) return not_told(call, "there are no such modes");
    std::vector<Value> items(tuple->items.begin(), tuple->items.begin() + *begin);
    items.push_back(m.tuple({tuple->items.begin() + *begin, tuple->items.begin() + last}));
    items.insert(items.end(), tuple->items.begin() + last, tuple->items.end());
    return m.tuple(std::move(items));
  }
  auto composed = object.is_unknown() ? std::nullopt : layout_of(m, object);
  if (!composed) return as_like(call, object, not_told(call, "the layout is not known", object));
  const int last = *end < 0 ? composed->rank() : static_cast<int>(*end);
  return as_like(call, object, told(call, composed->map([&](const layout::Layout& l) {
                   return layout::group(l, static_cast<int>(*begin), last);
                 })));
}

Answer crd2idx(Call& call) {
  Machine& m = call.machine;
  auto coordinate = int_tuple_of(m, call.get(0, "coord"));
  auto composed = layout_of(m, call.get(1, "layout"));
  if (!coordinate || !composed)
    return not_told(call, "coordinate or layout is not known", call.get(0, "coord"));
  return told(call, layout::crd2idx(*coordinate, *composed));
}

Answer idx2crd(Call& call) {
  Machine& m = call.machine;
  auto index = int_tuple_of(m, call.get(0, "idx"));
  auto shape = int_tuple_of(m, call.get(1, "shape"));
  if (!index || !shape) return not_told(call, "index or shape is not known", call.get(0, "idx"));
  return told(call, layout::idx2crd(index->view(), shape->view()));
}

Answer ceil_div(Call& call) {
  Machine& m = call.machine;
  const Value target_value = call.get(0, "input"), tiler_value = call.get(1, "tiler");
  if (target_value.is_real() || tiler_value.is_real()) return not_told(call, "of real numbers");
  auto target = target_value.is_unknown() ? m.int_tuple(target_value) : int_tuple_of(m, target_value);
  if (!target) return not_told(call, "the shape is not known", target_value);
  if (auto by = int_tuple_of(m, tiler_value)) return told(call, layout::ceil_div(target->view(), by->view()));
  auto tiler = tiler_of(m, tiler_value);
  if (!tiler) return not_told(call, "the tiler is not known", tiler_value);
  if (tiler->kind() == layout::Tiler::Kind::layout)
    return told(call, layout::ceil_div(target->view(), tiler->layout()));
  auto divided = layout::zipped_divide(layout::Layout(*target), *tiler);
  if (!divided || divided->rank() < 2) return not_told(call, "the tiler does not divide the shape");
  return value_of(m, divided->shape().mode(1).view());
}

std::optional<IntTuple> shape_div_of(TupleView a, TupleView b) {
  if (a.is_leaf() && b.is_leaf()) {
    if (b.leaf().is_zero()) return std::nullopt;
    return IntTuple(layout::ceil_div(a.leaf(), b.leaf()));
  }
  if (a.is_leaf()) return IntTuple(layout::ceil_div(a.leaf(), layout::product(b)));
  std::vector<IntTuple> out;
  layout::Int rest = b.is_leaf() ? b.leaf() : layout::Int(1);
  for (int i = 0; i < a.rank(); ++i) {
    if (!b.is_leaf() && i >= b.rank()) return std::nullopt;
    auto mode =
        b.is_leaf() ? shape_div_of(a.mode(i), IntTuple(rest).view()) : shape_div_of(a.mode(i), b.mode(i));
    if (!mode) return std::nullopt;
    if (b.is_leaf()) rest = layout::ceil_div(rest, layout::product(a.mode(i)));
    out.push_back(std::move(*mode));
  }
  return IntTuple::tuple(out);
}

Answer shape_div(Call& call) {
  auto a = int_tuple_of(call.machine, call.get(0, "lhs")), b = int_tuple_of(call.machine, call.get(1, "rhs"));
  auto answer = a && b ? shape_div_of(*a, *b) : std::nullopt;
  if (!answer) return not_told(call, "the shapes are not known", call.get(0, "lhs"));
  return value_of(call.machine, answer->view());
}

Answer relation(Call& call) {
  auto a = shape_of(call.machine, call.get(0, "a")), b = shape_of(call.machine, call.get(1, "b"));
  if (!a || !b) return not_told(call, "a shape is not known", call.get(0, "a"));
  const bool weakly = call.path.find("weakly") != std::string_view::npos;
  return Value::boolean(weakly ? layout::weakly_congruent(*a, *b) : layout::congruent(*a, *b));
}

}  // namespace

void add_layout_shapes(Natives& natives) {
  add_cute(natives, "size", size);
  add_cute(natives, "cosize", cosize);
  add_cute(natives, "size_in_bytes", size_in_bytes);
  add_cute(natives, "rank", rank);
  add_cute(natives, "depth", depth);
  add_cute(natives, "shape", shape);
  add_cute(natives, "get", get);
  add_cute(natives, "select", select);
  add_cute(natives, "group_modes", group_modes);
  add_cute(natives, "crd2idx", crd2idx);
  add_cute(natives, "idx2crd", idx2crd);
  add_cute(natives, "ceil_div", ceil_div);
  add_cute(natives, "shape_div", shape_div);
  add_cute(natives, "is_congruent", relation);
  add_cute(natives, "is_weakly_congruent", relation);
}

}  // namespace cutelab::reading::machine
