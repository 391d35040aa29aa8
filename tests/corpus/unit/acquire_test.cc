// Where corpora come from: folders, git, PyPI, installed packages; the registry; bad input leaves everything
// as it was.
#include "corpus/acquire.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "corpus/locate.h"
#include "corpus/tree.h"
#include "corpus/versions.h"

namespace cutelab::corpus {
namespace {
namespace fs = std::filesystem;
using namespace test;

class FixedClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return 0; }
  std::string utc_now() const override { return "2026-01-02T03:04:05Z"; }
};

/// Answers as told instead of running anything.
class FakeProcesses final : public ProcessRunner {
 public:
  explicit FakeProcesses(ProcessResult answer) : answer_(std::move(answer)) {}
  Result<ProcessResult> run(const std::vector<std::string>& words) const override {
    asked.push_back(words);
    return answer_;
  }
  mutable std::vector<std::vector<std::string>> asked;

 private:
  ProcessResult answer_;
};

ProcessResult said(std::string out) { return ProcessResult{0, 0, false, std::move(out), ""}; }

class Acquire : public ::testing::Test {
 protected:
  AcquireContext world(const ProcessRunner& processes) { return {environment_, files_, clock_, processes}; }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  bool has_leftovers() const {
    std::error_code code;
    for (const auto& entry : fs::recursive_directory_iterator(corpora_home(environment_), code))
      if (entry.path().string().find(".part") != std::string::npos) return true;
    return false;
  }
  ScratchFolder scratch_;
  Environment environment_ = environment_in(scratch_.path());
  DiskFileSource files_;
  FixedClock clock_;
  SystemProcesses system_;
};

TEST_F(Acquire, Folder) {
  write(scratch_.path() + "/mine/k.py", kernel_text("hopper"));
  const auto c = acquire({scratch_.path() + "/mine/", "", "", ""}, world(system_));
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_EQ(c->name, "mine");
  EXPECT_EQ(c->kind, CorpusKind::folder);
  EXPECT_EQ(c->added, "2026-01-02T03:04:05Z");
  const auto missing = acquire({scratch_.path() + "/nowhere", "", "", ""}, world(system_));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::input);
  const auto no_checkout = acquire({scratch_.path() + "/mine", "checkout", "", ""}, world(system_));
  ASSERT_FALSE(no_checkout);
  EXPECT_NE(no_checkout.error().wrong.find("version.h"), std::string::npos);
}

TEST_F(Acquire, Checkout) {
  write(scratch_.path() + "/c/include/cutlass/version.h",
        "#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 5\n#define CUTLASS_PATCH 2\n");
  const auto c = acquire({scratch_.path() + "/c", "", "", ""}, world(system_));
  ASSERT_TRUE(c);
  EXPECT_EQ(c->kind, CorpusKind::checkout);
  EXPECT_EQ(c->name, "cutlass");
  EXPECT_EQ(c->version, "4.5.2");
}

TEST_F(Acquire, GitRepositoryIsClonedAndPulled) {
  const std::string repository = scratch_.path() + "/upstream";
  write(repository + "/k.py", kernel_text("hopper"));
  const std::string git = "git -C " + repository + " -c user.name=t -c user.email=t@example.org ";
  if (std::system(("git init -q -b main " + repository + " 2>/dev/null && " + git + "add -A && " + git +
                   "commit -qm one")
                      .c_str()) != 0)
    GTEST_SKIP() << "no git here";
  const auto c = acquire({"file://" + repository, "", "up", ""}, world(system_));
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_EQ(c->kind, CorpusKind::git);
  EXPECT_TRUE(fs::exists(c->root + "/k.py"));
  EXPECT_FALSE(c->version.empty());
  write(repository + "/second.py", kernel_text("hopper"));
  ASSERT_EQ(std::system((git + "add -A && " + git + "commit -qm two").c_str()), 0);
  const auto fresh = update(*c, world(system_));
  ASSERT_TRUE(fresh) << fresh.error().message();
  EXPECT_TRUE(fs::exists(c->root + "/second.py"));
  EXPECT_NE(fresh->version, c->version);
}

