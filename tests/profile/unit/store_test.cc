#include "profile/store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "evidence/metrics.h"
#include "profile/compile_history.h"

namespace cutelab::profile {
namespace {

namespace fs = std::filesystem;

evidence::Run some_run(const std::string& kernel, double us) {
  evidence::Run run;
  run.kernel = kernel;
  run.version = "v0";
  run.prof_type = "event";
  run.provenance.device = "Fake GPU";
  run.provenance.configuration["b"] = "32";
  run.notes.push_back(std::string(20'000, 'x'));  // several pages, so that a torn write would show
  evidence::set_metric(run, "duration_us", us);
  return run;
}

class StoreTest : public ::testing::Test {
 protected:
  StoreTest()
      : folder(fs::temp_directory_path() / ("cutelab_store_" + std::to_string(getpid()))),
        path((folder / "runs.db").string()) {
    fs::remove_all(folder);
  }
  ~StoreTest() override { fs::remove_all(folder); }

  std::string integrity() {
    sqlite3* db = nullptr;
    sqlite3_open(path.c_str(), &db);
    std::string answer;
    sqlite3_exec(
        db, "PRAGMA integrity_check",
        [](void* out, int, char** values, char**) {
          *static_cast<std::string*>(out) += values[0];
          return 0;
        },
        &answer, nullptr);
    sqlite3_close(db);
    return answer;
  }

  fs::path folder;
  std::string path;
};

TEST_F(StoreTest, KeepsRunsWhole) {
  auto store = Store::open(path);
  ASSERT_TRUE(store) << store.error().message();
  const auto run = some_run("rmsnorm", 66.5);
  auto id = store->add(run);
  ASSERT_TRUE(id);
  auto back = store->get(*id);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->run, run);
}

TEST_F(StoreTest, ListsNewestFirstAndFilters) {
  auto store = Store::open(path);
  ASSERT_TRUE(store);
  for (const char* kernel : {"a", "b", "a"}) ASSERT_TRUE(store->add(some_run(kernel, 1)));
  auto all = store->list({});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3u);
  EXPECT_GT((*all)[0].id, (*all)[2].id);
  EXPECT_EQ(store->list({"a", "", 50})->size(), 2u);
  EXPECT_EQ(store->list({"", "Another GPU", 50})->size(), 0u);
  EXPECT_EQ(store->list({"", "", 1})->size(), 1u);
}

TEST_F(StoreTest, AMissingRunAndAForeignFileAreErrors) {
  auto store = Store::open(path);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->get(99).error().wrong, "there is no such run");
  const auto other = (folder / "other.db").string();
  std::ofstream(other) << std::string(5000, 'z');
  auto foreign = Store::open(other);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().kind, ErrorKind::input);
}

