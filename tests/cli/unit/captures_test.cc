#include "cli/captures.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/exports.h"
#include "cli/import_call.h"
#include "cli/unit/fake_context.h"

namespace cutelab::cli {
namespace {
namespace fs = std::filesystem;

/// A checkout with one program, and a source root with parts that a fetch.py of the test's installs.
class Captures : public ::testing::Test {
 protected:
  Captures() {
    std::string pattern = (fs::temp_directory_path() / "cutelab-captures-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    write("deps/parts.json", "{}");
    write("deps/dsl.lock", "# pins\nnvidia-cutlass-dsl==4.8.1 \\\n    --hash=sha256:0\n");
    write("checkout/examples/gemm.py", "import cutlass\n");
    installs("");
    fake_.context.source_root = root_;
  }
  ~Captures() override { fs::remove_all(root_); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(root_ + "/" + name).parent_path());
    std::ofstream(root_ + "/" + name) << text;
  }
  void pins(const std::string& text) const { write("checkout/python/CuTeDSL/requirements.txt", text); }
  /// fetch.py makes every part but `missing`.
  void installs(const std::string& missing) const {
    write("tools/setup/fetch.py", "import pathlib, sys\nif sys.argv[1] == '" + missing +
                                      "': sys.exit(3)\np = pathlib.Path('" + root_ +
                                      "/build/deps') / sys.argv[1]\np.mkdir(parents=True)\n"
                                      "(p / '.stamp').write_text('')\n");
  }
  std::string part(const std::string& name) const { return root_ + "/build/deps/" + name + "/bin/python"; }
  Result<std::string> python(const std::string& version = "", const std::string& named = "") {
    return dsl_python({program(), named, version}, fake_.context);
  }
  std::string program() const { return root_ + "/checkout/examples/gemm.py"; }

