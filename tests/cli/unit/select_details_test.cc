#include "cli/select_details.h"

#include <gtest/gtest.h>

#include "device/fake_device.h"

namespace cutelab::cli {
namespace {

corpus::ArchFacts facts() {
  return std::move(*corpus::ArchFacts::load(DiskFileSource(), std::string(CUTELAB_SOURCE_DIR) + "/data"));
}

TEST(MachineGpu, IsTheOneThatTheDriverLists) {
  device::FakeMachine machine;
  machine.info.name = "NVIDIA H200";
  const auto gpu = machine_gpu(*device::fake_device(machine), facts());
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->name, "H200");
  EXPECT_EQ(gpu->arch.text(), "sm_90a");
  machine.info.name = "A GPU of Tomorrow";
  machine.info.major = 10;
  const auto unnamed = machine_gpu(*device::fake_device(machine), facts());
  ASSERT_TRUE(unnamed);
  EXPECT_EQ(unnamed->name, "A GPU of Tomorrow");
  EXPECT_EQ(unnamed->arch.text(), "sm_100a");
}

TEST(MachineGpu, NoDriverIsNoGpu) {
  device::FakeMachine machine;
  machine.list_error = "libcuda.so.1 is not there";
  EXPECT_FALSE(machine_gpu(*device::fake_device(machine), facts()));
}

TEST(ExampleDetailRows, MissingModulesComeFirst) {
  ExampleDetails details;
  details.modules =
      std::vector<corpus::ThirdParty>{{"torch", 3, false}, {"torch.nn", 3, false}, {"numpy", 4, true}};
  const auto rows = detail_rows(details);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].second, "python3 lacks torch (line 3); has numpy");
  details.wheel = corpus::Release{4, 6, 0};
  EXPECT_EQ(detail_rows(details)[0].second, "nothing in it is known to break with 4.6.0");
}

}  // namespace
}  // namespace cutelab::cli
