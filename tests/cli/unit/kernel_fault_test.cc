#include <unistd.h>

#include <csignal>

#include "cli/unit/kernel_world.h"
#include "evidence/metrics.h"
#include "profile/outcome.h"

namespace cutelab::cli {
namespace {

/// A kernel that does on its n-th launch what a broken one does on a device.
struct BrokenKernel final : kernel::Launchable {
  enum class Way { hang, crash, fault, vanish } way = Way::hang;
  mutable int good_launches = 0;
  Status launch(const std::vector<std::byte>&, const kernel::LaunchShape&, void*) const override {
    if (good_launches-- > 0) return {};
    if (way == Way::crash) {
      std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would end the process in its own way
      raise(SIGSEGV);
    }
    while (way == Way::hang) pause();
    const int code = way == Way::fault ? 700 : 46;
    return Error{ErrorKind::unavailable, "launch", "CUDA_ERROR (of the test)", "", "", code};
  }
};

class KernelFault : public testing::KernelWorld {
 protected:
  KernelOutcome run(BrokenKernel::Way way, int good_launches = 0) {
    const KernelRequest request{package_, params_, config_, "event", true, 0, {}, 0.5};
    const auto load = loader([&](int) {
      auto kernel = std::make_unique<BrokenKernel>();
      kernel->way = way;
      kernel->good_launches = good_launches;
      return kernel;
    });
    auto outcome = run_kernel(request, *device::fake_device(machine_), load, context_);
    EXPECT_TRUE(outcome);
    return *outcome;
  }
  static void every_row_has_a_value_or_a_reason(const evidence::Run& run) {
    ASSERT_NE(evidence::metric_of(run, "duration_us"), nullptr);
    for (const auto& metric : run.metrics)
      EXPECT_TRUE(metric.value.has_value() != !metric.missing_because.empty()) << metric.tag;
  }
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
