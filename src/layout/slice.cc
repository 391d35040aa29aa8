#include <algorithm>

#include "layout/divide.h"
#include "layout/fault.h"

namespace cutelab::layout {
namespace {

Error mismatch(LayoutView layout) {
  return fault("slice", 1, "the coordinate does not fit the shape {}", IntTuple(layout.shape).text());
}

IntTuple add(const IntTuple& a, const IntTuple& b) {
  if (a.is_leaf() && a.leaf().is_zero()) return b;
  if (b.is_leaf() && b.leaf().is_zero()) return a;
  if (a.is_leaf() && b.is_leaf()) return a.leaf() + b.leaf();
  std::vector<IntTuple> modes;
  for (int i = 0; i < std::max(a.rank(), b.rank()); ++i)
    modes.push_back(add(i < a.rank() ? a.mode(i) : IntTuple(0), i < b.rank() ? b.mode(i) : IntTuple(0)));
  return IntTuple::tuple(modes);
}

struct Parts {
  std::vector<Layout> kept;
  std::vector<Layout> dropped;
  IntTuple offset;
};

Status split(LayoutView layout, const Slicer& slicer, Parts& parts) {
  if (slicer.is_all()) {
    parts.kept.push_back(Layout(layout));
    return {};
  }
  if (!slicer.is_tuple()) {
    auto at = crd2idx(slicer.coordinate(), layout);
    if (!at) return mismatch(layout);
    parts.offset = add(parts.offset, *at);
    parts.dropped.push_back(Layout(layout));
    return {};
  }
  if (layout.is_leaf() || static_cast<std::size_t>(layout.rank()) != slicer.modes().size())
    return mismatch(layout);
  for (int i = 0; i < layout.rank(); ++i)
    if (auto status = split(layout.mode(i), slicer.modes()[static_cast<std::size_t>(i)], parts); !status)
      return status;
  return {};
}

template <class T>
std::vector<T> projected(const std::vector<T>& modes, const std::vector<bool>& projection) {
  std::vector<T> out;
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (i >= projection.size() || projection[i]) out.push_back(modes[i]);
  return out;
}

}  // namespace

Result<Sliced> slice(LayoutView layout, const Slicer& slicer) {
  Parts parts;
  if (auto status = split(layout, slicer, parts); !status) return status.error();
  return Sliced{slicer.is_all() ? parts.kept[0] : Layout::concat(parts.kept), parts.offset};
}

Result<Layout> dice(LayoutView layout, const Slicer& slicer) {
  Parts parts;
  if (auto status = split(layout, slicer, parts); !status) return status.error();
  return slicer.is_tuple() || parts.dropped.empty() ? Layout::concat(parts.dropped) : parts.dropped[0];
}

Result<Sliced> local_tile(LayoutView layout, const Tiler& tiler, const Slicer& coord,
                          const std::vector<bool>& projection) {
  Tiler by = tiler;
  Slicer at = coord;
  if (!projection.empty() && tiler.is_tuple()) by = Tiler::tuple(projected(tiler.modes(), projection));
  if (!projection.empty() && coord.is_tuple()) at = Slicer::tuple(projected(coord.modes(), projection));
  auto tiles = zipped_divide(layout, by);
  if (!tiles) return tiles.error();
  // A shorter coordinate leaves the modes beyond it.
  const int rest = tiles->mode(1).rank();
  if (at.is_tuple() && static_cast<int>(at.modes().size()) < rest) {
    std::vector<Slicer> modes = at.modes();
    while (static_cast<int>(modes.size()) < rest) modes.push_back(Slicer::all());
    at = Slicer::tuple(std::move(modes));
  }
  // The tile's own modes come first, unpacked.
  std::vector<Slicer> keep(static_cast<std::size_t>(tiles->mode(0).rank()), Slicer::all());
  const Slicer tile = tiles->mode(0).shape().is_leaf() ? Slicer::all() : Slicer::tuple(keep);
  return slice(*tiles, Slicer::tuple({tile, at}));
}

Result<Sliced> local_partition(LayoutView layout, LayoutView threads, const Int& index) {
  auto coord = idx2crd(IntTuple(index), threads.shape, threads.stride);
  if (!coord) return coord.error();
  const IntTuple tile = product_each(threads.shape);
  // Nested thread modes count as one flat coordinate each.
  std::vector<Slicer> at;
  for (int i = 0; i < threads.rank(); ++i) {
    auto flat = crd2idx(coord->is_leaf() ? coord->view() : coord->view().mode(i), threads.shape.mode(i));
    if (!flat) return flat.error();
    at.push_back(Slicer(IntTuple(*flat)));
  }
  auto tiles = zipped_divide(layout, Tiler::of_shape(tile));
  if (!tiles) return tiles.error();
  std::vector<Slicer> keep(static_cast<std::size_t>(tiles->mode(1).rank()), Slicer::all());
  const Slicer rest = tiles->mode(1).shape().is_leaf() ? Slicer::all() : Slicer::tuple(keep);
  return slice(*tiles, Slicer::tuple({Slicer::tuple(at), rest}));
}

}  // namespace cutelab::layout
