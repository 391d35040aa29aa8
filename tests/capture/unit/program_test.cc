#include "capture/program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/sha256.h"

namespace cutelab::capture {
namespace {
namespace fs = std::filesystem;

/// A program, a harness folder and a "Python" that is a shell script: it finds the request's folder and
/// writes what the harness would. No DSL is needed.
class ProgramRun : public ::testing::Test {
 protected:
  ProgramRun() : root(fs::temp_directory_path() / ("cutelab_capture_" + std::to_string(getpid()))) {
    fs::remove_all(root);
    write("gemm.py", "print('gemm')\n");
    write("helper.py", "tile = 64\n");
    write("harness/run_program.py", "# the script below stands for it\n");
    fs::create_directories(root / "cache");
    root = fs::canonical(root);
  }
  ~ProgramRun() override { fs::remove_all(root); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  std::string path(const std::string& name) const { return (root / name).string(); }

  /// What the fake interpreter does; $out is the run's folder.
  void python(const std::string& body) {
    write("python", "#!/bin/sh\nout=$(dirname \"$3\")\necho x >> " + path("calls") + "\n" + body + "\n");
    chmod(path("python").c_str(), 0755);
  }
  void outcome(const std::string& members) {
    python("cat > $out/outcome.json <<'END'\n{" + members + "}\nEND\n" + launches);
  }
  int calls() const {
    std::ifstream in(path("calls"));
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(in), {}, 'x'));
  }
  std::string source(const std::string& name) const {
    std::ifstream in(path(name));
    const std::string text(std::istreambuf_iterator<char>(in), {});
    return "{\"path\":\"" + path(name) + "\",\"sha256\":\"" + sha256(text) + "\"}";
  }
  std::string sources() const {
    return "\"sources\":[" + source("gemm.py") + "," + source("helper.py") + "]";
  }
  Request request() const {
    Request asked;
    asked.program = path("gemm.py");
    asked.arch = "sm_90a";
    asked.cache = path("cache");
    asked.limits.seconds = 20;
    return asked;
  }
  Toolchain toolchain() const {
    Toolchain found;
    found.python = path("python");
    found.dsl_version = "4.8.1";
    found.harness = path("harness");
    found.recorder = path("recorder.so");
    found.packages = packages;
    return found;
  }
  Capture run(const Request& asked) const {
    auto made = capture(asked, toolchain(), DiskFileSource());
    EXPECT_TRUE(made) << made.error().message();
    return made ? *made : Capture{};
  }
  Capture run() const { return run(request()); }

