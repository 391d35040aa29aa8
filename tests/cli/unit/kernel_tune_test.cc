#include "cli/kernel_tune.h"

#include <algorithm>
#include <csignal>

#include "cli/unit/kernel_world.h"

namespace cutelab::cli {
namespace {

/// The n-th kernel that a process loads takes us[n % size]: candidates are loaded in their order.
class KernelTune : public testing::KernelWorld {
 protected:
  TuneRequest request() {
    TuneRequest wanted{
        {package_, params_, config_, "event", false, 0, {}, 5}, 3, {}, false, (root_ / "runs.db").string()};
    wanted.spec.least_seconds = 0;
    wanted.base.time_limit_seconds = 1;
    return wanted;
  }
  std::size_t legal() const {
    const auto all = package_.plan->autotune_configs(params_);
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](auto& c) { return c.legal(); }));
  }
  /// The kernel of a build is known by its folder: `us` per legal configuration in order.
  Result<TuneOutcome> tune(const TuneRequest& wanted, const std::vector<double>& us, int hangs = -1,
                           int wrong = -1, int crashes = -1) {
    std::vector<std::string> folders;
    for (const auto& config : package_.plan->autotune_configs(params_)) {
      if (!config.legal()) continue;
      const auto kernel = *package_.plan->plan(params_, config);
      folders.push_back(*kernel::source_hash(
          {files_, environment_, root_.string(), package_.folder, kernel.defines, "sm_90a"}));
    }
    const KernelLoader load =
        [=, this](const std::string& library) -> Result<std::unique_ptr<kernel::Launchable>> {
      const auto which =
          static_cast<int>(std::find_if(folders.begin(), folders.end(),
                                        [&](auto& hash) { return library.find(hash) != std::string::npos; }) -
                           folders.begin());
      auto kernel = std::make_unique<testing::SteadyKernel>();
      kernel->machine = &machine_;
      kernel->us = us[static_cast<std::size_t>(which) % us.size()];
      kernel->hangs = which == hangs;
      if (which == wrong) kernel->value = 2;
      if (which == crashes) raise(SIGSEGV);
      return Result<std::unique_ptr<kernel::Launchable>>(std::move(kernel));
    };
    ++tuned_;
    return tune_kernel(wanted, *device::fake_device(machine_), load, context_);
  }
  int tuned_ = 0;
};

TEST_F(KernelTune, TheFastestBeyondTheMarginIsTakenAndKept) {
  ASSERT_GE(legal(), 3u);
  auto outcome = tune(request(), {10, 9, 11});
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->best.values, outcome->candidates[1].config.values) << tune_report(*outcome);
  EXPECT_NEAR(outcome->best.duration_us, 9, 0.02);
  EXPECT_EQ(outcome->candidates.size(), legal());
  EXPECT_EQ(outcome->best.candidates, static_cast<int>(legal()));
  EXPECT_GT(outcome->best.rejected, 0) << "a row of 64 elements does not fill 1024 threads";
  auto again = tune(request(), {1});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->from_store);
  EXPECT_EQ(again->best.values, outcome->best.values);
  auto fresh = request();
  fresh.again = true;
  EXPECT_FALSE(tune(fresh, {10})->from_store);
}

// What L2 held decides which one is best; what the plan refuses is never compiled, and counted by its reason.
TEST_F(KernelTune, TheReportSaysWhatL2HeldAndWhyOthersWereNotTried) {
  const auto cold = tune_report(*tune(request(), {10, 9}));
  EXPECT_NE(cold.find(" us, L2 cold (clean unrelated lines))"), std::string::npos) << cold;
  const auto all = package_.plan->autotune_configs(params_);
  const std::string& reason = all.back().rejected_because;
  const auto refused = std::count_if(all.begin(), all.end(), [](auto& c) { return !c.legal(); });
  ASSERT_GT(refused, 0);
  EXPECT_NE(cold.find("\n" + std::to_string(refused) + " rejected by the plan\n"), std::string::npos) << cold;
  EXPECT_NE(cold.find(" × " + reason + "\n"), std::string::npos) << cold;
  auto warm = request();
  warm.base.timing.l2 = profile::L2State::warm;
  EXPECT_NE(tune_report(*tune(warm, {10, 9})).find("L2 warm"), std::string::npos);
}

TEST_F(KernelTune, WithinTheMarginThePlansOwnChoiceStays) {
  auto outcome = tune(request(), {10, 9.96, 9.97});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->best.values, outcome->candidates[0].config.values) << tune_report(*outcome);
  EXPECT_NE(outcome->said.find("stays"), std::string::npos);
}

TEST_F(KernelTune, HangsCrashesAndWrongResultsAreCountedAndTheRestGoesOn) {
  ASSERT_GE(legal(), 3u);
  auto outcome = tune(request(), {10, 5, 5}, 1, 2);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->candidates[1].failed_because.rfind("time-limit", 0), 0u)
      << outcome->candidates[1].failed_because;
  EXPECT_NE(outcome->candidates[2].failed_because.find("outputs"), std::string::npos)
      << outcome->candidates[2].failed_because;
  EXPECT_EQ(outcome->best.values, outcome->candidates[0].config.values) << tune_report(*outcome);
  EXPECT_EQ(outcome->best.failed, 2);
  auto fresh = request();
  fresh.again = true;
  fresh.base.time_limit_seconds = 20;  // a sanitizer's report of the crash takes its time
  auto crashed = tune(fresh, {10, 5}, -1, -1, 1);
  ASSERT_TRUE(crashed);
  EXPECT_EQ(crashed->candidates[1].failed_because.rfind("crashed", 0), 0u)
      << crashed->candidates[1].failed_because;
}

TEST_F(KernelTune, WithoutAGpuItSaysSo) {
  machine_.list_error = "the driver sees no GPU";
  auto outcome = tune(request(), {10});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().wrong.find("the driver sees no GPU"), std::string::npos);
}

}  // namespace
}  // namespace cutelab::cli
