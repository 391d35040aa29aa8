#include "kernel/loaded_kernel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/environment.h"
#include "base/file_source.h"
#include "base/process.h"

namespace cutelab::kernel {
namespace {

namespace fs = std::filesystem;

/// Shared libraries that the machine's C compiler makes: the door of a package without a GPU.
class LoadedKernels : public ::testing::Test {
 protected:
  LoadedKernels() : root(fs::temp_directory_path() / ("cutelab_loaded_" + std::to_string(getpid()))) {
    fs::remove_all(root);
    fs::create_directories(root);
    const char* path = std::getenv("PATH");
    const Environment environment(std::map<std::string, std::string>{{"PATH", path ? path : ""}});
    compiler = find_program(environment, "cc");
  }
  ~LoadedKernels() override { fs::remove_all(root); }
  void SetUp() override {
    if (compiler.empty()) GTEST_SKIP() << "no C compiler named cc";
  }
  std::string compiled(const std::string& name, const std::string& text,
                       std::vector<std::string> flags = {}) {
    EXPECT_TRUE(write_file_atomically((root / (name + ".c")).string(), text));
    const std::string out = (root / (name + ".so")).string();
    std::vector<std::string> argv = {compiler, "-shared", "-fPIC",
                                     "-o",     out,       (root / (name + ".c")).string()};
    argv.insert(argv.end(), flags.begin(), flags.end());
    auto done = run_process({argv, "", {}, 60});
    EXPECT_TRUE(done && done->succeeded()) << (done ? done->err : "");
    return out;
  }
  /// A door whose launch gives `code`.
  static std::string door(const std::string& launch_body, const std::string& more = "") {
    return more +
           "int cutelab_abi_version(void) { return 1; }\n"
           "const char* cutelab_error_text(int code) { return code == 35 ? \"driver version is "
           "insufficient\" : \"?\"; }\n"
           "int cutelab_launch(const void* p, unsigned long long n, const void* s, void* q) { " +
           launch_body + " }\n";
  }
  fs::path root;
  std::string compiler;
};

// P73: what an object lacks is named before it is run.
TEST_F(LoadedKernels, AMissingSymbolIsNamedWhenItIsLoaded) {
  const auto lacking = LoadedKernel::load(
      compiled("lacking", door("return only_the_runtime_has_it();", "int only_the_runtime_has_it(void);\n")));
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().kind, ErrorKind::unavailable);
  EXPECT_NE(lacking.error().wrong.find("only_the_runtime_has_it"), std::string::npos)
      << lacking.error().wrong;
  EXPECT_EQ(LoadedKernel::load(compiled("other", "int other(void) { return 0; }\n")).error().wrong,
            "it is no kernel package");
  EXPECT_EQ(LoadedKernel::load(compiled("newer",
                                        "int cutelab_abi_version(void) { return 7; }\n"
                                        "int cutelab_launch(void) { return 0; }\n"
                                        "const char* cutelab_error_text(int c) { return \"\"; }\n"))
                .error()
                .wrong,
            "it speaks version 7 of the door, this program 1");
}

// P73: two packages that define the same names each keep their own.
TEST_F(LoadedKernels, TwoPackagesWithTheSameNamesDoNotMeet) {
  const std::string shared = "int same_name(void) { return ";
  const auto one = LoadedKernel::load(compiled("one", door("return same_name();", shared + "0; }\n")));
  const auto two = LoadedKernel::load(compiled("two", door("return same_name();", shared + "9; }\n")));
  ASSERT_TRUE(one);
  ASSERT_TRUE(two);
  EXPECT_TRUE(one->launch({}, {}, nullptr));
  EXPECT_EQ(two->launch({}, {}, nullptr).error().code, 9);
}

// P73 and P82: a code is a cudaError_t with its text, and what to do about it.
TEST_F(LoadedKernels, ACodeIsTranslatedAndADriverThatIsTooOldIsNotTakenForAnArchitecture) {
  const auto kernel = LoadedKernel::load(compiled("old", door("return 35;")));
  ASSERT_TRUE(kernel);
  const auto error = kernel->launch({}, {}, nullptr).error();
  EXPECT_EQ(error.code, 35);
  EXPECT_EQ(error.wrong, "cudaError 35: driver version is insufficient");
  EXPECT_NE(error.remedy.find("CUDA 13 needs 580"), std::string::npos) << error.remedy;
  EXPECT_NE(error.remedy.find("12.9 needs 575"), std::string::npos) << error.remedy;
  EXPECT_EQ(error.remedy.find("architecture"), std::string::npos);
  const auto image = LoadedKernel::load(compiled("image", door("return 209;")));
  EXPECT_NE(image->launch({}, {}, nullptr).error().remedy.find("another architecture"), std::string::npos);
}

TEST_F(LoadedKernels, LibrariesThatAPackageOpensItselfAreFoundInTheFoldersGiven) {
  fs::create_directories(root / "apart");
  compiled("answer", "int answer(void) { return 0; }\n", {"-Wl,-soname,libcutelab_answer.so.1"});
  fs::rename(root / "answer.so", root / "apart/libcutelab_answer.so.1");
  const std::string text = door(
      "void* l = dlopen(\"libcutelab_answer.so.1\", RTLD_NOW); if (!l) return 10000;"
      "return ((int (*)(void))dlsym(l, \"answer\"))();",
      "#include <dlfcn.h>\nconst char* cutelab_libraries(void) { return "
      "\"libcutelab_nowhere.so\\nlibcutelab_answer.so.1\"; }\n");
  const auto library = compiled("opens", text, {"-ldl"});
  const auto without = LoadedKernel::load(library);
  ASSERT_TRUE(without) << "a library that is nowhere is the kernel's to report";
  EXPECT_EQ(without->launch({}, {}, nullptr).error().code, 10000);
  const auto with = LoadedKernel::load(library, {"/nonexistent", (root / "apart").string()});
  ASSERT_TRUE(with);
  EXPECT_TRUE(with->launch({}, {}, nullptr));
}

}  // namespace
}  // namespace cutelab::kernel
