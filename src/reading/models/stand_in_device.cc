#include "reading/models/stand_in_device.h"

#include <array>

namespace cutelab::reading::machine {
namespace stand_in_models {

// Multiprocessors and L2 of the data-centre or largest part of each capability (datasheets); shared memory
// per block as the CUDA programming guide's table of technical specifications gives it (opt-in maximum).
constexpr std::array<StandInDevice, 12> devices = {{
    {"NVIDIA A100", 8, 0, 108, 166912, 41943040},
    {"NVIDIA A10", 8, 6, 72, 101376, 6291456},
    {"NVIDIA Jetson Orin", 8, 7, 16, 166912, 4194304},
    {"NVIDIA L40", 8, 9, 142, 101376, 100663296},
    {"NVIDIA H100", 9, 0, 132, 232448, 52428800},
    {"NVIDIA B200", 10, 0, 148, 232448, 132644864},
    {"NVIDIA B200", 10, 1, 148, 232448, 132644864},
    {"NVIDIA B300", 10, 3, 148, 232448, 132644864},
    {"NVIDIA Rubin", 10, 7, 224, 232448, 132644864},
    {"NVIDIA Thor", 11, 0, 20, 232448, 33554432},
    {"NVIDIA RTX PRO 6000", 12, 0, 188, 101376, 134217728},
    {"NVIDIA GB10", 12, 1, 48, 101376, 25165824},
}};

}  // namespace stand_in_models

std::optional<std::pair<int, int>> compute_capability(std::string_view arch) {
  const auto underscore = arch.rfind('_');
  if (underscore != std::string_view::npos) arch = arch.substr(underscore + 1);
  int number = 0, digits = 0;
  for (const char c : arch) {
    if (c < '0' || c > '9' || digits == 4) break;
    number = number * 10 + (c - '0');
    ++digits;
  }
  if (digits < 2) return std::nullopt;
  return std::pair{number / 10, number % 10};
}

std::optional<StandInDevice> stand_in_device(Machine& machine) {
  using namespace stand_in_models;
  const auto capability = compute_capability(machine.arch());
  if (!capability) return std::nullopt;
  for (StandInDevice device : devices) {
    if (device.major != capability->first || device.minor != capability->second) continue;
    if (machine.options().multiprocessors > 0) device.multiprocessors = machine.options().multiprocessors;
    return device;
  }
  return std::nullopt;
}

std::optional<std::int64_t> shared_memory_of(std::string_view arch) {
  using namespace stand_in_models;
  const auto capability = compute_capability(arch);
  if (!capability) return std::nullopt;
  for (const StandInDevice& device : devices)
    if (device.major == capability->first && device.minor == capability->second)
      return device.shared_per_block;
  return std::nullopt;
}

}  // namespace cutelab::reading::machine
