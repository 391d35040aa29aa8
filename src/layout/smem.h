#pragma once
#include <optional>
#include <string_view>

#include "layout/composed.h"

// Shared-memory layouts that TMA, wgmma and tcgen05 agree on: the canonical atoms and the helpers of the CuTe
// DSL that tile them (cutlass/utils/hopper_helpers.py and blackwell_helpers.py; atoms as in
// cute/atom/mma_traits_sm90_gmma.hpp).
//
// As in CuTe, an atom's layout counts elements while its swizzle acts on the byte address: the same S<3,4,3>
// for every element width. element_form and byte_form give each in one unit.

namespace cutelab::layout {

enum class Major { k, mn };  ///< which mode is contiguous: K, or M (N for operand B)

enum class SmemAtomKind {
  mn_inter,
  mn_sw32,
  mn_sw64,
  mn_sw128,
  mn_sw128_32b,
  k_inter,
  k_sw32,
  k_sw64,
  k_sw128
};
std::string_view name_of(SmemAtomKind kind);  ///< "K_SW128", as the DSL's SmemLayoutAtomKind
std::optional<SmemAtomKind> smem_atom_kind(std::string_view name);
inline constexpr SmemAtomKind all_smem_atom_kinds[] = {
    SmemAtomKind::mn_inter, SmemAtomKind::mn_sw32,      SmemAtomKind::mn_sw64,
    SmemAtomKind::mn_sw128, SmemAtomKind::mn_sw128_32b, SmemAtomKind::k_inter,
    SmemAtomKind::k_sw32,   SmemAtomKind::k_sw64,       SmemAtomKind::k_sw128};
/// Contiguous bytes of one row of the atom, which is also what a TMA box may hold along it: 16, 32, 64 or
/// 128.
std::int64_t span_bytes(SmemAtomKind kind);
Major major_of(SmemAtomKind kind);

/// The atom for elements of `bits`: (8, span) or (span, 8). 1. Pre: bits is 4, 6, 8, 16, 32 or 64 and divides
/// the span.
Result<ComposedLayout> smem_layout_atom(SmemAtomKind kind, std::int64_t bits);

/// The widest atom whose span divides the contiguous extent. 1. Pre: `extent` is a multiple of 8 elements
/// (and of 16 bytes on sm100).
Result<SmemAtomKind> sm90_smem_atom(Major major, std::int64_t bits, std::int64_t extent);
Result<SmemAtomKind> sm100_smem_atom(Major major, std::int64_t bits,
                                     std::int64_t extent);  ///< MN_SW128_32B for 32-bit MN-major

struct TileMnk {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

/// make_smem_layout_a / _b of the Hopper helpers: (M or N, K, stages). 1. Pre: the atom divides the tile.
Result<ComposedLayout> sm90_make_smem_layout_a(Major major, const TileMnk& tile, std::int64_t bits,
                                               std::int64_t stages);
Result<ComposedLayout> sm90_make_smem_layout_b(Major major, const TileMnk& tile, std::int64_t bits,
                                               std::int64_t stages);
/// make_smem_layout_epi: (M, N, stages) of the epilogue tile; `n_major`: rows of D are contiguous. 1. Pre: as
/// a, b.
Result<ComposedLayout> sm90_make_smem_layout_epi(std::int64_t bits, bool n_major, std::int64_t m,
                                                 std::int64_t n, std::int64_t stages);
Result<ComposedLayout> sm100_make_smem_layout_epi(std::int64_t bits, bool n_major, std::int64_t m,
                                                  std::int64_t n, std::int64_t stages);

/// make_smem_layout_a / _b of the Blackwell helpers: ((MMA M or N, MMA K), rest M or N, rest K, stages) for
/// one CTA. `instruction` is the shape of one tcgen05.mma (of the CTA pair when `ctas` is 2), `tile` the MMA
/// tiler.
/// 1. Pre: the instruction divides the tile; ctas is 1 or 2. 2. Pre: the atom divides the CTA's part.
Result<ComposedLayout> sm100_make_smem_layout_a(Major major, const TileMnk& instruction, int ctas,
                                                const TileMnk& tile, std::int64_t bits, std::int64_t stages);
Result<ComposedLayout> sm100_make_smem_layout_b(Major major, const TileMnk& instruction, int ctas,
                                                const TileMnk& tile, std::int64_t bits, std::int64_t stages);
/// An atom tiled to ((m,k),rest m,rest k,…) with the rest modes in `order`, coalesced by mode. 1. Pre: as
/// tile_to_shape.
Result<ComposedLayout> tile_to_mma_shape(const ComposedLayout& atom, const IntTuple& shape,
                                         const IntTuple& order);

/// In one unit: element offsets, with the swizzle recast to elements (S<3,4,3> on bytes is S<3,3,3> on 16-bit
/// elements).
/// 1. Pre: bits is 8 times a power of two, or 4 (two elements a byte).
Result<ComposedLayout> element_form(const ComposedLayout& smem, std::int64_t bits);
/// In one unit: byte offsets. 1. Pre: bits is a multiple of 8.
Result<ComposedLayout> byte_form(const ComposedLayout& smem, std::int64_t bits);

}  // namespace cutelab::layout
