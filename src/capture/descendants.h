#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cutelab::capture {

/// A running process below another one.
struct Descendant {
  pid_t id = 0;
  std::uint64_t resident_bytes = 0;
};

/// What /proc tells of running processes, in memory taken beforehand: after a fork out of several threads,
/// where nothing may be allocated, the functions here still work.
class ProcessTable {
 public:
  /// Room for this many processes of the machine; more than that are passed over.
  explicit ProcessTable(std::size_t most = 65'536);

  /// Every process whose chain of parents leads to `root`, without `root` and without those that have ended.
  /// Valid until the next call.
  std::span<const Descendant> below(pid_t root);

  /// Kills all below this process, as often as it takes for none to be left, and waits for those that are its
  /// own. The caller is a subreaper, so none escapes by losing its parent. Returns how many the first look
  /// found.
  int kill_all();

 private:
  struct Row {
    pid_t id = 0;
    pid_t parent = 0;
    char state = 'Z';
    std::uint64_t resident_bytes = 0;
  };
  static bool read_stat(pid_t id, Row& row);
  void look();
  friend std::uint64_t proportional_bytes(std::span<const Descendant> processes);

  std::vector<Row> rows_;
  std::vector<pid_t> family_;
  std::vector<Descendant> found_;
};

/// What these processes hold together, a page that several share counted once: the sum of their proportional
/// set sizes, where the kernel tells them (else resident memory). Slower than a look; allocates nothing.
std::uint64_t proportional_bytes(std::span<const Descendant> processes);

}  // namespace cutelab::capture
