#pragma once
#include <optional>
#include <vector>

#include "reading/machine/machine.h"

/// Slices of lists. Those that change one give false where they do not know how.
namespace cutelab::reading::machine {

/// slice.indices(size): from `begin` in steps before `end`, which is -1 where a negative step goes to the
/// front.
struct SliceBounds {
  std::int64_t begin = 0, end = 0, step = 1;
};
/// nullopt when a bound is not known, or the step is zero.
std::optional<SliceBounds> bounds_of(const Slice& slice, std::size_t size);
/// Positions of a slice over `size` items; nullopt when a bound is not known.
std::optional<std::vector<std::size_t>> positions_of(const Slice& slice, std::size_t size);
/// list[slice] = value
bool store_slice(Machine& machine, List* list, const Slice& slice, const Value& value, source::Node at,
                 int module);
/// del list[slice]
bool delete_slice(Machine& machine, List* list, const Slice& slice, source::Node at, int module);

}  // namespace cutelab::reading::machine
