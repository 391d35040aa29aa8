#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/counters.h"
#include "device/timeline.h"

namespace cutelab::device {

/// What the driver says about one GPU. A figure of 0 was refused by the driver, or cannot be.
struct DeviceInfo {
  int index = 0;  ///< among the visible ones
  std::string name;
  int major = 0;  ///< compute capability
  int minor = 0;
  int sms = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t smem_per_block_bytes = 0;  ///< with opt-in
  int registers_per_sm = 0;
  int max_sm_clock_mhz = 0;      ///< 0 = not told
  int max_memory_clock_mhz = 0;  ///< 0 = not told
  std::string pci_bus_id;

  bool known_arch() const { return major > 0; }
  std::string sm() const;  ///< "sm_90"; empty where it is not known
  /// The compile target that uses all of the chip: "sm_90a". Code with the suffix `a` runs on no other chip.
  std::string arch() const;
};

/// What no GPU can be (a negative size or number, more than an exbibyte of memory, a compute capability of no
/// GPU) is taken out: 0.
DeviceInfo as_far_as_possible(DeviceInfo info);

/// The state of a running GPU at one moment, through NVML. Absent figures could not be read.
struct Sample {
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  std::vector<std::string> throttle_reasons;  ///< "software power cap", …; idle is not one
};

struct DriverInfo {
  std::string version;               ///< "580.159.04"; empty = NVML could not tell
  int cuda_version = 0;              ///< 13000
  std::string nvml_missing_because;  ///< empty = clocks, power and throttle reasons can be read
};

/// A device address; owned by the session that gave it out.
using Address = unsigned long long;  // CUdeviceptr

/// One opened GPU. Every call is checked; errors carry the driver's own name and text. All work goes to one
/// stream.
class Session {
 public:
  virtual ~Session() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual Result<Address> allocate(std::size_t bytes) = 0;  ///< freed with the session
  virtual Status upload(Address to, const void* from, std::size_t bytes) = 0;
  virtual Status download(void* to, Address from, std::size_t bytes) = 0;
  virtual Status fill(Address at, unsigned char byte, std::size_t bytes) = 0;  ///< on the stream
  /// Reads `bytes` at `at` on the stream, so that L2 holds them, unmodified, and nothing else.
  virtual Status sweep(Address at, std::size_t bytes) = 0;
  virtual Status copy(Address to, Address from, std::size_t bytes) = 0;  ///< on the device, on the stream
  /// A function of a program in PTX text, kept as long as the session.
  virtual Result<int> load(const std::string& ptx, const std::string& function) = 0;
  /// Enqueues a loaded function of two arguments of 64 bits, `blocks` blocks of `threads` threads.
  virtual Status start(int function, unsigned blocks, unsigned threads, std::uint64_t first,
                       std::uint64_t second) = 0;
  virtual void* stream() = 0;            ///< for launches; a cudaStream_t
  virtual Status record(int event) = 0;  ///< event 0 … most_events - 1, on the stream
  /// From one event to another; waits for both.
  virtual Result<double> elapsed_us(int from = 0, int to = 1) = 0;
  virtual Status synchronize() = 0;
  virtual Sample sample() = 0;
  /// What `work` enqueues on the stream, kept as a CUDA graph; nothing of it runs yet. Errors: `work` does
  /// something that a graph cannot hold.
  virtual Result<int> capture(const std::function<Status()>& work) = 0;
  virtual Status replay(int graph) = 0;  ///< enqueues a captured graph
  /// Hardware counters of the kernels that `work` launches, metrics by CUPTI's names. Errors (kind
  /// unavailable): no CUPTI, counters refused, another profiler has them; the reason and what to do.
  virtual Result<CounterReading> count(const std::vector<std::string>& metrics, const CountedWork& work) = 0;
  /// What the GPU and the driver did while `work` ran, through CUPTI's activity records. Errors (kind
  /// unavailable): no CUPTI, another profiler has it.
  virtual Result<std::vector<Span>> trace(const std::function<Status()>& work) = 0;

  /// A named range for a profiler that watches from outside (NVTX), around what is enqueued until it ends.
  virtual void begin_range(const std::string& name) = 0;
  virtual void end_range() = 0;

  static constexpr int most_events = 32;
};

/// begin_range() and end_range() around a scope.
class AnnotatedRange {
 public:
  AnnotatedRange(Session& session, const std::string& name) : session_(session) { session.begin_range(name); }
  ~AnnotatedRange() { session_.end_range(); }
  AnnotatedRange(const AnnotatedRange&) = delete;

 private:
  Session& session_;
};

/// The machine's GPUs. No driver and no GPU are ordinary answers: an Error of kind unavailable with the
/// reason.
class Device {
 public:
  virtual ~Device() = default;
  virtual Result<std::vector<DeviceInfo>> list() = 0;
  virtual DriverInfo driver() = 0;
  virtual Result<std::unique_ptr<Session>> open(int index) = 0;
};

/// libcuda.so.1 and libnvidia-ml.so.1, found with dlopen. Loading happens at the first question. `cupti`:
/// where CUPTI's library may lie, tried in order when counters are asked for; NVTX is looked for beside it.
std::unique_ptr<Device> machine_device(std::vector<std::string> cupti = {"libcupti.so.13"});

}  // namespace cutelab::device
