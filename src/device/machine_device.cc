#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/text.h"
#include "device/cuda_api.h"
#include "device/cupti_activity.h"
#include "device/cupti_counters.h"
#include "device/device.h"
#include "device/nvml_api.h"
#include "device/nvtx.h"
#include "device/sweep_ptx.h"

namespace cutelab::device {
namespace {

// CUdevice_attribute
enum Attribute {
  attribute_sms = 16,
  attribute_l2_bytes = 38,
  attribute_major = 75,
  attribute_minor = 76,
  attribute_registers_per_sm = 82,
  attribute_smem_per_block_optin = 97
};

constexpr int most_gpus = 4096;  // of one machine; what a broken driver counts is mostly far beyond

struct Libraries {
  SharedLibrary cuda_library{"libcuda.so.1"};
  NvmlApi nvml;
  CudaApi cuda;
  std::vector<std::string> cupti_paths;
  SharedLibrary cupti_library;
  Nvtx nvtx;
};

class MachineSession final : public Session {
 public:
  MachineSession(std::shared_ptr<Libraries> libraries, DeviceInfo info)
      : lib_(std::move(libraries)), info_(std::move(info)) {}
  ~MachineSession() override;
  Status start();

  const DeviceInfo& info() const override { return info_; }
  Result<Address> allocate(std::size_t bytes) override;
  /// In the stream's order and complete on return: the plain copy is ordered against other streams only.
  Status upload(Address to, const void* from, std::size_t bytes) override {
    if (auto s = lib_->cuda.checked(lib_->cuda.upload(to, from, bytes, stream_), "copy to the device"); !s)
      return s;
    return synchronize();
  }
  Status download(void* to, Address from, std::size_t bytes) override {
    return lib_->cuda.checked(lib_->cuda.download(to, from, bytes), "copy from the device");
  }
  Status fill(Address at, unsigned char byte, std::size_t bytes) override {
    return lib_->cuda.checked(lib_->cuda.fill(at, byte, bytes, stream_), "fill device memory");
  }
  Status copy(Address to, Address from, std::size_t bytes) override {
    return lib_->cuda.checked(lib_->cuda.copy(to, from, bytes, stream_), "copy on the device");
  }
  Result<int> load(const std::string& ptx, const std::string& function) override;
  Status start(int function, unsigned blocks, unsigned threads, std::uint64_t first,
               std::uint64_t second) override;
  Status sweep(Address at, std::size_t bytes) override {
    return start(sweep_, static_cast<unsigned>(info_.sms) * 4, 512, at, bytes / 16);
  }
  void* stream() override { return stream_; }
  Status record(int event) override {
    constexpr unsigned external = 1;  // CU_EVENT_RECORD_EXTERNAL: the graph's node records the event itself
    return lib_->cuda.checked(lib_->cuda.event_record_flags(events_[static_cast<std::size_t>(event)], stream_,
                                                            capturing_ ? external : 0),
                              "record an event");
  }
  Result<int> capture(const std::function<Status()>& work) override;
  Status replay(int graph) override {
    return lib_->cuda.checked(lib_->cuda.graph_launch(graphs_[static_cast<std::size_t>(graph)], stream_),
                              "launch a CUDA graph");
  }
  Result<double> elapsed_us(int from, int to) override;
  Result<CounterReading> count(const std::vector<std::string>& metrics, const CountedWork& work) override;
  Result<std::vector<Span>> trace(const std::function<Status()>& work) override;
  Status synchronize() override {
    return lib_->cuda.checked(lib_->cuda.context_synchronize(), "wait for the device");
  }
  Sample sample() override { return lib_->nvml.sample(nvml_handle_); }
  void begin_range(const std::string& name) override { lib_->nvtx.push(name); }
  void end_range() override { lib_->nvtx.pop(); }

