#include "layout/layout.h"

#include <algorithm>

#include "layout/fault.h"

namespace cutelab::layout {

Layout::Layout(const IntTuple& shape) : shape_(shape), stride_(compact_col_major(shape)) {}

Layout Layout::row_major(const IntTuple& shape) { return Layout(shape, compact_row_major(shape)); }

Result<Layout> Layout::make(IntTuple shape, IntTuple stride) {
  if (!congruent(shape, stride))
    return fault("make_layout", 1, "shape {} and stride {} are not nested alike", shape.text(),
                 stride.text());
  for (const Node& node : shape)
    if (node.is_leaf() && (!node.leaf.plain() || signum(node.leaf) < 0))
      return fault("make_layout", 2, "{} is not an extent", node.leaf.text());
  return Layout(std::move(shape), std::move(stride));
}

namespace {
void identity_strides(TupleView shape, Basis basis, TupleBuilder& build) {
  if (shape.is_leaf() || basis.depth() == Basis::max_depth) {
    build.leaf(Int::basis_element(basis));
    return;
  }
  const auto at = build.open();
  TupleView m = shape.first();
  for (int i = 0; i < shape.rank(); ++i, m = m.next())
    identity_strides(m, basis.then(i & Basis::max_index), build);
  build.close(at, shape.rank());
}

// Returns the stride after this shape.
Int compact(TupleView shape, Int from, bool left, TupleBuilder& build) {
  if (shape.is_leaf()) {
    build.leaf(shape.leaf().is(1) ? Int(0) : from);
    return from * shape.leaf();
  }
  const auto at = build.open();
  TupleView m = shape.first();
  for (int i = 0; i < shape.rank(); ++i, m = m.next()) {
    Int start = from;
    if (left) {
      from = compact(m, std::move(start), left, build);
      continue;
    }
    TupleView after = m.next();
    for (int j = i + 1; j < shape.rank(); ++j, after = after.next()) start = start * product(after);
    compact(m, std::move(start), left, build);
  }
  build.close(at, shape.rank());
  return from;
}
}  // namespace

Layout Layout::identity(const IntTuple& shape) {
  TupleBuilder build;
  identity_strides(shape, Basis{}, build);
  return Layout(shape, build.take());
}

Layout Layout::concat(const std::vector<Layout>& modes) {
  TupleBuilder shape;
  TupleBuilder stride;
  shape.open();
  stride.open();
  for (const Layout& mode : modes) {
    shape.copy(mode.shape_);
    stride.copy(mode.stride_);
  }
  shape.close(0, static_cast<int>(modes.size()));
  stride.close(0, static_cast<int>(modes.size()));
  return Layout(shape.take(), stride.take());
}

std::vector<std::string> Layout::symbols() const {
  std::vector<std::string> names = shape_.symbols();
  for (std::string& name : stride_.symbols()) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

IntTuple compact_col_major(TupleView shape, const Int& from) {
  TupleBuilder build;
  compact(shape, from, true, build);
  return build.take();
}

IntTuple compact_row_major(TupleView shape, const Int& from) {
  TupleBuilder build;
  compact(shape, from, false, build);
  return build.take();
}

bool has_basis(LayoutView layout) {
  for (std::size_t i = 0; i < layout.stride.span(); ++i)
    if (!layout.stride.node()[i].leaf.plain()) return true;
  return false;
}

Int cosize(LayoutView layout) {
  if (has_basis(layout)) return product(coshape(layout));
  Int last = 0;
  for (std::size_t i = 0; i < layout.shape.span(); ++i)
    if (const Node& s = layout.shape.node()[i]; s.is_leaf())
      last = last + (s.leaf - 1) * abs(layout.stride.node()[i].leaf);
  return last + 1;
}

namespace {

// Adds the largest step of a mode to `reach`; false if offsets could pass most_evaluated_offset.
bool reaches(std::int64_t extent, std::int64_t stride, std::int64_t& reach) {
  std::int64_t step = 0;
  if (extent > 1 && __builtin_mul_overflow(extent - 1, stride, &step)) return false;
  if (step > most_evaluated_offset || step < -most_evaluated_offset) return false;
  reach += step < 0 ? -step : step;
  return reach <= most_evaluated_offset;
}

}  // namespace

Result<KnownLayout> KnownLayout::of(LayoutView layout) {
  KnownLayout out;
  std::int64_t reach = 0;
  for (std::size_t i = 0; i < layout.shape.span(); ++i) {
    const Node& s = layout.shape.node()[i];
    if (!s.is_leaf()) continue;
    const Int& d = layout.stride.node()[i].leaf;
    if (!s.leaf.known() || !d.known() || !d.plain())
      return fault("evaluate", 1, "the layout {} has no plain known extents and strides",
                   Layout(layout).text());
    if (__builtin_mul_overflow(out.size_, s.leaf.value(), &out.size_) || out.size_ > (std::int64_t{1} << 40))
      return fault("evaluate", 1, "the layout has more than 2^40 elements");
    if (!reaches(s.leaf.value(), d.value(), reach))
      return fault("evaluate", 1, "the layout {} reaches past 2^50", Layout(layout).text());
    if (s.leaf.value() != 1 || i + 1 == layout.shape.span())
      out.modes_.push_back({s.leaf.value(), d.value()});
  }
  if (out.modes_.empty()) out.modes_.push_back({1, 0});
  return out;
}

std::optional<std::int64_t> KnownLayout::at(std::int64_t index) const {
  std::int64_t out = 0;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const Mode& mode = modes_[i];
    std::int64_t here = index;
    if (i + 1 < modes_.size()) {
      if (mode.shape == 0) return std::nullopt;
      here = index % mode.shape;
      index /= mode.shape;
    }
    std::int64_t step = 0;
    if (__builtin_mul_overflow(here, mode.stride, &step) || __builtin_add_overflow(out, step, &out))
      return std::nullopt;
  }
  return out;
}

}  // namespace cutelab::layout
