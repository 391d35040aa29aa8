#include "layout/divide.h"

#include "layout/fault.h"
#include "layout/flat_modes.h"
#include "layout/known_modes.h"

namespace cutelab::layout {
namespace {

// Writes the two modes that stand at a leaf of the tiler, the second after the first; both builders may be
// one.
using Pair = Status (*)(LayoutView, const Layout&, LayoutBuilder&, LayoutBuilder&);

Error too_many(const char* name, LayoutView layout, const Tiler& tiler) {
  return fault(name, 1, "the tiler {} has {} modes, the layout {}", tiler.text(), tiler.rank(),
               layout.rank());
}

// Applies `pair` at the layout leaves of a tiler; modes of the layout beyond the tiler are kept.
Status by_tiler(const char* name, LayoutView layout, const Tiler& tiler, Pair pair, LayoutBuilder& build) {
  if (tiler.kind() == Tiler::Kind::all) {
    build.copy(layout);
    return {};
  }
  const auto at = build.open();
  if (!tiler.is_tuple()) {
    if (auto status = pair(layout, tiler.layout(), build, build); !status) return status;
    build.close(at, 2);
    return {};
  }
  if (tiler.rank() > layout.rank()) return too_many(name, layout, tiler);
  for (int i = 0; i < layout.rank(); ++i) {
    if (i >= tiler.rank()) {
      build.copy(layout.mode(i));
      continue;
    }
    const Tiler& mode = tiler.modes()[static_cast<std::size_t>(i)];
    if (auto status = by_tiler(name, layout.mode(i), mode, pair, build); !status) return status;
  }
  build.close(at, layout.rank());
  return {};
}

// As by_tiler, with the pairs gathered: ((a,b…),(rest a,rest b,…,modes beyond the tiler)).
Status zip_by_tiler(const char* name, LayoutView layout, const Tiler& tiler, Pair pair, LayoutBuilder& first,
                    LayoutBuilder& second) {
  if (tiler.kind() == Tiler::Kind::all) {
    if (layout.rank() != 2 || layout.is_leaf())
      return fault(name, 1, "`_` needs a mode of rank 2, not {}", Layout(layout).text());
    first.copy(layout.mode(0));
    second.copy(layout.mode(1));
    return {};
  }
  if (!tiler.is_tuple()) return pair(layout, tiler.layout(), first, second);
  if (tiler.rank() > layout.rank()) return too_many(name, layout, tiler);
  const auto a = first.open();
  const auto b = second.open();
  for (int i = 0; i < layout.rank(); ++i) {
    if (i >= tiler.rank()) {
      second.copy(layout.mode(i));
      continue;
    }
    const Tiler& mode = tiler.modes()[static_cast<std::size_t>(i)];
    if (auto status = zip_by_tiler(name, layout.mode(i), mode, pair, first, second); !status) return status;
  }
  first.close(a, tiler.rank());
  second.close(b, layout.rank());
  return {};
}

Status divide_into(LayoutView layout, const Layout& tiler, LayoutBuilder& first, LayoutBuilder& second) {
  const std::size_t mark = first.count();
  const std::size_t second_mark = second.count();
  if (divide_known(layout, tiler, first, second)) return {};
  first.rewind(mark);
  second.rewind(second_mark);
  const Layout simple = coalesce(layout);
  auto rest = complement(tiler, simple.shape());
  if (!rest) return rest.error();
  if (auto status = compose_into(layout, tiler, first); !status) return status;
  return compose_into(layout, *rest, second);
}

Status multiply_into(LayoutView block, const Layout& tiler, LayoutBuilder& first, LayoutBuilder& second) {
  auto free = complement(block, IntTuple(size(block) * cosize(tiler)));
  if (!free) return free.error();
  first.copy(block);
  return compose_into(*free, tiler, second);
}

Result<Layout> multiply_one(LayoutView block, const Layout& tiler) {
  LayoutBuilder build;
  build.open();
  if (auto status = multiply_into(block, tiler, build, build); !status) return status.error();
  build.close(0, 2);
  return build.take();
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

Result<Layout> logical(const char* name, LayoutView layout, const Tiler& tiler, Pair pair) {
  LayoutBuilder build;
  if (auto status = by_tiler(name, layout, tiler, pair, build); !status) return status.error();
  return build.take();
}

Result<Layout> zipped(const char* name, LayoutView layout, const Tiler& tiler, Pair pair) {
  LayoutBuilder build;
  LayoutBuilder second;
  build.open();
  if (auto status = zip_by_tiler(name, layout, tiler, pair, build, second); !status) return status.error();
  const Layout rest = second.take();
  build.copy(rest);
  build.close(0, 2);
  return build.take();
}

}  // namespace

Result<Layout> logical_divide(LayoutView layout, const Tiler& tiler) {
  return logical("logical_divide", layout, tiler, divide_into);
}
Result<Layout> zipped_divide(LayoutView layout, const Tiler& tiler) {
  return zipped("zipped_divide", layout, tiler, divide_into);
}
Result<Layout> tiled_divide(LayoutView layout, const Tiler& tiler) {
  auto pair = zipped("tiled_divide", layout, tiler, divide_into);
  if (!pair) return pair;
  return unpacked(*pair, false);
}
Result<Layout> flat_divide(LayoutView layout, const Tiler& tiler) {
  auto pair = zipped("flat_divide", layout, tiler, divide_into);
  if (!pair) return pair;
  return unpacked(*pair, true);
}

Result<Layout> logical_product(LayoutView block, const Tiler& tiler) {
  return logical("logical_product", block, tiler, multiply_into);
}
Result<Layout> zipped_product(LayoutView block, const Tiler& tiler) {
  return zipped("zipped_product", block, tiler, multiply_into);
}
Result<Layout> tiled_product(LayoutView block, const Tiler& tiler) {
  auto pair = zipped("tiled_product", block, tiler, multiply_into);
  if (!pair) return pair;
  return unpacked(*pair, false);
}
Result<Layout> flat_product(LayoutView block, const Tiler& tiler) {
  auto pair = zipped("flat_product", block, tiler, multiply_into);
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
