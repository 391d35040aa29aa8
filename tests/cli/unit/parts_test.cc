#include "cli/parts.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/unit/fake_context.h"

namespace cutelab::cli {
namespace {
namespace fs = std::filesystem;

/// A source root whose fetch.py is the test's.
class Parts : public ::testing::Test {
 protected:
  Parts() {
    std::string pattern = (fs::temp_directory_path() / "cutelab-parts-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    write("deps/parts.json", "{}");
    context_.source_root = root_;
  }
  ~Parts() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(root_ + "/" + name).parent_path());
    std::ofstream(root_ + "/" + name) << text;
  }
  void fetch_does(const std::string& script) {
    write("tools/setup/fetch.py", "import pathlib, sys\n" + script);
  }
  std::string fetch_installs() const {
    return "p = pathlib.Path('" + root_ +
           "/build/deps') / sys.argv[1]\np.mkdir(parents=True)\n"
           "(p / '.stamp').write_text(' '.join(sys.argv))\n";
  }

  std::string root_;
  FakeContext fake_;
  Context& context_ = fake_.context;
};

TEST_F(Parts, InstalledPartAsksNobody) {
  fetch_does("sys.exit(3)\n");
  write("build/deps/dsl/.stamp", "x");
  EXPECT_TRUE(has_part("dsl", context_));
  EXPECT_TRUE(require_part("dsl", context_).ok());
}

TEST_F(Parts, MissingPartIsFetched) {
  fetch_does(fetch_installs());
  EXPECT_FALSE(has_part("dsl", context_));
  EXPECT_TRUE(require_part("dsl", context_).ok());
  EXPECT_TRUE(has_part("dsl", context_));
}

TEST_F(Parts, NewerPinsAreCompared) {
  write("build/deps/dsl/.stamp", "x");
  fs::last_write_time(root_ + "/deps/parts.json", fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_FALSE(has_part("dsl", context_));
  fetch_does("sys.exit(0)\n");
  EXPECT_TRUE(require_part("dsl", context_).ok());
}

TEST_F(Parts, FailureIsUnavailableWithTheCommand) {
  fetch_does("sys.exit(3)\n");
  const Status status = require_part("dsl", context_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(status.error().remedy, "cutelab setup dsl");
}

TEST_F(Parts, OfflineIsPassedOn) {
  fetch_does("sys.exit(0 if '--offline' in sys.argv else 3)\n");
  EXPECT_TRUE(require_part("dsl", context_, true).ok());
  EXPECT_FALSE(require_part("dsl", context_, false).ok());
}

TEST(RunAttached, GivesTheExitCode) {
  EXPECT_EQ(*run_attached({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(*run_attached({"sh", "-c", "kill -9 $$"}), 128 + 9);
  const auto missing = run_attached({"no-such-program-anywhere"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::unavailable);
}

}  // namespace
}  // namespace cutelab::cli
