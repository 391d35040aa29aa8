#pragma once
#include <cstdint>

#include "layout/layout.h"

// Layouts of plain known integers, the common case, in a form that needs no heap and no symbolic arithmetic.
// Each function answers false when the case is not common (a symbol, a basis stride, more modes than fit, a
// pre-condition that does not hold, a result beyond 64 bits): the caller then takes the general way, which
// knows every error.

namespace cutelab::layout {

struct LayoutBuilder;

class KnownModes {
 public:
  struct Mode {
    std::int64_t shape;
    std::int64_t stride;
  };
  static constexpr int capacity = 16;

  bool push(std::int64_t shape, std::int64_t stride) {
    if (size_ == capacity) return false;
    modes_[size_++] = {shape, stride};
    return true;
  }
  void clear() { size_ = 0; }
  void erase(int at) {
    --size_;
    for (int i = at; i < size_; ++i) modes_[i] = modes_[i + 1];
  }
  int size() const { return size_; }
  Mode& operator[](int i) { return modes_[i]; }
  const Mode& operator[](int i) const { return modes_[i]; }
  Mode& back() { return modes_[size_ - 1]; }
  const Mode* begin() const { return modes_; }
  const Mode* end() const { return modes_ + size_; }

  /// The leaves of `layout`; with `filter`, extents of stride-0 leaves count as 1. Extents are positive.
  bool read(LayoutView layout, bool filter = false);
  /// The leaves of a shape, with strides of 0.
  bool read(TupleView shape);
  /// As coalesced (flat_modes.h), in place; `beyond` as coalesced_beyond.
  bool coalesce(bool beyond);
  /// One mode becomes a leaf, none 1:0.
  void write(LayoutBuilder& build) const;
  Layout layout() const;

 private:
  Mode modes_[capacity];
  int size_ = 0;
};

/// Writes the composition of lhs, coalesced beyond its size, with every leaf of rhs.
bool compose_known(const KnownModes& lhs, LayoutView rhs, LayoutBuilder& build);
/// The complement of `filtered`, the coalesced modes of a layout, below the shape whose leaves are extents of
/// `cotarget`.
bool complement_known(KnownModes filtered, const KnownModes& cotarget, KnownModes& out);
/// Writes the two modes of logical_divide.
bool divide_known(LayoutView layout, LayoutView tiler, LayoutBuilder& first, LayoutBuilder& second);
bool right_inverse_known(KnownModes coalesced, KnownModes& out);

}  // namespace cutelab::layout
