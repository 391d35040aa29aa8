#pragma once
#include <optional>

#include "layout/layout.h"
#include "layout/tiler.h"

// The algebra of layouts, with CuTe's names and conventions. Each operation numbers its pre-conditions (Pre)
// and post-conditions (Post); an Error names the number that does not hold. When whether a condition holds
// depends on the value of a symbol, the error is `undetermined` (fault.h). L(i) is the value of L at index i.

namespace cutelab::layout {

/// 1. Post: size(result) == size(layout). 2. Post: depth(result) <= 1. 3. Post: result(i) == layout(i) for 0
/// <= i < size.
Layout coalesce(LayoutView layout);
/// coalesce at the leaves of `profile`; modes beyond it are kept. 1. Pre: rank(profile) <= rank(layout), at
/// each level.
/// 2. Post: as coalesce, per mode.
Result<Layout> coalesce(LayoutView layout, TupleView profile);

/// Modes of stride 0 get extent 1.
Layout filter_zeros(LayoutView layout);
/// Without stride-0 modes and extents of 1; 1:0 when nothing is left.
/// 1. Post: no mode of the result has stride 0 or extent 1, unless the result is 1:0. 2. Post: depth(result)
/// <= 1.
/// 3. Post: the result takes the same set of values.
Layout filter(LayoutView layout);
Result<Layout> filter(LayoutView layout,
                      TupleView profile);  ///< at the leaves of `profile`; 1. Pre: as coalesce by mode

/// lhs ∘ rhs. 1. Pre (stride): each stride of rhs, divided down lhs's modes, divides or is divided by their
/// extents.
/// 2. Pre (shape): each extent of rhs splits evenly over lhs's modes. 3. Pre: basis strides of rhs name modes
/// of lhs.
/// 4. Pre: no extent of lhs is 0. 5. Post: compatible(shape(rhs), shape(result)).
/// 6. Post: when carry_free(lhs, rhs), result(i) == lhs(rhs(i)) for 0 <= i < size(rhs); also outside lhs's
/// size, where its last mode goes on. Without it the result is still what CuTe computes (it checks no more
/// than 1. and 2.), but no composition.
Result<Layout> composition(LayoutView lhs, LayoutView rhs);
/// Do the modes of rhs stay within lhs's extents when they add up? (4,4):(4,1) o (2,3):(3,1) does not: 3+2
/// crosses the 4. nullopt: depends on symbols, rhs has negative or basis strides, or there is no composition.
std::optional<bool> carry_free(LayoutView lhs, LayoutView rhs);
/// By mode; modes of lhs beyond the tiler are dropped, `_` keeps a mode. 1. Pre: rank(tiler) <= rank(lhs).
Result<Layout> composition(LayoutView lhs, const Tiler& tiler);

/// What `layout` misses below `cotarget` (a shape: its folded size counts).
/// 1. Pre: strides are positive integers whose order is known. 2. Pre: layout is injective apart from
/// stride-0 modes.
/// 3. Post: result(i-1) < result(i). 4. Post: result(i) != layout(j) for i >= 1 and every j.
/// 5. Post: when each stride is a multiple of the extent × stride below it, size(result) *
/// size(filter(layout)) >= size(cotarget).
Result<Layout> complement(LayoutView layout, TupleView cotarget);
Result<Layout> complement(LayoutView layout);  ///< cotarget: cosize(filter(layout))

/// 1. Pre: strides are known integers. 2. Post: layout(result(i)) == i for 0 <= i < size(result).
Result<Layout> right_inverse(LayoutView layout);
/// 1. Pre: strides are known integers. 2. Pre: sorted strides divide each other (with extents: no holes that
/// do not divide).
/// 3. Post: layout(result(layout(i))) == layout(i); for an injective layout result(layout(i)) == i.
Result<Layout> left_inverse(LayoutView layout);

/// Modes of stride 0, as a layout into the coordinates of `layout`: 1. Post: layout(result(i)) == 0. 1:0 when
/// there are none.
Layout nullspace(LayoutView layout);

/// 1. Pre: as right_inverse for b, composition for a. 2. Post: a(R(i)) == i and b(R(i)) == i for 0 <= i <
/// size(R).
Result<Layout> max_common_layout(LayoutView a, LayoutView b);
/// Number of contiguous elements that correspond in both. 1. Pre: as max_common_layout. 2. Post: result >= 1.
Result<Int> max_common_vector(LayoutView a, LayoutView b);

/// Largest N for which upcast(layout, N) holds. 1. Pre: layout is known.
Result<Int> max_alignment(LayoutView layout);

/// Counts N elements as one: 1. Pre: N > 0; each stride is a multiple of N or a divisor of it.
/// 2. Post: extents of modes with stride s < N shrink by N/s, strides by N (rounded up).
Result<Layout> upcast(LayoutView layout, std::int64_t n);
/// Counts one element as N. 1. Pre: N > 0; some stride is 1 or -1 (elements are adjacent).
Result<Layout> downcast(LayoutView layout, std::int64_t n);
/// The layout of the same bytes seen as elements of `new_bits` bits instead of `old_bits`.
/// 1. Pre: bits are positive; then as upcast and downcast.
Result<Layout> recast(LayoutView layout, std::int64_t old_bits, std::int64_t new_bits);

Layout flatten(LayoutView layout);
Result<Layout> unflatten(LayoutView flat, TupleView profile);  ///< 1. Pre: as many modes as leaves of profile
Result<Layout> group(LayoutView layout, int begin, int end);   ///< 1. Pre: 0 <= begin < end <= rank
Result<Layout> take(LayoutView layout, int begin, int end);    ///< 1. Pre: as group
Result<Layout> select(LayoutView layout, const std::vector<int>& modes);  ///< 1. Pre: each names a mode
Layout append_to_rank(LayoutView layout, int rank);                       ///< pads with 1:0
/// Modes ((a0,a1),(b0,b1)) of rank-2 `layout` become ((a0,b0),(a1,b1)). 1. Pre: the modes have one rank.
Result<Layout> zip(LayoutView layout);

}  // namespace cutelab::layout
