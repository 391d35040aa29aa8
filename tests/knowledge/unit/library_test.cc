#include "knowledge/library.h"

#include <gtest/gtest.h>

#include "knowledge/document.h"
#include "knowledge/draft.h"
#include "knowledge/knowledge_fixture.h"

namespace cutelab::knowledge {
namespace {

class Base : public KnowledgeFiles {
 protected:
  CheckWorld world() const {
    CheckWorld out;
    out.roots = {root_};
    out.known_metrics = {"duration_us", "registers"};
    return out;
  }
  std::vector<std::string> problems() const {
    const auto library = load_library(path("kb"), files_);
    std::vector<std::string> out;
    for (const Problem& problem : check(*library, world(), files_))
      out.push_back(problem.text().substr(root_.size() + 1));
    return out;
  }
  std::string evidence(const std::string& at) const { return "  - {at: '" + at + "', line: 'x = 1'}\n"; }
  std::string revision(const std::string& name) const { return sha256(read(name)).substr(0, 16); }
};

TEST_F(Base, ATrueEntryHasNoProblem) {
  write("a.py", "y = 0\nx = 1\n");
  write("kb/ring.md", entry_text("ring", evidence("a.py:2@" + revision("a.py"))));
  EXPECT_EQ(problems(), std::vector<std::string>{});
}

TEST_F(Base, EvidenceThatIsGoneIsStaleAndSaysWhere) {
  write("a.py", "y = 0\nx = 2\n");
  write("kb/ring.md", entry_text("ring", evidence("a.py:2@0123456789abcdef")));
  ASSERT_EQ(problems().size(), 1u);
  EXPECT_EQ(
      problems()[0].rfind("kb/ring.md:9: error: stale: a.py:2 no longer holds the cited line `x = 1`", 0), 0u)
      << problems()[0];
}

TEST_F(Base, EvidenceOfAMissingFileAndOfARepeatedLine) {
  write("kb/ring.md", entry_text("ring", evidence("b.py:2@0123456789abcdef")));
  EXPECT_NE(problems().at(0).find("b.py, which is not there"), std::string::npos);
  write("b.py", "x = 1\nx = 1\n\n");
  EXPECT_TRUE(problems().size() == 0u) << "line 2 is that text still";
  write("b.py", "x = 1\n\nx = 1\n");
  EXPECT_NE(problems().at(0).find("stands there several times"), std::string::npos);
}

TEST_F(Base, SectionsMissingTwiceOutOfOrderOrUnwritten) {
  write("a.py", "x = 1\n");
  std::string text = entry_text("ring", evidence("a.py:1"));
  text.replace(text.find("## Pitfalls"), 11, "## Mechanism");
  text.replace(text.find("How it works."), 13, to_be_written);
  write("kb/ring.md", text);
  const auto found = problems();
  ASSERT_EQ(found.size(), 4u) << ::testing::PrintToString(found);
  EXPECT_NE(found[0].find("'Pitfalls' is missing"), std::string::npos);
  EXPECT_NE(found[1].find("'Mechanism' is not written yet"), std::string::npos);
  EXPECT_NE(found[2].find("'Mechanism' stands twice"), std::string::npos);
  EXPECT_NE(found[3].find("'Mechanism' is out of order"), std::string::npos);
}

TEST_F(Base, IdsMetricsAndRefinement) {
  write("a.py", "x = 1\n");
  write("kb/ring.md", entry_text("ring", evidence("a.py:1"), "refines: tile\n"));
  write("kb/tile.md", entry_text("tile", evidence("a.py:1"), "refines: ring\n"));
  write("kb/more/tile.md", entry_text("tile", evidence("a.py:1"), "refines: nothing\n"));
  std::string text = read("kb/ring.md");
  text.replace(text.find("duration_us"), 11, "duration_ms");
  write("kb/ring.md", text);
  const std::string all = ::testing::PrintToString(problems());
  EXPECT_NE(all.find("the id 'tile' is also that of"), std::string::npos) << all;
  EXPECT_NE(all.find("refines 'nothing', which is no entry"), std::string::npos) << all;
  EXPECT_NE(all.find("unknown metric 'duration_ms' (did you mean 'duration_us'?)"), std::string::npos) << all;
}

TEST_F(Base, ACircleOfRefinementEnds) {
  write("a.py", "x = 1\n");
  write("kb/ring.md", entry_text("ring", evidence("a.py:1"), "refines: tile\n"));
  write("kb/tile.md", entry_text("tile", evidence("a.py:1"), "refines: ring\n"));
  ASSERT_EQ(problems().size(), 2u);
  EXPECT_NE(problems()[0].find("in a circle through 'ring'"), std::string::npos);
}

TEST_F(Base, LinksThatLeadNowhereOrOutside) {
  write("a.py", "x = 1\n");
  write("kb/ring.md",
        entry_text("ring", evidence("a.py:1"), "",
                   "[a](gone.md) [b](#mechanism) [c](#no-such) [d](../../../etc/passwd) [e](https://x.y)\n"
                   "`[f](gone.md)` [g](../a.py)"));
  const auto found = problems();
  ASSERT_EQ(found.size(), 3u) << ::testing::PrintToString(found);
  EXPECT_NE(found[0].find("gone.md leads nowhere"), std::string::npos);
  EXPECT_NE(found[1].find("no heading 'no-such'"), std::string::npos);
  EXPECT_NE(found[2].find("leads outside the project"), std::string::npos);
}

TEST_F(Base, AHugeFileIsRefusedAndTheOthersAreRead) {
  write("a.py", "x = 1\n");
  write("kb/ring.md", entry_text("ring", evidence("a.py:1")));
  write("kb/huge.md", std::string(max_entry_bytes + 1, 'x'));
  const auto library = load_library(path("kb"), files_);
  EXPECT_EQ(library->entries.size(), 1u);
  ASSERT_EQ(library->problems.size(), 1u);
  EXPECT_NE(library->problems[0].path.find("huge.md"), std::string::npos);
}

TEST_F(Base, AFolderThatIsNotThereIsAnEmptyLibraryAndAFileIsAnError) {
  EXPECT_EQ(load_library(path("none"), files_)->entries.size(), 0u);
  EXPECT_FALSE(load_library(write("file.md", "x"), files_).ok());
}

class Documents : public Base {
 protected:
  DocumentPlan plan() const { return plan_document(*load_library(path("kb"), files_), world(), files_); }
  void apply(const DocumentPlan& done) const {
    for (const Change& change : done.changes)
      ASSERT_TRUE(write_file_atomically(change.path, change.content).ok());
  }
};

TEST_F(Documents, Post1ASecondPlanHasNothingToDo) {
  write("a.py", "y = 0\nx = 1\n");
  write("kb/ring.md", entry_text("ring", evidence("a.py:0"), "seen: {cute-dsl: 4.8.1}\n"));
  const DocumentPlan first = plan();
  EXPECT_EQ(first.changes.size(), 3u);  // the entry, two catalogs
  apply(first);
  EXPECT_EQ(plan().changes.size(), 0u);
  EXPECT_EQ(plan().problems.size(), 0u);
}

TEST_F(Documents, EvidenceFollowsItsLineAndNothingElseChanges) {
  write("a.py", "y = 0\nx = 1\n");
  write("kb/ring.md", entry_text("ring", evidence("a.py:2@" + revision("a.py"))));
  apply(plan());
  const std::string before = read("kb/ring.md");
  write("a.py", "# new first line\n\ny = 0\n  x = 1\n");
  apply(plan());
  std::string expected = before;
  const std::string old_place = "a.py:2@" + sha256("y = 0\nx = 1\n").substr(0, 16);
  expected.replace(expected.find(old_place), old_place.size(), "a.py:4@" + revision("a.py"));
  expected.replace(expected.find("`a.py:2`"), 8, "`a.py:4`");
  EXPECT_EQ(read("kb/ring.md"), expected);
}

TEST_F(Documents, Post2HandWrittenPartsOfACatalogStay) {
  write("a.py", "x = 1\n");
  write("kb/ring.md", entry_text("ring", evidence("a.py:1")));
  write("kb/README.md", "# Ours\n\nWords.\n");
  apply(plan());
  EXPECT_EQ(read("kb/README.md").rfind("# Ours\n\nWords.\n", 0), 0u);
  write("kb/README.md", read("kb/README.md") + "\nMore words.\n");
  write("kb/tile.md", entry_text("tile", evidence("a.py:1")));
  apply(plan());
  const std::string text = read("kb/README.md");
  EXPECT_NE(text.find("tile.md"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\nMore words.\n"));
}

TEST_F(Documents, Post3AnEntryWithAnErrorIsNotChangedAndADamagedCatalogIsSaid) {
  write("a.py", "x = 2\n");
  const std::string text = entry_text("ring", evidence("a.py:1@0123456789abcdef"));
  write("kb/ring.md", text);
  write("kb/README.md", "<!-- catalog: begin -->\nlost the end\n");
  const DocumentPlan done = plan();
  EXPECT_EQ(done.changes.size(), 0u);
  ASSERT_EQ(done.problems.size(), 2u);
  EXPECT_NE(done.problems[1].what.find("damaged"), std::string::npos);
}

evidence::Run a_run(double duration) {
  evidence::Run run;
  run.kernel = "rmsnorm";
  run.version = "v0";
  run.metrics = {{"duration_us", duration, ""}, {"tc_percent", std::nullopt, "counters | refused"}};
  return run;
}

TEST_F(Documents, ADevelopmentLogGrowsByNewRunsAndKeepsWhatWasWritten) {
  std::string log = with_runs("", "rmsnorm", {a_run(12.5)});
  EXPECT_NE(log.find("| duration_us | 12.5 |"), std::string::npos) << log;
  EXPECT_NE(log.find("| tc_percent | none: counters \\| refused |"), std::string::npos) << log;
  log.replace(log.find(to_be_written), std::string(to_be_written).size(), "Vector loads.");
  const std::string more = with_runs(log, "rmsnorm", {a_run(12.5), a_run(11.0)});
  EXPECT_EQ(more.rfind(log, 0), 0u) << "what stands there stays";
  EXPECT_NE(more.find("| duration_us | 11 |"), std::string::npos);
  EXPECT_EQ(with_runs(more, "rmsnorm", {a_run(12.5), a_run(11.0)}), more);
}

TEST_F(Documents, AnEntryShowsTheRunsItCitesAndARunThatIsNotStoredIsAnError) {
  write("a.py", "x = 1\n");
  CheckWorld with_store = world();
  with_store.find_run = [](const std::string& id) {
    return id == run_id(a_run(12.5)) ? std::optional(a_run(12.5)) : std::nullopt;
  };
  write("kb/ring.md", entry_text("ring", evidence("a.py:1"), "runs: [" + run_id(a_run(12.5)) + "]\n"));
  const auto good = plan_document(*load_library(path("kb"), files_), with_store, files_);
  EXPECT_EQ(good.problems.size(), 0u);
  EXPECT_NE(good.changes.at(0).content.find("| duration_us | 12.5 |"), std::string::npos);
  write("kb/ring.md", entry_text("ring", evidence("a.py:1"), "runs: [ffffffffffff]\n"));
  EXPECT_EQ(plan_document(*load_library(path("kb"), files_), with_store, files_).problems.at(0).what,
            "the run 'ffffffffffff' is not stored");
}

TEST(ShippedKnowledge, IsTrueAndUpToDate) {
  const DiskFileSource files;
  CheckWorld world;
  world.roots = {CUTELAB_SOURCE_DIR};
  const auto library = load_library(CUTELAB_SOURCE_DIR "/docs/knowledge", files);
  ASSERT_TRUE(library.ok());
  EXPECT_GE(library->entries.size(), 8u);
  const DocumentPlan plan = plan_document(*library, world, files);
  for (const Problem& problem : plan.problems) ADD_FAILURE() << problem.text();
  for (const Change& change : plan.changes)
    ADD_FAILURE() << change.path << " is out of date: run `cutelab document`";
}

}  // namespace
}  // namespace cutelab::knowledge
