#include "source/program.h"

#include <gtest/gtest.h>

#include <map>

namespace cutelab::source {
namespace {

/// Files of a test that count how often each is read.
class CountedFiles final : public FileSource {
 public:
  explicit CountedFiles(std::map<std::string, std::string> files) : files_(std::move(files)) {}
  Result<std::string> read(const std::string& path, std::uint64_t) const override {
    const auto found = files_.find(path);
    if (found == files_.end()) return Error{ErrorKind::input, "read " + path, "no such file", path, ""};
    ++reads[path];
    return found->second;
  }
  Result<FileStatus> status(const std::string& path) const override {
    ++asked[path];
    const auto inside = files_.lower_bound(path + "/");
    if (inside != files_.end() && inside->first.starts_with(path + "/")) return FileStatus{0, 0, true};
    const auto found = files_.find(path);
    if (found == files_.end()) return Error{ErrorKind::input, "stat " + path, "no such file", path, ""};
    return FileStatus{found->second.size(), 0, false};
  }
  Result<std::vector<std::string>> list(const std::string&, std::vector<std::string>*) const override {
    return std::vector<std::string>();
  }
  mutable std::map<std::string, int> reads, asked;

 private:
  std::map<std::string, std::string> files_;
};

TEST(Program, FindsModulesBesideAboveAndInPackages) {
  const CountedFiles files({{"a/b/main.py", "import x\n"},
                            {"a/b/near.py", "y = 1\n"},
                            {"a/top/deep/leaf.py", "z = 1\n"},
                            {"a/top/__init__.py", "w = 1\n"}});
  Program program(files, {"", {}});
  ASSERT_TRUE(program.open("a/b/main.py"));
  EXPECT_EQ(program.find(0, "near"), "a/b/near.py");
  EXPECT_EQ(program.find(0, "top"), "a/top/__init__.py");
  EXPECT_EQ(program.find(0, "top.deep.leaf"), "a/top/deep/leaf.py");
  EXPECT_EQ(program.find(0, ".near"), "a/b/near.py");
  EXPECT_EQ(program.find(0, "..top.deep.leaf"), "a/top/deep/leaf.py");
  EXPECT_EQ(program.find(0, "main"), "") << "a file does not import itself";
  EXPECT_EQ(program.find(0, "nowhere"), "");
  EXPECT_EQ(program.find(0, ""), "");
  const int leaf = program.import(0, "top.deep.leaf");
  EXPECT_EQ(program.import(0, "..top.deep.leaf"), leaf);
  EXPECT_EQ(program.module(leaf).path(), "a/top/deep/leaf.py");
  EXPECT_EQ(program.import(0, "nowhere"), -1);
}

TEST(Program, ProgramsThatShareParseAModuleAndLookForAFileOnce) {
  const CountedFiles files(
      {{"one.py", "import near\n"}, {"two.py", "import near\n"}, {"near.py", "y = 1\n"}});
  const auto shared = std::make_shared<SharedModules>();
  const PythonModule* parsed = nullptr;
  for (const char* path : {"one.py", "two.py"}) {
    Program program(files, {"", {}, shared});
    ASSERT_TRUE(program.open(path));
    const int near = program.import(0, "near");
    ASSERT_EQ(near, 1);
    EXPECT_TRUE(!parsed || parsed == &program.module(near));
    parsed = &program.module(near);
    EXPECT_EQ(program.import(0, "nowhere"), -1);
  }
  EXPECT_EQ(files.reads["near.py"], 1);
  EXPECT_EQ(files.asked["nowhere.py"], 1);
}

// A file that an earlier program imported and that is read itself afterwards is not parsed again; with
// another text under its path it is.
TEST(Program, AnImportedModuleIsTakenWhenItsFileIsRead) {
  const CountedFiles files({{"one.py", "import near\n"}, {"near.py", "y = 1\n"}});
  const auto shared = std::make_shared<SharedModules>();
  Program first(files, {"", {}, shared});
  ASSERT_TRUE(first.open("one.py"));
  const int near = first.import(0, "near");
  ASSERT_EQ(near, 1);
  Program again(files, {"", {}, shared});
  again.open("near.py", "y = 1\n");
  EXPECT_EQ(&again.module(0), &first.module(near));
  Program changed(files, {"", {}, shared});
  changed.open("near.py", "y = 2\n");
  EXPECT_NE(&changed.module(0), &first.module(near));
  EXPECT_EQ(changed.module(0).tree().text(), "y = 2\n");
  Program alone(files, {"", {}});
  alone.open("near.py", "y = 1\n");
  EXPECT_NE(&alone.module(0), &first.module(near)) << "nothing is shared that was not asked for";
}

TEST(PythonModule, NamesAreKeptApartByScope) {
  const auto module = PythonModule::parse("m.py",
                                          "x = 1\ndef f():\n  x = 2\n  y = 3\nclass C:\n  x = 4\n"
                                          "  def f(self):\n    self.y = 5\n");
  const auto line = [&](const std::vector<int>& bound) {
    return bound.size() == 1 ? module->assignments()[static_cast<std::size_t>(bound[0])].statement.line()
                             : -1;
  };
  EXPECT_EQ(line(module->bindings(-1, "x")), 1);
  EXPECT_EQ(line(module->bindings(0, "x")), 3);
  EXPECT_EQ(line(module->bindings(0, "y")), 4);
  EXPECT_TRUE(module->bindings(-1, "y").empty());
  EXPECT_EQ(line(module->attributes(0, "x")), 6);
  EXPECT_EQ(line(module->attributes(0, "y")), 8);
  EXPECT_EQ(module->function_defined(-1, "f"), 0);
  EXPECT_EQ(module->function_defined(0, "f"), -1);
}

TEST(Node, SpansEndOnTheirLastLine) {
  const auto module = PythonModule::parse("m.py", "a = 1\nb = (1 +\n     2)\n\nc = 3");
  const auto& all = module->assignments();
  ASSERT_EQ(all.size(), 3u);
  const auto lines = [](Node n) { return std::pair(n.span().line, n.span().end_line); };
  EXPECT_EQ(lines(all[0].statement), std::pair(1u, 1u));
  EXPECT_EQ(lines(all[1].statement), std::pair(2u, 3u));
  EXPECT_EQ(lines(all[2].statement), std::pair(5u, 5u));
}

}  // namespace
}  // namespace cutelab::source
