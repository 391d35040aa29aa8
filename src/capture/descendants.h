#pragma once
#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace cutelab::capture {

/// A running process below another one.
struct Descendant {
  pid_t id = 0;
  std::uint64_t resident_bytes = 0;
};

/// Every process whose chain of parents leads to `root`, without `root` and without those that have ended.
std::vector<Descendant> descendants_of(pid_t root);

/// What these processes hold together, a page that several share counted once: the sum of their proportional
/// set sizes, where the kernel tells them (else resident memory). Slower than descendants_of.
std::uint64_t proportional_bytes(const std::vector<Descendant>& processes);

/// Kills them all, as often as it takes for none to be left, and waits for those that are ours. The caller is
/// a subreaper, so none escapes by losing its parent. Returns how many the first look found.
int kill_descendants();

}  // namespace cutelab::capture
