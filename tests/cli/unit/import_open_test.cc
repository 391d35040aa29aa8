// Packages to fill in: what of a program could be called, the call that is written for it, and that it works
// when it is filled in; copied helpers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "cli/exports.h"
#include "cli/host_call_program.h"
#include "cli/host_exports.h"
#include "cli/host_main.h"
#include "cli/import_call.h"
#include "cli/import_copy.h"
#include "cli/import_open.h"
#include "cli/import_sweep.h"
#include "cli/unit/fake_context.h"

namespace cutelab::cli {
namespace {
namespace fs = std::filesystem;

/// A source root of its own, with a stand-in for the DSL whose functions are plain ones.
class Open : public ::testing::Test {
 protected:
  Open() : folder_("import-open"), root_(fs::canonical(folder_.path()).string()) {
    world_.context.source_root = root_;
    write("stubs/cutlass/__init__.py", "Float16 = 'f16'\n");
    write("stubs/cutlass/cute/__init__.py",
          "Tensor = object\nFloat32 = float\n\ndef jit(f):\n    return f\n\nkernel = jit\n");
    write("stubs/cutlass/cute/runtime.py",
          "def from_dlpack(t, assumed_align):\n    return t\n\nmake_ptr = None\n");
    write("stubs/torch.py",
          "float16, bfloat16, float32, int8, int32 = range(5)\n\ndef zeros(extents, dtype, device):\n"
          "    return extents\n");
    write("stubs/cuda/bindings/driver.py", "CUstream = int\n");
    write("shop/scale.py",
          "import cutlass.cute as cute\n\n"
          "@cute.kernel\ndef scale_kernel(x: cute.Tensor):\n    pass\n\n"
          "class Scale:\n"
          "    def __init__(self, tile: int, fast: bool = True):\n        self.tile = tile\n\n"
          "    @cute.jit\n"
          "    def __call__(self, x: cute.Tensor, alpha: cute.Float32, stream):\n"
          "        print('called', self.tile, x, alpha, stream)\n"
          "        if False:\n            scale_kernel(x).launch(grid=[1, 1, 1], block=[32, 1, 1])\n\n"
          "@cute.jit\ndef helper(x: cute.Tensor):\n    return x\n");
  }
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path path = fs::path(root_) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  kernel::PackageDescription described(const std::string& program) const {
    kernel::PackageDescription d;
    d.layer = "misc";
    d.design = "scaled";
    d.version = "v0";
    d.arch = "sm_90a";
    d.program = program;
    return d;
  }
  Result<ProcessResult> python(const std::string& program) const {
    return run_process({{"python3", program}, "", {{"PYTHONPATH", root_ + "/stubs"}}, 60, {}});
  }

