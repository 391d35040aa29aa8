#include "device/fake_device.h"

#include <fmt/format.h>

#include <cstring>

namespace cutelab::device {
namespace {

class FakeSession final : public Session {
 public:
  explicit FakeSession(FakeMachine& machine) : machine_(machine) {}
  const DeviceInfo& info() const override { return machine_.info; }

  Result<Address> allocate(std::size_t bytes) override {
    if (auto s = call("allocate", fmt::format("allocate {}", bytes)); !s) return s.error();
    memory_.push_back(std::make_unique<std::byte[]>(bytes));
    return reinterpret_cast<Address>(memory_.back().get());
  }
  Status upload(Address to, const void* from, std::size_t bytes) override {
    if (auto s = call("upload", fmt::format("upload {}", bytes)); !s) return s;
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return {};
  }
  Status download(void* to, Address from, std::size_t bytes) override {
    if (auto s = call("download", fmt::format("download {}", bytes)); !s) return s;
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return {};
  }
  Status fill(Address at, unsigned char byte, std::size_t bytes) override {
    if (auto s = call("fill", fmt::format("fill {:#x} {}", byte, bytes)); !s) return s;
    std::memset(reinterpret_cast<void*>(at), byte, bytes);
    return {};
  }
  Status copy(Address to, Address from, std::size_t bytes) override {
    if (auto s = call("copy", fmt::format("copy {}", bytes)); !s) return s;
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    return {};
  }
  Result<int> load(const std::string&, const std::string& function) override {
    if (auto s = call("load", "load " + function); !s) return s.error();
    return functions_++;
  }
  Status start(int, unsigned blocks, unsigned threads, std::uint64_t, std::uint64_t second) override {
    return call("start", fmt::format("start {}x{} {}", blocks, threads, second));
  }
  Status sweep(Address, std::size_t bytes) override { return call("sweep", fmt::format("sweep {}", bytes)); }
  void* stream() override { return nullptr; }
  Status record(int event) override { return call("record", fmt::format("record {}", event)); }
  Result<double> elapsed_us(int, int) override {
    if (auto s = call("elapsed", "elapsed"); !s) return s.error();
    return machine_.elapsed_us(machine_.measured++);
  }
  Result<int> capture(const std::function<Status()>& work) override {
    if (auto s = call("capture", "capture"); !s) return s.error();
    if (auto s = work(); !s) return s.error();
    machine_.log.emplace_back("captured");
    return graphs_++;
  }
  Status replay(int graph) override { return call("replay", fmt::format("replay {}", graph)); }
  Result<std::vector<Span>> trace(const std::function<Status()>& work) override {
    if (auto s = call("trace", "trace"); !s) return s.error();
    if (auto s = work(); !s) return s.error();
    return machine_.spans;
  }
  Result<CounterReading> count(const std::vector<std::string>& metrics, const CountedWork& work) override {
    if (auto s = call("count", fmt::format("count {}", metrics.size())); !s) return s.error();
    for (int pass = 0; pass < machine_.counter_passes; ++pass) {
      if (auto s = work.before(); !s) return s.error();
      if (auto s = work.ahead(); !s) return s.error();
      if (auto s = work.launch(); !s) return s.error();
    }
    const auto said = machine_.counters(machine_.counted++);
    CounterReading reading{"FAKE100", machine_.counter_passes, {}, {{}}};
    for (const std::string& metric : metrics) {
      if (const auto it = said.find(metric); it != said.end())
        reading.kernels[0][metric] = it->second;
      else
        reading.unknown.push_back(metric);
    }
    return reading;
  }
  Status synchronize() override { return call("synchronize", "synchronize"); }
  Sample sample() override { return machine_.sample(machine_.sampled++); }
  void begin_range(const std::string& name) override { machine_.log.push_back("range " + name); }
  void end_range() override { machine_.log.emplace_back("end of range"); }

 private:
  Status call(const std::string& name, std::string line) {
    machine_.log.push_back(std::move(line));
    const auto it = machine_.failing.find(name);
    if (it == machine_.failing.end()) return {};
    const auto code = machine_.failing_code.find(name);
    return Error{ErrorKind::unavailable,
                 name,
                 it->second,
                 "",
                 "",
                 code == machine_.failing_code.end() ? 0 : code->second};
  }
  FakeMachine& machine_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  int graphs_ = 0;
  int functions_ = 0;
};

class FakeDevice final : public Device {
 public:
  explicit FakeDevice(FakeMachine& machine) : machine_(machine) {}
  Result<std::vector<DeviceInfo>> list() override {
    machine_.log.emplace_back("list");
    if (!machine_.list_error.empty())
      return Error{ErrorKind::unavailable, "list the GPUs", machine_.list_error, "", "use another machine"};
    return std::vector<DeviceInfo>{machine_.info};
  }
  DriverInfo driver() override { return machine_.driver; }
  Result<std::unique_ptr<Session>> open(int index) override {
    auto devices = list();
    if (!devices) return devices.error();
    machine_.log.push_back(fmt::format("open {}", index));
    return Result<std::unique_ptr<Session>>(std::make_unique<FakeSession>(machine_));
  }

 private:
  FakeMachine& machine_;
};

}  // namespace

std::unique_ptr<Device> fake_device(FakeMachine& machine) { return std::make_unique<FakeDevice>(machine); }

}  // namespace cutelab::device
