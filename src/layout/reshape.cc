#include <algorithm>

#include "layout/algebra.h"
#include "layout/divide.h"
#include "layout/fault.h"
#include "layout/flat_modes.h"

namespace cutelab::layout {

Layout flatten(LayoutView layout) { return Layout::unchecked(flatten(layout.shape), flatten(layout.stride)); }

Result<Layout> unflatten(LayoutView flat, TupleView profile) {
  auto shape = unflatten(flat.shape, profile);
  if (!shape) return shape.error();
  auto stride = unflatten(flat.stride, profile);
  if (!stride) return stride.error();
  return Layout::unchecked(std::move(*shape), std::move(*stride));
}

Result<Layout> group(LayoutView layout, int begin, int end) {
  auto shape = group(layout.shape, begin, end);
  if (!shape) return shape.error();
  return Layout::unchecked(std::move(*shape), std::move(*group(layout.stride, begin, end)));
}

Result<Layout> take(LayoutView layout, int begin, int end) {
  auto shape = take(layout.shape, begin, end);
  if (!shape) return shape.error();
  return Layout::unchecked(std::move(*shape), std::move(*take(layout.stride, begin, end)));
}

Result<Layout> select(LayoutView layout, const std::vector<int>& modes) {
  std::vector<Layout> out;
  for (int i : modes) {
    if (i < 0 || i >= layout.rank()) return fault("select", 1, "there is no mode {} of {}", i, layout.rank());
    out.push_back(Layout(layout.mode(i)));
  }
  return Layout::concat(out);
}

Layout append_to_rank(LayoutView layout, int rank) {
  return Layout::unchecked(append_to_rank(layout.shape, rank, IntTuple(1)),
                           append_to_rank(layout.stride, rank, IntTuple(0)));
}

Result<Layout> zip(LayoutView layout) {
  const int columns = layout.mode(0).rank();
  for (int i = 0; i < layout.rank(); ++i)
    if (layout.mode(i).rank() != columns)
      return fault("zip", 1, "mode {} has {} modes, mode 0 has {}", i, layout.mode(i).rank(), columns);
  if (layout.is_leaf()) return Layout(layout);
  if (layout.mode(0).is_leaf()) return Layout::concat({Layout(layout)});
  LayoutBuilder build;
  build.open();
  for (int j = 0; j < columns; ++j) {
    const auto column = build.open();
    for (int i = 0; i < layout.rank(); ++i) build.copy(layout.mode(i).mode(j));
    build.close(column, layout.rank());
  }
  build.close(0, columns);
  return build.take();
}

namespace {

Status collect_orders(TupleView shape, TupleView order, std::vector<std::pair<std::int64_t, Int>>& out) {
  if (!order.is_leaf()) {
    for (int i = 0; i < order.rank(); ++i)
      if (auto status = collect_orders(shape.mode(i), order.mode(i), out); !status) return status;
    return {};
  }
  if (!order.leaf().known())
    return undetermined("compact_order", fmt::format("how large is order {}?", order.leaf().text()),
                        order.leaf().symbols());
  out.emplace_back(order.leaf().value(), product(shape));
  return {};
}

void ordered_strides(TupleView shape, TupleView order, const std::vector<std::pair<std::int64_t, Int>>& sizes,
                     TupleBuilder& build) {
  if (!order.is_leaf()) {
    const auto at = build.open();
    for (int i = 0; i < order.rank(); ++i) ordered_strides(shape.mode(i), order.mode(i), sizes, build);
    return build.close(at, order.rank());
  }
  Int start = 1;
  for (const auto& [rank, size] : sizes)
    if (rank < order.leaf().value()) start = start * size;
  build.copy(compact_col_major(shape, start));
}

}  // namespace

Result<IntTuple> compact_order(TupleView shape, TupleView order) {
  if (!weakly_congruent(order, shape))
    return fault("compact_order", 1, "the order {} does not fit the shape {}", IntTuple(order).text(),
                 IntTuple(shape).text());
  std::vector<std::pair<std::int64_t, Int>> sizes;
  if (auto status = collect_orders(shape, order, sizes); !status) return status.error();
  TupleBuilder build;
  ordered_strides(shape, order, sizes, build);
  return build.take();
}

Result<Layout> make_ordered_layout(const IntTuple& shape, const IntTuple& order) {
  auto stride = compact_order(shape, order);
  if (!stride) return stride.error();
  return Layout::unchecked(shape, std::move(*stride));
}

Result<Layout> make_layout_like(const Layout& layout) {
  auto stride = compact_order(filter_zeros(layout).shape(), layout.stride());
  if (!stride) return stride.error();
  return Layout::unchecked(layout.shape(), std::move(*stride));
}

Result<Layout> make_fragment_like(const Layout& layout) {
  if (layout.rank() < 2) return Layout(layout.shape());
  const Layout first = layout.mode(0);
  const Layout block = Layout::unchecked(first.shape(), compact_col_major(filter_zeros(first).shape()));
  auto others = take(layout, 1, layout.rank());
  auto ordered = make_ordered_layout(others->shape(), others->stride());
  if (!ordered) return ordered;
  return tiled_product(block, Tiler(*ordered));
}

}  // namespace cutelab::layout