  ScratchFolder folder_;
  std::string root_;
  FakeContext world_;
  const Error refused_{ErrorKind::usage, "export", "the program refuses: KeyError", "", ""};
};

TEST_F(Open, WhatCanBeCalledIsWhatLaunches) {
  const auto found = callable_functions(root_ + "/shop/scale.py", world_.files);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u) << "a helper that launches nothing is none";
  const auto& function = found->front();
  EXPECT_EQ(function.name, "Scale.__call__");
  EXPECT_EQ(function.owner, "Scale");
  ASSERT_EQ(function.parameters.size(), 5u);
  EXPECT_TRUE(function.parameters[0].constructor && function.parameters[0].type == "int");
  EXPECT_EQ(function.parameters[1].preset, "True");
  EXPECT_EQ(function.parameters[2].type, "cute.Tensor");
}

TEST_F(Open, ThePackageSaysWhatToFillInAndWorksThen) {
  auto open =
      open_package(described("shop/scale.py"), root_ + "/shop/scale.py", refused_, nullptr, world_.context);
  ASSERT_TRUE(open) << open.error().message();
  EXPECT_EQ(open->function, "Scale.__call__");
  ASSERT_TRUE(write_package(open->description, open->files, world_.context));
  auto text = world_.files.read(root_ + "/kernels/cute_python/misc/scaled/scaled/package.json", 1 << 20);
  ASSERT_TRUE(text);
  const auto package = kernel::package_from_json(*text);
  ASSERT_TRUE(package) << package.error().message();
  ASSERT_EQ(package->undetermined.size(), 1u);
  EXPECT_NE(package->undetermined[0].find("FILL_IN in kernels/cute_python/misc/scaled/scaled/call.py"),
            std::string::npos);
  EXPECT_NE(package->undetermined[0].find("--replace"), std::string::npos) << "the command that goes on";
  const std::string call = root_ + "/" + open->call;
  auto as_written = python(call);
  ASSERT_TRUE(as_written);
  EXPECT_EQ(as_written->exit_code, 1) << as_written->err;
  EXPECT_NE(as_written->out.find("fill in tile, x, alpha, stream in " + open->call), std::string::npos)
      << as_written->out << as_written->err;

  std::string filled = *world_.files.read(call, 1 << 20);
  for (const auto& [from, to] : {std::pair{"\"tile\": FILL_IN", "\"tile\": 64"},
                                 {"\"x\": FILL_IN", "\"x\": tensor((4, 8), torch.float16)"},
                                 {"\"alpha\": FILL_IN", "\"alpha\": 2.0"},
                                 {"\"stream\": FILL_IN", "\"stream\": cuda.CUstream(0)"}})
    filled = replace_all(filled, from, to);
  write(open->call, filled);
  auto done = python(call);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exit_code, 0) << done->err;
  EXPECT_EQ(done->out, "called 64 (4, 8) 2.0 0\n");
}

TEST_F(Open, WhatCannotBeImportedAsAModuleOrIsForAnotherArchitectureIsNoPackage) {
  const std::string path = root_ + "/shop/scale.py";
  std::string asked;
  const auto broken = [&](const std::string& file) {
    asked = file;
    return Status(
        Error{ErrorKind::usage, "import", "it cannot be imported as a module (SyntaxError)", "", ""});
  };
  const auto refused = open_package(described("shop/scale.py"), path, refused_, broken, world_.context);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().wrong, "it cannot be imported as a module (SyntaxError)");
  EXPECT_EQ(asked, path);
  Error arch = refused_;
  arch.wrong = "the program refuses: DSLUserCodeError: expects arch to be sm_90a, but got sm_120a";
  EXPECT_FALSE(open_package(described("shop/scale.py"), path, arch, nullptr, world_.context))
      << "the call would be refused for the same";
}

TEST_F(Open, WhereThereIsNothingToFillInTheErrorStays) {
  const std::string path = root_ + "/shop/scale.py";
  Error missing = refused_;
  missing.kind = ErrorKind::unavailable;
  EXPECT_FALSE(open_package(described("shop/scale.py"), path, missing, nullptr, world_.context))
      << "a module is missing";
  auto with_flags = described("shop/scale.py");
  with_flags.fixed_flags = {"--none"};
  EXPECT_FALSE(open_package(with_flags, path, refused_, nullptr, world_.context)) << "the options were given";
  EXPECT_FALSE(open_package(described("kernels/cute_python/misc/x/x/call.py"), path, refused_, nullptr,
                            world_.context));
  write("shop/plain.py", "def main():\n    pass\n");
  EXPECT_FALSE(
      open_package(described("shop/plain.py"), root_ + "/shop/plain.py", refused_, nullptr, world_.context));
}

const char* const launched_in_main = R"(
template <class T> __global__ void move(T const* from, T* to, int n) {}
int main() {
  thrust::device_vector<float> from(64), to(64);
  move<<<1, 64>>>(from.data().get(), to.data().get(), 64);
}
)";

