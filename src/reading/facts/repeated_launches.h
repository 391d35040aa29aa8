#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "reading/facts/context.h"

namespace cutelab::reading {

/// Threads of a block value: product of its items.
evidence::Value threads_of_block(const evidence::Value& block);

/// What one launch was given: "grid", "block", "cluster", "threads", "smem_bytes"; not known where it was not
/// passed, bytes of shared memory aside, which the kernel's allocations tell too.
evidence::Value given_in(const FactContext& context, const SeenLaunch& launch, std::string_view name);

/// The launches of `seen` that are of that kernel, in the order of the run.
std::vector<SeenLaunch> launches_of(const std::vector<SeenLaunch>& seen, const std::string& kernel);

/// Whether the launches are given different values there.
bool is_given_differently(const FactContext& context, const std::vector<SeenLaunch>& launches,
                          std::string_view name);

/// Where one statement launched a kernel several times with different values: their number as `launches`,
/// what they were given, each once, in the order of the run, as grid_by_launch, smem_bytes_by_launch …; grid
/// and the others stay those of the first, where it is known that all are made.
void note_repeated_launches(const FactContext& context, const std::vector<SeenLaunch>& launches,
                            evidence::Fact& fact);

}  // namespace cutelab::reading
