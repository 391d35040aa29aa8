#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "reading/machine/machine.h"

/// The device that stands in for the user's when host code asks for one: figures by compute capability.
namespace cutelab::reading::machine {

struct StandInDevice {
  std::string_view name;
  int major, minor;
  int multiprocessors;
  std::int64_t shared_per_block;  ///< opt-in, bytes
  std::int64_t l2_bytes;
};

/// "sm_100a" -> 10, 0; nullopt = no target. "sm_90", "100a" and "sm_121a" are understood.
std::optional<std::pair<int, int>> compute_capability(std::string_view arch);
/// The device of the machine's target (its multiprocessors as the options say); nullopt = target not known.
std::optional<StandInDevice> stand_in_device(Machine& machine);
/// Opt-in shared memory of a target in bytes; nullopt = not known.
std::optional<std::int64_t> shared_memory_of(std::string_view arch);

}  // namespace cutelab::reading::machine
