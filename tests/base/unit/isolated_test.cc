#include "base/isolated.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace cutelab {
namespace {

using How = IsolatedEnd::How;

struct Heard {
  std::vector<std::string> all;
  std::function<void(std::string)> ear() {
    return [this](std::string text) { all.push_back(std::move(text)); };
  }
};

TEST(Isolated, MessagesArriveInOrderAndWhole) {
  Heard heard;
  const std::string large(3'000'000, 'x');
  auto end = run_isolated(
      [&](const Isolated& parent) {
        parent.tell("one");
        parent.tell(large);
        parent.tell("");
      },
      10, heard.ear());
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::returned);
  ASSERT_EQ(heard.all.size(), 3u);
  EXPECT_EQ(heard.all[0], "one");
  EXPECT_EQ(heard.all[1], large);
  EXPECT_EQ(heard.all[2], "");
}

TEST(Isolated, AHangInALimitedPhaseIsEndedAndWhatWasToldIsKept) {
  Heard heard;
  auto end = run_isolated(
      [](const Isolated& parent) {
        parent.tell("before");
        parent.phase("timing", true);
        while (true) pause();
      },
      0.2, heard.ear());
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::time_limit);
  EXPECT_EQ(end->phase, "timing");
  EXPECT_GE(end->phase_seconds, 0.2);
  EXPECT_LT(end->phase_seconds, 5);
  EXPECT_EQ(heard.all, std::vector<std::string>{"before"});
}

TEST(Isolated, WhatALibraryWritesIntoThePipeWithoutEndIsOverAtTheLimit) {
  Heard heard;
  auto end = run_isolated(
      [](const Isolated& parent) {
        parent.tell("before");
        parent.phase("driver", true);
        static const std::vector<char> zeros(4096);
        for (int fd = 3;; fd = fd == 40 ? 3 : fd + 1)
          if (fcntl(fd, F_GETFL) >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
            (void)!write(fd, zeros.data(), zeros.size());
      },
      0.5, heard.ear());
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::time_limit);
  EXPECT_EQ(end->phase, "driver");
  EXPECT_LT(end->phase_seconds, 5);
  EXPECT_EQ(heard.all, std::vector<std::string>{"before"});
}

TEST(Isolated, APhaseWithoutALimitMayTakeItsTime) {
  auto end = run_isolated(
      [](const Isolated& parent) {
        parent.phase("device", true);
        parent.phase("reference on the CPU", false);
        usleep(400'000);
      },
      0.1, [](const std::string&) {});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::returned);
  EXPECT_EQ(end->phase, "reference on the CPU");
}

TEST(Isolated, ACrashIsNamedByItsSignal) {
  auto end = run_isolated(
      [](const Isolated& parent) {
        parent.phase("launch", true);
        raise(SIGKILL);
      },
      10, [](const std::string&) {});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::signal);
  EXPECT_EQ(end->signal, SIGKILL);
  EXPECT_EQ(end->phase, "launch");
}

// A driver's library may call exit(): that is no end of the work.
TEST(Isolated, AnExitInTheMiddleIsNoEnd) {
  auto end = run_isolated(
      [](const Isolated& parent) {
        parent.phase("launch", true);
        _exit(0);
      },
      10, [](const std::string&) {});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, How::left);
  EXPECT_EQ(end->phase, "launch");
}

TEST(Isolated, TheChildChangesNothingHere) {
  int value = 1;
  auto end = run_isolated([&](const Isolated&) { value = 2; }, 10, [](const std::string&) {});
  ASSERT_TRUE(end);
  EXPECT_EQ(value, 1);
}

TEST(Isolated, TheChildDiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    (void)run_isolated(
        [&](const Isolated& up) {
          up.tell("here");
          while (true) pause();
        },
        0,
        [&](const std::string&) {
          const ssize_t told = write(ends[1], "x", 1);
          _exit(told == 1 ? 0 : 1);  // the parent ends while its child hangs
        });
    _exit(1);
  }
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 1);
  waitpid(parent, nullptr, 0);
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the pipe closes when the last holder, the child, is gone";
  close(ends[0]);
}

}  // namespace
}  // namespace cutelab