TEST_F(StoreTest, AStoreOfANewerProgramIsLeftAlone) {
  { ASSERT_TRUE(Store::open(path)); }
  sqlite3* db = nullptr;
  sqlite3_open(path.c_str(), &db);
  sqlite3_exec(db, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  EXPECT_EQ(Store::open(path).error().wrong, "it has version 99, this program knows 2");
}

TEST_F(StoreTest, TwoProcessesWriteAtOnceAndNothingIsLost) {
  constexpr int writers = 4;
  constexpr int each = 25;
  std::vector<pid_t> children;
  for (int w = 0; w < writers; ++w) {
    const pid_t child = fork();
    if (child == 0) {
      auto store = Store::open(path);  // the first opening makes the table: that race is part of the test
      bool good = store.ok();
      for (int i = 0; good && i < each; ++i) good = store->add(some_run("w", i)).ok();
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int state = 0;
    waitpid(child, &state, 0);
    EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
  auto store = Store::open(path);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->list({"w", "", 1000})->size(), static_cast<std::size_t>(writers * each));
  EXPECT_EQ(integrity(), "ok");
}

TEST_F(StoreTest, AKilledWriterLeavesTheStoreWhole) {
  for (int round = 0; round < 5; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      auto store = Store::open(path);
      while (store && store->add(some_run("killed", 1))) {
      }
      _exit(1);
    }
    usleep(30'000 + 17'000 * static_cast<unsigned>(round));
    kill(child, SIGKILL);
    int state = 0;
    waitpid(child, &state, 0);
    EXPECT_TRUE(WIFSIGNALED(state)) << "the writer ended by itself";
    auto store = Store::open(path);
    ASSERT_TRUE(store) << store.error().message();
    ASSERT_TRUE(store->add(some_run("after", round)));
    auto all = store->list({"", "", 100'000});
    ASSERT_TRUE(all) << "every run that is there can be read";
  }
  EXPECT_EQ(integrity(), "ok");
  EXPECT_EQ(Store::open(path)->list({"after", "", 100})->size(), 5u);
}

evidence::Run compiled_run(const std::string& compiler, double accesses, double stack, double registers) {
  evidence::Run run = some_run("gemm", 1);
  run.provenance.compiler = compiler;
  run.provenance.arch = "sm_90a";
  run.provenance.source_hash = "s1";
  evidence::set_metric(run, "local_accesses", accesses);
  evidence::set_metric(run, "stack_bytes", stack);
  evidence::set_metric(run, "registers", registers);
  return run;
}

// P25: a register budget that fitted one compiler spills with the next.
TEST_F(StoreTest, ACompilationIsHeldAgainstTheLastByAnotherCompiler) {
  auto store = Store::open(path);
  ASSERT_TRUE(store);
  const auto now = compiled_run("CuTe DSL 4.5.2", 60, 112, 168);
  EXPECT_FALSE(since_last_compile(now, *store)->has_value()) << "nothing is kept";
  ASSERT_TRUE(store->add(compiled_run("CuTe DSL 4.3.0", 8, 16, 168)));
  ASSERT_TRUE(store->add(compiled_run("CuTe DSL 4.4.2", 4, 8, 168)));
  const auto id = store->add(compiled_run("CuTe DSL 4.4.2", 0, 0, 168));
  ASSERT_TRUE(store->add(now)) << "the same compiler once more is not what it is held against";
  auto other = compiled_run("CuTe DSL 4.4.2", 99, 99, 99);
  other.provenance.configuration["b"] = "64";
  ASSERT_TRUE(store->add(other)) << "nor is another configuration";
  other = compiled_run("CuTe DSL 4.4.2", 99, 99, 99);
  other.provenance.arch = "sm_100a";
  ASSERT_TRUE(store->add(other)) << "nor another architecture";
  ASSERT_TRUE(store->add(some_run("gemm", 2))) << "nor a run without compiled rows";
  auto change = since_last_compile(now, *store);
  ASSERT_TRUE(change) << change.error().message();
  ASSERT_TRUE(*change);
  EXPECT_EQ((*change)->text,
            "local loads and stores (spills) 0 -> 60, stack 0 -> 112 B, registers 168 since "
            "CuTe DSL 4.4.2 (run " +
                std::to_string(*id) + ")");
  EXPECT_TRUE((*change)->worse);
  change = since_last_compile(compiled_run("CuTe DSL 4.6.2", 60, 112, 168), *store);
  EXPECT_NE((*change)->text.find("stack 112 B, registers 168 as with CuTe DSL 4.5.2"), std::string::npos);
  EXPECT_FALSE((*change)->worse);
}

TEST_F(StoreTest, WithoutAnotherCompilerOtherSourcesServe) {
  auto store = Store::open(path);
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->add(compiled_run("nvcc 13.0.88", 0, 0, 40)));
  auto now = compiled_run("nvcc 13.0.88", 0, 0, 48);
  EXPECT_FALSE(since_last_compile(now, *store)->has_value()) << "the same build";
  now.provenance.source_hash = "s2";
  EXPECT_EQ((*since_last_compile(now, *store))->text,
            "local loads and stores (spills) 0, stack 0 B, registers 40 -> 48 since other sources or options "
            "by nvcc "
            "13.0.88 (run 1)");
}

}  // namespace
}  // namespace cutelab::profile
