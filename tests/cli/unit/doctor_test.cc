#include "cli/doctor/items.h"

#include <gtest/gtest.h>

#include <map>

namespace cutelab::cli::doctor {
namespace {

Error absent(const std::string& path) { return Error{ErrorKind::input, "open " + path, "missing", path, ""}; }

class FakeFiles final : public FileSource {
 public:
  std::map<std::string, std::string> files;
  Result<std::string> read(const std::string& path, std::uint64_t) const override {
    const auto it = files.find(path);
    if (it == files.end()) return absent(path);
    return it->second;
  }
  Result<FileStatus> status(const std::string& path) const override {
    const auto it = files.lower_bound(path);
    if (it == files.end() || it->first.rfind(path, 0) != 0) return absent(path);
    return FileStatus{it->first == path ? it->second.size() : 0, 0, it->first != path};
  }
  Result<std::vector<std::string>> list(const std::string& folder, std::vector<std::string>*) const override {
    return absent(folder);
  }
};

/// A machine of which a test says what it answers; the key of an answer is the start of the command line.
struct Machine {
  FakeFiles files;
  Environment environment;
  std::map<std::string, std::string> answers;
  std::string python_answer;

  Host host() {
    const auto ask = [this](const std::vector<std::string>& argv) -> std::optional<std::string> {
      if (argv.size() > 1 && argv[1] == "-c")
        return python_answer.empty() ? std::nullopt : std::optional(python_answer);
      const auto it = answers.find(argv[0]);
      return it == answers.end() ? std::nullopt : std::optional(it->second);
    };
    const auto find = [this](const std::string& name) -> std::optional<std::string> {
      return answers.count(name) ? std::optional("/usr/bin/" + name) : std::nullopt;
    };
    const auto free = [](const std::string&) -> std::optional<long long> { return 5'000'000'000; };
    return Host{ask, find, free, files, environment, "/lab", "./cutelab", ""};
  }
};

Item item(const std::vector<Item>& items, const std::string& name) {
  for (const Item& i : items)
    if (i.name == name) return i;
  ADD_FAILURE() << "no item " << name;
  return {};
}

TEST(Doctor, BareMachineMissesEverythingCalmly) {
  Machine machine;
  for (auto probe : {gpu_items, python_items, build_items})
    for (const Item& i : probe(machine.host()))
      EXPECT_EQ(i.state == State::missing, i.group != "Machine") << i.name;
  EXPECT_EQ(item(gpu_items(machine.host()), "GPU").detail, "none seen");
}

TEST(Doctor, GpuAndDriverAreNamed) {
  Machine machine;
  machine.answers["nvidia-smi"] = "NVIDIA H200, 9.0, 143771 MiB\nNVIDIA H200, 9.0, 143771 MiB\n";
  machine.files.files["/proc/driver/nvidia/version"] =
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun\n";
  machine.files.files["/proc/driver/nvidia/params"] = "RmProfilingAdminOnly: 1\n";
  const auto items = gpu_items(machine.host());
  EXPECT_EQ(item(items, "GPU").detail, "NVIDIA H200, 9.0, 143771 MiB; NVIDIA H200, 9.0, 143771 MiB");
  EXPECT_EQ(item(items, "driver").detail, "580.65.06");
  EXPECT_EQ(item(items, "counters").state, State::attention);
  machine.files.files["/proc/driver/nvidia/params"] = "RmProfilingAdminOnly: 0\n";
  EXPECT_EQ(item(gpu_items(machine.host()), "counters").state, State::found);
}

TEST(Doctor, ToolsAreFoundInPathToolkitAndPart) {
  Machine machine;
  const std::string text = "Cuda compilation tools, release 13.0, V13.0.88\n";
  machine.answers["nvcc"] = "";
  machine.answers["/usr/bin/nvcc"] = text;
  EXPECT_EQ(item(gpu_items(machine.host()), "nvcc").detail, "13.0.88 (/usr/bin/nvcc)");
  machine.answers = {{"/lab/build/deps/cuda-tools/bin/nvdisasm", text}};
  machine.files.files["/lab/build/deps/cuda-tools/bin/nvdisasm"] = "";
  EXPECT_EQ(item(gpu_items(machine.host()), "nvdisasm").state, State::found);
  EXPECT_EQ(item(gpu_items(machine.host()), "cuobjdump").remedy, "./cutelab setup cuda-tools");
  machine.answers.clear();
  EXPECT_EQ(item(gpu_items(machine.host()), "nvdisasm").state, State::attention) << "there, but does not run";
}

// A wrapper that prints something else, or nothing, was "found, version unknown".
TEST(Doctor, AProgramThatTellsNoVersionWantsAttention) {
  Machine machine;
  machine.answers["nvcc"] = "";
  machine.answers["/usr/bin/nvcc"] = "\x1b[31mgarbage\xff";
  const Item nvcc = item(gpu_items(machine.host()), "nvcc");
  EXPECT_EQ(nvcc.state, State::attention);
  EXPECT_EQ(nvcc.detail, "/usr/bin/nvcc tells no version of its own: is it nvcc?");
  EXPECT_EQ(nvcc.remedy, "./cutelab setup cuda-compiler");
  machine.answers["nvidia-smi"] = "Failed to initialize NVML\n";
  const Item gpu = item(gpu_items(machine.host()), "GPU");
  EXPECT_EQ(gpu.state, State::attention);
  EXPECT_EQ(gpu.detail, "nvidia-smi answers, but names no GPU");
}

TEST(Doctor, InterfacePackageIsNotTheDsl) {
  Machine machine;
  machine.python_answer =
      R"({"versions": {"nvidia-cutlass": "4.2.0.0"}, "origin": "/x/cutlass/__init__.py", "owner": "nvidia-cutlass"})";
  const auto items = python_items(machine.host());
  EXPECT_EQ(item(items, "module cutlass").state, State::attention);
  EXPECT_NE(item(items, "module cutlass").detail.find("not the CuTe DSL"), std::string::npos);
  EXPECT_EQ(item(items, "DSL wheel of python3").state, State::missing);
}

TEST(Doctor, DslOwnsTheModule) {
  Machine machine;
  machine.python_answer =
      R"({"versions": {"nvidia-cutlass-dsl": "4.8.1", "nvidia-cutlass-dsl-libs-base": "4.8.1"},
          "origin": "/x/cutlass/__init__.py", "owner": "nvidia-cutlass-dsl-libs-core"})";
  const auto items = python_items(machine.host());
  EXPECT_EQ(item(items, "module cutlass").state, State::found);
  EXPECT_EQ(item(items, "DSL wheel of python3").detail, "nvidia-cutlass-dsl 4.8.1, libs-base 4.8.1");
}

TEST(Doctor, WheelsOfDifferentVersionsWantAttention) {
  Machine machine;
  machine.python_answer =
      R"({"versions": {"nvidia-cutlass-dsl": "4.8.1", "nvidia-cutlass-dsl-libs-base": "4.7.0"},
          "origin": null, "owner": null})";
  EXPECT_EQ(item(python_items(machine.host()), "DSL wheel of python3").state, State::attention);
}

