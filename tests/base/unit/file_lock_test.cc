#include "base/file_lock.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace cutelab {
namespace {

TEST(FileLock, ReadersThatWriteBackLoseNothing) {
  std::string pattern = (std::filesystem::temp_directory_path() / "cutelab-lock-XXXXXX").string();
  const std::string folder = mkdtemp(pattern.data());
  const std::string counter = folder + "/counter";
  std::ofstream(counter) << 0;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&] {
      for (int n = 0; n < 25; ++n) {
        const auto lock = FileLock::take(counter + ".lock");
        ASSERT_TRUE(lock.ok());
        int value = 0;
        std::ifstream(counter) >> value;
        std::ofstream(counter) << value + 1;
      }
    });
  for (std::thread& writer : writers) writer.join();
  int value = 0;
  std::ifstream(counter) >> value;
  EXPECT_EQ(value, 200);
  std::filesystem::remove_all(folder);
}

TEST(FileLock, APlaceThatCannotBeLockedIsNamed) {
  const auto lock = FileLock::take("/dev/null/x.lock");
  ASSERT_FALSE(lock.ok());
  EXPECT_EQ(lock.error().kind, ErrorKind::input);
  EXPECT_EQ(lock.error().where, "/dev/null/x.lock");
}

}  // namespace
}  // namespace cutelab
