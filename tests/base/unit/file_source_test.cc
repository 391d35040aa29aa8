#include "base/file_source.h"

#include "base/file_walk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace cutelab {
namespace {
namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string pattern = (fs::temp_directory_path() / "cutelab-files-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~Files() override {
    std::error_code code;
    fs::permissions(at("shut"), fs::perms::owner_all, code);  // if the test made it
    fs::remove_all(root_);
  }

  std::string at(const std::string& name) const { return root_ + "/" + name; }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name), std::ios::binary) << text;
  }
  std::string text_of(const std::string& name) {
    const auto text = files_.read(at(name), 1 << 20);
    return text.ok() ? *text : "error: " + text.error().wrong;
  }
  std::vector<std::string> listed(std::vector<std::string>* unreadable = nullptr) {
    auto r = files_.list(root_, unreadable);
    if (!r) return {"error: " + r.error().wrong};
    for (std::string& path : *r) path = path.substr(root_.size() + 1);
    return *r;
  }

  std::string root_;
  DiskFileSource files_;
};

TEST_F(Files, ReadsWholeContent) {
  const std::string bytes("a\0b\r\n\xff", 6);
  write("x", bytes);
  EXPECT_EQ(*files_.read(at("x"), 100), bytes);
  write("empty", "");
  EXPECT_EQ(*files_.read(at("empty"), 0), "");
}

TEST_F(Files, ErrorsNameTheFileAndTheRemedy) {
  const auto missing = files_.read(at("no"), 10);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::input);
  EXPECT_EQ(missing.error().where, at("no"));
  EXPECT_FALSE(missing.error().remedy.empty());
  EXPECT_EQ(files_.read(root_, 10).error().wrong, "is a folder, not a file");
  write("big", std::string(11, 'x'));
  EXPECT_EQ(files_.read(at("big"), 10).error().wrong, "has 11 B; at most 10 B are read");
  EXPECT_TRUE(files_.read(at("big"), 11).ok());
}

TEST_F(Files, WhatIsNeitherFileNorFolderIsRefusedAndNotOpened) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(files_.read(at("pipe"), 10).error().wrong, "is neither a file nor a folder");
}

TEST_F(Files, LinkThatLoopsOntoItself) {
  fs::create_symlink("self", at("self"));
  EXPECT_EQ(files_.read(at("self"), 10).error().remedy,
            "the symbolic links go in a circle; name the real file");
}

TEST_F(Files, ListsSortedWithoutHiddenFolders) {
  for (const char* name : {"b/2.py", "b/1.py", "a.cu", ".git/config", "b/__pycache__/x.pyc", "c/.hidden/y"})
    write(name, "x");
  EXPECT_EQ(listed(), (std::vector<std::string>{"a.cu", "b/1.py", "b/2.py"}));
}

TEST_F(Files, FollowsALinkToAFolderOnceSoThatLoopsEnd) {
  write("a/x.py", "x");
  fs::create_directory_symlink("..", at("a/up"));
  fs::create_directory_symlink(".", at("here"));
  fs::create_symlink("nowhere", at("broken"));
  const auto paths = listed();
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_TRUE(paths[0].ends_with("x.py"));
}

TEST_F(Files, UnreadableFolderIsReportedAndPassedOver) {
  if (geteuid() == 0)
    GTEST_SKIP() << "runs as root, whom no folder refuses; tests/cli/golden covers it as user nobody";
  write("open/x.py", "x");
  write("shut/y.py", "y");
  fs::permissions(at("shut"), fs::perms::none);
  std::vector<std::string> unreadable;
  EXPECT_EQ(listed(&unreadable), std::vector<std::string>{"open/x.py"});
  EXPECT_EQ(unreadable, std::vector<std::string>{at("shut")});
  EXPECT_FALSE(files_.list(at("shut"), nullptr).ok());
}

TEST_F(Files, ListRefusesAFile) {
  write("x", "x");
  EXPECT_EQ(files_.list(at("x"), nullptr).error().wrong, "is a file, not a folder");
}

TEST_F(Files, WritesAtomicallyAndMakesFolders) {
  EXPECT_TRUE(write_file_atomically(at("new/deep/x"), "one").ok());
  EXPECT_TRUE(write_file_atomically(at("new/deep/x"), "two").ok());
  EXPECT_EQ(*files_.read(at("new/deep/x"), 10), "two");
  EXPECT_EQ(listed(), std::vector<std::string>{"new/deep/x"}) << "nothing is left beside it";
}

