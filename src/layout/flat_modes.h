#pragma once
#include <algorithm>

#include "layout/layout.h"

// Working form inside the algebra: the modes of a layout as a flat list.

namespace cutelab::layout {

struct Mode {
  Int shape;
  Int stride;
};

class FlatModes {
 public:
  void push(Int shape, Int stride) { modes_.emplace_back(std::move(shape), std::move(stride)); }
  std::size_t size() const { return modes_.size(); }
  bool empty() const { return modes_.empty(); }
  Mode& operator[](std::size_t i) { return modes_[i]; }
  const Mode& operator[](std::size_t i) const { return modes_[i]; }
  const Mode& back() const { return modes_.back(); }
  const Mode* begin() const { return modes_.begin(); }
  const Mode* end() const { return modes_.end(); }
  void erase(std::size_t i) { modes_.erase(i); }
  void reverse() { std::reverse(modes_.begin(), modes_.end()); }
  /// One mode becomes a leaf, none 1:0.
  Layout layout() const;

 private:
  InlineVector<Mode, 12> modes_;
};

FlatModes flat_modes(LayoutView layout);
/// coalesce on a flat list; 1:0 when nothing else is left.
FlatModes coalesced(LayoutView layout);
/// As coalesced, but equal to the layout also outside its size: a last mode of extent 1 goes on (as extent
/// 2).
FlatModes coalesced_beyond(LayoutView layout);
/// coalesce(filter_zeros(layout)).
FlatModes filtered(LayoutView layout);

/// Writes a shape and a stride tuple in lockstep.
struct LayoutBuilder {
  TupleBuilder shape;
  TupleBuilder stride;
  std::size_t open() {
    stride.open();
    return shape.open();
  }
  void close(std::size_t at, int arity) {
    shape.close(at, arity);
    stride.close(at, arity);
  }
  void leaf(Int s, Int d) {
    shape.leaf(std::move(s));
    stride.leaf(std::move(d));
  }
  void copy(LayoutView layout) {
    shape.copy(layout.shape);
    stride.copy(layout.stride);
  }
  std::size_t count() const { return shape.count(); }
  void rewind(std::size_t count) {
    shape.rewind(count);
    stride.rewind(count);
  }
  Layout take() { return Layout::unchecked(shape.take(), stride.take()); }
};

/// composition(lhs, rhs), written into `build`; on failure `build` holds a part of it.
Status compose_into(LayoutView lhs, LayoutView rhs, LayoutBuilder& build);

}  // namespace cutelab::layout
