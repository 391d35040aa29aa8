#include "base/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "base/sha256.h"
#include "support/busy_allocators.h"

namespace cutelab {
namespace {

TEST(Process, CollectsBothStreamsAndTheExitCode) {
  auto r = run_process({{"sh", "-c", "echo out; echo err >&2; exit 7"}, "", {}, 0});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->out, "out\n");
  EXPECT_EQ(r->err, "err\n");
  EXPECT_EQ(r->exit_code, 7);
  EXPECT_FALSE(r->succeeded());
}

TEST(Process, StartsWhileOtherThreadsAllocate) {
  const testing::BusyAllocators busy;
  std::map<std::string, std::string> extra = {{"CUTELAB_T", "a b"}};
  for (int i = 0; i < 300; ++i)
    extra["CUTELAB_T" + std::to_string(i)] = std::string(static_cast<std::size_t>(i), 'x');
  alarm(240);  // one that waits for a lock that nobody holds any more would wait for ever
  for (int i = 0; i < 40; ++i) {
    auto r = run_process({{"sh", "-c", "echo $CUTELAB_T"}, "", extra, 0});
    ASSERT_TRUE(r) << r.error().message();
    ASSERT_EQ(r->out, "a b\n");
  }
  alarm(0);
}

TEST(Process, LargeOutputOnBothStreamsDoesNotBlock) {
  auto r = run_process({{"sh", "-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"}, "", {}, 30});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->out.size(), 300000u);
  EXPECT_EQ(r->err.size(), 300000u);
}

TEST(Process, OutputBeyondTheLimitIsReadAndDropped) {
  ProcessSpec spec{{"sh", "-c", "head -c 3000000 /dev/zero; echo done >&2"}, "", {}, 30};
  spec.most_output_bytes = 1000;
  auto r = run_process(spec);
  ASSERT_TRUE(r);
  EXPECT_GE(r->out.size(), 1000u);
  EXPECT_LT(r->out.size(), 100'000u);
  EXPECT_EQ(r->err, "done\n") << "the child is not held up";
}

TEST(Process, FolderAndVariablesReachTheChild) {
  auto r = run_process({{"sh", "-c", "pwd; echo $CUTELAB_T"}, "/", {{"CUTELAB_T", "a b"}}, 0});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->out, "/\na b\n");
}

TEST(Process, AHangingChildAndItsChildrenAreKilled) {
  auto r = run_process({{"sh", "-c", "sleep 60 & sleep 60; echo never"}, "", {}, 0.2});
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->timed_out);
  EXPECT_EQ(r->signal, 9);
}

bool is_there(pid_t process) {
  std::ifstream state("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(state, text);
  const auto after_name = text.rfind(')');  // a zombie has ended
  return after_name != std::string::npos && text.substr(after_name, 3) != ") Z";
}

/// A program that runs `sh`, which starts a process of its own and tells both ids, ended by `how` meanwhile.
void nothing_stays_after(int how) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("cutelab_process_" + std::to_string(getpid()));
  const fs::path scratch = folder / "scratch", told = folder / "told";
  fs::create_directories(scratch / "below");
  const pid_t program = fork();
  if (program == 0) {
    const std::string script = "trap '' TERM; sleep 60 & echo $$ $! > " + told.string() + ".part; mv " +
                               told.string() + ".part " + told.string() + "; wait; sleep 60";
    (void)run_process({{"sh", "-c", script}, "", {}, 50, {scratch.string()}});
    _exit(0);
  }
  for (int i = 0; i < 500 && !fs::exists(told); ++i) usleep(10'000);
  pid_t shell = 0, sleeper = 0;
  std::ifstream(told) >> shell >> sleeper;
  ASSERT_GT(sleeper, 0);
  EXPECT_TRUE(is_there(shell) && is_there(sleeper));
  kill(program, how);
  waitpid(program, nullptr, 0);
  for (int i = 0; i < 500 && (is_there(shell) || is_there(sleeper) || fs::exists(scratch)); ++i)
    usleep(10'000);
  EXPECT_FALSE(is_there(shell)) << "signal " << how;
  EXPECT_FALSE(is_there(sleeper)) << "signal " << how;
  EXPECT_FALSE(fs::exists(scratch)) << "signal " << how;
  fs::remove_all(folder);
}

TEST(Process, NothingStaysWhenTheProgramIsEndedMeanwhile) {
  for (const int how : {SIGTERM, SIGINT, SIGKILL}) nothing_stays_after(how);
}

TEST(Process, ScratchIsTheCallersOnceTheChildHasEnded) {
  namespace fs = std::filesystem;
  const fs::path scratch = fs::temp_directory_path() / ("cutelab_scratch_" + std::to_string(getpid()));
  fs::create_directories(scratch);
  ASSERT_TRUE(run_process({{"true"}, "", {}, 0, {scratch.string()}}));
  EXPECT_TRUE(fs::exists(scratch));
  fs::remove_all(scratch);
}

TEST(Process, AMissingProgramIsAnErrorThatNamesIt) {
  auto r = run_process({{"no-such-program-here", "--x y"}, "", {}, 0});
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(r.error().asked, "run no-such-program-here '--x y'");
  EXPECT_EQ(r.error().wrong, "No such file or directory");
}

TEST(Process, FindProgramLooksOnThePathOfTheGivenEnvironment) {
  EXPECT_EQ(
      find_program(Environment(std::map<std::string, std::string>{{"PATH", "/nonexistent:/bin"}}), "sh"),
      "/bin/sh");
  EXPECT_EQ(find_program(Environment(std::map<std::string, std::string>{}), "sh"), "");
}

// FIPS 180-4 example values and the lengths around a block's padding.
TEST(Sha256, KnownValues) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, TheProcessorsInstructionsGiveWhatPlainCodeGives) {
  std::mt19937 random(5);
  std::string bytes;
  for (int length = 0; length < 400; ++length) {
    EXPECT_EQ(sha256(bytes), sha256_in_plain_code(bytes)) << length;
    bytes += static_cast<char>(random());
  }
}

}  // namespace
}  // namespace cutelab
