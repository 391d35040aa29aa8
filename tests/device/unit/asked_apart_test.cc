// A driver that crashes, hangs or exits is asked in a process of its own: this one stays, and says what
// happened.
#include "device/asked_apart.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "device/fake_device.h"

namespace cutelab::device {
namespace {

enum class At { nowhere, list, driver, open };
enum class How { crash, hang, leave };

/// The fake machine with a driver that goes wrong in one of its calls.
class WrongDriver final : public Device {
 public:
  WrongDriver(At at, How how) : at_(at), how_(how), inner_(fake_device(machine)) {}
  Result<std::vector<DeviceInfo>> list() override {
    go_wrong(At::list);
    return inner_->list();
  }
  DriverInfo driver() override {
    go_wrong(At::driver);
    return inner_->driver();
  }
  Result<std::unique_ptr<Session>> open(int index) override {
    go_wrong(At::open);
    return inner_->open(index);
  }
  FakeMachine machine;

 private:
  void go_wrong(At at) const {
    if (at != at_) return;
    if (how_ == How::crash) raise(SIGKILL);
    if (how_ == How::leave) _exit(0);
    while (how_ == How::hang) pause();
  }
  At at_;
  How how_;
  std::unique_ptr<Device> inner_;
};

TEST(AskedApart, WhatTheDriverTellsComesOver) {
  WrongDriver driver(At::nowhere, How::crash);
  driver.machine.sample = [](int) { return Sample{1980, std::nullopt, 500.5, 50, {"power", "heat"}}; };
  const auto told = ask_apart(driver, true, 10);
  ASSERT_TRUE(told) << told.error().message();
  ASSERT_EQ(told->devices.size(), 1u);
  const DeviceInfo& d = told->devices[0];
  const DeviceInfo& is = driver.machine.info;
  EXPECT_EQ(d.name, is.name);
  EXPECT_EQ(d.pci_bus_id, is.pci_bus_id);
  EXPECT_EQ(d.arch(), "sm_90a");
  EXPECT_EQ(d.sms, is.sms);
  EXPECT_EQ(d.memory_bytes, is.memory_bytes);
  EXPECT_EQ(d.l2_bytes, is.l2_bytes);
  EXPECT_EQ(d.smem_per_block_bytes, is.smem_per_block_bytes);
  EXPECT_EQ(d.registers_per_sm, is.registers_per_sm);
  EXPECT_EQ(d.max_sm_clock_mhz, is.max_sm_clock_mhz);
  EXPECT_EQ(d.max_memory_clock_mhz, is.max_memory_clock_mhz);
  EXPECT_EQ(told->driver.version, "999.1");
  EXPECT_EQ(told->driver.cuda_version, 13000);
  ASSERT_EQ(told->now.size(), 1u);
  EXPECT_EQ(told->now[0].sm_clock_mhz, 1980);
  EXPECT_EQ(told->now[0].memory_clock_mhz, std::nullopt);
  EXPECT_EQ(told->now[0].power_w, 500.5);
  EXPECT_EQ(told->now[0].throttle_reasons, (std::vector<std::string>{"power", "heat"}));
  EXPECT_EQ(told->stopped_because, "");
}

TEST(AskedApart, TheDriversOwnErrorIsTheErrorHere) {
  WrongDriver driver(At::nowhere, How::crash);
  driver.machine.list_error = "the driver sees no GPU";
  const auto told = ask_apart(driver, true, 10);
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().message(), driver.list().error().message());
  EXPECT_EQ(told.error().kind, ErrorKind::unavailable);
}

TEST(AskedApart, ACrashAHangAndAnExitAreSaid) {
  const std::vector<std::pair<How, std::string>> all = {
      {How::crash, "the driver crashed during the question for its GPUs: Killed"},
      {How::hang, "the driver did not answer within 0 s during the question for its GPUs"},
      {How::leave, "the driver ended the process that asked it during the question for its GPUs"}};
  for (const auto& [how, said] : all) {
    WrongDriver driver(At::list, how);
    const auto told = ask_apart(driver, true, 0.3);
    ASSERT_FALSE(told) << said;
    EXPECT_EQ(told.error().kind, ErrorKind::unavailable);
    EXPECT_EQ(told.error().wrong.substr(0, said.size()), said);
    EXPECT_FALSE(told.error().remedy.empty());
  }
}

TEST(AskedApart, WhatWasToldBeforeIsKept) {
  for (const At at : {At::driver, At::open}) {
    WrongDriver driver(at, How::crash);
    const auto told = ask_apart(driver, true, 10);
    ASSERT_TRUE(told) << told.error().message();
    EXPECT_EQ(told->devices.size(), 1u);
    EXPECT_EQ(told->driver.version, at == At::open ? "999.1" : "");
    EXPECT_TRUE(told->now.empty());
    EXPECT_NE(told->stopped_because.find("crashed"), std::string::npos);
  }
}

TEST(DeviceInfo, WhatNoGpuCanBeIsNotTold) {
  DeviceInfo wrong;
  wrong.major = -7;
  wrong.minor = 42;
  wrong.sms = -7;
  wrong.memory_bytes = -1;
  wrong.l2_bytes = std::int64_t{1} << 62;
  wrong.max_sm_clock_mhz = -100;
  const DeviceInfo kept = as_far_as_possible(wrong);
  EXPECT_FALSE(kept.known_arch());
  EXPECT_EQ(kept.arch(), "");
  EXPECT_EQ(kept.sms, 0);
  EXPECT_EQ(kept.memory_bytes, 0);
  EXPECT_EQ(kept.l2_bytes, 0);
  EXPECT_EQ(kept.max_sm_clock_mhz, 0);
  const DeviceInfo& right = FakeMachine().info;
  EXPECT_EQ(as_far_as_possible(right).sms, right.sms);
  EXPECT_EQ(as_far_as_possible(right).arch(), right.arch());
  EXPECT_EQ(as_far_as_possible(right).memory_bytes, right.memory_bytes);
}

}  // namespace
}  // namespace cutelab::device