TEST_F(Files, ReadersNeverSeeATornFile) {
  const std::string a(1 << 16, 'a'), b(1 << 16, 'b');
  ASSERT_TRUE(write_file_atomically(at("x"), a).ok());
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) (void)write_file_atomically(at("x"), i % 2 ? a : b).ok();
  });
  for (int i = 0; i < 200; ++i) {
    const auto text = files_.read(at("x"), 1 << 20);
    ASSERT_TRUE(text.ok());
    EXPECT_TRUE(*text == a || *text == b);
  }
  writer.join();
}

TEST_F(Files, WriteToAPlaceThatIsAFolder) {
  fs::create_directories(at("x"));
  const Status status = write_file_atomically(at("x"), "one");
  ASSERT_FALSE(status.ok());
  EXPECT_TRUE(listed().empty()) << "no part file is left";
}

TEST_F(Files, WrittenFilesKeepTheirPermissions) {
  write("secret", "old");
  ASSERT_EQ(chmod(at("secret").c_str(), 0600), 0);
  ASSERT_TRUE(write_file_atomically(at("secret"), "new").ok());
  struct stat st {};
  ASSERT_EQ(stat(at("secret").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0600u);
}

TEST_F(Files, AFolderThatCannotBeMadeIsTheReason) {
  write("file", "x");
  const Status status = write_file_atomically(at("file/below/x"), "one");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().wrong, "Not a directory");
}

TEST_F(Files, WhetherOneCanWriteIsToldBeforehandAndNothingIsWritten) {
  write("file", "x");
  EXPECT_TRUE(check_can_write(at("file")));
  EXPECT_TRUE(check_can_write(at("new")));
  EXPECT_TRUE(check_can_write(at("a/b/c.json"))) << "folders are made";
  EXPECT_TRUE(check_can_write("/dev/null"));
  EXPECT_FALSE(fs::exists(at("a")));
  EXPECT_FALSE(fs::exists(at("new")));
  for (const std::string& name :
       {std::string(""), std::string("/file/x.json"), std::string("/file/a/x.json")}) {
    const auto told = check_can_write(root_ + name);
    ASSERT_FALSE(told) << name;
    EXPECT_EQ(told.error().kind, ErrorKind::input);
    EXPECT_FALSE(write_file_atomically(root_ + name, "x")) << "nor could it be written";
  }
  if (geteuid() == 0) return;
  fs::create_directories(at("shut"));
  fs::permissions(at("shut"), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_FALSE(check_can_write(at("shut/x")));
}

TEST_F(Files, AWalkOverADiskIsGivenUp) {
  for (const char* name : {"a/1", "a/2", "b/3"}) write(name, "x");
  EXPECT_EQ(list_files(root_, nullptr, 5)->size(), 3u) << "three files in two folders";
  const auto refused = list_files(root_, nullptr, 4);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::input);
  EXPECT_EQ(refused.error().wrong, "holds more than 4 files and folders");
}

TEST_F(Files, WritingThroughALinkKeepsTheLink) {
  write("real", "old");
  fs::create_symlink("real", at("link"));
  fs::create_symlink("new", at("ahead"));
  EXPECT_TRUE(write_file_atomically(at("link"), "one").ok());
  EXPECT_TRUE(write_file_atomically(at("ahead"), "two").ok());
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(text_of("real"), "one");
  EXPECT_EQ(text_of("new"), "two");
  fs::create_symlink("round", at("round"));
  EXPECT_EQ(write_file_atomically(at("round"), "x").error().wrong, "the symbolic links go in a circle");
}

TEST_F(Files, ADeviceIsWrittenIntoAndNotReplaced) {
  fs::create_symlink("/dev/null", at("null"));
  EXPECT_TRUE(write_file_atomically(at("null"), "one").ok());
  EXPECT_TRUE(fs::is_character_file(at("null")));
  if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  fs::create_symlink("/dev/full", at("full"));
  const Status status = write_file_atomically(at("full"), "one");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().wrong, "No space left on device");
  EXPECT_TRUE(fs::is_character_file(at("full")));
}

TEST_F(Files, SourceMustBeText) {
  write("empty.py", " \n\t\n");
  write("binary.py", std::string("abc\0def", 7));
  write("latin.py", "# caf\xe9\n");
  EXPECT_EQ(read_source(files_, at("empty.py")).error().wrong, "the file is empty");
  EXPECT_EQ(read_source(files_, at("binary.py")).error().wrong, "is a binary file (NUL byte at offset 3)");
  EXPECT_EQ(*read_source(files_, at("latin.py")), "# caf\xe9\n");
}

}  // namespace
}  // namespace cutelab
