#include "layout/divide.h"

#include "layout/fault.h"
#include "layout/flat_modes.h"

namespace cutelab::layout {
namespace {

using Binary = Result<Layout> (*)(LayoutView, const Layout&);

// Applies `each` at the layout leaves of a tiler; modes of the layout beyond the tiler are kept.
Result<Layout> by_tiler(const char* name, LayoutView layout, const Tiler& tiler, Binary each) {
  if (tiler.kind() == Tiler::Kind::all) return Layout(layout);
  if (!tiler.is_tuple()) return each(layout, tiler.layout());
  if (tiler.rank() > layout.rank())
    return fault(name, 1, "the tiler {} has {} modes, the layout {}", tiler.text(), tiler.rank(),
                 layout.rank());
  std::vector<Layout> modes;
  for (int i = 0; i < layout.rank(); ++i) {
    if (i >= tiler.rank()) {
      modes.push_back(Layout(layout.mode(i)));
      continue;
    }
    auto mode = by_tiler(name, layout.mode(i), tiler.modes()[static_cast<std::size_t>(i)], each);
    if (!mode) return mode;
    modes.push_back(std::move(*mode));
  }
  return Layout::concat(modes);
}

Result<Layout> divide_one(LayoutView layout, const Layout& tiler) {
  const Layout simple = coalesce(layout);
  auto rest = complement(tiler, simple.shape());
  if (!rest) return rest;
  return composition(layout, Layout::concat({tiler, *rest}).view());
}

Result<Layout> multiply_one(LayoutView block, const Layout& tiler) {
  auto free = complement(block, IntTuple(size(block) * cosize(tiler)));
  if (!free) return free;
  auto copies = composition(*free, tiler.view());
  if (!copies) return copies;
  return Layout::concat({Layout(block), *copies});
}

// Gathers the pairs that stand at the tiler's leaves: ((a,b…),(rest a,rest b,…,modes beyond the tiler)).
Result<Layout> unzip(const char* name, LayoutView layout, const Tiler& tiler) {
  if (!tiler.is_tuple()) {
    if (layout.rank() != 2 || layout.is_leaf())
      return fault(name, 1, "`_` needs a mode of rank 2, not {}", Layout(layout).text());
    return Layout(layout);
  }
  std::vector<Layout> first;
  std::vector<Layout> second;
  for (int i = 0; i < layout.rank(); ++i) {
    if (i >= tiler.rank()) {
      second.push_back(Layout(layout.mode(i)));
      continue;
    }
    auto pair = unzip(name, layout.mode(i), tiler.modes()[static_cast<std::size_t>(i)]);
    if (!pair) return pair;
    first.push_back(pair->mode(0));
    second.push_back(pair->mode(1));
  }
  return Layout::concat({Layout::concat(first), Layout::concat(second)});
}

// CuTe unpacks tuples of two modes and more; ((1)) stays as it is.
void unpack(LayoutView layout, std::vector<Layout>& out) {
  if (layout.rank() < 2) return out.push_back(Layout(layout));
  for (int i = 0; i < layout.rank(); ++i) out.push_back(Layout(layout.mode(i)));
}

Layout unpacked(const Layout& pair, bool both) {
  std::vector<Layout> modes;
  if (both)
    unpack(pair.view().mode(0), modes);
  else
    modes.push_back(pair.mode(0));
  unpack(pair.view().mode(1), modes);
  return Layout::concat(modes);
}

Result<Layout> zipped(const char* name, LayoutView layout, const Tiler& tiler, Binary each) {
  auto pairs = by_tiler(name, layout, tiler, each);
  if (!pairs) return pairs;
  return unzip(name, *pairs, tiler);
}

}  // namespace

Result<Layout> logical_divide(LayoutView layout, const Tiler& tiler) {
  return by_tiler("logical_divide", layout, tiler, divide_one);
}
Result<Layout> zipped_divide(LayoutView layout, const Tiler& tiler) {
  return zipped("zipped_divide", layout, tiler, divide_one);
}
Result<Layout> tiled_divide(LayoutView layout, const Tiler& tiler) {
  auto pair = zipped("tiled_divide", layout, tiler, divide_one);
  if (!pair) return pair;
  return unpacked(*pair, false);
}
Result<Layout> flat_divide(LayoutView layout, const Tiler& tiler) {
  auto pair = zipped("flat_divide", layout, tiler, divide_one);
  if (!pair) return pair;
  return unpacked(*pair, true);
}

Result<Layout> logical_product(LayoutView block, const Tiler& tiler) {
  return by_tiler("logical_product", block, tiler, multiply_one);
}
Result<Layout> zipped_product(LayoutView block, const Tiler& tiler) {
  return zipped("zipped_product", block, tiler, multiply_one);
}
Result<Layout> tiled_product(LayoutView block, const Tiler& tiler) {
  auto pair = zipped("tiled_product", block, tiler, multiply_one);
  if (!pair) return pair;
  return unpacked(*pair, false);
}
Result<Layout> flat_product(LayoutView block, const Tiler& tiler) {
  auto pair = zipped("flat_product", block, tiler, multiply_one);
  if (!pair) return pair;
  return unpacked(*pair, true);
}

namespace {
Result<Layout> ranked_product(LayoutView block, LayoutView tiler, bool raked) {
  const int rank = std::max(block.rank(), tiler.rank());
  const Layout padded = append_to_rank(block, rank);
  auto pair = multiply_one(padded, append_to_rank(tiler, rank));
  if (!pair) return pair;
  const Layout a = pair->mode(raked ? 1 : 0);
  const Layout b = pair->mode(raked ? 0 : 1);
  // CuTe's zip of two modes: leaves are paired as they are, tuples mode by mode.
  if (a.shape().is_leaf()) return Layout::concat({Layout::concat({a, b})});
  return zip(Layout::concat({a, b}));
}
}  // namespace

Result<Layout> blocked_product(LayoutView block, LayoutView tiler) {
  return ranked_product(block, tiler, false);
}
Result<Layout> raked_product(LayoutView block, LayoutView tiler) {
  return ranked_product(block, tiler, true);
}

Result<Layout> tile_to_shape(LayoutView block, TupleView shape, const IntTuple* order) {
  if (block.rank() > shape.rank())
    return fault("tile_to_shape", 1, "the block has {} modes, the shape {}", block.rank(), shape.rank());
  const Layout padded = append_to_rank(block, shape.rank());
  const IntTuple block_shape = product_each(padded.shape());
  const IntTuple target = product_each(shape);
  const auto even = evenly_divides(target, block_shape);
  if (even == false)
    return fault("tile_to_shape", 2, "a block of {} does not divide {}", block_shape.text(), target.text());
  auto copies = ceil_div(target.view(), block_shape.view());
  if (!copies) return copies.error();
  if (!order) return blocked_product(padded, Layout(*copies));
  auto tiler = make_ordered_layout(*copies, *order);
  if (!tiler) return tiler;
  return blocked_product(padded, *tiler);
}

Result<IntTuple> ceil_div(TupleView target, LayoutView tiler) {
  auto rest = complement(tiler, target);
  if (!rest) return rest.error();
  return rest->shape();
}

std::optional<bool> evenly_divides(TupleView shape, TupleView tile) {
  if (tile.is_leaf()) {
    if (tile.leaf().is_zero()) return false;
    // As a fold through the modes: 3 does not divide (4,6), although it divides 24.
    auto rest = ceil_div(shape, tile);
    if (!rest) return false;
    const auto order = compare(product(shape), tile.leaf() * product(*rest));
    if (!order) return std::nullopt;
    return *order == 0;
  }
  if (tile.rank() > shape.rank()) return false;
  std::optional<bool> all = true;
  for (int i = 0; i < tile.rank(); ++i) {
    const auto one = evenly_divides(shape.mode(i), tile.mode(i));
    if (one == false) return false;
    if (!one) all = std::nullopt;
  }
  return all;
}

Result<ThreadValue> make_layout_tv(LayoutView threads, LayoutView values) {
  auto tile = raked_product(threads, values);
  if (!tile) return tile.error();
  auto inverse = right_inverse(*tile);
  if (!inverse) return inverse.error();
  const Layout pair(IntTuple::tuple({size(threads), size(values)}));
  auto tv = composition(*inverse, pair.view());
  if (!tv) return tv.error();
  return ThreadValue{std::move(*tv), product_each(tile->shape())};
}

}  // namespace cutelab::layout
