#pragma once
#include "layout/smem.h"

// Where the scale factors of block-scaled operands lie (SFA, SFB): one factor per `vector` elements of K (16
// for nvf4, 32 for mxf4 and mxf8). A block of 128 rows by 4 factors is one run of 512 factors, so that the
// four factors of a row are one 32-bit word of tensor memory. Coordinates count elements of A or B, offsets
// count factors; elements that share a factor have stride 0. As CuTe's Sm1xxBlockScaledConfig and the DSL's
// cutlass/utils/blockscaled_layout.py.

namespace cutelab::layout {

/// BlockScaledBasicChunk: ((32,4),(vector,4)) for K-major, its modes exchanged for MN-major.
/// 1. Pre: vector is 16 or 32.
Result<Layout> scale_factor_atom(std::int64_t vector, Major major = Major::k);

/// tile_atom_to_shape_SF (SFA, SFB): the atom over (M or N, K) or (M or N, K, batch), K first, then rows.
/// 1. Pre: as scale_factor_atom. 2. Pre: the shape has 2 or 3 modes; 128 rows and 4 × vector of K divide it.
Result<Layout> tile_atom_to_shape_sf(const IntTuple& shape, std::int64_t vector);

/// make_smem_layout_sfa / _sfb of the DSL: (((rows),(K)), rest M or N, rest K, stages) for one CTA; B's rows
/// are rounded up to 128. `instruction` is the shape of one tcgen05.mma (of the CTA pair when `ctas` is 2).
/// 1. Pre: as scale_factor_atom. 2. Pre: as tile_atom_to_shape_sf. 3. Pre: the instruction divides the tile;
/// ctas is 1 or 2.
Result<Layout> sm100_make_smem_layout_sfa(const TileMnk& instruction, int ctas, const TileMnk& tile,
                                          std::int64_t vector, std::int64_t stages);
Result<Layout> sm100_make_smem_layout_sfb(const TileMnk& instruction, int ctas, const TileMnk& tile,
                                          std::int64_t vector, std::int64_t stages);

}  // namespace cutelab::layout