  fs::path root;
  std::string launches;
  std::string packages;  ///< Toolchain::packages
};

TEST_F(ProgramRun, EndsByEachOfItsNames) {
  const std::vector<std::pair<std::string, Ended>> cases = {
      {R"("ended":"returned")", Ended::returned},
      {R"x("ended":"exited","reason":"exit(3)")x", Ended::exited},
      {R"("ended":"raised","reason":"ValueError: no")", Ended::raised},
      {R"("ended":"raised","reason":"ModuleNotFoundError: jax","missing_module":"jax")",
       Ended::missing_module},
      {R"("ended":"running")", Ended::vanished},
  };
  for (const auto& [members, ended] : cases) {
    outcome(members);
    const Capture made = run();
    EXPECT_EQ(name_of(made.ended), name_of(ended));
    EXPECT_FALSE(made.recorded());
  }
}

TEST_F(ProgramRun, ThatLeavesNoWordSaysSo) {
  python("exit 5");
  const Capture made = run();
  EXPECT_EQ(made.ended, Ended::vanished);
  EXPECT_NE(made.reason.find("status 5"), std::string::npos) << made.reason;
}

TEST_F(ProgramRun, ThatCrashesNamesTheSignal) {
  python("kill -SEGV $$");
  const Capture made = run();
  EXPECT_EQ(made.ended, Ended::crashed);
  EXPECT_EQ(made.reason, "signal 11 (SIGSEGV)");
}

TEST_F(ProgramRun, ThatIsTooSlowIsKilledAndKeepsWhatItLaunched) {
  write(
      "event",
      R"({"event":"launch","symbol":"k","grid":[1,1,1],"block":[32,1,1],"dynamic_shared_bytes":0,"attributes":[]})");
  python("cp " + path("event") + " $out/events.jsonl; sleep 600");
  Request asked = request();
  asked.limits.seconds = 0.5;
  const Capture made = run(asked);
  EXPECT_EQ(made.ended, Ended::time_limit);
  EXPECT_EQ(made.launches.size(), 1u);
}

TEST_F(ProgramRun, IsTakenFromTheCacheUntilItOrAHelperChanges) {
  outcome(R"("ended":"returned",)" + sources());
  EXPECT_FALSE(run().kept);
  EXPECT_TRUE(run().kept);
  EXPECT_EQ(calls(), 1);
  write("helper.py", "tile = 128\n");
  outcome(R"("ended":"returned",)" + sources());
  EXPECT_FALSE(run().kept);
  EXPECT_TRUE(run().kept);
  EXPECT_EQ(calls(), 2);
  write("gemm.py", "print('other')\n");
  EXPECT_FALSE(run().kept);
}

TEST_F(ProgramRun, OfOtherFlagsArchitectureOrTorchIsAnotherCapture) {
  outcome(R"("ended":"returned",)" + sources());
  run();
  Request flags = request(), arch = request(), torch = request(), fresh = request();
  flags.flags = {"--m", "2"};
  arch.arch = "sm_100a";
  torch.torch = Torch::stand_in;
  fresh.fresh = true;
  for (const Request& other : {flags, arch, torch, fresh}) EXPECT_FALSE(run(other).kept);
  EXPECT_EQ(calls(), 5);
}

// P88: the DSL writes lines where it is asked to, and that is another compilation with a key of its own.
TEST_F(ProgramRun, WithALineTableIsAnotherCaptureOfWhichTheDslIsTold) {
  python("echo \"{\\\"ended\\\":\\\"returned\\\",\\\"reason\\\":\\\"lines ${CUTE_DSL_LINEINFO:-no}\\\",\"'" +
         sources() + "}' > $out/outcome.json");
  Request lines = request();
  lines.line_table = true;
  EXPECT_EQ(run().reason, "lines no");
  EXPECT_EQ(run(lines).reason, "lines 1");
  EXPECT_TRUE(run().kept);
  EXPECT_TRUE(run(lines).kept);
  EXPECT_EQ(calls(), 2);
}

TEST_F(ProgramRun, ThatMissedAModuleOrCrashedIsTriedAgain) {
  outcome(R"("ended":"raised","missing_module":"jax",)" + sources());
  run();
  EXPECT_FALSE(run().kept);
  python("kill -SEGV $$");
  run();
  EXPECT_FALSE(run().kept);
}

TEST_F(ProgramRun, ThatFailedIsKeptForWhoAsksForIt) {
  python("kill -SEGV $$");
  Request sweep = request();
  sweep.keep_failures = true;
  EXPECT_FALSE(run(sweep).kept);
  const Capture made = run(sweep);
  EXPECT_TRUE(made.kept);
  EXPECT_EQ(made.ended, Ended::crashed);
  EXPECT_EQ(calls(), 1);
  EXPECT_FALSE(run().kept) << "one that does not ask runs it again";
  write("gemm.py", "print('mended')\n");
  EXPECT_FALSE(run(sweep).kept);
}

TEST_F(ProgramRun, ThatRanOutOfTimeIsRunAgainWhereThereIsMoreOfIt) {
  python("sleep 600");
  Request sweep = request();
  sweep.keep_failures = true;
  sweep.limits.seconds = 0.5;
  EXPECT_EQ(run(sweep).ended, Ended::time_limit);
  EXPECT_TRUE(run(sweep).kept);
  sweep.limits.seconds = 2.5;
  EXPECT_FALSE(run(sweep).kept);
}

/// Writes a launch of the program's own kernel `k` and what it was compiled from.
const char* const records_k =
    "echo '{\"ended\":\"returned\"}' > $out/outcome.json; "
    R"(echo '{"event":"launch","symbol":"k_7","grid":[1,1,1],"block":[32,1,1],"dynamic_shared_bytes":0,"attributes":[]}' > $out/events.jsonl; )"
    R"(echo "{\"symbol\":\"k_7\",\"function\":\"k\",\"qualified\":\"k\",\"file\":\"$program\",\"library\":false}" > $out/kernels.jsonl; )";

TEST_F(ProgramRun, TellsWhichModuleDefinesALaunchedKernel) {
  python("program=" + path("gemm.py") + "; " + records_k +
         "echo 'nothing' > $out/module_0.mlir; echo 'func @k_7' > $out/module_1.mlir");
  Request asked = request();
  asked.keep_modules = true;
  const Capture made = run(asked);
  ASSERT_EQ(made.launches.size(), 1u);
  EXPECT_EQ(made.launches[0].module, 1);
  EXPECT_TRUE(made.compiled());
  EXPECT_TRUE(run(asked).compiled()) << "a kept one tells it too";
  EXPECT_FALSE(run().compiled()) << "nothing was kept of what was compiled";
}

TEST_F(ProgramRun, ThatCrashesTheCompilerIsCompiledWithTheUsersLineAlone) {
  python("program=" + path("gemm.py") + "; echo 'func @k_7' > $out/module_0.mlir; " +
         "if grep -q '\"call_chain\":1' $3; then " + records_k + "else kill -SEGV $$; fi");
  Request asked = request();
  asked.keep_modules = true;
  EXPECT_TRUE(run(asked).compiled());
  EXPECT_EQ(calls(), 2);
  EXPECT_EQ(run().ended, Ended::crashed) << "without what is compiled there is no chain to shorten";
}

TEST_F(ProgramRun, OfAGuessedArchitectureTakesTheOneThatItIsRefusedFor) {
  python("program=" + path("gemm.py") + "; if grep -q sm_100f $3; then " + records_k +
         "else echo '{\"ended\":\"raised\",\"reason\":\"Error: expects arch to be one of [Arch.sm_100f, "
         "Arch.sm_110a], but got sm_90a\"}' > $out/outcome.json; fi");
  Request guess = request();
  guess.arch_is_guess = true;
  const Capture made = run(guess);
  EXPECT_TRUE(made.recorded());
  EXPECT_EQ(made.arch, "sm_100f");
  EXPECT_FALSE(run().recorded()) << "an architecture that was asked for stays";
}

TEST_F(ProgramRun, OfAGuessedArchitectureWithoutItsInstructionsTakesANewerOne) {
  python("program=" + path("gemm.py") + "; if grep -q sm_120a $3; then " + records_k +
         "else echo '{\"ended\":\"raised\",\"reason\":\"E: NVVM backend compilation failed\"}' > "
         "$out/outcome.json; fi");
  Request guess = request();
  guess.arch_is_guess = true;
  EXPECT_EQ(run(guess).arch, "sm_120a");
  EXPECT_EQ(calls(), 3) << "sm_90a, sm_100a, sm_120a";
  python("echo '{\"ended\":\"raised\",\"reason\":\"ValueError: a\"}' > $out/outcome.json");
  guess.fresh = true;
  EXPECT_EQ(run(guess).arch, "sm_90a") << "it failed for another reason";
}

TEST_F(ProgramRun, ThatTheStandInForTorchDoesNotServeGetsTorchItself) {
  // Fails with the stand-in; with torch (the request says so) it launches.
  write(
      "event",
      R"({"event":"launch","symbol":"k","grid":[1,1,1],"block":[32,1,1],"dynamic_shared_bytes":0,"attributes":[]})");
  write("kernel", R"({"symbol":"k","function":"k","qualified":"k","file":")" + path("gemm.py") +
                      R"(","library":false})");
  python(
      "if grep -q '\"torch\":\"real\"' $3; then echo '{\"ended\":\"returned\",\"torch\":\"torch\"}' > "
      "$out/outcome.json; cp " +
      path("event") + " $out/events.jsonl; cp " + path("kernel") +
      " $out/kernels.jsonl; else echo '{\"ended\":\"raised\",\"torch\":\"stand-in\"}' > $out/outcome.json; "
      "fi");
  const Capture made = run();
  EXPECT_TRUE(made.recorded());
  EXPECT_EQ(made.torch, "torch");
  EXPECT_EQ(calls(), 2);
  Request only = request();
  only.torch = Torch::stand_in;
  EXPECT_FALSE(run(only).recorded());
}

