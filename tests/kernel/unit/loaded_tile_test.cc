// Launching through a driver that a C compiler makes: it writes down what it is asked.
#include "kernel/loaded_tile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/environment.h"
#include "base/file_source.h"
#include "base/process.h"
#include "base/text.h"
#include "kernel/tile_program.h"

namespace cutelab::kernel {
namespace {
namespace fs = std::filesystem;

// Every function that the program looks for; those that tell something are written out.
constexpr const char* driver_text = R"(
#include <stdio.h>
#include <string.h>
#define SILENT(name) int name(void) { return 0; }
SILENT(cuInit) SILENT(cuDriverGetVersion) SILENT(cuDeviceGetCount) SILENT(cuDeviceGet) SILENT(cuDeviceGetName)
SILENT(cuDeviceGetAttribute) SILENT(cuDeviceTotalMem_v2) SILENT(cuDeviceGetPCIBusId) SILENT(cuDevicePrimaryCtxRetain)
SILENT(cuDevicePrimaryCtxRelease_v2) SILENT(cuCtxSetCurrent) SILENT(cuCtxSynchronize) SILENT(cuMemcpyHtoDAsync_v2)
SILENT(cuMemcpyDtoH_v2) SILENT(cuMemcpyDtoDAsync_v2) SILENT(cuMemsetD8Async) SILENT(cuStreamCreate)
SILENT(cuStreamDestroy_v2) SILENT(cuEventCreate) SILENT(cuEventDestroy_v2) SILENT(cuEventRecordWithFlags)
SILENT(cuEventSynchronize) SILENT(cuEventElapsedTime) SILENT(cuStreamBeginCapture_v2) SILENT(cuStreamEndCapture)
SILENT(cuGraphInstantiateWithFlags) SILENT(cuGraphLaunch) SILENT(cuGraphDestroy) SILENT(cuGraphExecDestroy)
static char names[8][32];
static int functions;
static void say(const char* text) {
  FILE* f = fopen(LOG, "a");
  fputs(text, f);
  fclose(f);
}
int cuGetErrorName(int code, const char** name) { *name = "CUDA_ERROR_TEST"; return 0; }
int cuGetErrorString(int code, const char** text) { *text = "a test's"; return 0; }
int cuMemAlloc_v2(unsigned long long* at, size_t bytes) {
  char line[99];
  sprintf(line, "allocate %zu\n", bytes);
  say(line);
  static unsigned long long next = 0x5000;
  *at = next;
  next += 0x10000;
  return 0;
}
int cuMemFree_v2(unsigned long long at) { say("free\n"); return 0; }
int cuModuleLoadData(void** module, const void* code) {
  if (!strncmp(code, "bad", 3)) return 209;
  *module = (void*)1;
  return 0;
}
int cuModuleUnload(void* module) { say("unload\n"); return 0; }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  strcpy(names[functions], name);
  *function = names[functions++];
  return 0;
}
int cuLaunchKernel(void* f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned smem,
                   void* stream, void** parameters, void** extra) {
  char line[199];
  sprintf(line, "launch %s grid %u %u %u block %u %u %u smem %u stream %p at 0x%llx extent %d stride %d\n", (char*)f, x, y, z,
          bx, by, bz, smem, stream, *(unsigned long long*)parameters[0], *(int*)parameters[1], *(int*)parameters[2]);
  say(line);
  return 0;
}
)";

class LoadedTiles : public ::testing::Test {
 protected:
  LoadedTiles() : root(fs::temp_directory_path() / ("cutelab_loaded_tile_" + std::to_string(getpid()))) {
    fs::remove_all(root);
    fs::create_directories(root);
    const char* path = std::getenv("PATH");
    const Environment environment(std::map<std::string, std::string>{{"PATH", path ? path : ""}});
    compiler = find_program(environment, "cc");
  }
  ~LoadedTiles() override { fs::remove_all(root); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(root / name) << text; }
  std::string driver() const {
    put("driver.c", driver_text);
    const std::string out = (root / "driver.so").string();
    auto done = run_process({{compiler, "-w", "-shared", "-fPIC", "-DLOG=\"" + (root / "log").string() + "\"",
                              "-o", out, (root / "driver.c").string()},
                             "",
                             {},
                             60});
    EXPECT_TRUE(done && done->succeeded()) << (done ? done->err : "");
    return out;
  }
  std::string record(const std::string& steps) const {
    put("kernel.json", R"({"schema": "cutelab.tile_kernel", "schema_version": 1, "steps": [)" + steps + "]}");
    return (root / "kernel.json").string();
  }
  std::string log() const { return *DiskFileSource().read((root / "log").string(), 1 << 16); }
  static TileProgram program() {
    auto in = TileParameter::dense("x", DType::fp16, {32}, 8);
    auto own = TileParameter::dense("", DType::fp32, {16}, 4);
    own.workspace = 256;
    return {{{"f", {in, TileParameter::integer(8)}, {4, 2, 1}, 0}, {"g", {own}, {1, 1, 3}, 0}}, 512};
  }
  fs::path root;
  std::string compiler;
};

