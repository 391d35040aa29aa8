// The stored index: reuse, damage, foreign files, two processes at once, bad trees.
#include "corpus/index.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "corpus/tree.h"

namespace cutelab::corpus {
namespace {
namespace fs = std::filesystem;
using namespace test;

class IndexOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = scratch_.path() + "/tree";
    cache_ = scratch_.path() + "/cache";
    write("a.py", kernel_text("hopper"));
    write("sub/b.py", kernel_text("blackwell"));
    write("docs/page.md", "# Pipelines\nPipelineTmaAsync\n");
  }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path) << text;
  }
  Index open() {
    report_ = {};
    auto index = open_index(files_, signals_, root_, cache_, report_);
    EXPECT_TRUE(index) << (index ? "" : index.error().message());
    return index ? std::move(*index) : Index{};
  }
  std::string store() const { return index_path(cache_, root_); }

  ScratchFolder scratch_;
  DiskFileSource files_;
  SignalTable signals_ = std::move(*SignalTable::load(DiskFileSource(), data_folder()));
  std::string root_, cache_;
  IndexReport report_;
};

TEST_F(IndexOnDisk, SecondOpenReadsNothingAgain) {
  const Index first = open();
  EXPECT_EQ(report_.scanned, 3);
  EXPECT_EQ(first.files.size(), 2u);
  const Index second = open();
  EXPECT_EQ(report_.scanned, 0);
  EXPECT_EQ(report_.reused, 3);
  EXPECT_EQ(first.files, second.files);
  EXPECT_EQ(first.pages, second.pages);
}

TEST_F(IndexOnDisk, ChangedNewAndRemovedFiles) {
  open();
  write("a.py", kernel_text("ampere") + "# longer\n");
  write("c.py", kernel_text("hopper"));
  fs::remove(root_ + "/sub/b.py");
  const Index index = open();
  EXPECT_EQ(report_.scanned, 2);
  EXPECT_EQ(report_.removed, 1);
  EXPECT_EQ(index.files.size(), 2u);
  open();
  EXPECT_EQ(report_.scanned, 0) << "the update was stored";
}

TEST_F(IndexOnDisk, DamagedOrForeignStoresAreRebuiltWithANote) {
  const Index good = open();
  std::ifstream in(store());
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::string flipped = text;
  flipped[flipped.size() / 2] ^= 4;
  for (const std::string& bad : {std::string(), std::string("not an index"), text.substr(0, text.size() / 2),
                                 flipped, "cutelab-index\t999\t0\t" + root_ + "\nend\t0\n", text + "tail"}) {
    std::ofstream(store(), std::ios::trunc) << bad;
    const Index again = open();
    EXPECT_EQ(again.files, good.files);
    EXPECT_EQ(report_.scanned, 3);
    ASSERT_EQ(report_.notes.size(), 1u);
    EXPECT_NE(report_.notes[0].find("rebuilt"), std::string::npos) << report_.notes[0];
    open();
    EXPECT_TRUE(report_.notes.empty()) << "the store is whole again";
  }
}

TEST_F(IndexOnDisk, AnotherSignalTableMakesANewIndex) {
  open();
  signals_ = SignalTable({Signal{"PipelineTmaAsync", "tma", "", "", {}, false}});
  open();
  EXPECT_EQ(report_.scanned, 3);
}

TEST_F(IndexOnDisk, SeveralProcessesAtOnceLeaveAWholeIndex) {
  for (int i = 0; i < 60; ++i) write("many/f" + std::to_string(i) + ".py", kernel_text("hopper"));
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      IndexReport report;
      const auto index = open_index(files_, signals_, root_, cache_, report);
      _exit(index && index->files.size() == 62 && report.notes.empty() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  open();
  EXPECT_EQ(report_.scanned, 0);
  EXPECT_TRUE(report_.notes.empty());
}

TEST_F(IndexOnDisk, LinkLoopsEnd) {
  fs::create_directory_symlink(root_, root_ + "/sub/loop");
  EXPECT_EQ(open().files.size(), 2u);
}

TEST_F(IndexOnDisk, MissingFolderAndPlainFileAreErrors) {
  IndexReport report;
  for (const std::string& bad : {root_ + "/nowhere", root_ + "/a.py"}) {
    const auto index = open_index(files_, signals_, bad, cache_, report);
    ASSERT_FALSE(index);
    EXPECT_EQ(index.error().kind, ErrorKind::input);
    EXPECT_NE(index.error().message().find(bad), std::string::npos);
  }
}

TEST_F(IndexOnDisk, UnreadableFilesArePassedOverAndNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  chmod((root_ + "/sub").c_str(), 0);
  EXPECT_EQ(open().files.size(), 1u);
  chmod((root_ + "/sub").c_str(), 0755);
  ASSERT_FALSE(report_.notes.empty());
  EXPECT_NE(report_.notes[0].find("sub"), std::string::npos);
}

TEST_F(IndexOnDisk, HugeAndBinaryFilesDoNotStopIt) {
  write("huge.py", std::string(17u << 20, 'x'));
  write("binary.py", std::string("\0\1\2@cute.kernel\n\0", 17));
  const Index index = open();
  EXPECT_EQ(index.files.size(), 3u);
  ASSERT_FALSE(report_.notes.empty());
  EXPECT_NE(report_.notes[0].find("huge.py"), std::string::npos);
}

TEST_F(IndexOnDisk, AStoreThatCannotBeWrittenIsANote) {
  std::ofstream(scratch_.path() + "/blocker") << "a file where a folder is wanted";
  cache_ = scratch_.path() + "/blocker";
  EXPECT_EQ(open().files.size(), 2u);
  ASSERT_FALSE(report_.notes.empty());
  EXPECT_NE(report_.notes.back().find("could not be stored"), std::string::npos);
}

TEST(IndexText, SurvivesTheRound) {
  Index index;
  index.root = "/r";
  FileFacts f;
  f.path = "x/y.py";
  f.bytes = 7;
  f.modified_ns = -5;
  f.language = Language::notebook;
  f.lines = 9;
  f.has_main = true;
  f.summary = "tab and newline become blanks";
  f.kernels = {{"k", 1}};
  f.jits = {{"j", 2}};
  f.classes = {{"C", 3}};
  f.imports = {{"a.b", 4}};
  f.flags = {{"--m", 5}};
  f.arch_literals = {{"sm_90", 6}};
  f.signals = {{"tcgen05.*", "tcgen05.ld", 7, 8}};
  f.commands = {{"python x.py", "x.py", 9}};
  index.files = {f};
  index.pages = {{"p.md", 3, 4, {{"Title", 1, {{"abc", 2}, {"def", 1}}}}}};
  const auto back = deserialize(serialize(index, 42), "/r", 42);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->files, index.files);
  EXPECT_EQ(back->pages, index.pages);
  EXPECT_FALSE(deserialize(serialize(index, 42), "/r", 43));
  EXPECT_FALSE(deserialize(serialize(index, 42), "/other", 42));
}

}  // namespace
}  // namespace cutelab::corpus