TEST_F(Acquire, NotARepositoryLeavesNothingBehind) {
  const auto c = acquire({"file://" + scratch_.path() + "/nothing.git", "", "", ""}, world(system_));
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error().kind, ErrorKind::input);
  EXPECT_FALSE(has_leftovers());
}

TEST_F(Acquire, NoNetworkIsSaid) {
  const FakeProcesses offline(
      {128, 0, false, "",
       "fatal: unable to access 'https://example.org/x.git/': Could not resolve host: example.org\n"});
  const auto c = acquire({"https://example.org/x.git", "", "", ""}, world(offline));
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error().kind, ErrorKind::unavailable);
  EXPECT_NE(c.error().remedy.find("network"), std::string::npos);
  EXPECT_FALSE(has_leftovers());
}

TEST_F(Acquire, ADownloadThatDoesNotEndIsStopped) {
  const auto sleep = SystemProcesses(0.2).run({"sleep", "60"});
  ASSERT_TRUE(sleep);
  EXPECT_TRUE(sleep->timed_out);
  const FakeProcesses stopped({-1, 9, true, "", "Cloning into 'x'...\n"});
  const auto c = acquire({"https://example.org/x.git", "", "", ""}, world(stopped));
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(c.error().wrong, "the download took too long and was stopped");
  EXPECT_FALSE(has_leftovers());
}

TEST_F(Acquire, WheelFromALocalFolder) {
  const std::string wheels = scratch_.path() + "/wheels";
  fs::create_directories(wheels);
  const std::string make = "python3 -c \"import zipfile\nz = zipfile.ZipFile('" + wheels +
                           "/tiny_kernels-1.2-py3-none-any.whl', 'w')\n"
                           "z.writestr('tiny_kernels/__init__.py', '')\nz.writestr('tiny_kernels/k.py', "
                           "'@cute.kernel\\ndef k(): pass\\n')\n"
                           "z.writestr('tiny_kernels-1.2.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: "
                           "tiny-kernels\\nVersion: 1.2\\nRequires-Dist: torch\\n')\n"
                           "z.writestr('tiny_kernels-1.2.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: "
                           "t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n"
                           "z.writestr('tiny_kernels-1.2.dist-info/RECORD', '')\nz.close()\"";
  if (std::system(make.c_str()) != 0 || std::system("python3 -m pip --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no Python with pip here";
  setenv("PIP_NO_INDEX", "1", 1);
  setenv("PIP_FIND_LINKS", wheels.c_str(), 1);
  const auto c = acquire({"tiny-kernels==1.2", "", "", ""}, world(system_));
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_EQ(c->kind, CorpusKind::pypi);
  EXPECT_EQ(c->version, "1.2");
  EXPECT_TRUE(fs::exists(c->root + "/tiny_kernels/k.py"));
  EXPECT_FALSE(fs::exists(c->root + "/.wheels"));
  for (const char* bad : {"no-such-package-of-ours==9.9", "tiny-kernels==7.0"}) {
    const auto missing = acquire({bad, "", "", ""}, world(system_));
    ASSERT_FALSE(missing) << bad;
    EXPECT_EQ(missing.error().kind, ErrorKind::input) << missing.error().message();
    EXPECT_NE(missing.error().remedy.find("name and version"), std::string::npos);
  }
  EXPECT_TRUE(fs::exists(c->root + "/tiny_kernels/k.py")) << "a failure leaves the earlier corpus alone";
  unsetenv("PIP_NO_INDEX");
  unsetenv("PIP_FIND_LINKS");
  EXPECT_FALSE(has_leftovers());
  EXPECT_EQ(acquire({"--index-url==evil", "pypi", "", ""}, world(system_)).error().kind, ErrorKind::usage);
}

TEST_F(Acquire, InstalledPackageIsFoundWithoutImportingIt) {
  const auto json = acquire({"json", "", "", ""}, world(system_));
  if (!json && json.error().kind == ErrorKind::unavailable) GTEST_SKIP() << "no Python here";
  ASSERT_TRUE(json) << json.error().message();
  EXPECT_EQ(json->kind, CorpusKind::python);
  EXPECT_TRUE(fs::exists(json->root + "/decoder.py"));
  const auto none = acquire({"no_such_package_of_ours", "", "", ""}, world(system_));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().remedy.find("--kind pypi"), std::string::npos);
}

TEST_F(Acquire, RegistryKeepsWhatItHas) {
  const std::string config = environment_.config_home();
  auto registry = Registry::load(files_, config);
  ASSERT_TRUE(registry);
  registry->put({"a", CorpusKind::folder, "/src/a", "/src/a", "1", "t"});
  registry->put({"a", CorpusKind::folder, "/src/b", "/src/b", "2", "t"});
  registry->put({"c", CorpusKind::git, "https://example.org/c", "/src/c", "", "t"});
  ASSERT_TRUE(registry->save(config));
  const auto again = Registry::load(files_, config);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->all(), registry->all());
  EXPECT_EQ(again->all().size(), 2u);
  for (const char* bad :
       {"", "{", "[]", "{\"format\": 99, \"corpora\": []}", "{\"format\": [], \"corpora\": []}",
        "{\"format\": \"1\", \"corpora\": []}", "{\"corpora\": []}", "{\"format\": 1, \"corpora\": [{}]}"}) {
    write(Registry::path(config), bad);
    const auto damaged = Registry::load(files_, config);
    ASSERT_FALSE(damaged) << bad;
    EXPECT_EQ(damaged.error().kind, ErrorKind::input);
    EXPECT_EQ(damaged.error().where, Registry::path(config));
  }
}

