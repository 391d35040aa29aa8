#include "layout/algebra.h"
#include "layout/fault.h"
#include "layout/flat_modes.h"
#include "layout/known_modes.h"

namespace cutelab::layout {
namespace {

struct Sorted {
  std::int64_t stride;
  std::size_t mode;
};

// Modes by stride. Equal strides come out in the order of CuTe's exchange sort, which is not stable: it
// decides which of several right inverses is returned.
Result<std::vector<Sorted>> by_stride(const char* operation, const FlatModes& modes) {
  std::vector<Sorted> out;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Int& d = modes[i].stride;
    if (!d.plain()) return fault(operation, 1, "stride {} is not an integer", d.text());
    if (!d.known())
      return undetermined(operation, fmt::format("how large is stride {}?", d.text()), d.symbols());
    out.push_back({d.value(), i});
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t j = i + 1; j < out.size(); ++j)
      if (out[j].stride < out[i].stride) std::swap(out[i], out[j]);
  return out;
}

std::vector<Int> exclusive_products(const FlatModes& modes) {
  std::vector<Int> out;
  Int p = 1;
  for (const Mode& mode : modes) {
    out.push_back(p);
    p = p * mode.shape;
  }
  return out;
}

Layout tuple_of(const FlatModes& modes) { return coalesce(modes.layout()); }

}  // namespace

Result<Layout> right_inverse(LayoutView layout) {
  KnownModes known;
  KnownModes inverse;
  if (known.read(layout) && known.coalesce(false) && right_inverse_known(known, inverse))
    return inverse.layout();
  const FlatModes modes = coalesced(layout);
  auto order = by_stride("right_inverse", modes);
  if (!order) return order.error();
  const std::vector<Int> position = exclusive_products(modes);
  FlatModes out;
  out.push(1, 0);
  Int reached = 1;
  for (const Sorted& s : *order) {
    const Mode& mode = modes[s.mode];
    if (!(reached == mode.stride)) continue;
    out.push(mode.shape, position[s.mode]);
    reached = mode.shape * mode.stride;
  }
  return tuple_of(out);
}

Result<Layout> left_inverse(LayoutView layout) {
  const FlatModes modes = coalesced(layout);
  auto order = by_stride("left_inverse", modes);
  if (!order) return order.error();
  const std::vector<Int> position = exclusive_products(modes);
  FlatModes out;
  Int size = 1;
  Int stride = 0;
  for (const Sorted& s : *order) {
    const Mode& mode = modes[s.mode];
    if (mode.stride.is_zero()) continue;
    const auto gap = exact_div(mode.stride, size);
    if (!gap || signum(*gap) < 0)
      return fault("left_inverse", 2, "stride {} is not a multiple of {}", mode.stride.text(), size.text());
    out.push(*gap, stride);
    size = size * *gap;
    stride = position[s.mode];
  }
  out.push(modes[order->back().mode].shape, stride);
  return tuple_of(out);
}

Result<Layout> max_common_layout(LayoutView a, LayoutView b) {
  auto inverse = right_inverse(b);
  if (!inverse) return inverse;
  auto composed = composition(a, *inverse);
  if (!composed) return composed;
  const FlatModes common = coalesced(*composed);
  if (!common[0].shape.known() || !common[0].stride.is(1)) return Layout();
  return composition(*inverse, Layout::unchecked(common[0].shape, common[0].stride));
}

Result<Int> max_common_vector(LayoutView a, LayoutView b) {
  auto inverse = right_inverse(b);
  if (!inverse) return inverse.error();
  auto composed = composition(a, *inverse);
  if (!composed) return composed.error();
  const FlatModes common = coalesced(*composed);
  if (!common[0].shape.known() || !common[0].stride.is(1)) return Int(1);
  return common[0].shape;
}

}  // namespace cutelab::layout
