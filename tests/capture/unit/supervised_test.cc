#include "capture/supervised.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "capture/descendants.h"
#include "support/busy_allocators.h"

namespace cutelab::capture {
namespace {

ProcessSpec shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  return spec;
}

Supervised run(const std::string& script, const Limits& limits = {}) {
  auto done = run_supervised(shell(script), limits);
  EXPECT_TRUE(done) << done.error().message();
  return done ? *done : Supervised{};
}

/// No process of the test's is left: none below this one, and `pid` is gone also where it would have moved
/// away.
void expect_gone(const std::string& pid_file) {
  EXPECT_TRUE(ProcessTable().below(getpid()).empty());
  std::ifstream in(pid_file);
  pid_t id = 0;
  ASSERT_TRUE(in >> id) << "the script did not write its process's id";
  EXPECT_NE(kill(id, 0), 0) << "process " << id << " still runs";
}

class SupervisedRun : public ::testing::Test {
 protected:
  SupervisedRun()
      : pid_file(std::filesystem::temp_directory_path() /
                 ("cutelab_supervised_" + std::to_string(getpid()))) {}
  ~SupervisedRun() override { std::filesystem::remove(pid_file); }
  const std::string pid_file;
};

TEST_F(SupervisedRun, TellsExitCodeAndBothStreams) {
  const Supervised done = run("echo out; echo err >&2; exit 7");
  EXPECT_EQ(done.ending, Ending::exited);
  EXPECT_EQ(done.exit_code, 7);
  EXPECT_EQ(done.stragglers, 0);
  EXPECT_EQ(done.output, "out\nerr\n");
  EXPECT_EQ(done.output_bytes, 8u);
}

TEST_F(SupervisedRun, NamesTheSignalThatEndedIt) {
  const Supervised done = run("kill -SEGV $$");
  EXPECT_EQ(done.ending, Ending::signalled);
  EXPECT_EQ(done.signal, SIGSEGV);
}

TEST_F(SupervisedRun, PassesVariablesAndFolder) {
  ProcessSpec spec = shell("echo $WORD; pwd");
  spec.folder = "/";
  spec.extra = {{"WORD", "set"}};
  auto done = run_supervised(spec, {});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->output, "set\n/\n");
}

TEST_F(SupervisedRun, SaysThatAProgramCannotBeStarted) {
  ProcessSpec spec;
  spec.argv = {"/no/such/program"};
  auto done = run_supervised(spec, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::unavailable);
  EXPECT_NE(done.error().message().find("No such file"), std::string::npos) << done.error().message();
}

TEST_F(SupervisedRun, EndsAfterTheTimeLimitWithEverythingItStarted) {
  Limits limits;
  limits.seconds = 0.5;
  const Supervised done = run("sleep 600 & echo $! > " + pid_file + "; while :; do sleep 0.1; done", limits);
  EXPECT_EQ(done.ending, Ending::time_limit);
  EXPECT_LT(done.seconds, 10);
  expect_gone(pid_file);
}

TEST_F(SupervisedRun, KillsWhatLeftItsSession) {
  const Supervised done = run("setsid sh -c 'echo $$ > " + pid_file + "; exec sleep 600' & while [ ! -s " +
                              pid_file + " ]; do sleep 0.05; done");
  EXPECT_EQ(done.ending, Ending::exited);
  EXPECT_EQ(done.stragglers, 1);
  expect_gone(pid_file);
}

TEST_F(SupervisedRun, EndsAProgramThatPrintsWithoutEnd) {
  Limits limits;
  limits.output_bytes = 1u << 20;
  const Supervised done = run("echo $$ > " + pid_file + "; exec yes", limits);
  EXPECT_EQ(done.ending, Ending::output_limit);
  EXPECT_GT(done.output_bytes, limits.output_bytes);
  EXPECT_LE(done.output.size(), 64u << 10);
  expect_gone(pid_file);
}

TEST_F(SupervisedRun, EndsAProgramThatTakesMemoryWithoutEnd) {
  Limits limits;
  limits.memory_bytes = 64u << 20;
  limits.seconds = 60;
  const Supervised done = run(
      "echo $$ > " + pid_file + "; exec python3 -c \"a=[]\nwhile True: a.append(bytearray(1<<20))\"", limits);
  EXPECT_EQ(done.ending, Ending::memory_limit);
  EXPECT_GT(done.peak_bytes, limits.memory_bytes);
  expect_gone(pid_file);
}

TEST_F(SupervisedRun, CountsAPageThatItsProcessesShareOnce) {
  Limits limits;
  limits.memory_bytes = 512u << 20;
  limits.seconds = 60;
  const Supervised done =
      run("exec python3 -c \"import os, time\na = bytes(os.urandom(1 << 20)) * 160\nfor i in range(7):\n"
          "    if os.fork() == 0: time.sleep(4); os._exit(0)\nfor i in range(7): os.wait()\"",
          limits);
  EXPECT_EQ(done.ending, Ending::exited) << done.output;
  EXPECT_GT(done.peak_bytes, limits.memory_bytes) << "the test shows nothing: they never held so much";
}

std::uint64_t bytes_of(pid_t id) {
  const std::array<Descendant, 1> one = {Descendant{id, 1u << 30}};
  return proportional_bytes(one);
}

TEST(ProportionalBytes, OfAProcessThatHasEndedAreNone) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t ended;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(bytes_of(child), 0u) << "ended, not waited for";
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(bytes_of(child), 0u) << "gone";
  const std::vector<char> own(8u << 20, 'x');  // what only this process holds, however many run the same test
  EXPECT_GT(bytes_of(getpid()), own.size()) << "of one that runs they are known";
}

TEST_F(SupervisedRun, EndsAProgramThatForksWithoutEnd) {
  Limits limits;
  limits.processes = 20;
  limits.seconds = 60;
  const Supervised done = run("echo $$ > " + pid_file + "; while :; do sleep 600 & done", limits);
  EXPECT_EQ(done.ending, Ending::process_limit);
  expect_gone(pid_file);
}

TEST(Supervised, StartsWhileOtherThreadsAllocate) {
  const testing::BusyAllocators busy;
  alarm(240);  // one that waits for a lock that nobody holds any more would wait for ever
  for (int i = 0; i < 40; ++i) {
    ProcessSpec spec = shell("echo $CUTELAB_T");
    spec.extra = {{"CUTELAB_T", "a b"}};
    auto done = run_supervised(spec, {});
    ASSERT_TRUE(done) << done.error().message();
    ASSERT_EQ(done->output, "a b\n");
  }
  alarm(0);
}

TEST(Supervised, ScratchGoesWithAProgramThatIsKilled) {
  namespace fs = std::filesystem;
  for (const int how : {SIGTERM, SIGKILL}) {
    const fs::path scratch = fs::temp_directory_path() / ("cutelab_scratch_" + std::to_string(getpid()));
    fs::create_directories(scratch / "cwd");
    const pid_t program = fork();
    if (program == 0) {
      ProcessSpec spec = shell("echo > " + (scratch / "started").string() + "; sleep 60");
      spec.scratch = {scratch.string()};
      (void)run_supervised(spec, {});
      _exit(0);
    }
    for (int i = 0; i < 500 && !fs::exists(scratch / "started"); ++i) usleep(10'000);
    ASSERT_TRUE(fs::exists(scratch / "started"));
    kill(program, how);
    waitpid(program, nullptr, 0);
    for (int i = 0; i < 500 && fs::exists(scratch); ++i) usleep(10'000);
    EXPECT_FALSE(fs::exists(scratch)) << "signal " << how;
  }
}

}  // namespace
}  // namespace cutelab::capture
