#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "capture/program.h"

namespace cutelab::capture {
namespace {
namespace fs = std::filesystem;

/// Environments with an interpreter that is a shell script, and a recorder that any C compiler takes.
class FoundToolchain : public ::testing::Test {
 protected:
  FoundToolchain() : root(fs::temp_directory_path() / ("cutelab_toolchain_" + std::to_string(getpid()))) {
    fs::remove_all(root);
    write("harness/recorder.c", "int recorded;\n");
    fs::create_directories(root / "cache");
  }
  ~FoundToolchain() override { fs::remove_all(root); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  /// An environment whose interpreter says this of itself.
  std::string environment(const std::string& name, const std::string& says) const {
    const std::string python = (root / name / "bin/python").string();
    write(name + "/bin/python", "#!/bin/sh\necho " + says + "\n");
    chmod(python.c_str(), 0755);
    return python;
  }
  Result<Toolchain> find(const std::string& python) const {
    return find_toolchain(python, (root / "harness").string(), (root / "cache").string(),
                          Environment::of_process(), DiskFileSource());
  }

  fs::path root;
};

TEST_F(FoundToolchain, ToldByWhatLiesBesideTheInterpreter) {
  const std::string python = environment("a", "asked");
  write("a/lib/python3.11/site-packages/nvidia_cutlass_dsl-4.7.0.dist-info/METADATA", "");
  auto found = find(python);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->dsl_version, "4.7.0");
  EXPECT_EQ(found->interpreter, "python3.11");
  EXPECT_FALSE(found->has_torch);
  EXPECT_EQ(found->packages, "");
  write("a/lib/python3.11/site-packages/torch/__init__.py", "");
  EXPECT_TRUE(find(python)->has_torch);
}

TEST_F(FoundToolchain, ToldByAnInterpreterWithoutAnEnvironment) {
  auto found = find(environment("b", "4.8.1 python3.12 True"));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->dsl_version, "4.8.1");
  EXPECT_EQ(found->interpreter, "python3.12");
  EXPECT_TRUE(found->has_torch);
  EXPECT_FALSE(find(environment("c", "4.8.1 python3.12 False"))->has_torch);
  EXPECT_FALSE(find(environment("d", "something else entirely here")));
}

}  // namespace
}  // namespace cutelab::capture
