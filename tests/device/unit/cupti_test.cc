#include "device/cupti_counters.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cutelab::device {
namespace {

using namespace cupti;

TEST(Cupti, ParameterBlocksHaveTheSizesOfItsHeaders) {  // CUPTI 13.0's *_STRUCT_SIZE
  EXPECT_EQ(size_of<Plain>(), 16u);
  EXPECT_EQ(size_of<ChipName>(), 32u);
  EXPECT_EQ(size_of<DeviceSupported>(), 52u);
  EXPECT_EQ(size_of<HostInitialize>(), 48u);
  EXPECT_EQ(size_of<HostObject>(), 24u);
  EXPECT_EQ(size_of<HostMetricProperties>(), 60u);
  EXPECT_EQ(size_of<HostAddMetrics>(), 40u);
  EXPECT_EQ(size_of<HostConfigSize>(), 32u);
  EXPECT_EQ(size_of<HostConfig>(), 40u);
  EXPECT_EQ(size_of<HostPasses>(), 40u);
  EXPECT_EQ(size_of<HostEvaluate>(), 72u);
  EXPECT_EQ(size_of<RangeEnable>(), 32u);
  EXPECT_EQ(size_of<RangeObject>(), 24u);
  EXPECT_EQ(size_of<RangeCounterSize>(), 64u);
  EXPECT_EQ(size_of<RangeCounterInitialize>(), 40u);
  EXPECT_EQ(size_of<RangeConfig>(), 90u);
  EXPECT_EQ(size_of<RangeStop>(), 41u);
  EXPECT_EQ(size_of<RangeDecode>(), 32u);
  EXPECT_EQ(size_of<RangeCount>(), 40u);
}

// As under ncu on an H200: CUPTI's code 39, multiple subscribers not supported.
TEST(Cupti, CodesThatAPersonCanDoSomethingAboutSayWhat) {
  CuptiApi api;
  api.result_text = [](int, const char** name) {
    *name = "CUPTI_ERROR";
    return 0;
  };
  for (const int held : {26, 39})
    EXPECT_NE(api.checked(held, "start").error().remedy.find("another profiler"), std::string::npos) << held;
  EXPECT_EQ(api.checked(35, "start").error().remedy, counters_refused_remedy);
  EXPECT_EQ(api.checked(1, "start").error().remedy, "");
  EXPECT_TRUE(api.checked(0, "start"));
}

/// A CUPTI made of functions: what it was asked, and what it shall answer. CUPTI's functions take no closure,
/// so the state of the one test that runs is found here.
struct FakeCupti {
  std::vector<std::string> log;
  int passes = 3;
  int passes_begun = 0;
  std::size_t kernels = 1;
  std::size_t dropped = 0;
  int refuse_enable = 0;     ///< result of cuptiRangeProfilerEnable
  int device_supported = 3;  ///< 3 = yes
  std::string unknown_metric = "sm__unicorns.sum";
  int wrong_sizes = 0;
  CuptiApi api();
};
FakeCupti* fake = nullptr;

template <class B>
int said(const char* line, B* block) {
  if (block->size != size_of<B>()) ++fake->wrong_sizes;
  fake->log.emplace_back(line);
  return 0;
}

int host_object;  // stands for CUPTI's opaque objects
int range_object;

void bind_host(CuptiApi& api) {
  api.initialize = [](Plain* b) { return said("initialize", b); };
  api.deinitialize = [](Plain* b) { return said("deinitialize", b); };
  api.device_supported = [](DeviceSupported* b) {
    b->supported = b->vgpu = fake->device_supported;
    b->architecture = b->sli = b->confidential_compute = b->cmp = b->wsl = 3;
    return said("supported", b);
  };
  api.chip_name = [](ChipName* b) {
    b->chip = "GH100";
    return said("chip", b);
  };
  api.host_initialize = [](HostInitialize* b) {
    b->host = &host_object;
    return said("host", b);
  };
  api.host_deinitialize = [](HostObject* b) { return said("no host", b); };
  api.host_properties = [](HostMetricProperties* b) {
    return said("property", b) + (fake->unknown_metric == b->metric ? 17 : 0);
  };
  api.host_add_metrics = [](HostAddMetrics* b) { return said("add", b); };
  api.host_config_size = [](HostConfigSize* b) {
    b->bytes = 64;
    return said("config size", b);
  };
  api.host_config = [](HostConfig* b) { return said("config image", b); };
  api.host_passes = [](HostPasses* b) {
    b->passes = static_cast<std::size_t>(fake->passes);
    return said("passes", b);
  };
  api.host_evaluate = [](HostEvaluate* b) {
    for (std::size_t i = 0; i < b->count; ++i) b->values[i] = 100.0 * static_cast<double>(b->range) + 1;
    return said("evaluate", b);
  };
  api.result_text = [](int code, const char** text) {
    *text = code == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_UNKNOWN";
    return 0;
  };
}

void bind_range(CuptiApi& api) {
  api.range_enable = [](RangeEnable* b) {
    b->profiler = &range_object;
    return said("enable", b) + fake->refuse_enable;
  };
  api.range_disable = [](RangeObject* b) { return said("disable", b); };
  api.range_counter_size = [](RangeCounterSize* b) {
    b->bytes = 128;
    return said("image size", b);
  };
  api.range_counter_initialize = [](RangeCounterInitialize* b) { return said("image", b); };
  api.range_config = [](RangeConfig* b) {
    EXPECT_EQ(b->range, 1) << "a range per kernel";
    EXPECT_EQ(b->replay, 3) << "we run the passes";
    return said("configure", b);
  };
  api.range_start = [](RangeObject* b) {
    ++fake->passes_begun;
    return said("start", b);
  };
  api.range_stop = [](RangeStop* b) {
    b->all_passes_submitted = fake->passes_begun >= fake->passes;
    return said("stop", b);
  };
  api.range_decode = [](RangeDecode* b) {
    b->dropped = fake->dropped;
    return said("decode", b);
  };
  api.range_count = [](RangeCount* b) {
    b->ranges = fake->kernels;
    return said("count", b);
  };
}

CuptiApi FakeCupti::api() {
  CuptiApi made;
  bind_host(made);
  bind_range(made);
  return made;
}

class Counting : public ::testing::Test {
 protected:
  Counting() { fake = &cupti; }
  ~Counting() override { fake = nullptr; }
  Result<CounterReading> count() {
    const CuptiApi api = cupti.api();
    CountedWork work;
    work.before = [this] { return step("before"); };
    work.ahead = [this] { return step("ahead"); };
    work.ahead_kernels = ahead_kernels;
    work.launch = [this] {
      return launch_fails ? Error{ErrorKind::unavailable, "launch", "it broke", "", ""} : step("launch");
    };
    return read_counters(api, {&range_object, 0}, {"gpu__time_duration.sum", cupti.unknown_metric}, work);
  }
  Status step(const char* name) {
    cupti.log.emplace_back(name);
    return {};
  }
  int times(const std::string& line) const {
    return static_cast<int>(std::count(cupti.log.begin(), cupti.log.end(), line));
  }
  FakeCupti cupti;
  bool launch_fails = false;
  int ahead_kernels = 0;
};

TEST_F(Counting, EveryPassRestoresOutsideAndLaunchesInside) {
  auto reading = count();
  ASSERT_TRUE(reading) << reading.error().message();
  EXPECT_EQ(cupti.wrong_sizes, 0);
  EXPECT_EQ(reading->chip, "GH100");
  EXPECT_EQ(reading->passes, 3);
  EXPECT_EQ(reading->unknown, std::vector<std::string>{"sm__unicorns.sum"});
  ASSERT_EQ(reading->kernels.size(), 1u);
  EXPECT_EQ(reading->kernels[0].at("gpu__time_duration.sum"), 1);
  const std::vector<std::string> pass = {"before", "start", "ahead", "launch", "stop"};
  auto at = cupti.log.begin();
  for (int n = 0; n < 3; ++n) {
    at = std::search(at, cupti.log.end(), pass.begin(), pass.end());
    ASSERT_NE(at, cupti.log.end()) << "pass " << n;
    ++at;
  }
}

TEST_F(Counting, WhatWasSwitchedOnIsSwitchedOffAgain) {
  ASSERT_TRUE(count());
  const std::vector<std::string> end = {"disable", "no host", "deinitialize"};
  EXPECT_TRUE(std::equal(end.rbegin(), end.rend(), cupti.log.rbegin()));
}

TEST_F(Counting, EachKernelOfALaunchHasItsOwnValues) {
  cupti.kernels = 2;
  auto reading = count();
  ASSERT_TRUE(reading);
  ASSERT_EQ(reading->kernels.size(), 2u);
  EXPECT_EQ(reading->kernels[1].at("gpu__time_duration.sum"), 101);
}

TEST_F(Counting, KernelsThatSetTheCachesAreLeftOut) {
  cupti.kernels = 3;
  ahead_kernels = 1;
  auto reading = count();
  ASSERT_TRUE(reading);
  ASSERT_EQ(reading->kernels.size(), 2u);
  EXPECT_EQ(reading->kernels[0].at("gpu__time_duration.sum"), 101);
  cupti.passes_begun = 0;
  cupti.kernels = 4;
  ahead_kernels = -1;  // a warm-up of the same work
  reading = count();
  ASSERT_TRUE(reading);
  ASSERT_EQ(reading->kernels.size(), 2u);
  EXPECT_EQ(reading->kernels[0].at("gpu__time_duration.sum"), 201);
  cupti.passes_begun = 0;
  cupti.kernels = 1;
  ahead_kernels = 1;
  EXPECT_EQ(count().error().wrong, "the work launched no kernel");
}

TEST_F(Counting, RefusedCountersNameTheReasonAndTheRemedy) {
  cupti.refuse_enable = 35;
  auto reading = count();
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(reading.error().wrong, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)");
  EXPECT_NE(reading.error().remedy.find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos);
  EXPECT_NE(reading.error().remedy.find("CAP_SYS_ADMIN"), std::string::npos);
  EXPECT_EQ(times("launch"), 0);
  EXPECT_EQ(cupti.log.back(), "deinitialize");
}

TEST_F(Counting, AVirtualGpuThatDoesNotAllowItSaysSo) {
  cupti.device_supported = 2;
  EXPECT_EQ(count().error().wrong, "the virtual GPU does not allow it");
}

TEST_F(Counting, AFailedLaunchEndsThePassAndIsTheError) {
  launch_fails = true;
  auto reading = count();
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().wrong, "it broke");
  EXPECT_EQ(times("stop"), 1);
  EXPECT_EQ(times("disable"), 1);
}