  std::string root_;
  FakeContext fake_;
};

TEST_F(Captures, ACallToFillInTakesTheVersionOfTheProgramThatItCalls) {
  pins("nvidia-cutlass-dsl==4.7.0\n");
  CallableFunction function;
  function.name = function.member = "gemm";
  fake_.environment = Environment(std::map<std::string, std::string>{{"CUTLASS_DIR", root_ + "/checkout"}});
  for (const std::string& name : {program(), std::string("$CUTLASS_DIR/examples/gemm.py")}) {
    const std::string text = call_program(name, function, "call.py", "again");
    EXPECT_EQ(called_program(text), name);
    write("kernels/call.py", text);
    EXPECT_EQ(wanted_dsl_version(root_ + "/kernels/call.py", fake_.context), "4.7.0") << name;
  }
  auto made = dsl_python({root_ + "/kernels/call.py", "", ""}, fake_.context);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(*made, part("dsl-4.7.0"));
  EXPECT_EQ(called_program("PROGRAM = \"other.py\"\n"), "") << "no call that an import wrote";
  write("kernels/plain.py", "import cutlass\n");
  EXPECT_EQ(wanted_dsl_version(root_ + "/kernels/plain.py", fake_.context), "");
}

TEST_F(Captures, TheCheckoutPinsItsVersion) {
  EXPECT_EQ(pinned_dsl_version(program(), fake_.files), "");
  pins("# wheel\nnvidia-cutlass-dsl[cu13]==4.7.0  # of this release\n");
  EXPECT_EQ(pinned_dsl_version(program(), fake_.files), "4.7.0");
  for (const char* none : {"nvidia-cutlass-dsl>=4.7.0\n", "nvidia-cutlass-dsl-libs-core==4.7.0\n",
                           "nvidia-cutlass-dsl==$(rm)\n", "-r other.txt\n", ""}) {
    pins(none);
    EXPECT_EQ(pinned_dsl_version(program(), fake_.files), "") << none;
  }
}

TEST_F(Captures, AnEnvironmentForEachVersion) {
  EXPECT_EQ(*python(), part("dsl"));
  pins("nvidia-cutlass-dsl==4.7.0\n");
  EXPECT_EQ(*python(), part("dsl-4.7.0"));
  EXPECT_EQ(*python("4.6.2"), part("dsl-4.6.2")) << "what was asked for comes first";
  EXPECT_EQ(*python("4.8.1"), part("dsl")) << "the part dsl is of this version";
  EXPECT_EQ(*python("", "/usr/bin/python3"), "/usr/bin/python3");
  pins("nvidia-cutlass-dsl==4.8.1\n");
  EXPECT_EQ(*python(), part("dsl"));
}

TEST_F(Captures, TorchIsLentToAnInterpreterOfItsPython) {
  capture::Toolchain toolchain;
  toolchain.interpreter = "python3.11";
  ASSERT_TRUE(add_torch(toolchain, false, fake_.context).ok());
  EXPECT_EQ(toolchain.packages, "") << "not installed, and not asked for";
  EXPECT_NE(torch_hint(2, toolchain, fake_.context).find("setup torch"), std::string::npos);
  EXPECT_EQ(torch_hint(0, toolchain, fake_.context), "");
  write("build/deps/torch/lib/python3.11/site-packages/torch/__init__.py", "");
  write("build/deps/torch/.stamp", "");
  ASSERT_TRUE(add_torch(toolchain, false, fake_.context).ok());
  EXPECT_EQ(toolchain.packages, root_ + "/build/deps/torch/lib/python3.11/site-packages");
  EXPECT_EQ(torch_hint(2, toolchain, fake_.context), "");

  capture::Toolchain own;
  own.interpreter = "python3.11";
  own.has_torch = true;
  ASSERT_TRUE(add_torch(own, true, fake_.context).ok());
  EXPECT_EQ(own.packages, "") << "its own comes first";

  capture::Toolchain other;
  other.interpreter = "python3.13";
  ASSERT_TRUE(add_torch(other, false, fake_.context).ok());
  EXPECT_EQ(other.packages, "");
  const Status wanted = add_torch(other, true, fake_.context);
  ASSERT_FALSE(wanted.ok());
  EXPECT_NE(wanted.error().wrong.find("python3.13"), std::string::npos) << wanted.error().message();
}

TEST_F(Captures, TorchIsFoundFromTheFolderOfARun) {
  write("build/deps/torch/lib/python3.11/site-packages/torch/__init__.py", "");
  write("build/deps/torch/.stamp", "");
  fake_.context.source_root = fs::path(root_).lexically_relative(fs::current_path()).string();
  ASSERT_TRUE(fs::path(fake_.context.source_root).is_relative());
  capture::Toolchain toolchain;
  toolchain.interpreter = "python3.11";
  ASSERT_TRUE(add_torch(toolchain, false, fake_.context).ok());
  EXPECT_TRUE(fs::path(toolchain.packages).is_absolute()) << toolchain.packages;
}

TEST_F(Captures, AVersionThatServesForAnotherSaysNothingAboutTheProgram) {
  pins("nvidia-cutlass-dsl==4.7.0\n");
  const Error refused{ErrorKind::usage, "export", "the program refuses: TypeError", "", ""};
  EXPECT_EQ(by_version(refused, program(), "4.7.0", {}, fake_.context).kind, ErrorKind::usage);
  const Error other = by_version(refused, program(), "4.8.1", {}, fake_.context);
  EXPECT_EQ(other.kind, ErrorKind::unavailable);
  EXPECT_NE(other.wrong.find("pins 4.7.0"), std::string::npos) << other.wrong;
  EXPECT_NE(other.remedy.find("setup dsl-4.7.0"), std::string::npos) << other.remedy;
  ExportSettings asked;
  asked.dsl_version = "4.8.1";
  EXPECT_EQ(by_version(refused, program(), "4.8.1", asked, fake_.context).kind, ErrorKind::usage)
      << "asked for, its verdict counts";
}

TEST_F(Captures, TorchThatIsAskedForIsInstalled) {
  capture::Toolchain toolchain;
  toolchain.interpreter = "python3.11";
  installs("torch");
  EXPECT_FALSE(add_torch(toolchain, true, fake_.context).ok()) << "it cannot be had";
  write("tools/setup/fetch.py", "import pathlib, sys\np = pathlib.Path('" + root_ +
                                    "/build/deps') / sys.argv[1]\n"
                                    "(p / 'lib/python3.11/site-packages/torch').mkdir(parents=True)\n"
                                    "(p / '.stamp').write_text('')\n");
  ASSERT_TRUE(add_torch(toolchain, true, fake_.context).ok());
  EXPECT_NE(toolchain.packages, "");
}

TEST_F(Captures, AVersionThatCannotBeHadIsSaid) {
  installs("dsl-4.7.0");
  pins("nvidia-cutlass-dsl==4.7.0\n");
  EXPECT_EQ(*python(), part("dsl"));
  EXPECT_NE(fake_.err.str().find("pins version 4.7.0"), std::string::npos) << fake_.err.str();
  EXPECT_FALSE(python("4.7.0")) << "asked for, it is not replaced by another";
  const auto wrong = python("../evil");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::usage);
}

TEST_F(Captures, TheTargetIsWhatTheReadingIsMadeFor) {
  write("checkout/examples/gemm.py", "import cutlass\nfrom cutlass.utils import sm120_helpers\n");
  EXPECT_EQ(*target_arch("", fake_.context, program()), "sm_120a");
  EXPECT_EQ(*target_arch("sm_90a", fake_.context, program()), "sm_90a");
  EXPECT_FALSE(target_arch("90a", fake_.context, program()));
}

}  // namespace
}  // namespace cutelab::cli
