#include "kernel/build.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "kernel/loaded_kernel.h"

namespace cutelab::kernel {
namespace {

namespace fs = std::filesystem;

/// A source root with one package, and an "nvcc" that is a script: it writes what nvcc would and counts its
/// calls.
class Build : public ::testing::Test {
 protected:
  Build() : root(fs::temp_directory_path() / ("cutelab_build_" + std::to_string(getpid()))) {
    fs::remove_all(root);
    write("kernels/launch_abi.h", "// door\n");
    write("kernels/p/kernel.cu", "__global__ void k() {}\n");
    write("include/cutlass/version.h",
          "#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 2\n#define CUTLASS_PATCH 0\n");
    script("#!/bin/sh\necho x >> " + (root / "calls").string() +
           "\nwhile [ $# -gt 0 ]; do case $1 in -o) out=$2;; --keep-dir) keep=$2;; esac; shift; done\n"
           "echo lib > $out; echo cubin > $keep/k.sm_90a.cubin\n");
  }
  ~Build() override { fs::remove_all(root); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  void script(const std::string& text) {
    write("nvcc", text);
    chmod((root / "nvcc").c_str(), 0755);
  }
  BuildRequest request(std::vector<std::string> defines = {"A=1"}) {
    return {files, environment, root.string(), "kernels/p", std::move(defines), "sm_90a"};
  }
  Toolchain toolchain() {
    return {(root / "nvcc").string(), "nvcc 13.0.88", (root / "include").string(), "4.2.0", "", ""};
  }
  int calls() {
    std::ifstream in(root / "calls");
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(in), {}, 'x'));
  }

  fs::path root;
  DiskFileSource files;
  Environment environment;
};

// P88: without a line table a profiler has no source to show.
TEST_F(Build, DeviceCodeCarriesItsLines) {
  auto built = build_kernel(request(), toolchain());
  ASSERT_TRUE(built);
  EXPECT_NE(built->command.find(" -lineinfo "), std::string::npos) << built->command;
}

// A kernel whose WGMMAs ptxas serialized takes four times as long and is right: only this line tells.
TEST_F(Build, WhatPtxasSaysOfLostSpeedIsKept) {
  script(
      "#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in -o) out=$2;; --keep-dir) keep=$2;; esac; shift; done\n"
      "echo lib > $out; echo cubin > $keep/k.sm_90a.cubin\n"
      "for f in f g; do echo \"ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async "
      "instructions "
      "are serialized due to insufficient register resources for the wgmma pipeline in the function '$f'\" "
      ">&2; "
      "done\n"
      "echo \"ptxas info    : (C7517) warpgroup.wait is injected in around line 12 by compiler to allow use "
      "of "
      "registers defined by GMMA in function 'f'\" >&2\necho \"ptxas info    : Used 168 registers\" >&2\n");
  for (const bool from_cache : {false, true}) {
    auto built = build_kernel(request(), toolchain());
    ASSERT_TRUE(built) << built.error().message();
    EXPECT_EQ(built->from_cache, from_cache);
    ASSERT_EQ(built->advice.size(), 2u);
    EXPECT_EQ(
        built->advice[0],
        "(C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient "
        "register resources for the wgmma pipeline");
    EXPECT_EQ(built->advice[1].substr(0, 44), "(C7517) warpgroup.wait is injected in around");
  }
}

TEST_F(Build, CompilesOnceAndThenTakesTheCache) {
  auto first = build_kernel(request(), toolchain());
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_FALSE(first->from_cache);
  EXPECT_TRUE(fs::exists(first->library));
  EXPECT_TRUE(fs::exists(first->cubin));
  auto second = build_kernel(request(), toolchain());
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->compiler, "nvcc 13.0.88");
  EXPECT_EQ(second->command, first->command);
  EXPECT_EQ(calls(), 1);
}

TEST_F(Build, SourceDefinesAndToolchainDecideTheCacheEntry) {
  const auto hash = *source_hash(request());
  EXPECT_NE(hash, *source_hash(request({"A=2"})));
  write("kernels/p/params.h", "struct Params {};\n");
  const auto with_own_header = *source_hash(request());
  EXPECT_NE(hash, with_own_header);
  write("kernels/shared.cuh", "// of every version of the design\n");
  const auto with_shared_header = *source_hash(request());
  EXPECT_NE(with_own_header, with_shared_header);
  write("kernels/q/params.h", "// another version's own\n");
  write("kernels/plan.cc", "// host code\n");
  EXPECT_EQ(with_shared_header, *source_hash(request()));
  ASSERT_TRUE(build_kernel(request(), toolchain()));
  auto newer = toolchain();
  newer.nvcc_version = "nvcc 13.5.1";
  ASSERT_TRUE(build_kernel(request(), newer));
  EXPECT_EQ(calls(), 2);
}

