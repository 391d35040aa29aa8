#include "profile/kernel_counters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/file_source.h"
#include "device/cupti_counters.h"
#include "evidence/metrics.h"

namespace cutelab::profile {
namespace {

TEST(Counters, EveryRowNamesItsCounterOnce) {
  const auto names = counter_names();
  EXPECT_GT(names.size(), 20u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

// CUPTI's host library plans counters for any chip without a GPU: a name that it does not know is found here.
TEST(Counters, CuptiKnowsEveryNameOnHopperAndSchedulesThemInFewPasses) {
  const std::string path = CUTELAB_SOURCE_DIR "/build/deps/cupti/lib/libcupti.so.13";
  const auto library = device::open_first({path});
  if (!library.loaded()) GTEST_SKIP() << library.missing() << " (cutelab setup cupti)";
  auto api = device::load_cupti(library);
  ASSERT_TRUE(api) << api.error().message();
  auto plan = device::MetricPlan::make(*api, "GH100", counter_names());
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->unknown(), std::vector<std::string>{});
  EXPECT_GT(plan->passes(), 1);
  EXPECT_LE(plan->passes(), 40);
  EXPECT_FALSE(device::MetricPlan::make(*api, "NV1", counter_names()));
}

device::CounterReading reading(std::map<std::string, double> first,
                               std::map<std::string, double> second = {}) {
  device::CounterReading r{"GH100", 16, {}, {std::move(first)}};
  if (!second.empty()) r.kernels.push_back(std::move(second));
  return r;
}

TEST(Counters, ValuesAreScaledAndMissingOnesSayWhy) {
  evidence::Run run;
  record_counters(run, reading({{"gpu__time_duration.sum", 65120},
                                {"dram__bytes_read.sum", 134.25e6},
                                {"l1tex__t_sector_hit_rate.pct", std::nan("")}}));
  EXPECT_DOUBLE_EQ(*evidence::metric_of(run, "counter_duration_us")->value, 65.12);
  EXPECT_DOUBLE_EQ(*evidence::metric_of(run, "dram_read_mb")->value, 134.25);
  EXPECT_EQ(evidence::metric_of(run, "l1_hit_percent")->missing_because,
            "CUPTI gave no number: nothing of the kind happened");
  EXPECT_EQ(evidence::metric_of(run, "stall_gmma")->missing_because,
            "GH100 has no counter smsp__warp_issue_stalled_gmma_per_warp_active.pct");
  EXPECT_EQ(run.metrics.size(), counter_names().size()) << "one row each, filled or not";
}

TEST(Counters, OfSeveralKernelsTheLongestIsShownAndTheOthersAreSaid) {
  evidence::Run run;
  record_counters(run, reading({{"gpu__time_duration.sum", 1000}}, {{"gpu__time_duration.sum", 3000}}));
  EXPECT_DOUBLE_EQ(*evidence::metric_of(run, "counter_duration_us")->value, 3);
  EXPECT_EQ(run.notes.back(), "a launch runs 2 kernels; counters are of the longest, 75.0 % of their time");
}

TEST(Counters, RefusalFillsEveryRowWithTheReason) {
  evidence::Run run;
  record_no_counters(run, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)");
  ASSERT_EQ(run.metrics.size(), counter_names().size());
  for (const auto& metric : run.metrics)
    EXPECT_EQ(metric.missing_because, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)") << metric.tag;
}

}  // namespace
}  // namespace cutelab::profile