TEST_F(Counting, NoKernelAndTooManyKernelsAreErrors) {
  cupti.kernels = 0;
  EXPECT_EQ(count().error().wrong, "no kernel was launched while the counters ran");
  cupti.passes_begun = 0;
  cupti.kernels = 16;
  cupti.dropped = 4;
  EXPECT_EQ(count().error().wrong, "4 kernels were launched beyond the 16 that fit");
}

TEST_F(Counting, APassCountThatNeverEndsIsStopped) {
  cupti.passes = 2;
  cupti.passes_begun = -1000;  // "not all submitted" for a thousand passes
  auto reading = count();
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().wrong, "CUPTI is not done after 12 passes");
}

TEST(Cupti, ALibraryThatIsMissingOrTooOldNamesWhatToDo) {
  const SharedLibrary none("libcutelab-no-cupti.so.13");
  auto api = load_cupti(none);
  ASSERT_FALSE(api);
  EXPECT_NE(api.error().wrong.find("libcutelab-no-cupti.so.13"), std::string::npos);
  EXPECT_NE(api.error().remedy.find("cutelab setup cupti"), std::string::npos);
  const SharedLibrary libm("libm.so.6");
  EXPECT_EQ(load_cupti(libm).error().wrong, "the library lacks cuptiProfilerInitialize");
}

TEST(Cupti, TheFirstLibraryThatOpensIsTaken) {
  EXPECT_TRUE(open_first({"libcutelab-no-cupti.so.13", "libm.so.6"}).loaded());
  EXPECT_NE(open_first({"libcutelab-no-cupti.so.13"}).missing().find("no-cupti"), std::string::npos);
}

}  // namespace
}  // namespace cutelab::device