TEST_F(Build, WithoutACompilerACacheFromElsewhereServes) {
  Toolchain none;
  none.missing_because = "there is no nvcc";
  none.remedy = "install one";
  auto nothing = build_kernel(request(), none);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(nothing.error().wrong, "there is no nvcc");
  ASSERT_TRUE(build_kernel(request(), toolchain()));
  auto brought = build_kernel(request(), none);
  ASSERT_TRUE(brought);
  EXPECT_EQ(brought->compiler, "nvcc 13.0.88");
}

TEST_F(Build, ThatIsKilledLeavesNeitherCompilerNorFolder) {
  script("#!/bin/sh\nsleep 60 &\necho $$ $! > " + (root / "ids").string() + ".part\nmv " +
         (root / "ids").string() + ".part " + (root / "ids").string() + "\nwait\n");
  const pid_t program = fork();
  if (program == 0) {
    (void)build_kernel(request(), toolchain());
    _exit(0);
  }
  for (int i = 0; i < 500 && !fs::exists(root / "ids"); ++i) usleep(10'000);
  pid_t compiler = 0, helper = 0;
  std::ifstream(root / "ids") >> compiler >> helper;
  ASSERT_GT(helper, 0);
  kill(program, SIGTERM);
  waitpid(program, nullptr, 0);
  const auto left = [&] {
    int count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root / "build/kernels"))
      count += entry.path().filename().string()[0] == '.' ? 1 : 0;
    return count;
  };
  for (int i = 0; i < 500 && left() > 0; ++i) usleep(10'000);
  EXPECT_EQ(left(), 0);
  for (const pid_t process : {compiler, helper}) {
    std::ifstream state("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(state, text);
    EXPECT_TRUE(text.empty() || text.find(") Z") != std::string::npos) << text;
  }
}

TEST_F(Build, TellsThatItCompilesAndHowLongThatTook) {
  int begun = 0;
  auto wanted = request();
  wanted.compiling = [&] { ++begun; };
  auto built = build_kernel(wanted, toolchain());
  ASSERT_TRUE(built);
  EXPECT_EQ(begun, 1);
  EXPECT_GT(built->seconds, 0);
  ASSERT_TRUE(build_kernel(wanted, toolchain()));
  EXPECT_EQ(begun, 1) << "what the cache has is not compiled";
  EXPECT_LE(compile_seconds(files, root.string()).size(), 1u);
}

TEST_F(Build, AFailedCompilationShowsItsErrorsAndLeavesNothing) {
  script("#!/bin/sh\necho 'kernel.cu(3): error: identifier \"x\" is undefined' >&2\nexit 2\n");
  auto built = build_kernel(request(), toolchain());
  ASSERT_FALSE(built);
  EXPECT_NE(built.error().where.find("identifier \"x\" is undefined"), std::string::npos);
  for (const auto& entry : fs::recursive_directory_iterator(root / "build"))
    EXPECT_FALSE(entry.is_regular_file());
}

TEST_F(Build, AFailedUnitIsThereForTheCommandThatRepeatsIt) {
  script("#!/bin/sh\necho 'error: no' >&2\nexit 2\n");
  write("kernels/example_door.cuh", "// door of a unit\n");
  write("p.cu", "int main() {}\n");
  BuildRequest unit = request();
  unit.unit = "#include \"p.cu\"\n";
  unit.program = (root / "p.cu").string();
  auto built = build_kernel(unit, toolchain());
  ASSERT_FALSE(built);
  const std::string& remedy = built.error().remedy;
  const auto end = remedy.rfind(".cu");
  ASSERT_NE(end, std::string::npos) << remedy;
  const auto begin = remedy.rfind(' ', end) + 1;
  auto kept = files.read(remedy.substr(begin, end + 3 - begin), 1000);
  ASSERT_TRUE(kept) << remedy;
  EXPECT_EQ(*kept, unit.unit);
}

TEST_F(Build, TwoBuildersAtOnceBothSucceed) {
  const auto build = [&] { EXPECT_TRUE(build_kernel(request(), toolchain())); };
  std::thread other(build);
  build();
  other.join();
}

TEST(LoadedKernel, RefusesWhatIsNoPackage) {
  auto missing = LoadedKernel::load("/nonexistent/kernel.so");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::unavailable);
  auto other = LoadedKernel::load("libm.so.6");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().wrong, "it is no kernel package");
}

}  // namespace
}  // namespace cutelab::kernel
