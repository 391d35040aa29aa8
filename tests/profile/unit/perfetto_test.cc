#include "profile/perfetto.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profile/unit/trace_reader.h"

namespace cutelab::profile {
namespace {

using device::Span;

std::vector<Span> sample() {
  Span call;
  call.lane = Span::Lane::host;
  call.track = 7;
  call.name = "cuLaunchKernel";
  call.begin_ns = 1000;
  call.end_ns = 4000;
  call.correlation = 42;
  Span kernel;
  kernel.track = 13;
  kernel.name = "k<int, \"a\">";
  kernel.begin_ns = 5000;
  kernel.end_ns = 15000;
  kernel.correlation = 42;
  kernel.details = {{"grid", "8×1×1"}};
  Span fill;
  fill.track = 13;
  fill.name = "fill";
  fill.begin_ns = 20000;
  fill.end_ns = 25000;
  return {call, kernel, fill};
}

TEST(Perfetto, TracksAndTimesStartAtTheFirstSpan) {
  const auto trace = nlohmann::json::parse(perfetto_json(sample(), "rmsnorm v0"));
  int complete = 0, arrows = 0;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") ++complete;
    if (event.at("ph") == "s" || event.at("ph") == "f") ++arrows;
    if (event.at("name") == "k<int, \"a\">") {
      EXPECT_EQ(event.at("ts"), 4.0);
      EXPECT_EQ(event.at("dur"), 10.0);
      EXPECT_EQ(event.at("tid"), 13);
      EXPECT_EQ(event.at("args").at("grid"), "8×1×1");
    }
  }
  EXPECT_EQ(complete, 3);
  EXPECT_EQ(arrows, 2) << "one arrow, from the call to its kernel";
}

TEST(Perfetto, AnImporterTakesEveryEvent) {
  const auto trace = testing::read_trace(perfetto_json(sample(), "rmsnorm v0"));
  EXPECT_EQ(trace.wrong, "");
  EXPECT_EQ(trace.slices.size(), 3u);
  EXPECT_EQ(trace.arrows, 1);
  EXPECT_EQ(trace.processes.at(1), "GPU: rmsnorm v0");
  EXPECT_EQ(trace.tracks.at({1, 13}), "stream 13");
  EXPECT_EQ(testing::read_trace(perfetto_json({}, "nothing ran")).wrong, "");
}

TEST(Perfetto, TheReaderOfTheseTestsRefusesWhatAnImporterDrops) {
  const auto wrong = [](const std::string& events) {
    return testing::read_trace("{\"traceEvents\":[" + events + "]}").wrong;
  };
  const std::string names = R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"p"}},)"
                            R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"t"}},)";
  const std::string first = names + R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5})";
  EXPECT_EQ(wrong(first), "");
  EXPECT_EQ(wrong(first + R"(,{"ph":"X","name":"b","pid":1,"tid":1,"ts":3,"dur":5})"), "slices overlap: b");
  EXPECT_EQ(wrong(first + R"(,{"ph":"X","name":"b","pid":1,"tid":1,"ts":3,"dur":1})"), "");
  EXPECT_NE(wrong(first + R"(,{"ph":"X","name":"b","pid":1,"tid":1,"ts":7})"), "") << "no duration";
  EXPECT_NE(wrong(first + R"(,{"ph":"s","name":"l","id":4,"pid":1,"tid":1,"ts":1})"), "") << "half an arrow";
  EXPECT_EQ(wrong(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5})"), "a process without a name");
  EXPECT_NE(testing::read_trace("{").wrong, "");
}

TEST(Perfetto, TheSummaryCountsWhatRanAndWhereTheGpuWaited) {
  EXPECT_EQ(timeline_summary(sample()),
            "fill 1×, median 5.00 us; k<int, \"a\"> 1×, median 10.00 us; GPU idle 25.0 % of 20.0 us");
  EXPECT_EQ(timeline_summary({}), "nothing ran on the GPU");
}

}  // namespace
}  // namespace cutelab::profile
