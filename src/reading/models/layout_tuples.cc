#include "layout/operations.h"
#include "reading/models/layout_values.h"

// cutlass.cute: what works on tuples of anything, and on layouts and tensors alike.

namespace cutelab::reading::machine {
namespace {

using Answer = std::optional<Value>;
using Items = std::vector<Value>;

const Items* tuple_items(const Value& value) {
  const Tuple* tuple = value.as<Tuple>();
  return tuple ? &tuple->items : nullptr;
}

/// Items of `source` where `coordinate` has None (keep) or a number (drop); `dicing` the other way round.
bool lift(const Value& coordinate, const Value& source, bool dicing, Items& out) {
  if (const Items* modes = tuple_items(coordinate)) {
    const Items* parts = tuple_items(source);
    if (!parts || parts->size() != modes->size()) return false;
    for (std::size_t i = 0; i < modes->size(); ++i)
      if (!lift((*modes)[i], (*parts)[i], dicing, out)) return false;
    return true;
  }
  if (coordinate.is_none() != dicing) out.push_back(source);
  return true;
}

Answer slice_tuple(Call& call, const Value& source, const Value& coordinate, bool dicing) {
  if (coordinate.as<Tuple>()) {
    Items out;
    if (!lift(coordinate, source, dicing, out))
      return not_told(call, "coordinate and tuple differ in nesting");
    return call.machine.tuple(std::move(out));
  }
  if (coordinate.is_none() != dicing) return source;
  return call.machine.tuple({});
}

Answer slice(Call& call) {
  Machine& m = call.machine;
  const Value source = call.get(0, "src"), coordinate = call.get(1, "coord");
  if (source.is_integral() || source.as<Tuple>()) return slice_tuple(call, source, coordinate, false);
  if (tensor_of(source)) return m.subscript(source, coordinate, call.node);
  auto composed = layout_of(m, source);
  auto slicer = slicer_of(m, coordinate);
  if (!composed || !slicer) return not_told(call, "layout or coordinate is not known", source);
  return told(call, layout::slice(*composed, *slicer));
}

Answer dice(Call& call) {
  Machine& m = call.machine;
  const Value source = call.get(0, "src"), dicer = call.get(1, "dicer");
  if (source.is_integral() || source.as<Tuple>()) return slice_tuple(call, source, dicer, true);
  auto composed = layout_of(m, source);
  auto slicer = slicer_of(m, dicer);
  if (!composed || !slicer) return not_told(call, "layout or coordinate is not known", source);
  return told(call, composed->map([&](const layout::Layout& l) { return layout::dice(l, *slicer); }));
}

layout::Layout extended(const layout::Layout& to, const layout::Layout& element, int rank, bool before) {
  std::vector<layout::Layout> modes;
  const int missing = rank - to.rank();
  for (int i = 0; before && i < missing; ++i) modes.push_back(element);
  if (to.shape().is_leaf())
    modes.push_back(to);
  else
    for (int i = 0; i < to.rank(); ++i) modes.push_back(to.mode(i));
  for (int i = 0; !before && i < missing; ++i) modes.push_back(element);
  return layout::Layout::concat(modes);
}

/// append, prepend, and with modes of 1: append_ones, prepend_ones.
Answer extend(Call& call) {
  Machine& m = call.machine;
  const bool before = call.path.find("prepend") != std::string_view::npos;
  const bool ones = call.path.find("_ones") != std::string_view::npos;
  const Value source = call.get(0, ones ? "t" : "input");
  const Value element = ones ? Value::none() : call.get(1, "elem", Value::none());
  const Value up_to =
      ones ? call.get(1, "up_to_rank", Value::none()) : call.get(2, "up_to_rank", Value::none());
  if (!up_to.is_none() && !up_to.is_int()) return not_told(call, "the rank is not known", up_to);
  if (source.as<LayoutObject>() || tensor_of(source)) {
    auto composed = layout_of(m, source);
    auto with = element.is_none() ? layout::ComposedLayout(layout::Layout()) : layout_of(m, element);
    if (!composed || !with) return as_like(call, source, not_told(call, "the layout is not known", source));
    const int rank = up_to.is_int() ? static_cast<int>(up_to.number()) : composed->rank() + 1;
    layout::Layout out = extended(composed->layout(), with->layout(), rank, before);
    return as_like(call, source, m.layout({composed->swizzle(), composed->offset(), std::move(out)}));
  }
  if (source.is_unknown()) return not_told(call, "the tuple is not known", source);
  Items items = tuple_items(source) ? *tuple_items(source) : Items{source};
  const auto have = static_cast<std::int64_t>(items.size());
  const std::int64_t missing = up_to.is_int() ? up_to.number() - have : 1;
  if (missing < 0 || missing > 64) return not_told(call, "it has more modes already");
  items.insert(before ? items.begin() : items.end(), static_cast<std::size_t>(missing),
               element.is_none() ? Value::integer(1) : element);
  return m.tuple(std::move(items));
}

void flatten_into(const Value& value, Items& out) {
  const Items* items = tuple_items(value);
  if (!items) return out.push_back(value);
  for (const Value& item : *items) flatten_into(item, out);
}

Answer flatten(Call& call) {
  Machine& m = call.machine;
  const Value source = call.get(0, "a");
  if (source.as<LayoutObject>() || tensor_of(source)) {
    auto composed = layout_of(m, source);
    if (!composed) return as_like(call, source, not_told(call, "the layout is not known", source));
    auto flat =
        composed->map([](const layout::Layout& l) { return Result<layout::Layout>(layout::flatten(l)); });
    return as_like(call, source, told(call, std::move(flat)));
  }
  if (source.is_unknown()) return not_told(call, "the tuple is not known", source);
  if (!source.as<Tuple>() && call.path.find("flatten_to_tuple") == std::string_view::npos) return source;
  Items out;
  flatten_into(source, out);
  return m.tuple(std::move(out));
}

Answer product(Call& call) {
  auto tuple = int_tuple_of(call.machine, call.get(0, "a"));
  if (!tuple) return not_told(call, "the shape is not known", call.get(0, "a"));
  return value_of(call.machine, layout::product(*tuple));
}

Answer product_each(Call& call) {
  const Value a = call.get(0, "a");
  auto tuple = a.is_unknown() ? std::nullopt : int_tuple_of(call.machine, a);
  if (!tuple) return not_told(call, "the shape is not known", a);
  if (tuple->is_leaf()) return a;
  return value_of(call.machine, layout::product_each(*tuple).view());
}

Answer product_like(Call& call) {
  auto tuple = int_tuple_of(call.machine, call.get(0, "a"));
  const Value profile = call.get(1, "target_profile");
  if (!tuple) return not_told(call, "the shape is not known", call.get(0, "a"));
  if (!profile.as<Tuple>()) return value_of(call.machine, layout::product(*tuple));
  auto guide = int_tuple_of(call.machine, profile);
  if (!guide || !layout::weakly_congruent(*guide, *tuple)) return not_told(call, "the profile does not fit");
  return value_of(call.machine, layout::product_like(*tuple, *guide).view());
}

Value times_ceil(Machine& m, const Value& a, const Value& b) {
  const Value above = m.arithmetic("-", m.arithmetic("+", a, b), Value::integer(1));
  return m.arithmetic("*", m.arithmetic("//", above, b), b);
}

Value rounded(Machine& m, const Value& a, const Value& b) {
  const Items *left = tuple_items(a), *right = tuple_items(b);
  if (!left) return times_ceil(m, a, b);
  Items out;
  for (std::size_t i = 0; i < left->size(); ++i)
    out.push_back(right && i < right->size() ? rounded(m, (*left)[i], (*right)[i]) : (*left)[i]);
  return m.tuple(std::move(out));
}

Answer round_up(Call& call) { return rounded(call.machine, call.get(0, "a"), call.get(1, "b")); }

Answer wrap(Call& call) {
  const Value x = call.get(0, "x");
  if (x.is_unknown()) return std::nullopt;
  return x.as<Tuple>() ? x : call.machine.tuple({x});
}

Answer unwrap(Call& call) {
  Value x = call.get(0, "x");
  while (tuple_items(x) && tuple_items(x)->size() == 1) x = tuple_items(x)->front();
  return x;
}

Answer tuple_cat(Call& call) {
  Items out;
  for (const Value& argument : call.arguments) {
    if (argument.is_unknown()) return not_told(call, "a tuple is not known", argument);
    if (const Items* items = tuple_items(argument))
      out.insert(out.end(), items->begin(), items->end());
    else
      out.push_back(argument);
  }
  return call.machine.tuple(std::move(out));
}

Answer repeat(Call& call) {
  auto n = integer_of(call.get(1, "n"));
  if (!n || *n < 1 || *n > 4096) return not_told(call, "the count is not known", call.get(1, "n"));
  if (*n == 1 && call.path.find("as_tuple") == std::string_view::npos) return call.get(0, "x");
  return call.machine.tuple(Items(static_cast<std::size_t>(*n), call.get(0, "x")));
}

/// Known at compile time as far as the reading can tell: all numbers are known.
Answer is_static(Call& call) {
  const Value x = call.get(0, "x");
  if (x.is_none() || x.is_number() || x.as<Text>()) return Value::boolean(true);
  auto operand = operand_of(call.machine, x);
  if (!operand) return not_told(call, "the value is not known", x);
  if (const auto* tuple = operand->tuple())
    return tuple->known() ? Answer(Value::boolean(true)) : Answer(not_told(call, "numbers of the run"));
  if (operand->is_layout()) {
    auto composed = operand->as_layout();
    if (composed && composed->layout().known() && composed->offset().known()) return Value::boolean(true);
  }
  return not_told(call, "numbers of the run", x);
}

Answer elem_less(Call& call) {
  auto a = int_tuple_of(call.machine, call.get(0, "lhs")), b = int_tuple_of(call.machine, call.get(1, "rhs"));
  if (!a || !b || !a->known() || !b->known()) return not_told(call, "numbers of the run", call.get(0, "lhs"));
  const auto left = layout::leaves(*a), right = layout::leaves(*b);
  if (left.size() != right.size()) return not_told(call, "the tuples differ in nesting");
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i].value() >= right[i].value()) return Value::boolean(false);
  return Value::boolean(true);
}