TEST_F(ProgramRun, ThatWantedTorchIsRunAgainOnceTorchIsThere) {
  // With the stand-in it fails; with the lent folder in PYTHONPATH there is torch, and it launches.
  write(
      "event",
      R"({"event":"launch","symbol":"k","grid":[1,1,1],"block":[32,1,1],"dynamic_shared_bytes":0,"attributes":[]})");
  write("kernel", R"({"symbol":"k","function":"k","qualified":"k","file":")" + path("gemm.py") +
                      R"(","library":false})");
  const std::string end = "\"," + sources() + "}' > $out/outcome.json\n";
  python("case \"$PYTHONPATH\" in " + path("lent") + "*) has=true;; *) has=false;; esac\n" +
         "if $has && grep -q '\"torch\":\"real\"' $3; then\necho '{\"ended\":\"returned\",\"torch\":\"torch" +
         end + "cp " + path("event") + " $out/events.jsonl; cp " + path("kernel") +
         " $out/kernels.jsonl\nelse\necho "
         "'{\"ended\":\"raised\",\"torch_is_installed\":'$has',\"torch\":\"stand-in" +
         end + "fi");
  EXPECT_TRUE(run().wants_torch());
  EXPECT_TRUE(run().kept);
  EXPECT_EQ(calls(), 1);
  packages = path("lent");
  const Capture made = run();
  EXPECT_EQ(made.torch, "torch");
  EXPECT_TRUE(made.recorded());
  EXPECT_FALSE(made.wants_torch());
  EXPECT_EQ(calls(), 3) << "the stand-in first, then torch";
  EXPECT_TRUE(run().kept);
  EXPECT_EQ(calls(), 3);
}

