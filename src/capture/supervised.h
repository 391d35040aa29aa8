#pragma once
#include <cstdint>
#include <string>

#include "base/process.h"
#include "base/result.h"

namespace cutelab::capture {

/// Bounds of a child program that nobody vouches for, together with everything it starts.
struct Limits {
  double seconds = 180;
  std::uint64_t memory_bytes =
      8ull << 30;  ///< of all its processes together, a page that they share counted once
  std::uint64_t output_bytes = 16ull << 20;
  int processes = 128;
  std::uint64_t file_bytes = 2ull << 30;  ///< of one file that it writes
};

/// How it ended.
enum class Ending { exited, signalled, time_limit, memory_limit, output_limit, process_limit };

struct Supervised {
  Ending ending = Ending::exited;
  int exit_code = 0;  ///< of `exited`
  int signal = 0;     ///< of `signalled`
  double seconds = 0;
  std::uint64_t peak_bytes = 0;    ///< largest resident memory seen, of all its processes together
  std::uint64_t output_bytes = 0;  ///< written in all
  int stragglers = 0;              ///< processes of its that still ran when it ended, and were killed
  std::string output;              ///< the last 64 KiB of stdout and stderr together
};

/// Runs the child until it ends or breaks a limit, then kills whatever it left behind, also what left its
/// process group or its session. Should this process die first, the child is killed too and `spec.scratch`
/// removed. `spec.limit_seconds` is not used. Error (kind unavailable): the program cannot be started.
Result<Supervised> run_supervised(const ProcessSpec& spec, const Limits& limits);

}  // namespace cutelab::capture
