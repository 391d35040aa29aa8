#include "profile/ceilings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "device/fake_device.h"

namespace cutelab::profile {
namespace {

class Ceilings : public ::testing::Test {
 protected:
  Ceilings() { machine.info.memory_bytes = 8 << 20; }
  std::vector<Ceiling> measure() {
    auto session = device::fake_device(machine)->open(0);
    auto all = measure_ceilings(**session);
    EXPECT_TRUE(all);
    return *all;
  }
  static const Ceiling& of(const std::vector<Ceiling>& all, const std::string& tag) {
    return *std::find_if(all.begin(), all.end(), [&](auto& c) { return c.tag == tag; });
  }
  device::FakeMachine machine;
};

TEST_F(Ceilings, RatesComeFromBytesAndFlopsOverTheMedian) {
  machine.elapsed_us = [](int) { return 100.0; };
  const auto all = measure();
  const double bytes = 1 << 20;
  EXPECT_DOUBLE_EQ(of(all, "dram_copy").per_second, 2 * bytes / 100e-6);
  EXPECT_DOUBLE_EQ(of(all, "dram_read").per_second, bytes / 100e-6);
  EXPECT_DOUBLE_EQ(of(all, "dram_write").per_second, bytes / 100e-6);
  EXPECT_DOUBLE_EQ(of(all, "fp32").per_second, 132 * 8 * 256.0 * 128 * 2 * 20000 / 100e-6);
  EXPECT_DOUBLE_EQ(of(all, "bf16-tensor").per_second, 132 * 3 * 4 * 2.0 * 64 * 256 * 16 * 20000 / 100e-6);
}

TEST_F(Ceilings, AProgramThatDoesNotLoadIsAReasonNotANumber) {
  machine.failing["load"] = "CUDA_ERROR_INVALID_PTX";
  const auto all = measure();
  EXPECT_EQ(of(all, "fp32").per_second, 0);
  EXPECT_EQ(of(all, "fp32").missing_because, "load: CUDA_ERROR_INVALID_PTX");
  EXPECT_GT(of(all, "dram_copy").per_second, 0);
}

TEST_F(Ceilings, AnotherArchitectureHasNoWgmma) {
  machine.info.major = 8;
  const auto all = measure();
  EXPECT_EQ(of(all, "bf16-tensor").missing_because,
            "the program is written for wgmma, which Fake GPU has not");
  EXPECT_GT(of(all, "fp32").per_second, 0);
}

}  // namespace
}  // namespace cutelab::profile
