// With the DSL itself: the harness, the recorder and the stand-in for torch. Skipped where part dsl is not
// installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/environment.h"
#include "capture/descendants.h"
#include "capture/program.h"

namespace cutelab::capture {
namespace {
namespace fs = std::filesystem;

const std::string root = CUTELAB_SOURCE_DIR;

class DISABLED_Dsl : public ::testing::Test {
 protected:
  void SetUp() override {
    const Environment environment = Environment::of_process();
    const std::string part = CUTELAB_DEPS_DIR "/dsl/bin/python";
    python = environment.get("CUTELAB_DSL_PYTHON").value_or(part);
    if (access(python.c_str(), X_OK) != 0) GTEST_SKIP() << "no " << python << ": `cutelab setup dsl`";
    folder = fs::temp_directory_path() / ("cutelab_dsl_" + std::to_string(getpid()));
    fs::create_directories(folder);
    auto found = find_toolchain(python, root + "/src/capture/harness", folder.string(), environment, files);
    ASSERT_TRUE(found) << found.error().message();
    toolchain = *found;
  }
  void TearDown() override {
    if (!folder.empty()) fs::remove_all(folder);
  }
  Capture run(const std::string& program, const std::vector<std::string>& flags,
              const std::string& arch = "sm_90a", Limits limits = {}) const {
    Request request;
    request.program = root + "/" + program;
    request.flags = flags;
    request.arch = arch;
    request.torch = Torch::stand_in;
    request.limits = limits;
    auto made = capture(request, toolchain, files);
    EXPECT_TRUE(made) << made.error().message();
    EXPECT_TRUE(ProcessTable().below(getpid()).empty());
    return made ? *made : Capture{};
  }
  DiskFileSource files;
  Toolchain toolchain;
  std::string python;
  fs::path folder;
};

TEST_F(DISABLED_Dsl, RecordsTheLaunchForTheProblemAskedFor) {
  for (const auto& [n, blocks] : {std::pair<const char*, std::uint32_t>{"4096", 32}, {"1000", 8}}) {
    const Capture made = run("tests/capture/programs/scale.py", {"--n", n});
    ASSERT_EQ(made.ended, Ended::returned) << made.reason << made.output;
    ASSERT_TRUE(made.recorded());
    const Launch& launch = made.launches[0];
    EXPECT_EQ(launch.qualified, "scale_kernel");
    EXPECT_EQ(launch.line, 8);
    EXPECT_EQ(launch.grid, (Extents{blocks, 1, 1}));
    EXPECT_EQ(launch.block, (Extents{128, 1, 1}));
    EXPECT_EQ(launch.dynamic_shared_bytes, 0u);
    EXPECT_FALSE(launch.cluster);
    EXPECT_EQ(made.torch, "stand-in");
  }
}

TEST_F(DISABLED_Dsl, RecordsClusterSharedMemoryAndTheObject) {
  const Capture made = run("examples/cute_dsl/gemm_persistent_warp_specialized.py", {"--cluster_mn", "2,1"});
  ASSERT_EQ(made.ended, Ended::returned) << made.reason << made.output;
  ASSERT_TRUE(made.recorded());
  const Launch& launch = made.launches[0];
  EXPECT_EQ(launch.qualified, "PersistentWarpSpecializedGemm.kernel");
  ASSERT_TRUE(launch.cluster);
  EXPECT_EQ(*launch.cluster, (Extents{2, 1, 1}));
  EXPECT_EQ(launch.block, (Extents{384, 1, 1}));
  EXPECT_EQ(launch.grid[0] * launch.grid[1] * launch.grid[2], 132u)
      << "one CTA per multiprocessor of the stand-in";
  EXPECT_GT(launch.dynamic_shared_bytes, 200000u);
  EXPECT_LE(launch.dynamic_shared_bytes, 232448u);
  EXPECT_FALSE(launch.constructor.empty());
  EXPECT_GE(made.sources.size(), 2u) << "the program and common.py";
}

TEST_F(DISABLED_Dsl, KeepsWhatTheCompilerWasGivenWithTheLines) {
  Request request;
  request.program = root + "/tests/capture/programs/scale.py";
  request.flags = {"--n", "4096"};
  request.arch = "sm_90a";
  request.torch = Torch::stand_in;
  request.cache = (folder / "kept").string();
  request.keep_modules = true;
  for (const bool kept : {false, true}) {
    const auto made = capture(request, toolchain, files);
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_EQ(made->kept, kept);
    ASSERT_EQ(made->modules.size(), 1u);
    const auto text = files.read(made->modules[0], 1u << 24);
    ASSERT_TRUE(text);
    EXPECT_NE(text->find("cuda.kernel"), std::string::npos);
    EXPECT_NE(text->find("scale.py\":7:"), std::string::npos) << "the line of the kernel's decorator";
  }
  fs::remove(capture(request, toolchain, files)->modules[0]);
  EXPECT_FALSE(capture(request, toolchain, files)->kept) << "a module that is gone is made again";
}

TEST_F(DISABLED_Dsl, NamesWhatWasRaisedAndWhere) {
  const Capture made = run("tests/capture/programs/hostile.py", {"raises"});
  EXPECT_EQ(made.ended, Ended::raised);
  EXPECT_EQ(made.reason, "ZeroDivisionError: division by zero");
  // The line that divides, wherever it stands by now.
  const auto text = files.read(root + "/tests/capture/programs/hostile.py", 1u << 20);
  ASSERT_TRUE(text);
  const auto divides = text->find("1 / 0");
  ASSERT_NE(divides, std::string::npos);
  const auto line = 1 + std::count(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(divides), '\n');
  EXPECT_EQ(made.at, "hostile.py:" + std::to_string(line));
}

TEST_F(DISABLED_Dsl, KeepsModulesAndDeviceCodeWithLines) {
  Request request;
  request.program = root + "/tests/capture/programs/scale.py";
  request.arch = "sm_90a";
  request.torch = Torch::stand_in;
  request.cache = folder.string();
  request.keep_modules = request.keep_code = true;
  const auto made = capture(request, toolchain, files);
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_EQ(made->ended, Ended::returned) << made->reason << made->output;
  ASSERT_EQ(made->modules.size(), 1u);
  ASSERT_EQ(made->device_code.size(), 1u);
  const auto code = files.read(made->device_code[0], 1u << 24);
  ASSERT_TRUE(code);
  EXPECT_EQ(code->substr(1, 3), "ELF");
  EXPECT_NE(code->find(".debug_line"), std::string::npos);
  EXPECT_NE(code->find("scale.py"), std::string::npos) << "its lines are the program's own";
  EXPECT_TRUE(ProcessTable().below(getpid()).empty());
  request.keep_code = false;
  const auto without = capture(request, toolchain, files);
  ASSERT_TRUE(without);
  EXPECT_TRUE(without->device_code.empty()) << "another request, another capture";
}

TEST_F(DISABLED_Dsl, ExportsTheCallThatAProgramMakes) {
  Request request;
  request.program = root + "/tests/capture/programs/scale.py";
  request.flags = {"--n", "4096"};
  request.arch = "sm_90a";
  request.torch = Torch::stand_in;
  request.cache = folder.string();
  request.export_call = true;
  const auto made = capture(request, toolchain, files);
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_EQ(made->ended, Ended::returned) << made->reason << made->output;
  const auto text = files.read(made->exported + "/export.json", 1u << 24);
  ASSERT_TRUE(text);
  for (const char* part : {"\"entry\": \"_mlir_exported_kernel", "\"failures\": []", "\"option\": \"--n\"",
                           "\"relocations\": [{\"at\": 0, \"buffer\": 0", "\"shape\": [4096]"})
    EXPECT_NE(text->find(part), std::string::npos) << part << "\n" << *text;
  const auto object = files.read(made->exported + "/kernel.o", 1u << 24);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->substr(1, 3), "ELF");
  const auto kept = capture(request, toolchain, files);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->kept);
  fs::remove(made->exported + "/export.json");
  const auto again = capture(request, toolchain, files);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->kept) << "an export that is gone is made again";
}

TEST_F(DISABLED_Dsl, MemoryBehindAddressesInsideTensorsComesWithTheCall) {
  Request request;
  request.program = root + "/tests/capture/programs/grouped_product.py";
  request.arch = "sm_90a";
  request.torch = Torch::stand_in;
  request.cache = folder.string();
  request.export_call = true;
  const auto made = capture(request, toolchain, files);
  ASSERT_TRUE(made) << made.error().message();
  const auto text = files.read(made->exported + "/export.json", 1u << 24);
  ASSERT_TRUE(text) << made->reason << made->output;
  for (const char* part : {"\"kind\": \"tuples\", \"default\": \"(48,24,16),(5,7,9)\"",
                           "\"name\": \"a_at[1]\", \"dtype\": \"Float32\"",
                           "\"shape\": [5, 9], \"stride\": [9, 1]", "\"undetermined\": []",
                           "\"relocations\": [{\"at\": 0, \"buffer\": 8, \"offset\": 0}, {\"at\": 8, "
                           "\"buffer\": 9, \"offset\": 0}], "
                           "\"content\": \"00000000000000000000000000000000\""})
    EXPECT_NE(text->find(part), std::string::npos) << part << "\n" << *text;
}

}  // namespace
}  // namespace cutelab::capture
