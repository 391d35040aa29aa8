#include <algorithm>

#include "layout/fault.h"
#include "layout/layout.h"

namespace cutelab::layout {
namespace {

// Sums integer and basis contributions: a value, or a coordinate ("arithmetic tuple").
class Accumulator {
 public:
  void add(const Int& contribution) {
    if (contribution.is_zero()) return;
    for (Int& term : terms_)
      if (term.basis() == contribution.basis()) {
        term = (term.scale() + contribution.scale()).with_basis(term.basis());
        return;
      }
    terms_.push_back(contribution);
  }
  IntTuple take(bool coordinates, LayoutView layout) {
    if (!coordinates) return terms_.empty() ? IntTuple(0) : IntTuple(terms_[0]);
    for (std::size_t i = 0; i < layout.stride.span(); ++i)
      if (const Node& n = layout.stride.node()[i]; n.is_leaf())
        terms_.push_back(Int(0).with_basis(n.leaf.basis()));
    TupleBuilder build;
    level(Basis{}, build);
    return build.take();
  }

 private:
  static bool below(Basis prefix, Basis basis) {
    if (basis.depth() < prefix.depth()) return false;
    for (int i = 0; i < prefix.depth(); ++i)
      if (basis[i] != prefix[i]) return false;
    return true;
  }
  void level(Basis prefix, TupleBuilder& build) {
    int modes = 0;
    Int here = 0;
    for (const Int& term : terms_) {
      if (!below(prefix, term.basis())) continue;
      if (term.basis().depth() > prefix.depth())
        modes = std::max(modes, term.basis()[prefix.depth()] + 1);
      else
        here = here + term.scale();
    }
    if (modes == 0) return build.leaf(here);
    const auto at = build.open();
    for (int i = 0; i < modes; ++i) level(prefix.then(i), build);
    build.close(at, modes);
  }
  std::vector<Int> terms_;
};

void place(TupleView coord, LayoutView layout, Accumulator& sum);

void place_index(Int index, LayoutView layout, Accumulator& sum) {
  if (layout.is_leaf()) {
    if (!index.is_zero()) sum.add(index * layout.stride.leaf());
    return;
  }
  LayoutView m = layout.first();
  for (int i = 0; i < layout.rank(); ++i, m = m.next()) {
    if (i + 1 == layout.rank()) return place_index(index, m, sum);
    const Int extent = product(m.shape);
    place_index(mod(index, extent), m, sum);
    index = floor_div(index, extent);
  }
}

void place(TupleView coord, LayoutView layout, Accumulator& sum) {
  if (coord.is_leaf()) return place_index(coord.leaf(), layout, sum);
  TupleView c = coord.first();
  LayoutView m = layout.first();
  for (int i = 0; i < coord.rank(); ++i, c = c.next(), m = m.next()) place(c, m, sum);
}

void split(Int index, TupleView shape, TupleBuilder& build) {
  if (shape.is_leaf()) return build.leaf(std::move(index));
  const auto at = build.open();
  TupleView m = shape.first();
  for (int i = 0; i < shape.rank(); ++i, m = m.next()) {
    if (i + 1 == shape.rank()) {
      split(index, m, build);
    } else {
      const Int extent = product(m);
      split(mod(index, extent), m, build);
      index = floor_div(index, extent);
    }
  }
  build.close(at, shape.rank());
}

void split_tuple(TupleView index, TupleView shape, TupleBuilder& build) {
  if (index.is_leaf()) return split(index.leaf(), shape, build);
  const auto at = build.open();
  TupleView c = index.first();
  TupleView s = shape.first();
  for (int i = 0; i < index.rank(); ++i, c = c.next(), s = s.next()) split_tuple(c, s, build);
  build.close(at, index.rank());
}

Error not_a_coordinate(const char* operation, TupleView coord, TupleView shape) {
  return fault(operation, 1, "{} is not a coordinate of the shape {}", IntTuple(coord).text(),
               IntTuple(shape).text());
}

bool divide_offset(const Int& index, LayoutView layout, TupleBuilder& build) {
  if (layout.is_leaf()) {
    const Int& extent = layout.shape.leaf();
    if (extent.is(1)) {
      build.leaf(0);
      return true;
    }
    if (layout.stride.leaf().is_zero() || extent.is_zero()) return false;
    build.leaf(mod(floor_div(index, layout.stride.leaf()), extent));
    return true;
  }
  const auto at = build.open();
  LayoutView m = layout.first();
  for (int i = 0; i < layout.rank(); ++i, m = m.next())
    if (!divide_offset(index, m, build)) return false;
  build.close(at, layout.rank());
  return true;
}

}  // namespace

Result<IntTuple> crd2idx(TupleView coord, LayoutView layout) {
  if (!weakly_congruent(coord, layout.shape)) return not_a_coordinate("crd2idx", coord, layout.shape);
  for (std::size_t i = 0; i < layout.shape.span(); ++i)
    if (layout.shape.node()[i].is_leaf() && layout.shape.node()[i].leaf.is_zero() && coord.is_leaf())
      return not_a_coordinate("crd2idx", coord, layout.shape);
  Accumulator sum;
  place(coord, layout, sum);
  return sum.take(has_basis(layout), layout);
}

Result<Int> crd2idx(TupleView coord, TupleView shape) {
  if (coord.is_leaf()) return coord.leaf();
  if (!weakly_congruent(coord, shape)) return not_a_coordinate("crd2idx", coord, shape);
  // The extents at the coordinate's own leaves decide; below them the coordinate is an index already.
  const IntTuple extents = product_like(shape, coord);
  Int index = 0;
  Int stride = 1;
  for (std::size_t i = 0; i < coord.span(); ++i) {
    if (!coord.node()[i].is_leaf()) continue;
    index = index + coord.node()[i].leaf * stride;
    stride = stride * extents.begin()[i].leaf;
  }
  return index;
}

Result<IntTuple> idx2crd(TupleView index, TupleView shape) {
  if (!weakly_congruent(index, shape)) return not_a_coordinate("idx2crd", index, shape);
  for (std::size_t i = 0; i < shape.span(); ++i)
    if (shape.node()[i].is_leaf() && shape.node()[i].leaf.is_zero())
      return not_a_coordinate("idx2crd", index, shape);
  TupleBuilder build;
  split_tuple(index, shape, build);
  return build.take();
}

Result<IntTuple> idx2crd(TupleView index, TupleView shape, TupleView stride) {
  if (!index.is_leaf() || !congruent(shape, stride)) return not_a_coordinate("idx2crd", index, shape);
  TupleBuilder build;
  if (!divide_offset(index.leaf(), {shape, stride}, build))
    return fault("idx2crd", 2, "a mode of {} repeats its elements (stride 0)", IntTuple(shape).text());
  return build.take();
}

Result<IntTuple> crd2crd(TupleView coord, TupleView from, TupleView to) {
  if (!coord.is_leaf() && !from.is_leaf() && !to.is_leaf()) {
    if (coord.rank() != from.rank() || coord.rank() != to.rank())
      return not_a_coordinate("crd2crd", coord, from);
    std::vector<IntTuple> modes;
    for (int i = 0; i < coord.rank(); ++i) {
      auto mode = crd2crd(coord.mode(i), from.mode(i), to.mode(i));
      if (!mode) return mode.error();
      modes.push_back(*mode);
    }
    return IntTuple::tuple(modes);
  }
  auto index = crd2idx(coord, from);
  if (!index) return index.error();
  return idx2crd(IntTuple(*index), to);
}

IntTuple coshape(LayoutView layout) {
  Accumulator sum;
  for (std::size_t i = 0; i < layout.shape.span(); ++i)
    if (const Node& s = layout.shape.node()[i]; s.is_leaf())
      sum.add((s.leaf - 1) * abs(layout.stride.node()[i].leaf));
  const IntTuple last = sum.take(has_basis(layout), layout);
  TupleBuilder build;
  const auto plus_one = [&](auto&& self, TupleView t) -> void {
    if (t.is_leaf()) return build.leaf(t.leaf() + 1);
    const auto at = build.open();
    TupleView m = t.first();
    for (int i = 0; i < t.rank(); ++i, m = m.next()) self(self, m);
    build.close(at, t.rank());
  };
  plus_one(plus_one, last);
  return build.take();
}

}  // namespace cutelab::layout
