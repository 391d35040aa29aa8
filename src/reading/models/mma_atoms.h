#pragma once
#include <optional>
#include <string_view>

#include "layout/layout.h"
#include "reading/models/layout_values.h"

// Matrix operations and atoms. Records and their fields:
//   MmaOp     family ("nvgpu" "warp" "warpgroup" "tcgen05"), the operation's parameters by name, shape_mnk
//   MmaAtom   op, shape_mnk, thr_id, tv_layout_A, tv_layout_B, tv_layout_C
//   TiledMma  those, thr_layout_vmnk, permutation_mnk, size
//   ThrMma    those, thr_idx

namespace cutelab::reading::machine {

enum class Operand { a, b, c };

struct MmaLayouts {
  layout::Layout threads, a, b, c;
  const layout::Layout& of(Operand operand) const {
    return operand == Operand::a ? a : operand == Operand::b ? b : c;
  }
};

/// Thread-value layouts of an operation's record; nullopt: not known.
std::optional<MmaLayouts> mma_layouts(Machine& machine, const Record* op);
/// Threads of an operation whose types or shape are not known; nullopt: not told by its family.
std::optional<layout::Layout> mma_threads(Machine& machine, const Record* op);

/// A record TiledMma or ThrMma as the algebra wants it; nullopt: something of it is not known.
struct TiledMmaParts {
  MmaLayouts atom;
  layout::IntTuple shape;  ///< (M, N, K) of the atom
  layout::Layout threads_vmnk;
  std::vector<layout::Tiler> permutation;  ///< three
};
std::optional<TiledMmaParts> tiled_mma_parts(Machine& machine, const Value& value);
/// Elements that the tiled MMA covers along M, N or K (mode 0, 1, 2).
layout::Int tile_size(const TiledMmaParts& mma, int mode);
/// ((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK,…))) of a layout of the operand's tile.
Result<layout::Layout> thread_fragments(const TiledMmaParts& mma, Operand operand,
                                        const layout::Layout& tile);
/// (FrgV,RestM,RestK,…): one thread's (or CTA's) part.
Result<layout::Sliced> partition(const TiledMmaParts& mma, Operand operand, const layout::Layout& tile);
/// (thread index, value) → index in the tile of the tiled MMA.
Result<layout::Layout> tiled_thread_values(const TiledMmaParts& mma, Operand operand);

/// Tensor memory for an operand's partitioned shape, in elements of `bits`: data paths step by 2^16 columns
/// of 32 bits. `tile_m` is the atom's M per CTA, two CTAs share an accumulator of 64 rows each. nullopt: a
/// shape that the rule does not cover.
std::optional<layout::Layout> tensor_memory_layout(const layout::IntTuple& shape, std::int64_t bits,
                                                   bool accumulator, bool two_ctas);

/// The atom of shared-memory layouts that a partitioned operand, (instruction's part, rest…), is tiled from:
/// "K_SW128"; "none": no matrix descriptor can say its layout; nullopt: not known.
std::optional<std::string> descriptor_atom(Machine& machine, const Record* tensor);

}  // namespace cutelab::reading::machine
