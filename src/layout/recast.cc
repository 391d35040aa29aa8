#include <numeric>

#include "layout/algebra.h"
#include "layout/divide.h"
#include "layout/fault.h"
#include "layout/flat_modes.h"

namespace cutelab::layout {
namespace {

template <class Each>
Status leaf_by_leaf(LayoutView layout, LayoutBuilder& build, const Each& each) {
  if (layout.is_leaf()) return each(layout.shape.leaf(), layout.stride.leaf(), build);
  const auto at = build.open();
  LayoutView m = layout.first();
  for (int i = 0; i < layout.rank(); ++i, m = m.next())
    if (auto status = leaf_by_leaf(m, build, each); !status) return status;
  build.close(at, layout.rank());
  return {};
}

Status upcast_leaf(const Int& shape, const Int& stride, std::int64_t n, LayoutBuilder& build) {
  if (stride.is_zero()) {
    build.leaf(shape, stride);
    return {};
  }
  const Int magnitude = abs(stride.scale());
  if (multiple_of(magnitude, n) == true) {
    build.leaf(shape, exact_div(magnitude, n)->with_basis(stride.basis()) * Int(signum(stride)));
    return {};
  }
  if (!magnitude.known())
    return undetermined("upcast", fmt::format("is stride {} a multiple of {}?", stride.text(), n),
                        stride.symbols());
  if (n % magnitude.value() != 0)
    return fault("upcast", 1, "stride {} and {} do not divide one another", stride.text(), n);
  build.leaf(ceil_div(shape, n / magnitude.value()), Int(signum(stride)).with_basis(stride.basis()));
  return {};
}

}  // namespace

Result<Layout> upcast(LayoutView layout, std::int64_t n) {
  if (n <= 0) return fault("upcast", 1, "{} is not a positive number of elements", n);
  LayoutBuilder build;
  const auto each = [n](const Int& s, const Int& d, LayoutBuilder& b) { return upcast_leaf(s, d, n, b); };
  if (auto status = leaf_by_leaf(layout, build, each); !status) return status.error();
  return build.take();
}

Result<Layout> downcast(LayoutView layout, std::int64_t n) {
  if (n <= 0) return fault("downcast", 1, "{} is not a positive number of elements", n);
  bool adjacent = false;
  const auto each = [&](const Int& s, const Int& d, LayoutBuilder& b) -> Status {
    const bool unit = d.known() && (d.value() == 1 || d.value() == -1);
    adjacent |= unit;
    b.leaf(unit ? s * Int(n) : s, unit ? d : d * Int(n));
    return {};
  };
  LayoutBuilder build;
  if (auto status = leaf_by_leaf(layout, build, each); !status) return status.error();
  if (!adjacent)
    return fault("downcast", 1, "no stride of {} is 1: one element has no neighbour to split into",
                 Layout(layout).text());
  return build.take();
}

Result<Layout> recast(LayoutView layout, std::int64_t old_bits, std::int64_t new_bits) {
  if (old_bits <= 0 || new_bits <= 0)
    return fault("recast", 1, "element widths of {} and {} bits", old_bits, new_bits);
  const std::int64_t common = std::gcd(old_bits, new_bits);
  const std::int64_t up = new_bits / common;
  const std::int64_t down = old_bits / common;
  Layout out(layout);
  if (up > 1) {
    auto wider = upcast(out, up);
    if (!wider) return wider;
    out = std::move(*wider);
  }
  if (down > 1) return downcast(out, down);
  return out;
}

Result<Int> max_alignment(LayoutView layout) {
  if (!Layout(layout).known())
    return undetermined("max_alignment", "how large are its strides?", Layout(layout).symbols());
  const Layout flat = coalesce(layout);
  auto inverse = right_inverse(flat);
  if (!inverse) return inverse.error();
  auto permuted = logical_divide(flat, Tiler(*inverse));
  if (!permuted) return permuted.error();
  Int out = size(permuted->mode(0));
  for (const Int& d : leaves(permuted->mode(1).stride())) {
    if (!out.known() || !d.known() || d.value() == INT64_MIN)
      return fault("max_alignment", 1, "{} leaves 64 bits", permuted->text());
    out = std::gcd(out.value(), d.value());
  }
  return out;
}

}  // namespace cutelab::layout
