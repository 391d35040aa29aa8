#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "evidence/json.h"
#include "profile/store.h"

namespace cutelab::profile {
namespace {

namespace fs = std::filesystem;

evidence::Run run_named(const std::string& kernel, const std::string& note = "") {
  evidence::Run run;
  run.kernel = kernel;
  run.version = "v0";
  run.provenance.device = "Fake GPU";
  run.notes.push_back(note);
  return run;
}

class StoreSweep : public ::testing::Test {
 protected:
  StoreSweep() : folder(fs::temp_directory_path() / ("cutelab_sweep_" + std::to_string(getpid()))) {
    fs::remove_all(folder);
  }
  ~StoreSweep() override { fs::remove_all(folder); }
  std::string file(const char* name = "runs.db") { return (folder / name).string(); }
  Store store(const char* name = "runs.db") {
    auto opened = Store::open(file(name));
    EXPECT_TRUE(opened) << opened.error().message();
    return std::move(*opened);
  }
  fs::path folder;
  const std::vector<std::string> problems = {"b=1", "b=2", "b=4", "b=8"};
};

TEST_F(StoreSweep, AnUnfinishedSweepGoesOnWhereItStopped) {
  auto first = store();
  const auto sweep = *first.begin_sweep("key", "command", problems, "now", false);
  for (int i = 0; i < 2; ++i) {
    const auto point = *first.claim_point(sweep);
    ASSERT_TRUE(point);
    EXPECT_EQ(point->problem, problems[static_cast<std::size_t>(i)]);
    ASSERT_TRUE(first.finish_point(sweep, point->number, run_named("k", point->problem)));
  }
  ASSERT_TRUE(*first.claim_point(sweep)) << "claimed and never finished: its process died";
  auto second = store();
  EXPECT_EQ(*second.begin_sweep("key", "command", problems, "now", false), sweep);
  std::vector<std::string> left;
  while (const auto point = *second.claim_point(sweep)) {
    left.push_back(point->problem);
    ASSERT_TRUE(second.finish_point(sweep, point->number, run_named("k", point->problem)));
  }
  EXPECT_EQ(left, (std::vector<std::string>{"b=4", "b=8"}));
  const auto points = *second.points(sweep);
  for (const auto& point : points) {
    EXPECT_TRUE(point.done);
    EXPECT_EQ(second.get(point.run)->run.notes[0], point.problem);
  }
  EXPECT_NE(*second.begin_sweep("key", "command", problems, "now", false), sweep) << "a finished one is over";
}

TEST_F(StoreSweep, AnotherKeyOrTheWishForANewOneBeginsAnew) {
  auto s = store();
  const auto sweep = *s.begin_sweep("key", "command", problems, "now", false);
  EXPECT_NE(*s.begin_sweep("other", "command", problems, "now", false), sweep);
  EXPECT_NE(*s.begin_sweep("key", "command", problems, "now", true), sweep);
}

TEST_F(StoreSweep, SeveralProcessesShareThePointsAndAKilledOneLosesOnlyItsOwn) {
  std::vector<std::string> many;
  for (int i = 0; i < 40; ++i) many.push_back("b=" + std::to_string(i));
  const auto sweep = *store().begin_sweep("key", "command", many, "now", false);
  int first_has_a_point[2];  // the others start when the one that will be killed works
  ASSERT_EQ(pipe(first_has_a_point), 0);
  std::vector<pid_t> children;
  for (int w = 0; w < 3; ++w) {
    const pid_t child = fork();
    if (child == 0) {
      char byte = 0;
      if (w == 0)
        close(first_has_a_point[0]);
      else
        close(first_has_a_point[1]);
      if (w > 0 && read(first_has_a_point[0], &byte, 1) != 1) _exit(2);
      auto own = Store::open(file());
      int done = 0;
      while (own) {
        auto point = own->claim_point(sweep);
        if (!point || !*point) break;
        if (w == 0 && ++done == 3) {
          if (write(first_has_a_point[1], "gogo", 4) != 4) _exit(3);
          kill(getpid(), SIGKILL);
        }
        if (!own->finish_point(sweep, (*point)->number, run_named("k", (*point)->problem))) _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  close(first_has_a_point[0]);
  close(first_has_a_point[1]);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  auto s = store();
  EXPECT_EQ(*s.begin_sweep("key", "command", many, "now", false), sweep) << "the killed one left a point";
  int left = 0;
  while (const auto point = *s.claim_point(sweep)) {
    ++left;
    ASSERT_TRUE(s.finish_point(sweep, point->number, run_named("k", point->problem)));
  }
  EXPECT_EQ(left, 1);
  std::set<std::string> seen;
  const auto stored_runs = *s.list({"k", "", 1000});
  for (const auto& stored : stored_runs) seen.insert(stored.run.notes[0]);
  EXPECT_EQ(seen.size(), many.size());
  EXPECT_EQ(s.list({"k", "", 1000})->size(), many.size()) << "no point was run twice";
}

TEST_F(StoreSweep, MergingTwiceAddsNothingTheSecondTime) {
  auto here = store();
  auto there = store("there.db");
  ASSERT_TRUE(here.add(run_named("k", "both")));
  for (const char* note : {"both", "there", "there too"}) ASSERT_TRUE(there.add(run_named("k", note)));
  ASSERT_TRUE(
      there.keep_tuned({"k", "v0", "d", "1", "c", "h", "b=1", "cold"}, {{{"tile", 128}}, 5, 3, 1, 0, "t"}));
  EXPECT_EQ(*here.merge(there), 2);
  EXPECT_EQ(*here.merge(there), 0);
  EXPECT_EQ(here.list({})->size(), 3u);
  EXPECT_EQ((*here.find_tuned({"k", "v0", "d", "1", "c", "h", "b=1", "cold"}))->values.at("tile"), 128);
}

TEST_F(StoreSweep, CollectingKeepsTheNewestOfEachKind) {
  auto s = store();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(s.add(run_named("k", std::to_string(i))));
  ASSERT_TRUE(s.add(run_named("other")));
  auto another = run_named("k");
  another.provenance.configuration["b"] = "7";
  ASSERT_TRUE(s.add(another));
  EXPECT_EQ(*s.collect(2, true), 3);
  EXPECT_EQ(s.list({})->size(), 7u) << "a dry run removes nothing";
  EXPECT_EQ(*s.collect(2, false), 3);
  ASSERT_EQ(s.list({})->size(), 4u);
  std::set<std::string> notes;
  const auto stored_runs = *s.list({"k", "", 50});
  for (const auto& stored : stored_runs) notes.insert(stored.run.notes[0]);
  EXPECT_EQ(notes, (std::set<std::string>{"", "3", "4"}));
}

TEST_F(StoreSweep, TunedConfigurationsBelongToTheirDeviceDriverCompilerAndSources) {
  auto s = store();
  const TunedKey key{"k", "v0", "NVIDIA H200", "580", "nvcc 13", "abc", "b=1", "cold"};
  ASSERT_TRUE(s.keep_tuned(key, {{{"tile", 128}, {"stages", 4}}, 5.25, 12, 3, 1, "now"}));
  const auto found = *s.find_tuned(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->values, (std::map<std::string, std::int64_t>{{"tile", 128}, {"stages", 4}}));
  EXPECT_EQ(found->duration_us, 5.25);
  EXPECT_EQ(found->rejected, 3);
  for (std::string TunedKey::*member :
       {&TunedKey::kernel, &TunedKey::version, &TunedKey::device, &TunedKey::driver, &TunedKey::compiler,
        &TunedKey::source_hash, &TunedKey::problem, &TunedKey::l2}) {
    TunedKey other = key;
    other.*member += "x";
    EXPECT_FALSE(*s.find_tuned(other));
  }
}

/// A store as the first version of the program made it.
TEST_F(StoreSweep, AnOlderStoreIsBroughtUpToDateAndKeepsItsRuns) {
  fs::create_directories(folder);
  sqlite3* db = nullptr;
  sqlite3_open(file().c_str(), &db);
  const std::string json = evidence::json_text(run_named("old"));
  sqlite3_exec(
      db,
      "CREATE TABLE runs(id INTEGER PRIMARY KEY AUTOINCREMENT, time_utc TEXT NOT NULL, kernel TEXT NOT "
      "NULL, version TEXT NOT NULL, prof_type TEXT NOT NULL, device TEXT NOT NULL, source_hash TEXT NOT "
      "NULL, json TEXT NOT NULL); PRAGMA user_version = 1",
      nullptr, nullptr, nullptr);
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(db, "INSERT INTO runs VALUES(7,'t','old','v0','','Fake GPU','',?)", -1, &insert,
                     nullptr);
  sqlite3_bind_text(insert, 1, json.c_str(), -1, SQLITE_TRANSIENT);
  EXPECT_EQ(sqlite3_step(insert), SQLITE_DONE);
  sqlite3_finalize(insert);
  sqlite3_close(db);
  auto s = store();
  EXPECT_EQ(s.get(7)->run.kernel, "old");
  EXPECT_FALSE(*s.add_if_new(run_named("old"))) << "old runs are known when they come again";
  ASSERT_TRUE(s.begin_sweep("key", "command", problems, "now", false));
}

}  // namespace
}  // namespace cutelab::profile
