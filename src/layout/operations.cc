#include "layout/operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "layout/fault.h"

namespace cutelab::layout {
namespace {

using Arguments = std::vector<Value>;

Error wants(const char* what, const Value& value) {
  return Error{ErrorKind::input, "", fmt::format("{} is wanted, not {}", what, value.text()), "", ""};
}

Result<std::int64_t> as_integer(const Value& value) {
  const IntTuple* t = value.tuple();
  if (!t || !t->is_leaf() || !t->leaf().known()) return wants("a number", value);
  return t->leaf().value();
}

Result<IntTuple> as_tuple(const Value& value) {
  if (const IntTuple* t = value.tuple()) return *t;
  return wants("an integer or a tuple of integers", value);
}

template <class T>
Result<Value> lift(Result<T> result) {
  if (!result) return result.error();
  return Value(std::move(*result));
}
Result<Value> lift(Result<Int> result) {
  if (!result) return result.error();
  return Value(IntTuple(std::move(*result)));
}

// Operations on the domain apply to the layout inside a swizzle.
template <class F>
Result<Value> on_domain(const Value& value, const F& f) {
  auto layout = value.as_layout();
  if (!layout) return layout.error();
  return lift(layout->map(f));
}

template <Result<Layout> (*Op)(LayoutView, const Tiler&)>
Result<Value> with_tiler(const Arguments& a) {
  auto tiler = a[1].as_tiler();
  if (!tiler) return tiler.error();
  return on_domain(a[0], [&](const Layout& l) { return Op(l, *tiler); });
}

template <Result<Layout> (*Op)(LayoutView, LayoutView)>
Result<Value> two_layouts(const Arguments& a) {
  auto second = a[1].as_plain_layout();
  if (!second) return second.error();
  return on_domain(a[0], [&](const Layout& l) { return Op(l, *second); });
}

Result<Value> run_composition(const Arguments& a) {
  auto left = a[0].as_layout();
  if (!left) return left.error();
  if (a[1].is_layout()) {
    auto right = a[1].as_layout();
    if (!right->plain() && left->plain()) return lift(composition(left->layout(), *right));
    if (!right->plain()) return wants("a right-hand side without a swizzle", a[1]);
  }
  auto tiler = a[1].as_tiler();
  if (!tiler) return tiler.error();
  return lift(composition(*left, *tiler));
}

Result<Value> run_coalesce(const Arguments& a) {
  if (a.size() == 1) return on_domain(a[0], [](const Layout& l) { return Result<Layout>(coalesce(l)); });
  auto profile = as_tuple(a[1]);
  if (!profile) return profile.error();
  return on_domain(a[0], [&](const Layout& l) { return coalesce(l, *profile); });
}

Result<Value> run_filter(const Arguments& a) {
  if (a.size() == 1) return on_domain(a[0], [](const Layout& l) { return Result<Layout>(filter(l)); });
  auto profile = as_tuple(a[1]);
  if (!profile) return profile.error();
  return on_domain(a[0], [&](const Layout& l) { return filter(l, *profile); });
}

Result<Value> run_complement(const Arguments& a) {
  auto layout = a[0].as_plain_layout();
  if (!layout) return layout.error();
  if (a.size() == 1) return lift(complement(layout->view()));
  auto target = as_tuple(a[1]);
  if (!target) return target.error();
  return lift(complement(*layout, *target));
}

Result<Value> run_inverse(const Arguments& a, bool right) {
  auto layout = a[0].as_layout();
  if (!layout) return layout.error();
  return lift(right ? right_inverse(*layout) : left_inverse(*layout));
}

Result<Value> run_tile_to_shape(const Arguments& a) {
  auto shape = as_tuple(a[1]);
  if (!shape) return shape.error();
  if (a.size() == 2) return on_domain(a[0], [&](const Layout& l) { return tile_to_shape(l, *shape); });
  auto order = as_tuple(a[2]);
  if (!order) return order.error();
  return on_domain(a[0], [&](const Layout& l) { return tile_to_shape(l, *shape, &*order); });
}

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

Result<Value> run_slice(const Arguments& a) {
  auto layout = a[0].as_layout();
  if (!layout) return layout.error();
  auto slicer = as_slicer(a[1]);
  if (!slicer) return slicer.error();
  return lift(slice(*layout, *slicer));
}

Result<Value> run_local_tile(const Arguments& a) {
  auto tiler = a[1].as_tiler();
  if (!tiler) return tiler.error();
  auto at = as_slicer(a[2]);
  if (!at) return at.error();
  auto layout = a[0].as_layout();
  if (!layout) return layout.error();
  auto tile = local_tile(layout->layout(), *tiler, *at);
  if (!tile) return tile.error();
  // The offset of the tile goes where a swizzle needs it; a coordinate (identity layouts) has no place in a
  // layout.
  if (!tile->offset.is_leaf()) return Value(std::move(tile->layout));
  return Value(
      ComposedLayout(layout->swizzle(), layout->offset() + tile->offset.leaf(), std::move(tile->layout)));
}

Result<Value> run_tv(const Arguments& a) {
  auto threads = a[0].as_plain_layout();
  auto values = a[1].as_plain_layout();
  if (!threads) return threads.error();
  if (!values) return values.error();
  auto tv = make_layout_tv(*threads, *values);
  if (!tv) return tv.error();
  return Value(std::move(tv->tv));
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

template <class F>
Result<Value> measure(const Value& value, const F& f) {
  if (value.tuple()) return Value(f(ComposedLayout(Layout::unchecked(*value.tuple(), *value.tuple()))));
  auto layout = value.as_layout();
  if (!layout) return layout.error();
  return Value(f(*layout));
}

// The algebra proper.
std::vector<Operation> algebra() {
  return {
      {"coalesce", "layout[, profile]", 1, 2, "fewest modes, same function", run_coalesce},
      {"filter", "layout[, profile]", 1, 2, "without stride-0 modes and extents of 1", run_filter},
      {"filter_zeros", "layout", 1, 1, "extents of stride-0 modes become 1",
       [](const Arguments& a) {
         return on_domain(a[0], [](const Layout& l) { return Result<Layout>(filter_zeros(l)); });
       }},
      {"composition", "layout, layout or tiler", 2, 2, "the left-hand side after the right-hand side",
       run_composition},
      {"complement", "layout[, shape]", 1, 2, "what the layout misses below the shape", run_complement},
      {"right_inverse", "layout", 1, 1, "layout(result(i)) = i",
       [](const Arguments& a) { return run_inverse(a, true); }},
      {"left_inverse", "layout", 1, 1, "result(layout(i)) = i",
       [](const Arguments& a) { return run_inverse(a, false); }},
      {"logical_divide", "layout, tiler", 2, 2, "((tile),(rest)) per mode", with_tiler<logical_divide>},
      {"zipped_divide", "layout, tiler", 2, 2, "((tile…),(rest…))", with_tiler<zipped_divide>},
      {"tiled_divide", "layout, tiler", 2, 2, "((tile…),rest,…)", with_tiler<tiled_divide>},
      {"flat_divide", "layout, tiler", 2, 2, "(tile,…,rest,…)", with_tiler<flat_divide>},
      {"logical_product", "layout, tiler", 2, 2, "(block,(copies)) per mode", with_tiler<logical_product>},
      {"zipped_product", "layout, tiler", 2, 2, "((block…),(copies…))", with_tiler<zipped_product>},
      {"tiled_product", "layout, tiler", 2, 2, "((block…),copies,…)", with_tiler<tiled_product>},
      {"flat_product", "layout, tiler", 2, 2, "(block,…,copies,…)", with_tiler<flat_product>},
      {"blocked_product", "block, layout", 2, 2, "the block repeated, block by block",
       two_layouts<blocked_product>},
      {"raked_product", "block, layout", 2, 2, "the block repeated, interleaved", two_layouts<raked_product>},
      {"tile_to_shape", "block, shape[, order]", 2, 3, "the block repeated to a shape", run_tile_to_shape},
      {"local_tile", "layout, tiler, coordinate", 3, 3, "one tile; `_` keeps a rest mode", run_local_tile},
      {"slice", "layout, coordinate", 2, 2, "modes marked `_`, at the coordinate", run_slice},
      {"make_layout_tv", "threads, values", 2, 2, "(thread, value) to index in the tile", run_tv},
  };
}

// Element widths, comparison, and reshaping.
std::vector<Operation> reshaping() {
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
      {"row_major", "shape", 1, 1, "compact, last mode fastest", of_shape<Layout::row_major>},
      {"identity", "shape", 1, 1, "coordinates to themselves", of_shape<Layout::identity>},
  };
}

// Coordinates and measures.
std::vector<Operation> measures() {
  return {
      {"crd2idx", "coordinate, layout", 2, 2, "value at a coordinate", run_crd2idx},
      {"idx2crd", "index, shape", 2, 2, "coordinate of an index", run_idx2crd},
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

Result<Slicer> slicer_of(const Tiler& tiler) {
  if (tiler.kind() == Tiler::Kind::all) return Slicer::all();
  if (tiler.kind() == Tiler::Kind::integer) return Slicer(tiler.layout().shape());
  if (!tiler.is_tuple()) return wants("a coordinate", Value(tiler));
  std::vector<Slicer> modes;
  for (const Tiler& mode : tiler.modes()) {
    auto slicer = slicer_of(mode);
    if (!slicer) return slicer;
    modes.push_back(std::move(*slicer));
  }
  return Slicer::tuple(std::move(modes));
}

}  // namespace

Result<Slicer> as_slicer(const Value& value) {
  if (const IntTuple* coord = value.tuple()) return Slicer(*coord);
  auto tiler = value.as_tiler();
  if (!tiler) return tiler.error();
  return slicer_of(*tiler);
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> out = algebra();
    for (const auto& part : {reshaping(), measures()}) out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return all;
}

const Operation* find_operation(std::string_view name) {
  for (const Operation& operation : operations())
    if (operation.name == name) return &operation;
  return nullptr;
}

}  // namespace cutelab::layout
