#include "cli/kernel_sweep.h"

#include <signal.h>
#include <sys/wait.h>

#include <fstream>

#include "cli/unit/kernel_world.h"
#include "evidence/metrics.h"
#include "profile/store.h"
#include "report/sweep_view.h"

namespace cutelab::cli {
namespace {

class KernelSweep : public testing::KernelWorld {
 protected:
  SweepRequest request(const std::string& rows) {
    KernelRequest base{package_, params_, config_, "event", false, 0, {}, 20};
    base.timing.stop.most_samples = 40;
    SweepRequest asked{base, *kernel::parse_sweep("rmsnorm", *package_.plan, {{"b", rows}, {"h", "64"}}),
                       kernel_config_};
    asked.store = (root_ / "runs.db").string();
    return asked;
  }
  /// `hang_at`: the load that gives a kernel which hangs, counted per process; -1 = none.
  Result<SweepOutcome> sweep(const SweepRequest& asked, int hang_at = -1) {
    const auto load = loader([this, hang_at](int n) {
      auto kernel = std::make_unique<testing::SteadyKernel>();
      kernel->machine = &machine_;
      kernel->hangs = n == hang_at;
      usleep(20'000);
      std::ofstream(root_ / "launched", std::ios::app) << "x";
      return kernel;
    });
    return run_sweep(asked, *device::fake_device(machine_), load, context_);
  }
  int launched() const {
    std::error_code code;
    const auto size = std::filesystem::file_size(root_ / "launched", code);
    return code ? 0 : static_cast<int>(size);
  }
  std::string kernel_config_;
};

TEST_F(KernelSweep, EveryProblemBecomesARunInOrder) {
  auto outcome = sweep(request("4:32:x2"));
  ASSERT_TRUE(outcome) << outcome.error().message();
  ASSERT_EQ(outcome->runs.size(), 4u);
  std::vector<std::string> rows;
  for (const auto& [id, run] : outcome->runs) {
    rows.push_back(run.provenance.configuration.at("b"));
    EXPECT_EQ(run.outcome.kind, "done") << run.outcome.reason;
    EXPECT_TRUE(evidence::metric_of(run, "duration_us")->value);
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"4", "8", "16", "32"}));
  EXPECT_EQ(exit_code_of(*outcome), ExitCode::ok);
  const auto table = report::sweep_report({"b"}, outcome->runs);
  EXPECT_NE(table.find("|   b | Duration (us) |"), std::string::npos) << table;
}

TEST_F(KernelSweep, AHangingProblemDoesNotEndTheSweep) {
  auto asked = request("4,8,16");
  asked.base.time_limit_seconds = 0.5;
  auto outcome = sweep(asked, 0);  // each problem loads in a process of its own: all hang
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->runs.size(), 3u);
  for (const auto& [id, run] : outcome->runs) EXPECT_EQ(run.outcome.kind, "time-limit");
  EXPECT_EQ(exit_code_of(*outcome), ExitCode::kernel_fault);
}

TEST_F(KernelSweep, AKilledSweepGoesOnAndMeasuresNothingTwice) {
  const auto asked = request("4:64:4");  // 16 problems
  const pid_t child = fork();
  if (child == 0) {
    (void)sweep(asked);
    _exit(0);
  }
  for (int i = 0; i < 1000 && launched() < 5; ++i) usleep(5'000);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const int before = launched();
  ASSERT_GE(before, 5);
  ASSERT_LT(before, 16) << "it was too quick to be killed in the middle";
  auto outcome = sweep(asked);
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->runs.size(), 16u);
  EXPECT_GE(outcome->resumed, before - 2);
  EXPECT_LE(launched(), 17) << "at most the problem that was cut off is run again";
  EXPECT_NE(err_.str().find("going on with an unfinished sweep"), std::string::npos) << err_.str();
}

TEST_F(KernelSweep, SeveralGpusShareTheProblems) {
  auto asked = request("4:48:4");
  asked.gpus = {0, 0, 0};
  auto outcome = sweep(asked);
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->runs.size(), 12u);
  EXPECT_EQ(launched(), 12);
}

TEST_F(KernelSweep, ShardsTogetherAreTheWhole) {
  int all = 0;
  for (int shard = 0; shard < 3; ++shard) {
    auto asked = request("4:28:4");
    asked.shard = shard;
    asked.shards = 3;
    auto outcome = sweep(asked);
    ASSERT_TRUE(outcome);
    all += static_cast<int>(outcome->runs.size());
  }
  EXPECT_EQ(all, 7);
  EXPECT_EQ(launched(), 7);
}

TEST_F(KernelSweep, WithoutAGpuEachRunNamesTheReason) {
  machine_.list_error = "the driver sees no GPU";
  auto outcome = sweep(request("4,8"));
  ASSERT_TRUE(outcome);
  for (const auto& [id, run] : outcome->runs)
    EXPECT_NE(run.outcome.reason.find("the driver sees no GPU"), std::string::npos);
  EXPECT_EQ(exit_code_of(*outcome), ExitCode::unavailable);
}

}  // namespace
}  // namespace cutelab::cli