TEST_F(ProgramRun, ThatCrashesWithTheStandInGetsTorchItself) {
  python("if grep -q '\"torch\":\"real\"' $3; then\necho '{\"ended\":\"returned\",\"torch\":\"torch\"," +
         sources() +
         "}' > $out/outcome.json\nelse\necho '{\"ended\":\"running\",\"torch\":\"stand-in\"}' > "
         "$out/outcome.json\nkill -SEGV $$\nfi");
  const Capture made = run();
  EXPECT_EQ(made.torch, "torch");
  EXPECT_EQ(made.ended, Ended::returned);
}

TEST_F(ProgramRun, ThatIsNoFileIsAnError) {
  Request asked = request();
  asked.program = path("none.py");
  auto made = capture(asked, toolchain(), DiskFileSource());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::input);
}

TEST_F(ProgramRun, HasATemporaryFolderOfItsOwn) {
  python(
      "case $TMPDIR in $out/*) ;; *) exit 9;; esac; test -z \"$(ls $TMPDIR)\" || exit 8; echo x > "
      "$TMPDIR/kept; echo '{\"ended\":\"returned\"}' > $out/outcome.json");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run().ended, Ended::returned) << run().reason;
}

TEST_F(ProgramRun, LeavesNoFolderBehind) {
  outcome(R"("ended":"returned")");
  fs::create_directories(root / "tmp");
  setenv("TMPDIR", path("tmp").c_str(), 1);
  run();
  unsetenv("TMPDIR");
  EXPECT_TRUE(fs::is_empty(root / "tmp"));
}

}  // namespace
}  // namespace cutelab::capture