bool leading(layout::TupleView shape, layout::TupleView stride, std::vector<int>& path) {
  if (stride.is_leaf()) return stride.leaf().is(1) && !layout::product(shape).is(1);
  if (shape.is_leaf() || shape.rank() != stride.rank()) return false;
  for (int i = 0; i < stride.rank(); ++i) {
    path.push_back(i);
    if (leading(shape.mode(i), stride.mode(i), path)) return true;
    path.pop_back();
  }
  return false;
}

}  // namespace

Value leading_mode(Machine& machine, const layout::IntTuple& shape, const layout::IntTuple& stride) {
  std::vector<int> path;
  if (!leading(shape, stride, path)) return Value::none();
  if (path.size() == 1) return Value::integer(path[0]);
  Items items;
  for (int i : path) items.push_back(Value::integer(i));
  return machine.tuple(std::move(items));
}

namespace {

Answer leading_dim(Call& call) {
  auto shape = int_tuple_of(call.machine, call.get(0, "shape")),
       stride = int_tuple_of(call.machine, call.get(1, "stride"));
  if (!shape || !stride) return not_told(call, "shape or strides are not known", call.get(1, "stride"));
  return leading_mode(call.machine, *shape, *stride);
}

Answer is_major(Call& call) {
  auto stride = int_tuple_of(call.machine, call.get(1, "stride"));
  auto mode = integer_of(call.get(0, "mode"));
  if (!stride || !mode || *mode < 0 || *mode >= stride->rank())
    return not_told(call, "the strides are not known");
  layout::TupleView first = stride->view().mode(static_cast<int>(*mode));
  while (!first.is_leaf()) first = first.first();
  if (!first.leaf().known()) return not_told(call, "the strides are not known");
  return Value::boolean(first.leaf().is(1));
}

Answer assume(Call& call) { return call.get(0, "src"); }

}  // namespace

void add_layout_tuples(Natives& natives) {
  add_cute(natives, "slice_", slice);
  add_cute(natives, "dice", dice);
  for (const char* name : {"append", "prepend", "append_ones", "prepend_ones"})
    add_cute(natives, name, extend);
  add_cute(natives, "flatten", flatten);
  add_cute(natives, "flatten_to_tuple", flatten);
  add_cute(natives, "product", product);
  add_cute(natives, "tuple_product", product);
  add_cute(natives, "product_each", product_each);
  add_cute(natives, "product_like", product_like);
  add_cute(natives, "round_up", round_up);
  add_cute(natives, "wrap", wrap);
  add_cute(natives, "unwrap", unwrap);
  add_cute(natives, "tuple_cat", tuple_cat);
  add_cute(natives, "repeat", repeat);
  add_cute(natives, "repeat_as_tuple", repeat);
  add_cute(natives, "is_static", is_static);
  add_cute(natives, "elem_less", elem_less);
  add_cute(natives, "leading_dim", leading_dim);
  add_cute(natives, "is_major", is_major);
  add_cute(natives, "assume", assume);
}

}  // namespace cutelab::reading::machine