constexpr const char* two = R"({"cubin": "f.cubin", "symbol": "f", "parameters": [8, 4, 4]},
                              {"cubin": "g.cubin", "symbol": "g", "parameters": [8, 4, 4]})";

TEST_F(LoadedTiles, StepsAreLaunchedInOrderWithTheirArgumentsAndAWorkspace) {
  if (compiler.empty()) GTEST_SKIP() << "no C compiler named cc";
  put("f.cubin", "code");
  put("g.cubin", "code");
  {
    const auto kernel = LoadedTile::load(record(two), driver());
    ASSERT_TRUE(kernel) << kernel.error().message();
    const auto block = tile_arguments(program(), {{"x", 0x7000}});
    for (int i = 0; i < 2; ++i) {
      const auto status = (*kernel)->launch(block, {}, reinterpret_cast<void*>(0x42));
      ASSERT_TRUE(status) << status.error().message();
    }
  }
  const std::string once =
      "launch f grid 4 2 1 block 1 1 1 smem 0 stream 0x42 at 0x7000 extent 32 stride 1\n"
      "launch g grid 1 1 3 block 1 1 1 smem 0 stream 0x42 at 0x5100 extent 16 stride 1\n";
  EXPECT_EQ(log(), "allocate 512\n" + once + once + "free\nunload\nunload\n");
}

// Launches of two streams may run at once: they shared one workspace.
TEST_F(LoadedTiles, EachStreamHasAWorkspaceOfItsOwn) {
  if (compiler.empty()) GTEST_SKIP() << "no C compiler named cc";
  put("f.cubin", "code");
  put("g.cubin", "code");
  {
    const auto kernel = LoadedTile::load(record(two), driver());
    ASSERT_TRUE(kernel) << kernel.error().message();
    const auto block = tile_arguments(program(), {{"x", 0x7000}});
    for (const std::uintptr_t stream : {0x42, 0x43, 0x42})
      ASSERT_TRUE((*kernel)->launch(block, {}, reinterpret_cast<void*>(stream)));
  }
  std::vector<unsigned long long> at;
  int freed = 0;
  const std::string text = log();
  for (const auto line : split(text, '\n')) {
    unsigned long long address = 0;
    const auto told = line.find(" at 0x");
    if (line.starts_with("launch g") &&
        std::sscanf(std::string(line.substr(told)).c_str(), " at %llx", &address) == 1)
      at.push_back(address);
    freed += line == "free" ? 1 : 0;
  }
  ASSERT_EQ(at.size(), 3u) << text;
  EXPECT_NE(at[0], at[1]);
  EXPECT_EQ(at[0], at[2]) << "a stream keeps its own";
  EXPECT_EQ(freed, 2);
}

TEST_F(LoadedTiles, OtherArgumentsThanTheCodeTakesAreRefused) {
  if (compiler.empty()) GTEST_SKIP() << "no C compiler named cc";
  put("f.cubin", "code");
  const auto kernel =
      LoadedTile::load(record(R"({"cubin": "f.cubin", "symbol": "f", "parameters": [8, 4, 4]})"), driver());
  ASSERT_TRUE(kernel);
  const auto status = (*kernel)->launch(tile_arguments(program(), {}), {}, nullptr);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().wrong, "the arguments are not those of the compiled code");
  EXPECT_FALSE(fs::exists(root / "log")) << "nothing was launched";
}

TEST_F(LoadedTiles, WhatCannotBeLoadedSaysWhy) {
  const auto no_driver = LoadedTile::load(record(two), "libcutelab-no-such-driver.so.1");
  ASSERT_FALSE(no_driver);
  EXPECT_EQ(no_driver.error().kind, ErrorKind::unavailable);
  put("kernel.json", "{}");
  const auto torn = LoadedTile::load((root / "kernel.json").string());
  ASSERT_FALSE(torn);
  EXPECT_EQ(torn.error().wrong, "it is not of schema cutelab.tile_kernel 1");
  if (compiler.empty()) GTEST_SKIP() << "no C compiler named cc";
  put("f.cubin", "bad");
  put("g.cubin", "code");
  const auto refused = LoadedTile::load(record(two), driver());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().asked, "load f");
  EXPECT_NE(refused.error().wrong.find("CUDA_ERROR_TEST (209)"), std::string::npos) << refused.error().wrong;
}

}  // namespace
}  // namespace cutelab::kernel
