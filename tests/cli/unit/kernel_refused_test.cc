#include <sys/stat.h>

#include "cli/kernel_profile.h"
#include "cli/unit/kernel_world.h"
#include "evidence/metrics.h"
#include "kernel/toolchain.h"

namespace cutelab::cli {
namespace {

/// The GPU times the kernel, but somebody keeps its counters: the driver, or nobody installed ncu.
class CountersRefused : public testing::KernelWorld {
 protected:
  KernelOutcome run(const std::string& prof_type) {
    const KernelRequest request{package_, params_, config_, prof_type, false, 0, {}, 0};
    const auto load = loader([&](int) {
      auto kernel = std::make_unique<testing::SteadyKernel>();
      kernel->machine = &machine_;
      return kernel;
    });
    auto outcome = run_kernel(request, *device::fake_device(machine_), load, context_);
    EXPECT_TRUE(outcome);
    return *outcome;
  }
  /// An ncu that answers as the real one does where the driver refuses (ncu 2025.3's words).
  void install_ncu(const std::string& script) {
    const auto path = root_ / "bin" / "ncu";
    std::filesystem::create_directories(path.parent_path());
    EXPECT_TRUE(write_file_atomically(path.string(), script));
    chmod(path.c_str(), 0755);
    environment_ = Environment({{"PATH", path.parent_path().string() + ":/usr/bin:/bin"},
                                {"XDG_DATA_HOME", (root_ / "data").string()}});
  }
  /// Timing stays; every counter's row carries the reason.
  static void keeps_the_time_and_names(const KernelOutcome& outcome, const std::string& reason) {
    const auto& run = outcome.run;
    ASSERT_NE(evidence::metric_of(run, "duration_us"), nullptr);
    EXPECT_TRUE(evidence::metric_of(run, "duration_us")->value.has_value());
    EXPECT_FALSE(run.samples_us.empty());
    for (const char* tag : {"tc_percent", "dram_percent", "l2_hit_percent", "stall_barrier"}) {
      const auto* row = evidence::metric_of(run, tag);
      ASSERT_NE(row, nullptr) << tag;
      EXPECT_FALSE(row->value.has_value()) << tag;
      EXPECT_NE(row->missing_because.find(reason), std::string::npos) << tag << ": " << row->missing_because;
    }
    EXPECT_EQ(run.outcome.kind, "done") << "the run itself is whole";
    ASSERT_FALSE(outcome.not_done.empty()) << "so the exit code is 3, as docs/cli/kernel.md says";
  }
};

TEST_F(CountersRefused, ByTheDriver) {
  machine_.failing["count"] = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)";
  const auto outcome = run("annotation");
  keeps_the_time_and_names(outcome, "INSUFFICIENT_PRIVILEGES");
}

TEST_F(CountersRefused, ByTheDriverUnderNcu) {
  install_ncu(
      "#!/bin/sh\necho '==PROF== Connected to process 7'\n"
      "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance "
      "Counters on the target device 0. For instructions on enabling permissions and to get more information "
      "see https://developer.nvidia.com/ERR_NVGPUCTRPERM'\nexit 1\n");
  const auto outcome = run("ncu");
  keeps_the_time_and_names(outcome, "ERR_NVGPUCTRPERM");
  EXPECT_NE(outcome.not_done.back().find("CAP_SYS_ADMIN"), std::string::npos) << outcome.not_done.back();
}

TEST_F(CountersRefused, WhereThereIsNoNcu) {
  environment_ = Environment({{"PATH", (root_ / "nothing").string()}, {"CUDA_HOME", root_.string()}});
  if (!kernel::find_cuda_tool(environment_, root_.string(), "ncu").empty())
    GTEST_SKIP() << "this machine has an ncu in /usr/local/cuda";
  keeps_the_time_and_names(run("ncu"), "neither on PATH nor in a CUDA folder");
}

TEST_F(CountersRefused, AnNcuThatProfiledNothingSaysSo) {
  install_ncu("#!/bin/sh\necho '==WARNING== No kernels were profiled.'\nexit 0\n");
  keeps_the_time_and_names(run("ncu"), "no launch matched the kernel's name");
}

TEST_F(CountersRefused, AnNcuThatDiesIsNotMistakenForAReport) {
  install_ncu("#!/bin/sh\nkill -9 $$\n");
  keeps_the_time_and_names(run("ncu"), "ncu gave no launch and no reason");
}

}  // namespace
}  // namespace cutelab::cli