TEST_F(Open, AKernelThatMainLaunchesIsCalledFromAMainToFillIn) {
  const std::string path = write("shop/move.cu", launched_in_main);
  auto open = open_package(described("shop/move.cu"), path, refused_, nullptr, world_.context);
  ASSERT_TRUE(open) << open.error().message();
  EXPECT_EQ(open->call, "kernels/cute_cpp/misc/scaled/scaled/call.cu");
  std::string text = open->files[0].second;
  const auto exporter = make_cpp_exporter(world_.context, {});
  write(open->call, text);
  auto as_written = exporter->get({open->call, "", {}, "sm_90a"});
  ASSERT_FALSE(as_written);
  EXPECT_NE(as_written.error().wrong.find("fill in FILL_IN on lines"), std::string::npos)
      << as_written.error().message();
  EXPECT_NE(text.find("#include \"../../../../../shop/move.cu\""), std::string::npos) << text;

  text = replace_all(text, "dim3(FILL_IN), dim3(FILL_IN)", "dim3(1), dim3(n)");
  text = replace_all(text, "from(FILL_IN)", "from(n)");
  text = replace_all(text, "to(FILL_IN)", "to(n)");
  text = replace_all(text, "int n = FILL_IN", "int n = 64");
  text = replace_all(text, "FILL_IN", "float");
  // Memory is declared in the order of the parameters: extents come first here.
  const auto at = text.find("  int n = 64");
  const auto end = text.find("  call(");
  const std::string number = text.substr(at, end - at);
  text.erase(at, end - at);
  text.insert(text.find("  thrust::device_vector"), number);
  const auto host = read_host_call(open->call, text, {});
  ASSERT_TRUE(host) << host.error().message();
  EXPECT_EQ(host->function, "call");
  ASSERT_EQ(host->arguments.size(), 3u);
  EXPECT_TRUE(host->arguments[0].constant && !host->arguments[1].constant);
  EXPECT_EQ(host->memories[0].elements, 64);
}

TEST(HostCallee, TheLastFunctionThatLaunchesAloneOrThroughOthers) {
  const auto callee = host_callee(
      "__global__ void k(int* p) {}\n"
      "void inner(int* p) { k<<<1, 1>>>(p); }\n"
      "void outer(int m, int* p) { inner(p); }\n"
      "void print(int* p) {}\n"
      "int main() {}\n");
  ASSERT_TRUE(callee);
  EXPECT_EQ(callee->function.qualified, "outer");
  EXPECT_FALSE(callee->is_kernel);
  EXPECT_FALSE(host_callee("void nothing() {}\nint main() {}\n"));
}

TEST_F(Open, CopiedHelpersLieToEachOtherAsTheyDid) {
  write("shop/parts/tiles.py", "TILE = 64\n");
  write("export/record.json", R"({"sources": [{"path": "shop/scale.py"}, {"path": "shop/parts/tiles.py"}]})");
  kernel::Exported exported;
  exported.folder = root_ + "/export";
  auto d = described("shop/scale.py");
  const auto copies = copied_sources(d, root_ + "/shop/scale.py", exported, world_.context);
  ASSERT_TRUE(copies) << copies.error().message();
  ASSERT_EQ(copies->size(), 2u);
  EXPECT_EQ((*copies)[1], (PackageFile{"source/parts/tiles.py", "TILE = 64\n"}));
  EXPECT_EQ(d.program, "kernels/cute_python/misc/scaled/scaled/source/scale.py");
  d.configurations.emplace_back();
  ASSERT_TRUE(write_package(d, *copies, world_.context));
  EXPECT_TRUE(fs::exists(root_ + "/kernels/cute_python/misc/scaled/scaled/source/parts/tiles.py"));
  EXPECT_EQ(world_.files.read(root_ + "/" + d.program, 1 << 20)->substr(0, 6), "import");
}

TEST_F(Open, CopiedHeadersAreThoseThatAProgramIncludesByAQuotedName) {
  const std::string path = write("shop/a.cu", "#include \"b.h\"\n#include <vector>\nint main() {}\n");
  write("shop/b.h", "#include \"c/d.h\"\n");
  write("shop/c/d.h", "\n");
  auto d = described("shop/a.cu");
  const auto copies = copied_sources(d, path, {}, world_.context);
  ASSERT_TRUE(copies);
  ASSERT_EQ(copies->size(), 3u);
  EXPECT_EQ((*copies)[2].first, "source/c/d.h");
  EXPECT_EQ(d.program, "kernels/cute_cpp/misc/scaled/scaled/source/a.cu");
}

