#pragma once
#include <optional>
#include <string>
#include <vector>

#include "layout/composed.h"

// What a TMA descriptor may say (CUDA driver API, cuTensorMapEncodeTiled) and how a tile is cut into boxes.

namespace cutelab::layout {

/// A tile of a global tensor to be moved by TMA. Modes of `global` and `tile` correspond.
struct TmaRequest {
  Layout global;                         ///< extents and strides in elements
  IntTuple tile;                         ///< extents of the tile, one leaf per mode of global
  std::int64_t bits = 16;                ///< of an element
  std::int64_t swizzle_span = 128;       ///< bytes: 16 (none), 32, 64 or 128
  std::optional<ComposedLayout> smem;    ///< where the tile goes, for the rules on that side
  std::optional<std::uint64_t> address;  ///< of the tensor, when it is known
};

enum class Verdict { holds, broken, undetermined };

struct TmaRule {
  std::string name;  ///< "box-extent"
  Verdict verdict = Verdict::holds;
  std::string says;   ///< "mode 0: 128 of at most 256 elements"
  std::string field;  ///< of cuTensorMapEncodeTiled that carries it: "boxDim"; empty: of shared memory
};

struct TmaReport {
  std::vector<TmaRule> rules;
  std::vector<int> order;         ///< modes of the tensor, contiguous first, as the descriptor lists them
  std::vector<std::int64_t> box;  ///< extents of one box in that order; empty when undetermined
  std::int64_t boxes = 0;         ///< per tile; 0 when undetermined
  std::int64_t box_bytes = 0;
  bool legal() const;  ///< no rule is broken or undetermined
};

/// Rules, each by name: rank (1 to 5 modes), contiguous (one mode has stride 1), stride-16B (the other
/// strides are multiples of 16 bytes), extent (at most 2^32), box-extent (at most 256 per mode), inner-16B
/// (the box's rows are multiples of 16 bytes), swizzle-span (a row of the box is at most the span; wider
/// tiles are cut into several boxes), tile-inner (the span divides a wider tile's row), smem-stride-16B
/// (modes of the shared-memory side other than the contiguous one step by multiples of 16 bytes; the CuTe DSL
/// refuses others from 4.6 on), smem-alignment (what base address the swizzle wants), address (not null and a
/// multiple of 16 bytes).
/// 1. Pre: tile has one leaf per mode of global; bits 4 to 64; the span is 16, 32, 64 or 128. 2. Pre: extents
/// of the tile are 1 or more.
Result<TmaReport> check_tma(const TmaRequest& request);

/// Mode with stride 1 as a DLPack consumer deduces it: nullopt and the reason when extents of 1 make it
/// ambiguous.
struct LeadingMode {
  std::optional<int> mode;
  std::string says;  ///< "modes 0 and 1 both have stride 1: pass the leading dimension explicitly"
};
LeadingMode leading_mode(LayoutView layout);

/// Matrix descriptors of wgmma and tcgen05 count in units of 16 bytes: the layout of an operand as the
/// descriptor iterator steps. 1. Pre: offsets of the modes are multiples of 16 bytes (the modes inside one
/// row of 16 bytes vanish).
Result<ComposedLayout> descriptor_units(const ComposedLayout& smem, std::int64_t bits);

}  // namespace cutelab::layout
