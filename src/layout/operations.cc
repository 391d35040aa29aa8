#include "layout/operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "layout/fault.h"
#include "layout/operation_helpers.h"

namespace cutelab::layout {
namespace {

template <Result<Layout> (*Op)(LayoutView, const Tiler&)>
Result<Value> with_tiler(const Arguments& a) {
  auto tiler = tiler_argument(a[1]);
  if (!tiler) return tiler.error();
  return on_domain(a[0], [&](const Layout& l) { return Op(l, *tiler); });
}

Result<Value> run_composition(const Arguments& a) {
  auto left = a[0].as_layout();
  if (!left) return left.error();
  if (a[1].is_layout()) {
    auto right = a[1].as_layout();
    if (!right->plain() && left->plain()) return lift(composition(left->layout(), *right));
    if (!right->plain()) return wants("a right-hand side without a swizzle", a[1]);
  }
  auto tiler = tiler_argument(a[1]);
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
  auto target = as_shape(a[1]);
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

Result<Value> run_slice(const Arguments& a) {
  auto layout = a[0].as_layout();
  if (!layout) return layout.error();
  auto slicer = as_slicer(a[1]);
  if (!slicer) return slicer.error();
  return lift(slice(*layout, *slicer));
}

Result<Value> run_local_tile(const Arguments& a) {
  auto tiler = tiler_argument(a[1]);
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

Result<Value> run_local_partition(const Arguments& a) {
  auto layout = a[0].as_layout();
  auto threads = a[1].as_plain_layout();
  auto index = as_tuple(a[2]);
  if (!layout) return layout.error();
  if (!threads) return threads.error();
  if (!index) return index.error();
  if (!index->is_leaf()) return wants("the number of a thread", a[2]);
  auto part = local_partition(layout->layout(), *threads, index->leaf());
  if (!part) return part.error();
  if (!part->offset.is_leaf()) return Value(std::move(part->layout));
  return Value(
      ComposedLayout(layout->swizzle(), layout->offset() + part->offset.leaf(), std::move(part->layout)));
}

Result<Value> run_dice(const Arguments& a) {
  auto slicer = as_slicer(a[1]);
  if (!slicer) return slicer.error();
  return on_domain(a[0], [&](const Layout& l) { return dice(l, *slicer); });
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
      {"local_partition", "layout, threads, thread", 3, 3,
       "the thread's element of each tile of shape(threads)", run_local_partition},
      {"dice", "layout, coordinate", 2, 2, "modes not marked `_`", run_dice},
      {"slice", "layout, coordinate", 2, 2, "modes marked `_`, at the coordinate", run_slice},
      {"make_layout_tv", "threads, values", 2, 2, "(thread, value) to index in the tile", run_tv},
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
    for (const auto& part : {reshaping_operations(), measuring_operations()})
      out.insert(out.end(), part.begin(), part.end());
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
