#pragma once
#include <string>

#include "layout/divide.h"

namespace cutelab::layout {

/// XOR swizzle: bits [base, base+bits) of an offset are XORed with the `bits` bits that lie `shift` above
/// them (below, for a negative shift). Its own inverse. The unit is that of the offsets: elements, or bytes
/// on a byte pointer.
struct Swizzle {
  int bits = 0;
  int base = 4;
  int shift = 3;

  /// 1. Pre: bits >= 0, base >= 0, |shift| >= bits, and base + bits + |shift| <= 62.
  static Result<Swizzle> make(std::int64_t bits, std::int64_t base, std::int64_t shift);
  bool identity() const { return bits == 0; }
  std::int64_t source_mask() const;  ///< the bits that are read (YYY)
  std::int64_t target_mask() const;  ///< the bits that are changed (ZZZ)
  std::int64_t operator()(std::int64_t offset) const {
    const std::int64_t source = offset & source_mask();
    return offset ^ (shift >= 0 ? source >> shift : source << -shift);
  }
  /// Offsets below this repeat the pattern: 2^(base + bits + |shift|).
  std::int64_t period() const { return std::int64_t{1} << (base + bits + (shift < 0 ? -shift : shift)); }
  std::string text() const;  ///< "Sw<3,4,3>"
  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

/// The swizzle that XORs the bits of `source` onto the bits of `target`. 1. Pre: each is one run of equally
/// many bits.
Result<Swizzle> make_swizzle(std::int64_t source, std::int64_t target);
/// The same mapping when N old elements count as one. 1. Pre: N is a power of two. Bits below one new element
/// vanish.
Result<Swizzle> upcast(const Swizzle& swizzle, std::int64_t n);
Result<Swizzle> downcast(const Swizzle& swizzle, std::int64_t n);
/// The same mapping of the same bytes for another element width. 1. Pre: the widths differ by a power of two.
Result<Swizzle> recast(const Swizzle& swizzle, std::int64_t old_bits, std::int64_t new_bits);

/// swizzle ∘ (offset + layout): a shared-memory layout. A plain layout is one with the identity swizzle and
/// offset 0.
class ComposedLayout {
 public:
  ComposedLayout() = default;
  explicit ComposedLayout(Layout layout) : layout_(std::move(layout)) {}
  ComposedLayout(Swizzle swizzle, Int offset, Layout layout)
      : swizzle_(swizzle), offset_(std::move(offset)), layout_(std::move(layout)) {}

  const Swizzle& swizzle() const { return swizzle_; }
  const Int& offset() const { return offset_; }
  const Layout& layout() const { return layout_; }
  const IntTuple& shape() const { return layout_.shape(); }
  int rank() const { return layout_.rank(); }
  bool plain() const { return swizzle_.identity() && offset_.is(0); }
  std::string text() const;  ///< "Sw<3,4,3> o 0 o (8,64):(64,1)"; a plain one as its layout
  friend bool operator==(const ComposedLayout& a, const ComposedLayout& b) {
    return (a.swizzle_ == b.swizzle_ || (a.swizzle_.identity() && b.swizzle_.identity())) &&
           a.offset_ == b.offset_ && a.layout_ == b.layout_;
  }

  /// The same swizzle and offset over another layout; what CuTe does for every operation on the domain.
  template <class Operation>
  Result<ComposedLayout> map(const Operation& operation) const {
    auto inner = operation(layout_);
    if (!inner) return inner.error();
    return ComposedLayout(swizzle_, offset_, std::move(*inner));
  }

 private:
  Swizzle swizzle_;
  Int offset_ = 0;
  Layout layout_;
};

inline Int size(const ComposedLayout& layout) { return size(layout.layout()); }
/// As CuTe: the cosize of the inner layout. For offset 0 and a size that is a multiple of the swizzle's
/// period it bounds every value.
inline Int cosize(const ComposedLayout& layout) { return cosize(layout.layout()); }
/// 1. Pre: as crd2idx of a layout. 2. Pre: the swizzled offset is known (or the swizzle is the identity).
Result<IntTuple> crd2idx(TupleView coord, const ComposedLayout& layout);
/// lhs's domain replaced: swizzle ∘ offset ∘ (inner ∘ rhs). 1. Pre: as composition.
Result<ComposedLayout> composition(const ComposedLayout& lhs, const Tiler& rhs);
/// 1. Pre: offset is 0; 2. Pre: the swizzle's bits stay runs of bits under lhs. 3. Post: result(i) ==
/// lhs(rhs(i)).
Result<ComposedLayout> composition(LayoutView lhs, const ComposedLayout& rhs);
/// Slicing moves the offset inside, since the swizzle is not linear. 1. Pre: as slice.
Result<ComposedLayout> slice(const ComposedLayout& layout, const Slicer& slicer);
Result<ComposedLayout> upcast(const ComposedLayout& layout, std::int64_t n);
Result<ComposedLayout> downcast(const ComposedLayout& layout, std::int64_t n);
/// 1. Pre: the widths differ by a power of two when there is a swizzle.
Result<ComposedLayout> recast(const ComposedLayout& layout, std::int64_t old_bits, std::int64_t new_bits);
/// 1. Pre: offset is 0; at most 2^20 elements. 2. Pre: an inverse of the form swizzle ∘ layout exists.
/// 3. Post: layout(result(i)) == i for 0 <= i < size(result).
Result<ComposedLayout> right_inverse(const ComposedLayout& layout);
/// 1., 2. Pre: as right_inverse. 3. Post: layout(result(layout(i))) == layout(i).
Result<ComposedLayout> left_inverse(const ComposedLayout& layout);
/// Elements that are contiguous in both, at most 2^base of a swizzle that they do not share. 1. Pre: as for
/// layouts.
Result<Int> max_common_vector(const ComposedLayout& a, const ComposedLayout& b);

/// Fast evaluation. 1. Pre: as KnownLayout; the offset is known, and it and the swizzle stay below 2^50.
class KnownComposed {
 public:
  static Result<KnownComposed> of(const ComposedLayout& layout);
  std::int64_t size() const { return layout_.size(); }
  /// Pre: 0 <= index < size(). Post: the magnitude of the result is below 2^52.
  std::int64_t operator()(std::int64_t index) const { return swizzle_(offset_ + layout_(index)); }
  std::optional<std::int64_t> at(std::int64_t index) const;  ///< as KnownLayout::at

 private:
  KnownComposed(Swizzle swizzle, std::int64_t offset, KnownLayout layout)
      : swizzle_(swizzle), offset_(offset), layout_(std::move(layout)) {}
  Swizzle swizzle_;
  std::int64_t offset_;
  KnownLayout layout_;
};

}  // namespace cutelab::layout