// P82: error 35 on a GPU that is able, after an upgrade of cuda-python or of the wheels.
TEST(Doctor, ADriverThatIsTooOldForCudaPythonOrTheWheelsIsNamed) {
  Machine machine;
  const auto with = [&](const std::string& driver, const std::string& versions) {
    machine.files.files["/proc/driver/nvidia/version"] = "NVRM version: Kernel Module  " + driver + "  Sun\n";
    machine.python_answer =
        R"({"versions": {)" + versions + R"(}, "origin": "/x", "owner": "nvidia-cutlass-dsl"})";
    return item(python_items(machine.host()), "driver for python3");
  };
  const std::string cuda_13 = R"("cuda-bindings": "13.0.1", "nvidia-cutlass-dsl": "4.3.0")";
  const Item old = with("575.57.08", cuda_13);
  EXPECT_EQ(old.state, State::attention);
  EXPECT_EQ(old.detail, "driver 575.57.08; cuda-bindings 13.0.1 needs 580.65.06");
  EXPECT_NE(old.remedy.find("580.65.06 or newer, or take cuda-python 12.9"), std::string::npos) << old.remedy;
  EXPECT_EQ(with("580.65.06", cuda_13).state, State::found);
  EXPECT_EQ(with("590.1", cuda_13).state, State::found);
  const std::string flavours = R"("cuda-python": "12.9.0", "nvidia-cutlass-dsl-libs-cu)";
  EXPECT_EQ(with("575.51.03", flavours + R"(12": "4.4.0")").state, State::found);
  EXPECT_EQ(with("570.133.20", flavours + R"(12": "4.4.0")").state, State::attention);
  EXPECT_EQ(with("575.51.03", flavours + R"(13": "4.4.0")").detail,
            "driver 575.51.03; the wheel nvidia-cutlass-dsl-libs-cu13 needs 580.65.06");
  EXPECT_EQ(with("570.1", R"("torch": "2.9")").detail, "neither cuda-python nor a DSL wheel");
  machine.files.files.erase("/proc/driver/nvidia/version");
  EXPECT_EQ(item(python_items(machine.host()), "driver for python3").detail, "no driver to compare with");
}

TEST(Doctor, TagPinAndWheelAreReportedApart) {
  Machine machine;
  machine.environment = Environment(std::map<std::string, std::string>{{"CUTLASS_DIR", "/cutlass"}});
  machine.answers["git"] = "v4.5.0\n";
  machine.files.files["/cutlass/.git/HEAD"] = "";
  machine.files.files["/cutlass/examples/x.py"] = "";
  machine.files.files["/cutlass/include/cutlass/version.h"] =
      "#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 5\n#define CUTLASS_PATCH 0\n";
  machine.files.files["/cutlass/python/CuTeDSL/requirements.txt"] = "# comment\nnvidia-cutlass-dsl==4.4.2\n";
  machine.python_answer =
      R"({"versions": {"nvidia-cutlass-dsl": "4.8.1"}, "origin": "/x", "owner": "nvidia-cutlass-dsl"})";
  const auto items = python_items(machine.host());
  EXPECT_EQ(item(items, "CUTLASS checkout").detail, "tag v4.5.0, version.h says 4.5.0, /cutlass");
  const Item pin = item(items, "checkout's DSL pin");
  EXPECT_EQ(pin.state, State::attention);
  EXPECT_EQ(pin.detail, "nvidia-cutlass-dsl 4.4.2 (the tag says v4.5.0); python3 has 4.8.1");
  EXPECT_EQ(pin.remedy, "pip install nvidia-cutlass-dsl==4.4.2");
}

TEST(Doctor, PartsAndPackagesComeFromThePins) {
  Machine machine;
  machine.files.files["/lab/deps/parts.json"] =
      R"({"debian": {"build": {"packages": ["g++", "cmake"], "for": "building"}},
          "pypi": {"dsl": {"for": "compiling", "needed_by": "read", "download_bytes": 1e6, "installed_bytes": 2e6}}})";
  machine.answers["dpkg-query"] = "installed";
  EXPECT_EQ(item(build_items(machine.host()), "packages: build").detail, "all 2 Debian packages");
  EXPECT_EQ(item(build_items(machine.host()), "dsl").remedy, "./cutelab setup dsl");
  machine.files.files["/lab/build/deps/dsl/.stamp"] = "x";
  EXPECT_EQ(item(build_items(machine.host()), "dsl").state, State::found);
  machine.answers["dpkg-query"] = "not-installed";
  EXPECT_EQ(item(build_items(machine.host()), "packages: build").detail, "g++, cmake");
}

TEST(Doctor, VersionIsTheFirstDottedNumber) {
  EXPECT_EQ(version_in("g++ (Debian 12.2.0-14) 12.2.0"), "12.2.0");
  EXPECT_EQ(version_in("Python 3.11.7"), "3.11.7");
  EXPECT_EQ(version_in("cuda 13 release 13.0."), "13.0");
  EXPECT_EQ(version_in("none 7"), std::nullopt);
}

}  // namespace
}  // namespace cutelab::cli::doctor
