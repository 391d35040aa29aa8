#include "device/nvtx.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "device/fake_device.h"

namespace cutelab::device {
namespace {

std::vector<std::string>* seen = nullptr;  // NVTX's functions take no closure

TEST(Nvtx, ARangeIsPushedByItsNameAndPopped) {
  std::vector<std::string> log;
  seen = &log;
  const Nvtx nvtx(
      [](const char* name) {
        seen->emplace_back(name);
        return 0;
      },
      [] {
        seen->emplace_back("pop");
        return 0;
      });
  nvtx.push("cutelab timing");
  nvtx.pop();
  EXPECT_EQ(log, (std::vector<std::string>{"cutelab timing", "pop"}));
}

TEST(Nvtx, WithoutTheLibraryARangeIsNothing) {
  const Nvtx none = Nvtx::open({"/nonexistent/libnvtx3interop.so.1"});
  EXPECT_FALSE(none.there());
  none.push("x");
  none.pop();
}

TEST(Nvtx, IsLookedForInTheLoadersFoldersAndBesideCupti) {
  const auto paths = nvtx_paths({"/cuda/lib64/libcupti.so.13", "libcupti.so.13"});
  EXPECT_EQ(paths, (std::vector<std::string>{"libnvtx3interop.so.1", "/cuda/lib64/libnvtx3interop.so.1",
                                             "libnvToolsExt.so.1", "/cuda/lib64/libnvToolsExt.so.1"}));
}

TEST(Nvtx, ARangeEndsWithItsScope) {
  FakeMachine machine;
  const auto device = fake_device(machine);
  const auto session = device->open(0);
  ASSERT_TRUE(session);
  { const AnnotatedRange range(**session, "cutelab check"); }
  ASSERT_GE(machine.log.size(), 2u);
  EXPECT_EQ(machine.log[machine.log.size() - 2], "range cutelab check");
  EXPECT_EQ(machine.log.back(), "end of range");
}

}  // namespace
}  // namespace cutelab::device
