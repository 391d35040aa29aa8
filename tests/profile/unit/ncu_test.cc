#include "profile/ncu.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cutelab::profile {
namespace {

NcuRequest request() {
  NcuRequest r;
  r.ncu = "/opt/ncu";
  r.report = "out.ncu-rep";
  r.device_function = "rmsnorm_kernel";
  r.metrics = {"gpu__time_duration.sum", "dram__bytes_read.sum"};
  r.command = {"cutelab", "kernel", "rmsnorm", "--prof_type=launch"};
  return r;
}

// P84 (any process, the kernel's own name, warm-up skipped) and P88 (the source goes into the report).
TEST(Ncu, TheCommandFindsTheKernelInAnyProcessAndLeavesClocksAlone) {
  EXPECT_EQ(
      ncu_profile_command(request()),
      (std::vector<std::string>{
          "/opt/ncu", "--target-processes=all", "--kernel-name=regex:rmsnorm_kernel", "--launch-skip=1",
          "--launch-count=3", "--nvtx", "--cache-control=all", "--clock-control=none", "--set=full",
          "--import-source=yes", "--metrics=gpu__time_duration.sum,dram__bytes_read.sum", "--force-overwrite",
          "--export=out.ncu-rep", "cutelab", "kernel", "rmsnorm", "--prof_type=launch"}));
  auto warm = request();
  warm.l2 = L2State::warm;
  const auto argv = ncu_profile_command(warm);
  EXPECT_NE(std::find(argv.begin(), argv.end(), "--cache-control=none"), argv.end());
}

TEST(Ncu, AReportsLaunchesBecomeMedians) {
  const std::string csv =
      "==PROF== Connected to process 7\n"
      "\"ID\",\"Process ID\",\"Kernel "
      "Name\",\"dram__bytes_read.sum\",\"gpu__time_duration.sum\",\"launch__func\"\n"
      "\"\",\"\",\"\",\"byte\",\"ns\",\"\"\n"
      "\"0\",\"7\",\"k<int, \"\"a\"\">\",\"134,250,000\",\"64830\",\"x\"\n"
      "\"1\",\"7\",\"k<int, \"\"a\"\">\",\"134,240,000\",\"65120\",\"x\"\n"
      "\"2\",\"7\",\"k<int, \"\"a\"\">\",\"134,260,000\",\"63650\",\"x\"\r\n";
  auto reading = read_ncu_report(csv);
  ASSERT_TRUE(reading) << reading.error().message();
  ASSERT_EQ(reading->kernels.size(), 1u);
  EXPECT_EQ(reading->kernels[0].at("gpu__time_duration.sum"), 64830);
  EXPECT_EQ(reading->kernels[0].at("dram__bytes_read.sum"), 134'250'000);
  EXPECT_EQ(reading->kernels[0].count("launch__func"), 0u) << "not a number";
}

TEST(Ncu, WhatItPrintsBecomesAReasonAndARemedy) {
  const auto refused = ncu_error(
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA "
      "GPU Performance Counters on the target device 0.");
  EXPECT_EQ(refused.kind, ErrorKind::unavailable);
  EXPECT_NE(refused.remedy.find("CAP_SYS_ADMIN"), std::string::npos);
  EXPECT_EQ(ncu_error("==WARNING== No kernels were profiled.").wrong, "no launch matched the kernel's name");
  EXPECT_EQ(ncu_error("==PROF== x\n==ERROR== Unknown option\n").wrong, "==ERROR== Unknown option");
  EXPECT_EQ(ncu_error("").wrong, "ncu gave no launch and no reason");
  EXPECT_FALSE(read_ncu_report("==WARNING== No kernels were profiled.\n"));
}

}  // namespace
}  // namespace cutelab::profile
