#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "cli/kernel_run.h"
#include "device/fake_device.h"
#include "evidence/metrics.h"
#include "kernel/build.h"
#include "profile/outcome.h"

namespace cutelab::cli {
namespace {

namespace fs = std::filesystem;

/// A kernel that does on its n-th launch what a broken one does on a device.
struct BrokenKernel final : kernel::Launchable {
  enum class Way { hang, crash, fault, vanish } way = Way::hang;
  mutable int good_launches = 0;
  Status launch(const std::vector<std::byte>&, const kernel::LaunchShape&, void*) const override {
    if (good_launches-- > 0) return {};
    if (way == Way::crash) raise(SIGSEGV);
    while (way == Way::hang) pause();
    const int code = way == Way::fault ? 700 : 46;
    return Error{ErrorKind::unavailable, "launch", "CUDA_ERROR (of the test)", "", "", code};
  }
};

/// rmsnorm below a root of its own, with a build in the cache, so that a machine without a compiler will do.
class KernelFault : public ::testing::Test {
 protected:
  KernelFault() : root_(fs::temp_directory_path() / ("cutelab_fault_" + std::to_string(getpid()))) {
    context_.source_root = root_.string();
    package_.folder = "kernels/cute_cpp/norm/rmsnorm/rmsnorm";
    put("kernels/launch_abi.h");
    put(package_.folder + "/kernel.cu");
    const auto kernel = *package_.plan->plan(params_, config_);
    const auto hash = kernel::source_hash(
        {files_, environment_, root_.string(), package_.folder, kernel.defines, "sm_90a"});
    for (const char* file : {"kernel.so", "kernel.cubin", "build.txt"})
      put("build/kernels/" + *hash + "/tools/" + file);
  }
  ~KernelFault() override { fs::remove_all(root_); }

  void put(const std::string& name) {
    fs::create_directories((root_ / name).parent_path());
    EXPECT_TRUE(write_file_atomically((root_ / name).string(), "compiler: test\n"));
  }

  KernelOutcome run(BrokenKernel::Way way, int good_launches = 0) {
    const KernelRequest request{package_, params_, config_, "event", true, 0, {}, 0.5};
    const KernelLoader load = [&](const std::string&) -> Result<std::unique_ptr<kernel::Launchable>> {
      auto kernel = std::make_unique<BrokenKernel>();
      kernel->way = way;
      kernel->good_launches = good_launches;
      return Result<std::unique_ptr<kernel::Launchable>>(std::move(kernel));
    };
    auto outcome = run_kernel(request, *device::fake_device(machine_), load, context_);
    EXPECT_TRUE(outcome);
    return *outcome;
  }
  static void every_row_has_a_value_or_a_reason(const evidence::Run& run) {
    ASSERT_NE(evidence::metric_of(run, "duration_us"), nullptr);
    for (const auto& metric : run.metrics)
      EXPECT_TRUE(metric.value.has_value() != !metric.missing_because.empty()) << metric.tag;
  }

  fs::path root_;
  std::ostringstream out_, err_;
  DiskFileSource files_;
  SystemClock clock_;
  Environment environment_;
  Context context_{out_, err_, files_, clock_, environment_, "cutelab", "", false, false, 100};
  device::FakeMachine machine_;
  kernel::Package package_ = *kernel::find_package(kernel::all_packages(), "rmsnorm", "");
  kernel::Params params_ =
      *kernel::parse_parameters("rmsnorm", package_.plan->parameters(), {{"b", "4"}, {"h", "64"}});
  kernel::Config config_ = package_.plan->autotune_configs(params_)[0];
};

TEST_F(KernelFault, AHangingKernelIsEndedAtTheTimeLimit) {
  const auto outcome = run(BrokenKernel::Way::hang);
  EXPECT_EQ(outcome.run.outcome.kind, "time-limit") << outcome.run.outcome.reason;
  EXPECT_NE(outcome.run.outcome.reason.find("check of b=4 dtype=bf16 h=64"), std::string::npos)
      << outcome.run.outcome.reason;
  EXPECT_EQ(outcome.run.check.not_made_because, outcome.run.outcome.reason);
  every_row_has_a_value_or_a_reason(outcome.run);
  EXPECT_EQ(profile::exit_code_of(outcome.run.outcome), ExitCode::kernel_fault);
}

TEST_F(KernelFault, WhatWasKnownBeforeTheFaultIsKept) {
  const auto outcome = run(BrokenKernel::Way::hang, 8);  // the check's eight launches
  EXPECT_EQ(outcome.run.outcome.kind, "time-limit");
  EXPECT_NE(outcome.run.outcome.reason.find("timing of"), std::string::npos) << outcome.run.outcome.reason;
  EXPECT_TRUE(outcome.run.check.made) << "made before the timing";
  EXPECT_FALSE(outcome.run.check.passed) << "this kernel writes nothing";
  EXPECT_EQ(outcome.run.provenance.device, "Fake GPU");
  every_row_has_a_value_or_a_reason(outcome.run);
}

TEST_F(KernelFault, AnIllegalAddressIsTheKernelsFault) {
  const auto outcome = run(BrokenKernel::Way::fault);
  EXPECT_EQ(outcome.run.outcome.kind, "kernel-fault");
  EXPECT_EQ(profile::exit_code_of(outcome.run.outcome), ExitCode::kernel_fault);
  every_row_has_a_value_or_a_reason(outcome.run);
}

TEST_F(KernelFault, ACrashOfTheHostSideIsNamedByItsSignal) {
  const auto outcome = run(BrokenKernel::Way::crash);
  EXPECT_EQ(outcome.run.outcome.kind, "crashed");
  EXPECT_NE(outcome.run.outcome.reason.find("Segmentation fault"), std::string::npos);
  every_row_has_a_value_or_a_reason(outcome.run);
}

TEST_F(KernelFault, AGpuThatVanishesIsNotTheKernelsFault) {
  const auto outcome = run(BrokenKernel::Way::vanish);
  EXPECT_EQ(outcome.run.outcome.kind, "device-lost");
  EXPECT_EQ(profile::exit_code_of(outcome.run.outcome), ExitCode::unavailable);
}

TEST_F(KernelFault, OutOfMemoryIsNamed) {
  machine_.failing["allocate"] = "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory";
  machine_.failing_code["allocate"] = 2;
  const auto outcome = run(BrokenKernel::Way::fault);
  EXPECT_EQ(outcome.run.outcome.kind, "out-of-memory");
  EXPECT_EQ(profile::exit_code_of(outcome.run.outcome), ExitCode::unavailable);
  every_row_has_a_value_or_a_reason(outcome.run);
}

}  // namespace
}  // namespace cutelab::cli