TEST_F(Open, IncludesThatLeadOutAreLookedUpBesideTheHeaders) {
  const std::string call =
      write("package/call.cu", "#include \"../examples/a.cu\"\n#include \"cute/tensor.hpp\"\n");
  write("checkout/examples/a.cu", "\n");
  write("checkout/include/cute/tensor.hpp", "\n");
  EXPECT_TRUE(local_includes(call, world_.files).empty());
  EXPECT_EQ(local_includes(call, world_.files, root_ + "/checkout/include"),
            (std::vector<std::string>{root_ + "/checkout/examples/a.cu"}))
      << "and not the headers themselves";
}

TEST_F(Open, AnExporterThatRunsNothingSaysSo) {
  ExportSettings settings;
  EXPECT_FALSE(make_exporter(world_.context, settings)->only_kept());
  settings.only_kept = true;
  EXPECT_TRUE(make_exporter(world_.context, settings)->only_kept());
}

/// Says which programs it was asked for.
class Asked final : public kernel::Exporter {
 public:
  Result<kernel::Exported> get(const kernel::ExportWanted& wanted) const override {
    programs.push_back(wanted.program);
    return Error{ErrorKind::input, "export", "it compiles no kernel of its own", "", ""};
  }
  mutable std::vector<std::string> programs;
};

TEST_F(Open, ASweepTakesCppFilesOfCuTeAndScriptsThatNobodyRuns) {
  fs::create_directory_symlink(std::string(CUTELAB_SOURCE_DIR) + "/data", root_ + "/data");
  world_.environment = Environment(std::map<std::string, std::string>{{"XDG_CACHE_HOME", root_ + "/cache"}});
  write("files/copy.cu", "#include <cute/tensor.hpp>\nint main() {}\n");
  write("files/plain.cu", "#include <vector>\nint main() {}\n");
  write("files/script.py", "import cutlass\nimport part\nprint(part)\n");
  write("files/part.py", "import cutlass\n");
  write("files/run.py", "import part\nif __name__ == \"__main__\":\n    print(part)\n");
  const Asked exporter;
  ImportSweep asked;
  asked.folder = root_ + "/files";
  asked.jobs = 1;
  asked.arch = "sm_90a";
  const auto swept = sweep_imports(asked, exporter, world_.context, [](const SweptImport&) {});
  ASSERT_TRUE(swept) << swept.error().message();
  std::map<std::string, std::string> ends;
  for (const auto& one : *swept) ends[one.file] = one.end;
  EXPECT_EQ(ends, (std::map<std::string, std::string>{{"copy.cu", "not importable"},
                                                      {"script.py", "helper"},
                                                      {"part.py", "helper"},
                                                      {"run.py", "not importable"}}));
  std::vector<std::string> names;
  for (const std::string& program : exporter.programs) names.push_back(fs::path(program).filename().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"copy.cu", "run.py", "script.py"}))
      << "part.py is run by run.py";
}

TEST(SweptTable, FitsTheTerminal) {
  const std::vector<SweptImport> swept = {
      {"cute/hopper/kernel/grouped_gemm/grouped_gemm.py", "sm_90a", "compiled only",
       "`operator`: what its tensors are, and what it computes; a sentence that goes on and on", "4.7.0"},
      {"a.py", "sm_90a", "imported", "gemm", "4.7.0"}};
  const std::string text = sweep_report(swept, 80);
  EXPECT_NE(text.find("goes"), std::string::npos) << "nothing is cut off: " << text;
  for (const auto line : split(text, '\n')) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(sweep_report(swept).find("| cute/hopper/kernel/grouped_gemm/grouped_gemm.py |"),
            std::string::npos)
      << "without a width it is Markdown";
}

}  // namespace
}  // namespace cutelab::cli
