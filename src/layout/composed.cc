#include "layout/composed.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "layout/fault.h"

namespace cutelab::layout {

Result<Swizzle> Swizzle::make(std::int64_t bits, std::int64_t base, std::int64_t shift) {
  const std::int64_t reach = shift < -31 ? 32 : shift < 0 ? -shift : shift;
  if (bits < 0 || base < 0 || bits > 31 || base > 31 || reach < bits || reach > 31 ||
      bits + base + reach > 62)
    return fault("Swizzle", 1,
                 "<{},{},{}> is not a swizzle: it needs bits >= 0, base >= 0 and |shift| >= bits", bits, base,
                 shift);
  return Swizzle{static_cast<int>(bits), static_cast<int>(base), static_cast<int>(shift)};
}

std::int64_t Swizzle::source_mask() const {
  return ((std::int64_t{1} << bits) - 1) << (base + (shift > 0 ? shift : 0));
}
std::int64_t Swizzle::target_mask() const {
  return ((std::int64_t{1} << bits) - 1) << (base - (shift < 0 ? shift : 0));
}
std::string Swizzle::text() const { return fmt::format("Sw<{},{},{}>", bits, base, shift); }

Result<Swizzle> make_swizzle(std::int64_t source, std::int64_t target) {
  const auto y = static_cast<std::uint64_t>(source);
  const auto z = static_cast<std::uint64_t>(target);
  if (y == 0 && z == 0) return Swizzle{0, 0, 0};
  const int bits = std::popcount(y);
  const int low_y = std::countr_zero(y);
  const int low_z = std::countr_zero(z);
  auto swizzle = Swizzle::make(bits, std::min(low_y, low_z), low_y - low_z);
  if (source <= 0 || target <= 0 || !swizzle || swizzle->source_mask() != source ||
      swizzle->target_mask() != target)
    return fault("make_swizzle", 1, "bits {:#x} onto bits {:#x} are not one run each of equally many bits",
                 source, target);
  return swizzle;
}

namespace {
Result<int> log2_exact(const char* operation, std::int64_t n) {
  if (n <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(n)))
    return fault(operation, 1, "{} is not a power of two, as a swizzle needs", n);
  return std::countr_zero(static_cast<std::uint64_t>(n));
}
}  // namespace

Result<Swizzle> upcast(const Swizzle& swizzle, std::int64_t n) {
  auto log2 = log2_exact("upcast", n);
  if (!log2) return log2.error();
  const int base = swizzle.base - *log2;
  if (base >= 0) return Swizzle{swizzle.bits, base, swizzle.shift};
  return Swizzle{std::max(swizzle.bits + base, 0), 0, swizzle.shift};
}

Result<Swizzle> downcast(const Swizzle& swizzle, std::int64_t n) {
  auto log2 = log2_exact("downcast", n);
  if (!log2) return log2.error();
  return Swizzle::make(swizzle.bits, swizzle.base + *log2, swizzle.shift);
}

Result<Swizzle> recast(const Swizzle& swizzle, std::int64_t old_bits, std::int64_t new_bits) {
  if (old_bits <= 0 || new_bits <= 0)
    return fault("recast", 1, "element widths of {} and {} bits", old_bits, new_bits);
  const std::int64_t common = std::gcd(old_bits, new_bits);
  auto up = upcast(swizzle, new_bits / common);
  if (!up) return up;
  return downcast(*up, old_bits / common);
}

std::string ComposedLayout::text() const {
  if (plain()) return layout_.text();
  return fmt::format("{} o {} o {}", swizzle_.text(), offset_.text(), layout_.text());
}

Result<IntTuple> crd2idx(TupleView coord, const ComposedLayout& layout) {
  auto inner = crd2idx(coord, layout.layout().view());
  if (!inner || layout.plain()) return inner;
  if (!inner->is_leaf())
    return fault("crd2idx", 2, "a swizzle needs integers, not the coordinate {}", inner->text());
  const Int offset = inner->leaf() + layout.offset();
  if (layout.swizzle().identity()) return IntTuple(offset);
  if (!offset.known()) return undetermined("crd2idx", "which bits does the swizzle move?", offset.symbols());
  return IntTuple(Int(layout.swizzle()(offset.value())));
}

Result<ComposedLayout> composition(const ComposedLayout& lhs, const Tiler& rhs) {
  return lhs.map([&](const Layout& l) { return composition(l, rhs); });
}

namespace {
// The swizzle on the values of `layout` that does what `swizzle` does on its indices.
std::optional<Swizzle> moved_swizzle(const Swizzle& swizzle, const KnownLayout& layout) {
  const auto source = layout.at(swizzle.source_mask());
  const auto target = layout.at(swizzle.target_mask());
  if (!source || !target) return std::nullopt;
  auto moved = make_swizzle(*source, *target);
  if (!moved) return std::nullopt;
  return *moved;
}
}  // namespace

Result<ComposedLayout> composition(LayoutView lhs, const ComposedLayout& rhs) {
  if (rhs.plain()) {
    auto plain = composition(lhs, rhs.layout().view());
    if (!plain) return plain.error();
    return ComposedLayout(std::move(*plain));
  }
  if (!rhs.offset().is(0))
    return fault("composition", 1, "the right-hand side has the offset {}", rhs.offset().text());
  auto known = KnownLayout::of(lhs);
  if (!known) return known.error();
  auto swizzle = moved_swizzle(rhs.swizzle(), *known);
  if (!swizzle)
    return fault("composition", 2, "{} does not keep the bits of {} in runs", Layout(lhs).text(),
                 rhs.swizzle().text());
  auto inner = composition(lhs, rhs.layout().view());
  if (!inner) return inner.error();
  return ComposedLayout(*swizzle, 0, std::move(*inner));
}