TEST_F(Acquire, RegistryRefusesWhatItCouldNotKeep) {
  Registry registry;
  registry.put({"a", CorpusKind::folder, "/src/a", "/src/\xff", "1", "t"});
  const auto status = registry.save(environment_.config_home());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::input);
  EXPECT_FALSE(fs::exists(Registry::path(environment_.config_home())));
}

TEST_F(Acquire, SourcesThatWouldBeOptionsAreRefusedBeforeAnythingRuns) {
  const FakeProcesses none(said(""));
  for (const AcquireRequest& bad :
       std::vector<AcquireRequest>{{"ext::sh -c id% x.git", "git", "", ""},
                                   {"ext::sh://x.git", "", "", ""},
                                   {"--upload-pack=id.git", "git", "", ""},
                                   {"-u://id", "", "", ""},
                                   {"https://example.org/x.git", "", "", "--output=x"},
                                   {"../up==1", "pypi", "", ""},
                                   {"a/b==1", "pypi", "", ""},
                                   {"a==1 --index-url=http://x", "pypi", "", ""},
                                   {"a==", "", "", ""},
                                   {"a @ file:///x.whl", "pypi", "", ""}}) {
    const auto c = acquire(bad, world(none));
    ASSERT_FALSE(c) << bad.source;
    EXPECT_EQ(c.error().kind, ErrorKind::usage) << bad.source;
  }
  EXPECT_TRUE(none.asked.empty());
}

// Modules that leave a mark if Python finds them in the working folder.
TEST_F(Acquire, NothingOfTheWorkingFolderRuns) {
  const std::string folder = scratch_.path() + "/hostile", mark = scratch_.path() + "/ran";
  for (const char* module : {"pip", "zipfile", "csv", "runpy", "email"})
    write(folder + "/" + module + ".py", "open('" + mark + "', 'w')\n");
  const auto before = fs::current_path();
  fs::current_path(folder);
  setenv("PIP_NO_INDEX", "1", 1);
  const auto installed = acquire({"json", "", "", ""}, world(system_));
  const auto missing = acquire({"no-such-package-of-ours==1", "", "", ""}, world(system_));
  unsetenv("PIP_NO_INDEX");
  fs::current_path(before);
  EXPECT_FALSE(fs::exists(mark));
  EXPECT_FALSE(missing);
  if (!installed && installed.error().kind == ErrorKind::unavailable) GTEST_SKIP() << "no Python here";
  EXPECT_TRUE(installed) << installed.error().message();
}

