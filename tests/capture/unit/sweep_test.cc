#include "capture/sweep.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "capture/supervised.h"

namespace cutelab::capture {
namespace {

TEST(RunAll, RunsEachOnceAndNotMoreAtOnceThanAsked) {
  for (const int jobs : {1, 3, 50}) {
    std::vector<std::atomic<int>> runs(20);
    std::atomic<int> now = 0, most = 0;
    run_all(runs.size(), jobs, [&](std::size_t i) {
      const int running = ++now;
      for (int seen = most; seen < running && !most.compare_exchange_weak(seen, running);) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++runs[i];
      --now;
    });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
    EXPECT_LE(most, jobs);
  }
  run_all(0, 2, [](std::size_t) { FAIL(); });
}

TEST(RunAll, WhatWatchesAProgramHoldsNoFileOfTheOneBesideIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  ProcessSpec spec;
  spec.argv = {"/bin/sleep", "3"};
  std::thread watching([&] { EXPECT_TRUE(run_supervised(spec, {})); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  close(ends[1]);
  pollfd watched = {ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&watched, 1, 1000), 1) << "its end of the pipe is still open somewhere";
  watching.join();
  close(ends[0]);
}

Swept swept(const std::string& file, bool own, int module) {
  Swept one;
  one.file = file;
  one.capture.emplace();
  one.capture->arch = "sm_90a";
  Launch launch;
  launch.symbol = "k";
  launch.own = own;
  launch.module = module;
  one.capture->launches.push_back(launch);
  return one;
}

TEST(SweepJson, CountsThoseWithLaunchAndIntermediateForm) {
  Sweep sweep;
  sweep.programs = {swept("a.py", true, 0), swept("b.py", true, -1), swept("c.py", false, 0)};
  sweep.programs.push_back({"d.py", false, std::nullopt, "the file is empty"});
  const auto json = nlohmann::json::parse(to_json(sweep));
  EXPECT_EQ(json["captured"], 1);
  EXPECT_EQ(json["recorded"], 2);
  const std::vector<std::string> outcomes = {"captured", "recorded", "failed", "failed"};
  for (std::size_t i = 0; i < outcomes.size(); ++i) EXPECT_EQ(json["programs"][i]["outcome"], outcomes[i]);
  EXPECT_EQ(json["programs"][3]["ended"], "not-run");
  EXPECT_EQ(json["programs"][3]["reason"], "the file is empty");
}

}  // namespace
}  // namespace cutelab::capture
