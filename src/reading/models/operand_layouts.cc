#include <algorithm>

#include "reading/models/mma_atoms.h"

// Which canonical shared-memory layout an operand has: a matrix descriptor can say no other (PTX ISA, matrix
// descriptors of wgmma and tcgen05; the atoms of cute/atom/mma_traits_sm90_gmma.hpp).

namespace cutelab::reading::machine {
namespace {

constexpr std::int64_t unit_bits = 128;  // a descriptor counts in 16 bytes
constexpr std::int64_t rows = 8;         // of an atom

/// The swizzle that an address in the tensor goes through; nullopt: not known.
std::optional<layout::Swizzle> swizzle_under(Machine& m, const Record* tensor,
                                             const layout::ComposedLayout& whole) {
  if (!whole.swizzle().identity()) return whole.swizzle();
  Value given = m.field(tensor, "swizzle");
  if (!given.bound())
    if (const Record* pointer = m.field(tensor, "iterator").as<Record>()) {
      given = m.field(pointer, "swizzle");
      if (!given.bound() && m.field(pointer, "offset").bound()) return layout::Swizzle();  // allocated so
    }
  if (given.is_none()) return layout::Swizzle();
  const Record* swizzle = record_of(given, "Swizzle");
  if (!swizzle) return std::nullopt;
  const auto bits = integer_of(m.field(swizzle, "num_bits")), base = integer_of(m.field(swizzle, "num_base")),
             shift = integer_of(m.field(swizzle, "num_shift"));
  auto made = bits && base && shift ? layout::Swizzle::make(*bits, *base, *shift)
                                    : Result<layout::Swizzle>(layout::Swizzle());
  return bits && base && shift && made ? std::optional(*made) : std::nullopt;
}

/// f(index) for index = 0 … n-1 steps by `step`.
template <class F>
bool steps_by(const F& f, std::int64_t n, std::int64_t step) {
  for (std::int64_t i = 0; i < n; ++i)
    if (f(i) != i * step) return false;
  return true;
}

/// The name of the atom whose rows the instruction's part (M or N, K) has; "none" when it has none's.
std::string atom_of(const layout::KnownLayout& part, std::int64_t extent, std::int64_t bits, int swizzle) {
  const std::int64_t unit = unit_bits / bits, width = (std::int64_t{1} << swizzle) * unit;  // of a row
  const std::int64_t depth = part.size() / extent;
  const auto across = [&](std::int64_t i) { return part(i); };
  const auto along = [&](std::int64_t k) { return part(k * extent); };
  static constexpr const char* names[] = {"INTER", "SW32", "SW64", "SW128"};
  const std::int64_t row = std::min(swizzle == 0 ? unit : width, depth);
  if (steps_by(along, row, 1) && steps_by(across, std::min(rows, extent), width))
    return std::string("K_") + names[swizzle];
  if (steps_by(across, std::min(width, extent), 1) && steps_by(along, std::min(rows, depth), width))
    return std::string("MN_") + names[swizzle];
  return "none";
}

}  // namespace

std::optional<std::string> descriptor_atom(Machine& m, const Record* tensor) {
  auto whole = layout_of(m, m.field(tensor, "layout"));
  auto bits = width_of(m, m.field(tensor, "element_type"));
  if (!whole || !bits || *bits < 8 || unit_bits % *bits != 0 || whole->rank() < 2) return std::nullopt;
  const layout::LayoutView first = whole->layout().view().mode(0);
  const auto swizzle = swizzle_under(m, tensor, *whole);
  if (!swizzle || first.rank() != 2 || swizzle->bits > 3) return std::nullopt;
  if (!swizzle->identity() && (swizzle->base != 4 || swizzle->shift != 3)) return std::nullopt;
  const layout::Int extent = layout::size(first.mode(0));
  auto part = layout::KnownLayout::of(first);
  if (!part || !extent.known() || extent.value() < 1) return std::nullopt;
  return atom_of(*part, extent.value(), *bits, swizzle->bits);
}

}  // namespace cutelab::reading::machine
