#pragma once
#include "layout/algebra.h"

// Division and products. Tilers go mode by mode; a layout tiler takes the whole layout as one mode.
// Conditions of the operations underneath (composition, complement) apply and are reported with their own
// numbers.

namespace cutelab::layout {

/// ((tile),(rest)) of the whole layout, or of each mode for a tuple tiler (modes beyond it are kept).
/// 1. Pre: rank(tiler) <= rank(layout). 2. Post: rank 2, mode 0 is composition(layout, tiler).
/// 3. Post: when size(result) == size(layout) and carry_free(layout, (tiler, its complement)), the values are
/// the layout's in another order. A tiler that does not divide gives a larger result: the last tile overhangs
/// and has to be predicated.
Result<Layout> logical_divide(LayoutView layout, const Tiler& tiler);
/// ((tile modes…),(rest modes…)). 1. Pre: as logical_divide; `_` needs a mode of rank 2.
Result<Layout> zipped_divide(LayoutView layout, const Tiler& tiler);
Result<Layout> tiled_divide(LayoutView layout, const Tiler& tiler);  ///< ((tile…),rest,…)
Result<Layout> flat_divide(LayoutView layout, const Tiler& tiler);   ///< (tile,…,rest,…)

/// (block,(copies)): 1. Pre: rank(tiler) <= rank(block). 2. Post: mode 0 is block. 3. Post: mode 1 is
/// disjoint from block and compatible with tiler: it places one copy of block for each element of tiler.
Result<Layout> logical_product(LayoutView block, const Tiler& tiler);
Result<Layout> zipped_product(LayoutView block, const Tiler& tiler);  ///< ((block…),(copies…))
Result<Layout> tiled_product(LayoutView block, const Tiler& tiler);   ///< ((block…),copies,…)
Result<Layout> flat_product(LayoutView block, const Tiler& tiler);    ///< (block,…,copies,…)
/// Block by block: 1. Post: rank is the larger rank; mode i is (block i, tiler i).
Result<Layout> blocked_product(LayoutView block, LayoutView tiler);
/// Interleaved: 1. Post: rank is the larger rank; mode i is (tiler i, block i).
Result<Layout> raked_product(LayoutView block, LayoutView tiler);
/// Repeats block until it has `shape`, modes in `order` (smallest first; none: left to right).
/// 1. Pre: rank(block) <= rank(shape). 2. Pre: block's extents divide the shape's. 3. Post: compatible(shape,
/// shape(result)).
Result<Layout> tile_to_shape(LayoutView block, TupleView shape, const IntTuple* order = nullptr);
/// The rest shape of division by a tiler: how many tiles cover `target`. 1. Pre: as complement.
Result<IntTuple> ceil_div(TupleView target, LayoutView tiler);

/// Mode by mode, does the tile divide the shape? nullopt: depends on symbols.
std::optional<bool> evenly_divides(TupleView shape, TupleView tile);

struct Sliced {
  Layout layout;
  IntTuple offset;  ///< to add to the layout's values: an integer, or a coordinate for basis strides
};
/// Keeps the modes marked `_`, puts the coordinate into the others. 1. Pre: the slicer is weakly congruent
/// with the shape.
Result<Sliced> slice(LayoutView layout, const Slicer& slicer);
/// The modes that slice drops. 1. Pre: as slice.
Result<Layout> dice(LayoutView layout, const Slicer& slicer);
/// The tile at `coord` (`_` keeps a rest mode). 1. Pre: as zipped_divide and slice. `projection` as CuTe's
/// Step: modes marked false take no part in tiler and coord.
Result<Sliced> local_tile(LayoutView layout, const Tiler& tiler, const Slicer& coord,
                          const std::vector<bool>& projection = {});
/// What thread `index` of `threads` owns of the layout: one element per tile of shape(threads). 1. Pre: as
/// zipped_divide.
Result<Sliced> local_partition(LayoutView layout, LayoutView threads, const Int& index);

/// (thread, value) → index into the tile, from thread and value layouts over the same tile.
struct ThreadValue {
  Layout tv;
  IntTuple tiler;  ///< the tile's shape
};
/// 1. Pre: as raked_product and right_inverse. 2. Post: size(mode 0) == size(threads), size(mode 1) ==
/// size(values).
Result<ThreadValue> make_layout_tv(LayoutView threads, LayoutView values);

}  // namespace cutelab::layout
