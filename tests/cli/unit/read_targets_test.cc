#include "cli/read_targets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cutelab::cli {
namespace {
namespace fs = std::filesystem;

class ReadTargetsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("read_targets_" + std::to_string(::getpid()));
    fs::create_directories(root_ / "kernels" / "deep");
    fs::create_directories(root_ / "empty");
    for (const char* name : {"kernels/a.py", "kernels/deep/b.cu", "kernels/notes.md"})
      std::ofstream(root_ / name) << "x\n";
    fs::create_symlink("loop_b", root_ / "loop_a");
    fs::create_symlink("loop_a", root_ / "loop_b");
  }
  void TearDown() override { fs::remove_all(root_); }

  ReadTargets expand(const std::vector<std::string>& words) {
    return read_targets(words, files_,
                        [&](const std::string& name, std::vector<std::string>& notes) -> Result<std::string> {
                          asked_.push_back(name);
                          if (name != "dense_gemm")
                            return Error{ErrorKind::input, "find " + name, "no example of that name", "", ""};
                          notes.push_back("stale path corrected");
                          return path("kernels/a.py");
                        });
  }
  std::string path(const char* below) const { return (root_ / below).string(); }

  fs::path root_;
  DiskFileSource files_;
  std::vector<std::string> asked_;
};

TEST_F(ReadTargetsTest, AFolderGivesItsSourcesOnce) {
  const auto targets = expand({path("kernels"), path("kernels/a.py")});
  EXPECT_EQ(targets.paths, (std::vector<std::string>{path("kernels/a.py"), path("kernels/deep/b.cu")}));
  EXPECT_TRUE(targets.errors.empty());
  EXPECT_TRUE(asked_.empty());
}

TEST_F(ReadTargetsTest, WhatIsNoPathIsAName) {
  const auto targets = expand({"dense_gemm"});
  EXPECT_EQ(targets.paths, std::vector<std::string>{path("kernels/a.py")});
  EXPECT_EQ(targets.notes, std::vector<std::string>{"stale path corrected"});
}

TEST_F(ReadTargetsTest, OneBadWordDoesNotSpoilTheOthers) {
  const auto targets = expand({"nonsense", path("empty"), path("loop_a"), path("kernels/a.py")});
  EXPECT_EQ(targets.paths, std::vector<std::string>{path("kernels/a.py")});
  ASSERT_EQ(targets.errors.size(), 3u);
  EXPECT_EQ(targets.errors[0].wrong, "no example of that name");
  EXPECT_EQ(targets.errors[1].wrong, "the folder holds no .py, .cu or .cuh file");
  EXPECT_NE(targets.errors[2].wrong.find("symbolic links"), std::string::npos);
  EXPECT_EQ(asked_, std::vector<std::string>{"nonsense"})
      << "a path that exists is never looked up as a name";
}

}  // namespace
}  // namespace cutelab::cli
