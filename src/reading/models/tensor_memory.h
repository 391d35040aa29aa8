#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "reading/models/layout_values.h"

// Where tensors lie in tensor memory: 128 lanes of 512 columns of 32 bits. An address is counted in bits of
// one lane after another, as layouts count it: the next lane begins 65,536 columns later. Pointers into it
// have the fields
//   tmem_bits    integer, or an unknown with its reason
//   tmem_base    "allocation": bits count from where the allocation begins; "zero": from the memory's begin

namespace cutelab::reading::machine {

inline constexpr std::int64_t tmem_lane_bits = 65536 * 32;
inline constexpr std::int64_t tmem_column_bits = 32;
inline constexpr std::int64_t all_tmem_columns = 512, all_tmem_lanes = 128;

/// Says where a pointer that was just made points to.
void place_in_tensor_memory(Machine& machine, Record* pointer, const Value& bits, const char* base);
/// Whether the place of a pointer is followed: those into tensor memory.
bool is_placed(Machine& machine, const Value& pointer);
/// The pointer `elements` further on; the pointer itself when it is none whose place is followed.
Value moved_in_tensor_memory(Machine& machine, const Value& pointer, const Value& elements);
/// A tensor over tensor memory whose begin is the thread's own: `tensor`'s pointer with an unknown place.
void forget_place(Machine& machine, Record* tensor, std::string reason);

/// Columns and lanes that a tensor takes.
struct TensorMemoryPart {
  std::int64_t first_column = 0, columns = 0;
  std::int64_t first_lane = 0, lanes = 0;
};
/// Columns and lanes from the tensor's begin on; nullopt: the layout or the element type is not known.
std::optional<TensorMemoryPart> extent_in_tensor_memory(Machine& machine, const Value& layout,
                                                        const Value& type, std::int64_t from_bits);

/// The layout in tensor memory of scale factors, of 8 bits each, from that of one stage in shared memory
/// ((rows,(vector,factors)),1,…): rows in groups of 32 lanes, one column each, four factors of K in a column,
/// all four warps' lanes alike. nullopt: another layout.
std::optional<layout::Layout> scale_factor_layout(const layout::Layout& shared);

}  // namespace cutelab::reading::machine