Result<ComposedLayout> slice(const ComposedLayout& layout, const Slicer& slicer) {
  auto inner = slice(layout.layout(), slicer);
  if (!inner) return inner.error();
  if (!inner->offset.is_leaf()) return fault("slice", 1, "basis strides have no integer offset");
  return ComposedLayout(layout.swizzle(), layout.offset() + inner->offset.leaf(), std::move(inner->layout));
}

Result<ComposedLayout> upcast(const ComposedLayout& layout, std::int64_t n) {
  auto inner = upcast(layout.layout(), n);
  if (!inner) return inner.error();
  if (layout.plain()) return ComposedLayout(std::move(*inner));
  auto swizzle = upcast(layout.swizzle(), n);
  if (!swizzle) return swizzle.error();
  auto offset = exact_div(layout.offset(), n);
  if (!offset) return fault("upcast", 1, "offset {} is not a multiple of {}", layout.offset().text(), n);
  return ComposedLayout(*swizzle, *offset, std::move(*inner));
}

Result<ComposedLayout> downcast(const ComposedLayout& layout, std::int64_t n) {
  auto inner = downcast(layout.layout(), n);
  if (!inner) return inner.error();
  if (layout.plain()) return ComposedLayout(std::move(*inner));
  auto swizzle = downcast(layout.swizzle(), n);
  if (!swizzle) return swizzle.error();
  return ComposedLayout(*swizzle, layout.offset() * Int(n), std::move(*inner));
}

Result<ComposedLayout> recast(const ComposedLayout& layout, std::int64_t old_bits, std::int64_t new_bits) {
  if (old_bits <= 0 || new_bits <= 0)
    return fault("recast", 1, "element widths of {} and {} bits", old_bits, new_bits);
  const std::int64_t common = std::gcd(old_bits, new_bits);
  ComposedLayout out = layout;
  if (new_bits > common) {
    auto wider = upcast(out, new_bits / common);
    if (!wider) return wider;
    out = std::move(*wider);
  }
  if (old_bits > common) return downcast(out, old_bits / common);
  return out;
}

namespace {

Result<ComposedLayout> inverse(const ComposedLayout& layout, bool right) {
  const char* name = right ? "right_inverse" : "left_inverse";
  auto inner = right ? right_inverse(layout.layout()) : left_inverse(layout.layout());
  if (!inner) return inner.error();
  if (layout.plain()) return ComposedLayout(std::move(*inner));
  if (!layout.offset().is(0)) return fault(name, 1, "the offset is {}", layout.offset().text());
  auto known = KnownLayout::of(*inner);
  if (!known) return known.error();
  auto original = KnownComposed::of(layout);
  if (!original) return original.error();
  constexpr std::int64_t most = std::int64_t{1} << 20;
  if (original->size() > most || known->size() > most) return fault(name, 1, "more than 2^20 elements");
  const Swizzle& sw = layout.swizzle();
  const auto moved = moved_swizzle(sw, *known);
  if (!moved) return fault(name, 2, "the bits of {} are not runs of bits of the coordinates", sw.text());
  const auto back = [&](std::int64_t value) -> std::optional<std::int64_t> {
    const auto index = known->at(value);
    return index ? original->at((*moved)(*index)) : std::nullopt;
  };
  // The candidate is right only when the layout carries those bits through unchanged: look.
  for (std::int64_t i = 0; i < (right ? known->size() : original->size()); ++i) {
    const std::int64_t value = right ? i : (*original)(i);
    if (back(value) != value) return fault(name, 2, "no inverse of the form swizzle o layout (index {})", i);
  }
  return ComposedLayout(*moved, 0, std::move(*inner));
}

}  // namespace

Result<ComposedLayout> right_inverse(const ComposedLayout& layout) { return inverse(layout, true); }
Result<ComposedLayout> left_inverse(const ComposedLayout& layout) { return inverse(layout, false); }

Result<Int> max_common_vector(const ComposedLayout& a, const ComposedLayout& b) {
  auto common = max_common_vector(a.layout(), b.layout());
  if (!common || a.swizzle() == b.swizzle()) return common;
  Int out = *common;
  for (const ComposedLayout* l : {&a, &b})
    if (!l->swizzle().identity()) out = min(out, Int(std::int64_t{1} << l->swizzle().base));
  return out;
}

Result<KnownComposed> KnownComposed::of(const ComposedLayout& layout) {
  auto inner = KnownLayout::of(layout.layout());
  if (!inner) return inner.error();
  if (!layout.offset().known())
    return undetermined("evaluate", "what is the offset?", layout.offset().symbols());
  const std::int64_t offset = layout.offset().value();
  if (offset > most_evaluated_offset || offset < -most_evaluated_offset)
    return fault("evaluate", 1, "the offset {} is past 2^50", offset);
  if (layout.swizzle().period() > most_evaluated_offset)
    return fault("evaluate", 1, "the swizzle {} moves bits past 2^50", layout.swizzle().text());
  return KnownComposed(layout.swizzle(), offset, std::move(*inner));
}

std::optional<std::int64_t> KnownComposed::at(std::int64_t index) const {
  auto inner = layout_.at(index);
  if (!inner || __builtin_add_overflow(*inner, offset_, &*inner)) return std::nullopt;
  return swizzle_(*inner);
}

}  // namespace cutelab::layout
