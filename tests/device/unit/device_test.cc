#include <gtest/gtest.h>

#include "device/code_arch.h"
#include "device/cuda_api.h"
#include "device/fake_device.h"

namespace cutelab::device {
namespace {

TEST(Device, ArchitectureNames) {
  DeviceInfo info;
  info.major = 9;
  EXPECT_EQ(info.sm(), "sm_90");
  EXPECT_EQ(info.arch(), "sm_90a");
  info.major = 8;
  info.minor = 6;
  EXPECT_EQ(info.arch(), "sm_86");
  info.major = 10;
  info.minor = 3;
  EXPECT_EQ(info.arch(), "sm_103a");
}

TEST(Device, AMissingDriverLibraryIsAnAnswerWithItsReason) {
  const SharedLibrary none("libcutelab-no-such-driver.so.1");
  auto api = load_cuda(none);
  ASSERT_FALSE(api);
  EXPECT_EQ(api.error().kind, ErrorKind::unavailable);
  EXPECT_NE(api.error().wrong.find("libcutelab-no-such-driver.so.1"), std::string::npos);
}

TEST(Device, ALibraryWithoutTheFunctionsIsNamedWithTheFirstOneItLacks) {
  const SharedLibrary libm("libm.so.6");
  ASSERT_TRUE(libm.loaded());
  auto api = load_cuda(libm);
  ASSERT_FALSE(api);
  EXPECT_EQ(api.error().wrong, "libcuda.so.1 lacks cuInit");
}

TEST(CodeArch, SuffixesDecideWhereCodeRuns) {
  const auto runs = [](const char* code, int major, int minor) {
    return code_runs_on(*CodeArch::parse(code), major, minor);
  };
  EXPECT_TRUE(runs("sm_90a", 9, 0));
  EXPECT_FALSE(runs("sm_90a", 10, 0));
  EXPECT_TRUE(runs("sm_80", 8, 9)) << "later chip of the same major number";
  EXPECT_FALSE(runs("sm_80", 9, 0)) << "machine code, not PTX";
  EXPECT_FALSE(runs("sm_89", 8, 6));
  EXPECT_FALSE(runs("sm_100a", 10, 3)) << "sm_103 is not just sm_100";
  EXPECT_TRUE(runs("sm_100f", 10, 3));
  EXPECT_FALSE(runs("sm_103f", 10, 0));
  EXPECT_FALSE(runs("sm_100f", 12, 0));
  EXPECT_FALSE(runs("sm_120a", 12, 1));
  for (const char* text : {"90a", "sm_", "sm_9", "sm_90b", "compute_90"})
    EXPECT_FALSE(CodeArch::parse(text)) << text;
}

TEST(CodeArch, AMismatchNamesTheRuleAndWhatTheDeviceLacks) {
  DeviceInfo spark;
  spark.name = "NVIDIA GB10";
  spark.major = 12;
  spark.minor = 1;
  const auto refused = runs_on({"sm_100a"}, spark);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().wrong,
      "NVIDIA GB10 is sm_121a, the package is compiled for sm_100a: code with the suffix a runs on chips of "
      "compute capability 10.0 alone; NVIDIA GB10 has no wgmma and no tcgen05 with tensor memory");
  EXPECT_TRUE(runs_on({"sm_100a", "sm_121a"}, spark));
  EXPECT_FALSE(runs_on({}, spark));
}

// Wherever the test runs, the machine answers: GPUs, or an error that says why there are none.
TEST(Device, TheMachineAnswers) {
  const auto machine = machine_device();
  auto devices = machine->list();
  if (devices) {
    EXPECT_FALSE(devices->empty());
    for (const auto& d : *devices) EXPECT_GT(d.sms, 0);
  } else {
    EXPECT_EQ(devices.error().kind, ErrorKind::unavailable);
    EXPECT_FALSE(devices.error().wrong.empty());
    EXPECT_EQ(machine->list().error().wrong, devices.error().wrong);
  }
}

TEST(FakeDevice, LogsEveryAccessAndKeepsMemory) {
  FakeMachine machine;
  const auto device = fake_device(machine);
  auto session = device->open(0);
  ASSERT_TRUE(session);
  auto address = (*session)->allocate(4);
  ASSERT_TRUE(address);
  const int value = 42;
  ASSERT_TRUE((*session)->upload(*address, &value, sizeof value));
  int back = 0;
  ASSERT_TRUE((*session)->download(&back, *address, sizeof back));
  EXPECT_EQ(back, 42);
  EXPECT_EQ(machine.log,
            (std::vector<std::string>{"list", "open 0", "allocate 4", "upload 4", "download 4"}));
}

TEST(FakeDevice, PlantedFailuresSurface) {
  FakeMachine machine;
  machine.failing["allocate"] = "out of memory";
  auto session = fake_device(machine)->open(0);
  ASSERT_TRUE(session);
  EXPECT_EQ((*session)->allocate(1).error().wrong, "out of memory");
  machine.list_error = "the driver sees no GPU";
  EXPECT_EQ(fake_device(machine)->open(0).error().wrong, "the driver sees no GPU");
}

}  // namespace
}  // namespace cutelab::device
