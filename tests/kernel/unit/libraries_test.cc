#include "kernel/libraries.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "kernel/build.h"
#include "kernel/loaded_kernel.h"

namespace cutelab::kernel {
namespace {

namespace fs = std::filesystem;

/// A source root with parts of `cutelab setup`, and folders that variables name.
class Libraries : public ::testing::Test {
 protected:
  Libraries() : root(fs::temp_directory_path() / ("cutelab_libraries_" + std::to_string(getpid()))) {
    fs::remove_all(root);
    fs::create_directories(root);
  }
  ~Libraries() override { fs::remove_all(root); }
  void write(const std::string& name, const std::string& text = "") {
    fs::create_directories((root / name).parent_path());
    ASSERT_TRUE(write_file_atomically((root / name).string(), text));
  }
  void frontend(const std::string& folder, int minor) {
    write(folder + "/include/cudnn_frontend.h");
    write(folder + "/include/cudnn_frontend_version.h",
          "#define CUDNN_FRONTEND_MAJOR_VERSION 1\n#define CUDNN_FRONTEND_MINOR_VERSION " +
              std::to_string(minor) + "\n#define CUDNN_FRONTEND_PATCH_VERSION 0\n");
  }
  void cudnn(const std::string& folder) {
    write(folder + "/include/cudnn.h");
    write(folder + "/include/cudnn_version.h",
          "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 19\n#define CUDNN_PATCHLEVEL 0 // last\n");
  }
  LibraryHeaders find(const std::string& name, std::map<std::string, std::string> variables = {}) {
    return find_headers({name}, Environment(std::move(variables)), files, root.string());
  }
  fs::path root;
  DiskFileSource files;
};

TEST_F(Libraries, APackageThatNeedsNoneGetsNone) {
  const auto found = find_headers({}, Environment(), files, root.string());
  EXPECT_TRUE(found.folders.empty());
  EXPECT_EQ(found.versions + found.missing_because, "");
}

TEST_F(Libraries, WhatTheVariablesNameComesBeforeThePart) {
  frontend("build/deps/cudnn", 18);
  cudnn("build/deps/cudnn");
  frontend("mine", 20);
  const auto found = find("cudnn", {{"CUDNN_FRONTEND_DIR", (root / "mine").string()},
                                    {"CUDNN_DIR", (root / "build/deps/cudnn").string()}});
  EXPECT_EQ(found.missing_because, "");
  EXPECT_EQ(found.versions, "cudnn-frontend 1.20.0, cuDNN 9.19.0");
  ASSERT_EQ(found.folders.size(), 2u);
  EXPECT_EQ(found.folders[0], (root / "mine/include").string());
}

TEST_F(Libraries, OneThatIsMissingIsNamedWithWhereItWasLookedForAndHowToGetIt) {
  const auto found = find("cub", {{"CUDA_HOME", (root / "toolkit").string()}});
  if (found.missing_because.empty())
    GTEST_SKIP() << "this machine has CUB in /usr/local/cuda or /usr/include";
  EXPECT_NE(found.missing_because.find("cub/cub.cuh"), std::string::npos);
  EXPECT_NE(found.missing_because.find((root / "toolkit/include/cccl").string()), std::string::npos);
  EXPECT_NE(found.remedy.find("cutelab setup cuda-compiler"), std::string::npos);
}

TEST_F(Libraries, ThePartIsLookedAtLast) {
  const auto folders = library_folders(
      Environment(std::map<std::string, std::string>{{"CUDA_HOME", "/opt/toolkit"}}), "/there");
  EXPECT_EQ(folders[0], "/there/build/deps/cublas/lib");
  EXPECT_NE(std::find(folders.begin(), folders.end(), "/opt/toolkit/lib64"), folders.end());
  EXPECT_EQ(version_from("#define A 4\n#define B 12abc\n", {"A", "B"}), "4.12");
  EXPECT_EQ(version_from("#define A 4\n", {"A", "B"}), "");
}

TEST_F(Libraries, ACompileWithoutItsHeadersSaysWhichAndHow) {
  write("kernels/launch_abi.h");
  write("kernels/p/kernel.cu");
  write("include/cutlass/version.h");
  const Environment environment;
  Toolchain toolchain{"/bin/true", "nvcc 13", (root / "include").string(), "4.2.0", "", ""};
  auto built =
      build_kernel({files, environment, root.string(), "kernels/p", {}, "sm_90a", {"cudnn"}}, toolchain);
  ASSERT_FALSE(built);
  if (built.error().wrong.find("cudnn") == std::string::npos)
    GTEST_SKIP() << "this machine has cuDNN's headers";
  EXPECT_EQ(built.error().kind, ErrorKind::unavailable);
  EXPECT_NE(built.error().wrong.find("there is no cudnn"), std::string::npos) << built.error().wrong;
  EXPECT_NE(built.error().remedy.find("cutelab setup cudnn"), std::string::npos) << built.error().remedy;
}

}  // namespace
}  // namespace cutelab::kernel
