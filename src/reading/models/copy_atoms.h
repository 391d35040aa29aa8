#pragma once
#include <optional>

#include "layout/layout.h"
#include "layout/tiler.h"
#include "reading/models/layout_values.h"

// Copy operations, atoms and tiled copies. Records and their fields:
//   CopyOp     the operation's parameters by name
//   CopyAtom   op, value_type, thr_id, layout_src_tv, layout_dst_tv (in elements of value_type),
//              described_by ("source" or "destination": the side of layout_tv_tiled)
//   TiledCopy  those, layout_tv_tiled, tiler_mn, size
//   ThrCopy    those, thr_idx

namespace cutelab::reading::machine {

struct CopyLayouts {
  layout::Layout threads, source, destination;
  bool by_source = true;  ///< a tile's (thread, value) layout describes the source's side
};
/// In elements of `bits`; nullopt: not known.
std::optional<CopyLayouts> copy_layouts(Machine& machine, const Record* op, std::int64_t bits,
                                        std::int64_t bits_per_copy);

struct TiledCopyParts {
  CopyLayouts atom;
  layout::Layout thread_values;
  layout::Tiler tiler;
};
std::optional<TiledCopyParts> tiled_copy_parts(Machine& machine, const Value& value);
/// (thread index, value) → index in the tile, of the source's or the destination's side.
Result<layout::Layout> tiled_side(const TiledCopyParts& copy, bool source);
/// (V,RestM,RestN,…): a thread's part of a tensor.
Result<layout::Layout> copy_partition(const TiledCopyParts& copy, const layout::Layout& tensor, bool source);
/// The same values in the order of the copy: (V,RestM,RestN,…) of a fragment.
Result<layout::Layout> copy_retile(const TiledCopyParts& copy, const layout::Layout& fragment);

/// Thread-value layout and tiler for an atom whose threads and values are given as addresses of `data`.
struct Cotiled {
  layout::Layout thread_values;
  layout::Tiler tiler;
};
Result<Cotiled> cotiled(const layout::Layout& addresses, const layout::Layout& data);
/// Addresses of a tensor-memory copy's threads and values, in elements of `bits`: four warps of 32 data
/// paths. nullopt: not a tensor-memory copy.
std::optional<layout::Layout> tensor_memory_addresses(Machine& machine, const Record* op, std::int64_t bits);

}  // namespace cutelab::reading::machine
