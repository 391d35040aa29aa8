#include "device/asked_apart.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace cutelab::device {
namespace {

/// Numbers of one struct as they lie in memory: both sides are the same program.
template <class T>
std::string bytes_of(const T& numbers) {
  return std::string(reinterpret_cast<const char*>(&numbers), sizeof numbers);
}
template <class T>
T from_bytes(const std::string& bytes) {
  T numbers{};
  if (bytes.size() == sizeof numbers) std::memcpy(&numbers, bytes.data(), sizeof numbers);
  return numbers;
}

struct InfoNumbers {
  int index, major, minor, sms, registers_per_sm, max_sm_clock_mhz, max_memory_clock_mhz;
  std::int64_t memory_bytes, l2_bytes, smem_per_block_bytes;
};

struct SampleNumbers {
  std::optional<double> sm_clock_mhz, memory_clock_mhz, power_w, temperature_c;
};

/// One message is a word, a colon and what it names.
void tell(const Isolated& parent, const char* word, const std::string& what) {
  parent.tell(std::string(word) + ":" + what);
}

void tell(const Isolated& parent, const DeviceInfo& d) {
  tell(parent, "device",
       bytes_of(InfoNumbers{d.index, d.major, d.minor, d.sms, d.registers_per_sm, d.max_sm_clock_mhz,
                            d.max_memory_clock_mhz, d.memory_bytes, d.l2_bytes, d.smem_per_block_bytes}));
  tell(parent, "name", d.name);
  tell(parent, "pci", d.pci_bus_id);
}

void tell(const Isolated& parent, const Sample& s) {
  tell(parent, "sample",
       bytes_of(SampleNumbers{s.sm_clock_mhz, s.memory_clock_mhz, s.power_w, s.temperature_c}));
  for (const std::string& reason : s.throttle_reasons) tell(parent, "throttled", reason);
}

void tell(const Isolated& parent, const Error& error) {
  tell(parent, "error", bytes_of(std::array<int, 2>{static_cast<int>(error.kind), error.code}));
  tell(parent, "asked", error.asked);
  tell(parent, "wrong", error.wrong);
  tell(parent, "where", error.where);
  tell(parent, "remedy", error.remedy);
}

/// The child's side.
void ask(Device& machine, bool samples, const Isolated& parent) {
  parent.phase("the question for its GPUs", true);
  const auto devices = machine.list();
  if (!devices) return tell(parent, devices.error());
  for (const DeviceInfo& device : *devices) tell(parent, device);
  tell(parent, "listed", "");
  parent.phase("the question for its version", true);
  const DriverInfo driver = machine.driver();
  tell(parent, "cuda", bytes_of(driver.cuda_version));
  tell(parent, "driver", driver.version);
  tell(parent, "no-nvml", driver.nvml_missing_because);
  if (!samples) return;
  for (const DeviceInfo& device : *devices) {
    parent.phase(fmt::format("the question for the state of GPU {}", device.index), true);
    auto session = machine.open(device.index);
    tell(parent, session ? (*session)->sample() : Sample{});
  }
}

/// The parent's side.
class Hearing {
 public:
  void hear(const std::string& message) {
    const auto colon = message.find(':');
    const std::string word = message.substr(0, colon);
    const std::string what = message.substr(colon + 1);
    if (word == "listed") listed_ = true;
    if (word == "cuda") answer_.driver.cuda_version = from_bytes<int>(what);
    if (word == "driver") answer_.driver.version = what;
    if (word == "no-nvml") answer_.driver.nvml_missing_because = what;
    hear_device(word, what);
    hear_sample(word, what);
    hear_error(word, what);
  }

  Result<MachineAnswer> result(const std::string& stopped) {
    if (error_) return *error_;
    answer_.stopped_because = stopped;
    if (listed_) return std::move(answer_);
    return Error{ErrorKind::unavailable, "ask the CUDA driver", stopped.empty() ? "it told nothing" : stopped,
                 "",
                 "install NVIDIA's driver again, or take a broken libcuda.so.1 or libnvidia-ml.so.1 out of "
                 "LD_LIBRARY_PATH"};
  }

 private:
  void hear_device(const std::string& word, const std::string& what) {
    auto& devices = answer_.devices;
    if (word == "device") {
      const auto n = from_bytes<InfoNumbers>(what);
      devices.push_back({n.index, "", n.major, n.minor, n.sms, n.memory_bytes, n.l2_bytes,
                         n.smem_per_block_bytes, n.registers_per_sm, n.max_sm_clock_mhz,
                         n.max_memory_clock_mhz, ""});
    }
    if (word == "name" && !devices.empty()) devices.back().name = what;
    if (word == "pci" && !devices.empty()) devices.back().pci_bus_id = what;
  }
  void hear_sample(const std::string& word, const std::string& what) {
    if (word == "sample") {
      const auto n = from_bytes<SampleNumbers>(what);
      answer_.now.push_back({n.sm_clock_mhz, n.memory_clock_mhz, n.power_w, n.temperature_c, {}});
    }
    if (word == "throttled" && !answer_.now.empty()) answer_.now.back().throttle_reasons.push_back(what);
  }
  void hear_error(const std::string& word, const std::string& what) {
    if (word == "error") {
      const auto numbers = from_bytes<std::array<int, 2>>(what);
      error_ = Error{static_cast<ErrorKind>(numbers[0]), "", "", "", "", numbers[1]};
    }
    if (!error_) return;
    if (word == "asked") error_->asked = what;
    if (word == "wrong") error_->wrong = what;
    if (word == "where") error_->where = what;
    if (word == "remedy") error_->remedy = what;
  }

  MachineAnswer answer_;
  std::optional<Error> error_;
  bool listed_ = false;
};

}  // namespace

std::string stopped_because(const IsolatedEnd& end) {
  const std::string during = end.phase.empty() ? "" : " during " + end.phase;
  switch (end.how) {
    case IsolatedEnd::How::returned:
      return "";
    case IsolatedEnd::How::time_limit:
      return fmt::format("the driver did not answer within {:.0f} s{}; the process that asked it was ended",
                         end.phase_seconds, during);
    case IsolatedEnd::How::left:
      return fmt::format("the driver ended the process that asked it{}", during);
    case IsolatedEnd::How::signal:
      break;
  }
  const char* name = end.signal ? strsignal(end.signal) : nullptr;
  return fmt::format("the driver crashed{}: {}", during, name ? name : "an exception");
}

Result<MachineAnswer> ask_apart(Device& machine, bool samples, double limit_seconds) {
  Hearing hearing;
  auto end = run_isolated([&](const Isolated& parent) { ask(machine, samples, parent); }, limit_seconds,
                          [&](const std::string& message) { hearing.hear(message); });
  if (!end) return end.error();
  return hearing.result(stopped_because(*end));
}

}  // namespace cutelab::device