 private:
  std::shared_ptr<Libraries> lib_;
  DeviceInfo info_;
  int device_ = -1;
  bool retained_ = false;
  void* stream_ = nullptr;
  void* context_ = nullptr;
  std::array<void*, most_events> events_{};
  std::vector<void*> modules_;
  std::vector<void*> functions_;
  int sweep_ = -1;
  void* nvml_handle_ = nullptr;
  std::vector<Address> owned_;
  bool capturing_ = false;
  std::vector<void*> graphs_;  // CUgraphExec
};

Status MachineSession::start() {
  const CudaApi& cuda = lib_->cuda;
  if (auto s = cuda.checked(cuda.device_get(&device_, info_.index), "open the device"); !s) return s;
  if (auto s = cuda.checked(cuda.primary_retain(&context_, device_), "make a context on the device"); !s)
    return s;
  retained_ = true;
  if (auto s = cuda.checked(cuda.context_set(context_), "use the device's context"); !s) return s;
  if (auto s = cuda.checked(cuda.stream_create(&stream_, 1), "make a stream"); !s)
    return s;  // 1 = non-blocking
  for (void*& event : events_)
    if (auto s = cuda.checked(cuda.event_create(&event, 0), "make an event"); !s) return s;
  nvml_handle_ = lib_->nvml.handle_of(info_.pci_bus_id);
  auto sweep = load(sweep_ptx, "cutelab_sweep");
  if (!sweep) return sweep.error();
  sweep_ = *sweep;
  return {};
}

MachineSession::~MachineSession() {
  // After a fault every call fails; there is nothing left to do about it.
  const CudaApi& cuda = lib_->cuda;
  if (retained_) cuda.context_synchronize();
  for (const Address address : owned_) cuda.release(address);
  for (void* graph : graphs_) cuda.graph_executable_destroy(graph);
  for (void* event : events_)
    if (event) cuda.event_destroy(event);
  if (stream_) cuda.stream_destroy(stream_);
  for (void* module : modules_) cuda.module_unload(module);
  if (retained_) cuda.primary_release(device_);
}

Result<Address> MachineSession::allocate(std::size_t bytes) {
  Address address = 0;
  const auto asked = fmt::format("allocate {} bytes on {}", bytes, info_.name);
  if (auto s = lib_->cuda.checked(lib_->cuda.allocate(&address, bytes), asked.c_str()); !s) return s.error();
  owned_.push_back(address);
  return address;
}

Result<int> MachineSession::load(const std::string& ptx, const std::string& function) {
  const CudaApi& cuda = lib_->cuda;
  void* module = nullptr;
  if (auto s = cuda.checked(cuda.module_load(&module, ptx.c_str()), ("load " + function).c_str()); !s)
    return s.error();
  modules_.push_back(module);
  void* found = nullptr;
  if (auto s =
          cuda.checked(cuda.module_function(&found, module, function.c_str()), ("find " + function).c_str());
      !s)
    return s.error();
  functions_.push_back(found);
  return static_cast<int>(functions_.size()) - 1;
}

Status MachineSession::start(int function, unsigned blocks, unsigned threads, std::uint64_t first,
                             std::uint64_t second) {
  std::array<void*, 2> arguments = {&first, &second};
  void* found = functions_[static_cast<std::size_t>(function)];
  return lib_->cuda.checked(
      lib_->cuda.launch(found, blocks, 1, 1, threads, 1, 1, 0, stream_, arguments.data(), nullptr),
      "start a program of ours");
}

Result<double> MachineSession::elapsed_us(int from, int to) {
  const CudaApi& cuda = lib_->cuda;
  void* begin = events_[static_cast<std::size_t>(from)];
  void* end = events_[static_cast<std::size_t>(to)];
  float milliseconds = 0;
  if (auto s = cuda.checked(cuda.event_synchronize(end), "wait for an event"); !s) return s.error();
  if (auto s = cuda.checked(cuda.event_elapsed(&milliseconds, begin, end), "read the events' time"); !s)
    return s.error();
  return milliseconds * 1000.0;
}

Result<int> MachineSession::capture(const std::function<Status()>& work) {
  constexpr int relaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED: a kernel library may load code at its launch
  const CudaApi& cuda = lib_->cuda;
  if (auto s = cuda.checked(cuda.capture_begin(stream_, relaxed), "begin a CUDA graph"); !s) return s.error();
  capturing_ = true;
  const Status worked = work();
  capturing_ = false;
  void* graph = nullptr;
  const Status ended = cuda.checked(cuda.capture_end(stream_, &graph), "end a CUDA graph");
  void* executable = nullptr;
  Status made = !worked ? worked : ended;
  if (made) made = cuda.checked(cuda.graph_instantiate(&executable, graph, 0), "prepare a CUDA graph");
  if (graph) cuda.graph_destroy(graph);
  if (!made) return made.error();
  graphs_.push_back(executable);
  return static_cast<int>(graphs_.size()) - 1;
}

Result<CounterReading> MachineSession::count(const std::vector<std::string>& metrics,
                                             const CountedWork& work) {
  if (!lib_->cupti_library.loaded()) lib_->cupti_library = open_first(lib_->cupti_paths);
  auto cupti = load_cupti(lib_->cupti_library);
  if (!cupti) return cupti.error();
  CountedWork waiting = work;
  waiting.before = [&]() -> Status {
    if (auto s = work.before(); !s) return s;
    return synchronize();
  };
  waiting.launch = [&]() -> Status {
    if (auto s = work.launch(); !s) return s;
    return synchronize();
  };
  return read_counters(*cupti, {context_, device_}, metrics, waiting);
}

Result<std::vector<Span>> MachineSession::trace(const std::function<Status()>& work) {
  if (!lib_->cupti_library.loaded()) lib_->cupti_library = open_first(lib_->cupti_paths);
  auto activity = load_cupti_activity(lib_->cupti_library);
  if (!activity) return activity.error();
  return trace_activity(*activity, [&]() -> Status {
    if (auto s = work(); !s) return s;
    return synchronize();
  });
}

class MachineDevice final : public Device {
 public:
  explicit MachineDevice(std::vector<std::string> cupti_paths) : cupti_paths_(std::move(cupti_paths)) {}
  Result<std::vector<DeviceInfo>> list() override;
  DriverInfo driver() override;
  Result<std::unique_ptr<Session>> open(int index) override;

