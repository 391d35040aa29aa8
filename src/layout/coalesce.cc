#include "layout/algebra.h"
#include "layout/fault.h"
#include "layout/flat_modes.h"
#include "layout/known_modes.h"

namespace cutelab::layout {
namespace {

template <class Visit>
void for_each_leaf(LayoutView layout, Visit visit) {
  const Node* shape = layout.shape.node();
  const Node* stride = layout.stride.node();
  for (std::size_t i = 0; i < layout.shape.span(); ++i)
    if (shape[i].is_leaf()) visit(shape[i].leaf, stride[i].leaf);
}

// Merges from the last mode towards the first, as CuTe does: which of two descriptions of one function comes
// out depends on it.
FlatModes merged(const FlatModes& modes, bool beyond) {
  FlatModes out;
  for (std::size_t i = modes.size(); i-- > 0;) {
    const Mode& mode = modes[i];
    if (out.empty()) {
      const bool goes_on = beyond && mode.shape.is(1) && i + 1 == modes.size();
      out.push(goes_on ? Int(2) : mode.shape, mode.stride);
    } else if (mode.shape.is(1)) {
      continue;
    } else if (out.size() == 1 && out.back().shape.is(1)) {
      out[0] = mode;
    } else if (mode.shape * mode.stride == out.back().stride) {
      Mode& front = out[out.size() - 1];
      front.shape = mode.shape * front.shape;
      front.stride = mode.stride;
    } else {
      out.push(mode.shape, mode.stride);
    }
  }
  if (out.empty() || (out.size() == 1 && out[0].shape.is(1))) {
    FlatModes one;
    one.push(1, 0);
    return one;
  }
  out.reverse();
  return out;
}

template <class Each>
Result<Layout> by_mode(LayoutView layout, TupleView profile, const char* name, const Each& each) {
  if (profile.is_leaf()) return each(layout);
  if (profile.rank() > layout.rank())
    return fault(name, 1, "the profile has {} modes, the layout {}", profile.rank(), layout.rank());
  std::vector<Layout> modes;
  for (int i = 0; i < layout.rank(); ++i) {
    if (i >= profile.rank()) {
      modes.push_back(Layout(layout.mode(i)));
      continue;
    }
    auto mode = by_mode(layout.mode(i), profile.mode(i), name, each);
    if (!mode) return mode.error();
    modes.push_back(std::move(*mode));
  }
  return Layout::concat(modes);
}

}  // namespace

Layout FlatModes::layout() const {
  if (modes_.empty()) return Layout();
  LayoutBuilder build;
  if (modes_.size() == 1) {
    build.leaf(modes_[0].shape, modes_[0].stride);
    return build.take();
  }
  build.open();
  for (const Mode& mode : modes_) build.leaf(mode.shape, mode.stride);
  build.close(0, static_cast<int>(modes_.size()));
  return build.take();
}

FlatModes flat_modes(LayoutView layout) {
  FlatModes modes;
  for_each_leaf(layout, [&](const Int& s, const Int& d) { modes.push(s, d); });
  return modes;
}

FlatModes coalesced(LayoutView layout) { return merged(flat_modes(layout), false); }
FlatModes coalesced_beyond(LayoutView layout) { return merged(flat_modes(layout), true); }

FlatModes filtered(LayoutView layout) {
  FlatModes modes;
  for_each_leaf(layout, [&](const Int& s, const Int& d) { modes.push(d.is_zero() ? Int(1) : s, d); });
  return merged(modes, false);
}

Layout coalesce(LayoutView layout) {
  if (KnownModes known; known.read(layout) && known.coalesce(false)) return known.layout();
  return coalesced(layout).layout();
}

Result<Layout> coalesce(LayoutView layout, TupleView profile) {
  return by_mode(layout, profile, "coalesce", [](LayoutView m) { return Result<Layout>(coalesce(m)); });
}

Layout filter_zeros(LayoutView layout) {
  LayoutBuilder build;
  const auto walk = [&](auto&& self, LayoutView v) -> void {
    if (v.is_leaf()) return build.leaf(v.stride.leaf().is_zero() ? Int(1) : v.shape.leaf(), v.stride.leaf());
    const auto at = build.open();
    LayoutView m = v.first();
    for (int i = 0; i < v.rank(); ++i, m = m.next()) self(self, m);
    build.close(at, v.rank());
  };
  walk(walk, layout);
  return build.take();
}

Layout filter(LayoutView layout) {
  if (KnownModes known; known.read(layout, true) && known.coalesce(false)) return known.layout();
  return filtered(layout).layout();
}

Result<Layout> filter(LayoutView layout, TupleView profile) {
  return by_mode(layout, profile, "filter", [](LayoutView m) { return Result<Layout>(filter(m)); });
}

Layout nullspace(LayoutView layout) {
  FlatModes out;
  Int stride = 1;
  for_each_leaf(layout, [&](const Int& s, const Int& d) {
    if (d.is_zero()) out.push(s, s.is(1) ? Int(0) : stride);
    stride = stride * s;
  });
  return out.layout();
}

}  // namespace cutelab::layout
