#include <algorithm>

#include "layout/fault.h"
#include "layout/operation_helpers.h"
#include "layout/scale_factors.h"

namespace cutelab::layout {
namespace {

Result<Value> run_cast(const Arguments& a,
                       Result<ComposedLayout> (*cast)(const ComposedLayout&, std::int64_t)) {
  auto n = as_integer(a[1]);
  if (!n) return n.error();
  auto layout = a[0].as_layout();
  if (!layout) return layout.error();
  return lift(cast(*layout, *n));
}

Result<Value> run_recast(const Arguments& a) {
  auto from = as_integer(a[1]);
  auto to = as_integer(a[2]);
  if (!from) return from.error();
  if (!to) return to.error();
  auto layout = a[0].as_layout();
  if (!layout) return layout.error();
  return lift(recast(*layout, *from, *to));
}

Result<Value> run_range(const Arguments& a, Result<Layout> (*op)(LayoutView, int, int)) {
  auto begin = as_integer(a[1]);
  auto end = as_integer(a[2]);
  if (!begin) return begin.error();
  if (!end) return end.error();
  const auto in_range = [](std::int64_t v) {
    return static_cast<int>(std::clamp<std::int64_t>(v, -1, 1 << 20));
  };
  return on_domain(a[0], [&](const Layout& l) { return op(l, in_range(*begin), in_range(*end)); });
}

Result<Value> run_select(const Arguments& a) {
  std::vector<int> modes;
  for (std::size_t i = 1; i < a.size(); ++i) {
    auto mode = as_integer(a[i]);
    if (!mode) return mode.error();
    modes.push_back(static_cast<int>(std::clamp<std::int64_t>(*mode, -1, 1 << 20)));
  }
  return on_domain(a[0], [&](const Layout& l) { return select(l, modes); });
}

Result<Value> run_make_layout(const Arguments& a) {
  std::vector<Layout> modes;
  for (const Value& value : a) {
    auto mode = value.as_plain_layout();
    if (!mode) return mode.error();
    modes.push_back(std::move(*mode));
  }
  return Value(Layout::concat(modes));
}

Result<Value> run_ordered(const Arguments& a) {
  auto shape = as_tuple(a[0]);
  auto order = as_tuple(a[1]);
  if (!shape) return shape.error();
  if (!order) return order.error();
  return lift(make_ordered_layout(*shape, *order));
}

template <Layout (*Make)(const IntTuple&)>
Result<Value> of_shape(const Arguments& a) {
  auto shape = as_tuple(a[0]);
  if (!shape) return shape.error();
  return Value(Make(*shape));
}

Result<Value> run_common_vector(const Arguments& a) {
  auto x = a[0].as_layout();
  auto y = a[1].as_layout();
  if (!x) return x.error();
  if (!y) return y.error();
  return lift(max_common_vector(*x, *y));
}

Result<Value> run_crd2idx(const Arguments& a) {
  auto coord = as_tuple(a[0]);
  if (!coord) return coord.error();
  auto layout = a[1].as_layout();
  if (!layout) return layout.error();
  return lift(crd2idx(*coord, *layout));
}

Result<Value> run_idx2crd(const Arguments& a) {
  auto index = as_tuple(a[0]);
  auto shape = as_tuple(a[1]);
  if (!index) return index.error();
  if (!shape) return shape.error();
  return lift(idx2crd(*index, *shape));
}

Result<Value> run_crd2crd(const Arguments& a) {
  auto coord = as_tuple(a[0]);
  auto from = as_shape(a[1]);
  auto to = as_shape(a[2]);
  if (!coord) return coord.error();
  if (!from) return from.error();
  if (!to) return to.error();
  return lift(crd2crd(*coord, *from, *to));
}

Result<Value> run_scale_factors(const Arguments& a) {
  auto shape = as_shape(a[0]);
  auto vector = as_integer(a[1]);
  if (!shape) return shape.error();
  if (!vector) return vector.error();
  return lift(tile_atom_to_shape_sf(*shape, *vector));
}

template <class F>
Result<Value> measure(const Value& value, const F& f) {
  if (value.tuple()) return Value(f(ComposedLayout(Layout::unchecked(*value.tuple(), *value.tuple()))));
  auto layout = value.as_layout();
  if (!layout) return layout.error();
  return Value(f(*layout));
}

// A relation of two shapes as 1 or 0.
template <class F>
Result<Value> relation(const char* name, const Arguments& a, const F& holds) {
  auto x = as_tuple(a[0]);
  auto y = as_tuple(a[1]);
  if (!x) return x.error();
  if (!y) return y.error();
  const std::optional<bool> answer = holds(x->view(), y->view());
  if (!answer) return undetermined(name, "are the sizes equal?", IntTuple::tuple({*x, *y}).symbols());
  return Value(IntTuple(*answer ? 1 : 0));
}

Result<Value> run_ceil_div(const Arguments& a) {
  auto x = as_tuple(a[0]);
  auto y = as_tuple(a[1]);
  if (!x) return x.error();
  if (!y) return y.error();
  return lift(ceil_div(x->view(), y->view()));
}

}  // namespace

// Element widths, comparison, and reshaping.
std::vector<Operation> reshaping_operations() {
  return {
      {"upcast", "layout, n", 2, 2, "n elements become one",
       [](const Arguments& a) { return run_cast(a, upcast); }},
      {"downcast", "layout, n", 2, 2, "one element becomes n",
       [](const Arguments& a) { return run_cast(a, downcast); }},
      {"recast", "layout, old bits, new bits", 3, 3, "the same bytes as other elements", run_recast},
      {"max_common_layout", "layout, layout", 2, 2, "where both are the identity",
       two_layouts<max_common_layout>},
      {"max_common_vector", "layout, layout", 2, 2, "elements contiguous in both", run_common_vector},
      {"max_alignment", "layout", 1, 1, "largest n that upcast takes",
       [](const Arguments& a) -> Result<Value> {
         auto l = a[0].as_plain_layout();
         if (!l) return l.error();
         return lift(max_alignment(*l));
       }},
      {"nullspace", "layout", 1, 1, "modes of stride 0 as coordinates",
       [](const Arguments& a) {
         return on_domain(a[0], [](const Layout& l) { return Result<Layout>(nullspace(l)); });
       }},
      {"flatten", "layout", 1, 1, "without nesting",
       [](const Arguments& a) {
         return on_domain(a[0], [](const Layout& l) { return Result<Layout>(flatten(l)); });
       }},
      {"group", "layout, begin, end", 3, 3, "modes [begin, end) as one",
       [](const Arguments& a) { return run_range(a, group); }},
      {"take", "layout, begin, end", 3, 3, "modes [begin, end)",
       [](const Arguments& a) { return run_range(a, take); }},
      {"select", "layout, mode, …", 2, -1, "these modes, in this order", run_select},
      {"zip", "layout", 1, 1, "((a,b),(c,d)) to ((a,c),(b,d))",
       [](const Arguments& a) { return on_domain(a[0], [](const Layout& l) { return zip(l); }); }},
      {"make_layout", "layout, …", 1, -1, "layouts side by side", run_make_layout},
      {"make_ordered_layout", "shape, order", 2, 2, "compact, smallest order fastest", run_ordered},
      {"make_layout_like", "layout", 1, 1, "compact, in the order of the strides",
       [](const Arguments& a) {
         return on_domain(a[0], [](const Layout& l) { return make_layout_like(l); });
       }},
      {"make_fragment_like", "layout", 1, 1, "as make_layout_like, mode 0 fastest",
       [](const Arguments& a) {
         return on_domain(a[0], [](const Layout& l) { return make_fragment_like(l); });
       }},
      {"scale_factor_atom", "vector", 1, 1, "block of scale factors: one per vector elements of K",
       [](const Arguments& a) -> Result<Value> {
         auto vector = as_integer(a[0]);
         if (!vector) return vector.error();
         return lift(scale_factor_atom(*vector));
       }},
      {"tile_atom_to_shape_SF", "shape, vector", 2, 2, "scale factors of (rows, K[, batch])",
       run_scale_factors},
      {"row_major", "shape", 1, 1, "compact, last mode fastest", of_shape<Layout::row_major>},
      {"identity", "shape", 1, 1, "coordinates to themselves", of_shape<Layout::identity>},
  };
}

// Coordinates and measures.
std::vector<Operation> measuring_operations() {
  return {
      {"crd2idx", "coordinate, layout", 2, 2, "value at a coordinate", run_crd2idx},
      {"idx2crd", "index, shape", 2, 2, "coordinate of an index", run_idx2crd},
      {"crd2crd", "coordinate, shape, shape", 3, 3, "the coordinate of the second shape at the same index",
       run_crd2crd},
      {"coshape", "layout", 1, 1, "smallest coordinate above all values",
       [](const Arguments& a) {
         return measure(a[0], [](const ComposedLayout& l) { return coshape(l.layout()); });
       }},
      {"ceil_div", "shape, shape", 2, 2, "how many tiles cover a shape", run_ceil_div},
      {"congruent", "tuple, tuple", 2, 2, "nested alike?",
       [](const Arguments& a) {
         return relation("congruent", a,
                         [](TupleView x, TupleView y) { return std::optional(congruent(x, y)); });
       }},
      {"weakly_congruent", "tuple, tuple", 2, 2, "is the first a prefix of the second's nesting?",
       [](const Arguments& a) {
         return relation("weakly_congruent", a,
                         [](TupleView x, TupleView y) { return std::optional(weakly_congruent(x, y)); });
       }},
      {"compatible", "shape, shape", 2, 2, "are coordinates of the first coordinates of the second?",
       [](const Arguments& a) { return relation("compatible", a, compatible); }},
      {"evenly_divides", "shape, tile", 2, 2, "does the tile divide the shape?",
       [](const Arguments& a) { return relation("evenly_divides", a, evenly_divides); }},
      {"size", "layout", 1, 1, "number of elements",
       [](const Arguments& a) {
         return measure(a[0], [](const ComposedLayout& l) { return IntTuple(size(l)); });
       }},
      {"cosize", "layout", 1, 1, "smallest integer above all values",
       [](const Arguments& a) {
         return measure(a[0], [](const ComposedLayout& l) { return IntTuple(cosize(l)); });
       }},
      {"rank", "layout", 1, 1, "number of modes",
       [](const Arguments& a) {
         return measure(a[0], [](const ComposedLayout& l) { return IntTuple(l.rank()); });
       }},
      {"depth", "layout", 1, 1, "levels of nesting",
       [](const Arguments& a) {
         return measure(a[0], [](const ComposedLayout& l) { return IntTuple(l.shape().depth()); });
       }},
      {"shape", "layout", 1, 1, "extents",
       [](const Arguments& a) { return measure(a[0], [](const ComposedLayout& l) { return l.shape(); }); }},
      {"stride", "layout", 1, 1, "strides (inside a swizzle)",
       [](const Arguments& a) {
         return measure(a[0], [](const ComposedLayout& l) { return l.layout().stride(); });
       }},
  };
}

}  // namespace cutelab::layout