TEST_F(Acquire, AWheelThatWouldFillTheDiskIsRefused) {
  const std::string wheels = scratch_.path() + "/wheels";
  fs::create_directories(wheels);
  // The directory claims 5 GiB; nothing of it is unpacked.
  const std::string make = "python3 -c \"import zipfile\nz = zipfile.ZipFile('" + wheels +
                           "/huge-1-py3-none-any.whl', 'w')\n"
                           "z.writestr('huge-1.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: huge\\n"
                           "Version: 1\\n')\nz.writestr('huge-1.dist-info/WHEEL', 'Wheel-Version: 1.0\\n')\n"
                           "z.writestr('huge/x', 'x')\nz.filelist[-1].file_size = 5 << 30\nz.close()\"";
  if (std::system(make.c_str()) != 0 || std::system("python3 -m pip --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no Python with pip here";
  setenv("PIP_NO_INDEX", "1", 1);
  setenv("PIP_FIND_LINKS", wheels.c_str(), 1);
  const auto c = acquire({"huge==1", "", "", ""}, world(system_));
  unsetenv("PIP_NO_INDEX");
  unsetenv("PIP_FIND_LINKS");
  ASSERT_FALSE(c);
  EXPECT_NE(c.error().wrong.find("unpacks to"), std::string::npos) << c.error().message();
  EXPECT_FALSE(has_leftovers());
}

TEST_F(Acquire, PrecedenceOfPlaces) {
  for (const char* folder : {"flag", "env", "tree/third_party/cutlass", "tree/examples",
                             "tree/build/deps/corpora/quack-kernels", "own"})
    fs::create_directories(scratch_.path() + "/" + folder);
  const std::string base = scratch_.path();
  LocateRequest request{base + "/flag", {}, base + "/tree"};
  const Environment with_variable = environment_in(base, {{"CUTLASS_DIR", base + "/env"}});
  EXPECT_EQ(locate(request, with_variable, files_)->front().origin, "--cutlass");
  request.cutlass.clear();
  EXPECT_EQ(locate(request, with_variable, files_)->front().root, base + "/env");
  const auto places = locate(request, environment_, files_);
  ASSERT_TRUE(places);
  EXPECT_EQ(places->front().origin, "third_party/cutlass");
  EXPECT_EQ(places->size(), 3u);
  request.corpora = {"quack-kernels", base + "/own"};
  EXPECT_EQ(locate(request, environment_, files_)->size(), 2u);
  request.corpora = {"quak-kernels"};
  EXPECT_EQ(locate(request, environment_, files_).error().remedy, "did you mean quack-kernels?");
  request.corpora.clear();
  request.cutlass = base + "/nowhere";
  EXPECT_EQ(locate(request, environment_, files_).error().kind, ErrorKind::input);
}

TEST_F(Acquire, ThreeVersionsAreReportedApart) {  // P08, P09
  const std::string root = scratch_.path() + "/c";
  write(root + "/include/cutlass/version.h",
        "#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 5\n#define CUTLASS_PATCH 0\n");
  write(root + "/python/CuTeDSL/requirements.txt", "# text\nnvidia-cutlass-dsl==4.4.2\n");
  const FakeProcesses newer(said(
      R"({"versions": {"nvidia-cutlass-dsl": "4.8.1", "nvidia-cutlass-dsl-libs-base": "4.8.1"},
          "origin": "/site/cutlass/__init__.py", "owner": "nvidia-cutlass-dsl-libs-base"})"));
  const VersionReport report = versions(files_, newer, root);
  EXPECT_EQ(report.checkout->text(), "4.5.0");
  EXPECT_EQ(report.pinned->text(), "4.4.2");
  EXPECT_EQ(report.installed.version("nvidia-cutlass-dsl"), "4.8.1");
  EXPECT_EQ(report.installed.module_owner, "nvidia-cutlass-dsl-libs-base");
  ASSERT_EQ(report.notes.size(), 2u);
  EXPECT_NE(report.notes[0].find("the checkout is 4.5.0 but pins the CuTe DSL 4.4.2"), std::string::npos);
  const FakeProcesses old_package(
      said(R"({"versions": {"nvidia-cutlass": "4.2.0.0"}, "origin": "/x", "owner": "nvidia-cutlass"})"));
  const VersionReport wrong = versions(files_, old_package, "");
  ASSERT_EQ(wrong.notes.size(), 1u);
  EXPECT_NE(wrong.notes[0].find("which is another one"), std::string::npos);
}

}  // namespace
}  // namespace cutelab::corpus