 private:
  Status load();
  DeviceInfo describe(int index) const;
  std::vector<std::string> cupti_paths_;
  std::shared_ptr<Libraries> lib_;
  std::optional<Status> loaded_;
};

Status MachineDevice::load() {
  if (loaded_) return *loaded_;
  lib_ = std::make_shared<Libraries>();
  lib_->cupti_paths = cupti_paths_;
  lib_->nvtx = Nvtx::open(nvtx_paths(cupti_paths_));
  auto cuda = load_cuda(lib_->cuda_library);
  if (cuda) lib_->cuda = *cuda;
  loaded_ = cuda ? lib_->cuda.checked(lib_->cuda.init(0), "start the CUDA driver") : Status(cuda.error());
  return *loaded_;
}

DeviceInfo MachineDevice::describe(int index) const {
  const CudaApi& cuda = lib_->cuda;
  DeviceInfo info;
  info.index = index;
  int device = 0;
  cuda.device_get(&device, index);
  std::array<char, 257> text{};  // the last one stays 0, whatever the driver writes
  constexpr int room = 256;
  if (cuda.device_name(text.data(), room, device) == 0)
    info.name = replace_all(printable(text.data()), "\n", "\uFFFD");
  if (cuda.device_pci(text.data(), room, device) == 0) info.pci_bus_id = text.data();
  const auto attribute = [&](int which) {
    int value = 0;
    return cuda.device_attribute(&value, which, device) == 0 ? value : 0;
  };
  info.major = attribute(attribute_major);
  info.minor = attribute(attribute_minor);
  info.sms = attribute(attribute_sms);
  info.l2_bytes = attribute(attribute_l2_bytes);
  info.registers_per_sm = attribute(attribute_registers_per_sm);
  info.smem_per_block_bytes = attribute(attribute_smem_per_block_optin);
  std::size_t memory = 0;
  if (cuda.device_memory(&memory, device) == 0) info.memory_bytes = static_cast<std::int64_t>(memory);
  void* handle = lib_->nvml.handle_of(info.pci_bus_id);
  info.max_sm_clock_mhz = lib_->nvml.max_clock_mhz(handle, 1);
  info.max_memory_clock_mhz = lib_->nvml.max_clock_mhz(handle, 2);
  return as_far_as_possible(std::move(info));
}

Result<std::vector<DeviceInfo>> MachineDevice::list() {
  if (auto s = load(); !s) return s.error();
  int count = 0;
  if (auto s = lib_->cuda.checked(lib_->cuda.device_count(&count), "count the GPUs"); !s) return s.error();
  if (count == 0)
    return Error{ErrorKind::unavailable, "list the GPUs", "the driver sees no GPU", "",
                 "check CUDA_VISIBLE_DEVICES"};
  if (count < 0 || count > most_gpus)
    return Error{ErrorKind::unavailable, "list the GPUs", fmt::format("the driver counts {} of them", count),
                 "", "the driver's library (libcuda.so.1) is damaged or of another make: install it again"};
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) devices.push_back(describe(i));
  return devices;
}

DriverInfo MachineDevice::driver() {
  DriverInfo info;
  const Status status = load();
  info.nvml_missing_because = lib_->nvml.missing_because();
  info.version = lib_->nvml.driver_version();
  if (status) lib_->cuda.driver_version(&info.cuda_version);
  return info;
}

Result<std::unique_ptr<Session>> MachineDevice::open(int index) {
  auto devices = list();
  if (!devices) return devices.error();
  if (index < 0 || index >= static_cast<int>(devices->size()))
    return Error{ErrorKind::usage, fmt::format("open GPU {}", index),
                 fmt::format("there are {}", devices->size()), "",
                 "GPUs are numbered from 0; `cutelab device` lists them"};
  const DeviceInfo& info = (*devices)[static_cast<std::size_t>(index)];
  if (info.sms == 0 || !info.known_arch())
    return Error{ErrorKind::unavailable, fmt::format("open GPU {}", index),
                 "the driver does not tell its compute capability and number of processors", "",
                 "`cutelab device` shows what it tells"};
  auto session = std::make_unique<MachineSession>(lib_, info);
  if (auto s = session->start(); !s) return s.error();
  return Result<std::unique_ptr<Session>>(std::move(session));
}

}  // namespace

std::unique_ptr<Device> machine_device(std::vector<std::string> cupti) {
  return std::make_unique<MachineDevice>(std::move(cupti));
}

}  // namespace cutelab::device
