#pragma once
#include <string>

#include "report/model.h"

namespace cutelab::report {

/// Roles as lanes, pipelines as arrows from who fills a stage to who uses it, labelled with class and stages.
/// Each arrow links to its fact (#F<index>). Empty when the kernel has no pipeline and fewer than two roles.
std::string role_diagram(const KernelModel& model);

/// What a kernel's shared memory is made of. Totals close: members, the rest (padding), and free space up to
/// the target's limit.
struct MemoryShare {
  std::string name;
  std::int64_t bytes = 0;
  enum class Kind { member, rest, free } kind = Kind::member;
  std::size_t fact = 0;  ///< of a member
  std::string note;      ///< in place of the size: "0–127" of columns
};
/// What lies over others' bytes, in a row of its own.
struct MemoryOverlay {
  std::string name, note;
  std::int64_t begin = 0, bytes = 0;
  int level = 1;  ///< no two of one level lie over each other
  std::size_t fact = 0;
};
struct MemoryMap {
  std::vector<MemoryShare> shares;
  std::int64_t used = 0;   ///< members and rest
  std::int64_t total = 0;  ///< all shares: the limit, when it is known and not exceeded, else used
  int unknown = 0;         ///< members whose size is undetermined
  std::vector<MemoryOverlay> over;
  std::string extent;  ///< how much of how much: "512 of 512 columns allocated"
};
MemoryMap memory_map(const KernelModel& model);

/// Tensor memory of one SM, 128 lanes of 4 bytes per column: tensors, columns of the allocation of which no
/// tensor is told, and free ones; tensors over the same columns as others are `over` them. Empty when the
/// number of columns is not known.
MemoryMap tensor_memory_map(const KernelModel& model);

/// The map as one bar to scale. Empty when no size is known.
std::string memory_diagram(const MemoryMap& map, const char* what = "shared memory");

}  // namespace cutelab::report
