#include "layout/known_modes.h"

#include <utility>

#include "layout/flat_modes.h"

namespace cutelab::layout {
namespace {

bool times(std::int64_t a, std::int64_t b, std::int64_t& out) { return !__builtin_mul_overflow(a, b, &out); }

// Rounded up, for positive numbers; written so that it cannot overflow.
std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

// A mode (shape : stride) of the right-hand side over the coalesced modes of the left-hand side: steps as in
// ModeComposer (composition.cc), which explains what is refused.
bool compose_mode(const KnownModes& lhs, std::int64_t shape, std::int64_t stride, KnownModes& out) {
  if (stride == 0) return out.push(shape, 0);
  std::int64_t scaled = 0;
  const int last = lhs.size() - 1;
  for (int i = 0; i < last; ++i) {
    const std::int64_t extent = lhs[i].shape;
    if (stride % extent == 0) {
      stride /= extent;
      continue;
    }
    if (stride > extent) return false;
    const std::int64_t reach = ceil_of(extent, stride);
    if (reach != 1 && shape != 1) {
      const std::int64_t taken = reach < shape ? reach : shape;
      if (shape % taken != 0 || !times(stride, lhs[i].stride, scaled) || !out.push(taken, scaled))
        return false;
      shape /= taken;
    }
    stride = 1;
  }
  if (out.size() > 0 && shape == 1) return true;
  return times(stride, lhs[last].stride, scaled) && out.push(shape, scaled);
}

}  // namespace

bool KnownModes::read(LayoutView layout, bool filter) {
  size_ = 0;
  const Node* shape = layout.shape.node();
  const Node* stride = layout.stride.node();
  const Node* end = shape + layout.shape.span();
  for (; shape != end; ++shape, ++stride) {
    if (!shape->is_leaf()) continue;
    const Int& s = shape->leaf;
    const Int& d = stride->leaf;
    if (!s.ordinary(d) || s.value() <= 0 || !push(filter && d.value() == 0 ? 1 : s.value(), d.value()))
      return false;
  }
  return size_ > 0;
}

bool KnownModes::read(TupleView shape) {
  size_ = 0;
  const Node* end = shape.node() + shape.span();
  for (const Node* node = shape.node(); node != end; ++node) {
    if (!node->is_leaf()) continue;
    const Int& s = node->leaf;
    if (!s.known() || !s.plain() || s.value() <= 0 || !push(s.value(), 0)) return false;
  }
  return size_ > 0;
}

// Merges from the last mode towards the first, as CuTe does, keeping what is done at the end of the array.
bool KnownModes::coalesce(bool beyond) {
  int front = size_ - 1;
  if (beyond && modes_[front].shape == 1) modes_[front].shape = 2;
  for (int i = front - 1; i >= 0; --i) {
    const Mode mode = modes_[i];
    std::int64_t reach = 0;
    if (mode.shape == 1) continue;
    if (front == size_ - 1 && modes_[front].shape == 1) {
      modes_[front] = mode;
      continue;
    }
    if (!times(mode.shape, mode.stride, reach)) return false;
    if (reach == modes_[front].stride) {
      if (!times(mode.shape, modes_[front].shape, modes_[front].shape)) return false;
      modes_[front].stride = mode.stride;
    } else {
      modes_[--front] = mode;
    }
  }
  const int count = size_ - front;
  for (int i = 0; i < count; ++i) modes_[i] = modes_[front + i];
  size_ = count;
  if (count == 1 && modes_[0].shape == 1) modes_[0].stride = 0;
  return true;
}

void KnownModes::write(LayoutBuilder& build) const {
  if (size_ == 0) return build.leaf(1, 0);
  if (size_ == 1) return build.leaf(modes_[0].shape, modes_[0].stride);
  const auto at = build.open();
  for (const Mode& mode : *this) build.leaf(mode.shape, mode.stride);
  build.close(at, size_);
}

Layout KnownModes::layout() const {
  LayoutBuilder build;
  write(build);
  return build.take();
}

bool compose_known(const KnownModes& lhs, LayoutView rhs, LayoutBuilder& build) {
  if (rhs.is_leaf()) {
    const Int& shape = rhs.shape.leaf();
    const Int& stride = rhs.stride.leaf();
    if (!shape.ordinary(stride) || shape.value() <= 0 || stride.value() < 0) return false;
    KnownModes out;
    if (!compose_mode(lhs, shape.value(), stride.value(), out)) return false;
    out.write(build);
    return true;
  }
  const auto at = build.open();
  LayoutView m = rhs.first();
  for (int i = 0; i < rhs.rank(); ++i, m = m.next())
    if (!compose_known(lhs, m, build)) return false;
  build.close(at, rhs.rank());
  return true;
}

bool complement_known(KnownModes filtered, const KnownModes& cotarget, KnownModes& out) {
  out.clear();
  std::int64_t used = 1;
  const bool nothing = filtered.size() == 1 && filtered[0].stride == 0;
  while (!nothing && filtered.size() > 0) {
    int smallest = 0;
    for (int i = 1; i < filtered.size(); ++i)
      if (filtered[i].stride < filtered[smallest].stride) smallest = i;
    const KnownModes::Mode mode = filtered[smallest];
    filtered.erase(smallest);
    if (mode.stride < used || !out.push(mode.stride / used, used)) return false;
    if (!times(mode.stride, mode.shape, used)) return false;
  }
  std::int64_t rest = 1;
  std::int64_t divisor = used;
  for (const KnownModes::Mode& mode : cotarget) {
    if (mode.shape <= 0 || !times(rest, ceil_of(mode.shape, divisor), rest)) return false;
    divisor = ceil_of(divisor, mode.shape);
  }
  return out.push(rest, used) && out.coalesce(false);
}

bool divide_known(LayoutView layout, LayoutView tiler, LayoutBuilder& first, LayoutBuilder& second) {
  KnownModes whole;
  KnownModes tile;
  KnownModes rest;
  if (!whole.read(layout) || !tile.read(tiler, true) || !tile.coalesce(false)) return false;
  KnownModes target = whole;
  if (!target.coalesce(false) || !whole.coalesce(true) || !complement_known(tile, target, rest)) return false;
  if (!compose_known(whole, tiler, first)) return false;
  const bool one = rest.size() == 1;
  const std::size_t at = one ? 0 : second.open();
  for (const KnownModes::Mode& mode : rest) {
    KnownModes out;
    if (!compose_mode(whole, mode.shape, mode.stride, out)) return false;
    out.write(second);
  }
  if (!one) second.close(at, rest.size());
  return true;
}

bool right_inverse_known(KnownModes coalesced, KnownModes& out) {
  KnownModes sorted = coalesced;  // shape: what the modes before it make
  std::int64_t position = 1;
  int order[KnownModes::capacity];
  for (int i = 0; i < coalesced.size(); ++i) {
    sorted[i].shape = position;
    order[i] = i;
    if (!times(position, coalesced[i].shape, position)) return false;
  }
  // CuTe's exchange sort, which is not stable: it decides which of several right inverses is returned.
  for (int i = 0; i < coalesced.size(); ++i)
    for (int j = i + 1; j < coalesced.size(); ++j)
      if (coalesced[order[j]].stride < coalesced[order[i]].stride) std::swap(order[i], order[j]);
  out.clear();
  if (!out.push(1, 0)) return false;
  std::int64_t reached = 1;
  for (int k = 0; k < coalesced.size(); ++k) {
    const KnownModes::Mode& mode = coalesced[order[k]];
    if (mode.stride != reached) continue;
    if (!out.push(mode.shape, sorted[order[k]].shape) || !times(mode.shape, mode.stride, reached))
      return false;
  }
  return out.coalesce(false);
}

}  // namespace cutelab::layout
