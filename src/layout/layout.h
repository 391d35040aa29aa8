#pragma once
#include <optional>
#include <string>
#include <vector>

#include "layout/int_tuple.h"

namespace cutelab::layout {

/// One mode (or all) of a layout, not owned.
struct LayoutView {
  TupleView shape;
  TupleView stride;
  bool is_leaf() const { return shape.is_leaf(); }
  int rank() const { return shape.rank(); }
  LayoutView mode(int i) const { return {shape.mode(i), stride.mode(i)}; }
  LayoutView first() const { return {shape.first(), stride.first()}; }
  LayoutView next() const { return {shape.next(), stride.next()}; }
};

/// A function from coordinates in `shape` to integers (or to coordinates, when the strides carry basis
/// elements): the inner product of the coordinate with `stride`. Strides are in elements unless a caller says
/// otherwise.
class Layout {
 public:
  Layout() : shape_(1), stride_(0) {}
  /// Compact, first mode fastest (LayoutLeft); modes of extent 1 get stride 0 as in CuTe.
  explicit Layout(const IntTuple& shape);
  explicit Layout(LayoutView view) : shape_(view.shape), stride_(view.stride) {}
  /// 1. Pre: congruent(shape, stride). 2. Pre: no extent is negative; extents carry no basis.
  static Result<Layout> make(IntTuple shape, IntTuple stride);
  /// For callers that build both together. Pre: as make.
  static Layout unchecked(IntTuple shape, IntTuple stride) {
    return Layout(std::move(shape), std::move(stride));
  }
  static Layout row_major(const IntTuple& shape);  ///< last mode fastest (LayoutRight)
  /// Maps each coordinate to itself: strides are the basis elements E<0>, E<1>, E<1,0>, …
  static Layout identity(const IntTuple& shape);
  /// Modes side by side.
  static Layout concat(const std::vector<Layout>& modes);

  const IntTuple& shape() const { return shape_; }
  const IntTuple& stride() const { return stride_; }
  LayoutView view() const { return {shape_.view(), stride_.view()}; }
  operator LayoutView() const { return view(); }  // NOLINT
  int rank() const { return shape_.rank(); }
  int depth() const { return shape_.depth(); }
  Layout mode(int i) const { return Layout(view().mode(i)); }
  bool known() const { return shape_.known() && stride_.known(); }
  std::vector<std::string> symbols() const;
  std::string text() const { return shape_.text() + ":" + stride_.text(); }  ///< "(8,(2,4)):(1,(8,16))"

  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  Layout(IntTuple shape, IntTuple stride) : shape_(std::move(shape)), stride_(std::move(stride)) {}
  IntTuple shape_;
  IntTuple stride_;
};

/// Number of coordinates.
inline Int size(LayoutView layout) { return product(layout.shape); }
/// True when a stride carries a basis element, so that results are coordinates.
bool has_basis(LayoutView layout);

/// Smallest integer above every result; with basis strides the product of coshape. Strides count by
/// magnitude, as in CuTe.
Int cosize(LayoutView layout);
/// Smallest coordinate with elements above those of every result: a leaf, or a tuple for basis strides.
IntTuple coshape(LayoutView layout);

/// Compact strides for `shape`, first (left) or last (right) mode fastest, starting at `from`; extents of 1
/// get stride 0.
IntTuple compact_col_major(TupleView shape, const Int& from = 1);
IntTuple compact_row_major(TupleView shape, const Int& from = 1);
/// Compact strides in the order of the numbers in `order` (smallest is fastest). 1. Pre:
/// weakly_congruent(order, shape).
/// 2. Pre: the orders are known integers.
Result<IntTuple> compact_order(TupleView shape, TupleView order);
Result<Layout> make_ordered_layout(const IntTuple& shape, const IntTuple& order);
/// Same shape, compact, modes ordered by the strides of `layout`; stride-0 modes keep stride 0. 1. Pre:
/// strides are known.
Result<Layout> make_layout_like(const Layout& layout);
/// As make_layout_like, but mode 0 is the fastest and itself first-mode-fastest. 1. Pre: strides are known.
Result<Layout> make_fragment_like(const Layout& layout);

/// The value of `layout` at `coord`: an integer, or a coordinate for basis strides.
/// 1. Pre: weakly_congruent(coord, shape). Coordinates outside the shape are allowed: the last mode goes on.
Result<IntTuple> crd2idx(TupleView coord, LayoutView layout);
/// Colexicographic index of `coord` in `shape`. 1. Pre: weakly_congruent(coord, shape).
Result<Int> crd2idx(TupleView coord, TupleView shape);
/// 1. Pre: weakly_congruent(index, shape). Post: crd2idx(result, shape) == index for indices below
/// product(shape).
Result<IntTuple> idx2crd(TupleView index, TupleView shape);
/// Coordinate of an offset of a compact layout. 1. Pre: the layout is compact (its strides divide as idx2crd
/// of CuTe assumes);
/// 2. Pre: strides of modes with more than one element are not 0.
Result<IntTuple> idx2crd(TupleView index, TupleView shape, TupleView stride);
/// A coordinate of `from` as the coordinate of `to` with the same index. 1. Pre: weakly_congruent(coord,
/// from).
Result<IntTuple> crd2crd(TupleView coord, TupleView from, TupleView to);

/// Offsets up to this are evaluated: times bits of an element, they stay within 64 bits.
inline constexpr std::int64_t most_evaluated_offset = std::int64_t{1} << 50;
inline constexpr std::int64_t most_element_bits = 4096;
/// Beyond this many elements, what visits every one of them is refused.
inline constexpr std::int64_t most_visited_elements = std::int64_t{1} << 22;

/// Fast evaluation of a layout without symbols and basis elements.
class KnownLayout {
 public:
  /// 1. Pre: layout is known, plain, of at most 2^40 elements and reaches at most 2^50 far.
  static Result<KnownLayout> of(LayoutView layout);
  std::int64_t size() const { return size_; }
  /// Pre: 0 <= index < size().
  std::int64_t operator()(std::int64_t index) const {
    std::int64_t out = 0;
    for (std::size_t i = 0; i + 1 < modes_.size(); ++i) {
      out += index % modes_[i].shape * modes_[i].stride;
      index /= modes_[i].shape;
    }
    return out + index * modes_.back().stride;
  }
  /// The value at any index, where the last mode goes on; nullopt when it leaves 64 bits or there is none (an
  /// extent of 0).
  std::optional<std::int64_t> at(std::int64_t index) const;

 private:
  struct Mode {
    std::int64_t shape;
    std::int64_t stride;
  };
  std::vector<Mode> modes_;
  std::int64_t size_ = 1;
};

}  // namespace cutelab::layout
