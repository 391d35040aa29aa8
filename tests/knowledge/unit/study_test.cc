#include "knowledge/study.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "knowledge/knowledge_fixture.h"

namespace cutelab::knowledge {
namespace {

class FixedClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return 0; }
  std::string utc_now() const override { return "2026-01-31T12:00:00Z"; }
};

class Studies : public KnowledgeFiles {
 protected:
  FixedClock clock_;
  StudyStore store_{root_ + "/studies", files_, clock_};
};

TEST_F(Studies, KeepsEverythingInItsFileAndBack) {
  ASSERT_TRUE(store_.create("tma", "understand TMA").ok());
  ASSERT_TRUE(store_.ask("tma", "who arrives?").ok());
  ASSERT_TRUE(store_.answer("tma", 1, "each warp").ok());
  ASSERT_TRUE(store_.add_note("tma", "\"quoted\" and \xff").ok());
  ASSERT_TRUE(store_.record("tma", {Step::read, "a.py", "0123456789abcdef", "twice", ""}).ok());
  const auto study = store_.load("tma");
  ASSERT_TRUE(study.ok()) << study.error().message();
  EXPECT_EQ(study->goal, "understand TMA");
  EXPECT_EQ(study->questions.at(0).answer, "each warp");
  EXPECT_EQ(study->items.at(0).at, "2026-01-31T12:00:00Z");
  EXPECT_EQ(study_json(*study_from_json(study_json(*study), "x")), study_json(*study));
}

TEST_F(Studies, AnOpenQuestionIsKeptOnce) {
  ASSERT_TRUE(store_.create("tma", "understand TMA").ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store_.ask("tma", " who arrives? ").ok());
  EXPECT_EQ(store_.load("tma")->questions.size(), 1u);
  ASSERT_TRUE(store_.answer("tma", 1, "each warp").ok());
  ASSERT_TRUE(store_.ask("tma", "who arrives?").ok());
  EXPECT_EQ(store_.load("tma")->questions.size(), 2u) << "asked anew after an answer";
}

TEST_F(Studies, TheNextStepIsTheFirstOpenOne) {
  Study study{"tma", "goal", "", {}, {}, {}};
  EXPECT_EQ(status_of(study, files_).commands,
            (std::vector<std::string>{"cutelab select --goal GOAL", "cutelab study select tma EXAMPLE"}));
  study.items = {{Step::select, "a.py", "", "", ""}, {Step::import, "pkg", "", "", ""}};
  const StudyStatus status = status_of(study, files_);
  EXPECT_TRUE(status.steps[0].done);
  EXPECT_FALSE(status.steps[1].done);
  EXPECT_TRUE(status.steps[2].done);
  EXPECT_EQ(status.commands, (std::vector<std::string>{"cutelab read a.py", "cutelab study read tma a.py"}))
      << "what was selected is read";
  for (const Step step : all_steps) study.items.push_back({step, "x", "", "", ""});
  study.questions = {{"why?", "", "", ""}};
  EXPECT_EQ(status_of(study, files_).next, "Answer the open questions.");
  study.questions[0].answer = "because";
  EXPECT_EQ(status_of(study, files_).next, "All six steps are done.");
}

TEST_F(Studies, TheNextCommandNamesWhatTheStudyIsAbout) {
  Study study{"tma", "goal", "", {}, {}, {}};
  const auto take = [&](Step step, const std::string& what) {
    study.items.push_back({step, what, "", "", ""});
    return status_of(study, files_).commands;
  };
  EXPECT_EQ(take(Step::select, "my gemm.py"),
            (std::vector<std::string>{"cutelab read 'my gemm.py'", "cutelab study read tma 'my gemm.py'"}))
      << "one word for a shell";
  EXPECT_EQ(take(Step::read, "b.py").at(0), "cutelab import b.py --layer LAYER --design MY_KERNEL");
  EXPECT_EQ(take(Step::import, "my_gemm").at(0), "cutelab kernel my_gemm --check --prof_type=event");
  EXPECT_EQ(take(Step::profile, "7").at(0), "cutelab extract b.py");
}

TEST_F(Studies, SeveralAreOneDocument) {
  const std::string json =
      studies_json({{"a", "x", "", {}, {}, {}}, {"b", "y", "", {}, {}, {}}}, {"c.json: torn"});
  EXPECT_NE(json.find("\"cutelab.studies\""), std::string::npos);
  EXPECT_NE(json.find("\"name\": \"b\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"c.json: torn\""), std::string::npos);
  EXPECT_NE(studies_json({}, {}).find("\"studies\": []"), std::string::npos) << "none is an empty list";
}

TEST_F(Studies, AFileThatChangedSinceItWasReadIsSaid) {
  const std::string file = write("a.py", "one\n");
  Study study{"tma", "goal", "", {}, {{Step::read, file, file_revision(file, files_), "", ""}}, {}};
  EXPECT_EQ(status_of(study, files_).steps[1].lines.at(0), file);
  write("a.py", "two\n");
  EXPECT_EQ(status_of(study, files_).steps[1].lines.at(0), file + " (changed since)");
  std::filesystem::remove(file);
  EXPECT_EQ(status_of(study, files_).steps[1].lines.at(0), file + " (no longer there)");
}

TEST_F(Studies, TwoWritersBothGetTheirChangesIn) {
  ASSERT_TRUE(store_.create("tma", "goal").ok());
  constexpr int writers = 4, each = 25;
  std::vector<pid_t> children;
  for (int w = 0; w < writers; ++w) {
    const pid_t child = fork();
    if (child == 0) {
      bool ok = true;
      for (int i = 0; i < each; ++i) ok = ok && store_.ask("tma", std::to_string(w * each + i)).ok();
      _exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(store_.load("tma")->questions.size(), static_cast<std::size_t>(writers * each));
}

TEST_F(Studies, ATornOrForeignFileIsSaidAndNeverOverwritten) {
  for (const char* text : {"", "{", "[]", "{\"schema\": \"other\"}", "null",
                           "{\"schema\":\"cutelab.study\",\"schema_version\":9}",
                           "{\"schema\":\"cutelab.study\",\"schema_version\":1,\"name\":3}"}) {
    write("studies/tma.json", text);
    EXPECT_FALSE(store_.ask("tma", "why?").ok()) << text;
    EXPECT_FALSE(store_.create("tma", "goal").ok()) << text;
    EXPECT_EQ(read("studies/tma.json"), text);
  }
  std::vector<std::string> broken;
  EXPECT_TRUE(store_.all(&broken).ok());
  EXPECT_EQ(broken.size(), 1u);
}

TEST_F(Studies, NamesCannotLeaveTheFolder) {
  for (const char* name : {"", "../x", "a/b", ".hidden", "a b", "é"}) {
    EXPECT_FALSE(store_.create(name, "goal").ok()) << name;
    EXPECT_FALSE(store_.load(name).ok()) << name;
  }
  EXPECT_FALSE(store_.create(std::string(65, 'a'), "goal").ok());
  EXPECT_FALSE(store_.create("tma", "  ").ok());
}

TEST_F(Studies, TheSameThingRecordedAgainIsOneItem) {
  ASSERT_TRUE(store_.create("tma", "goal").ok());
  ASSERT_TRUE(store_.record("tma", {Step::read, "a.py", "1", "", ""}).ok());
  const auto study = store_.record("tma", {Step::read, "a.py", "2", "", ""});
  ASSERT_EQ(study->items.size(), 1u);
  EXPECT_EQ(study->items[0].revision, "2");
}

TEST_F(Studies, AFolderThatCannotBeWrittenIsSaid) {
  write("studies", "a file in the way");
  const auto result = store_.create("tma", "goal");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::input);
}

}  // namespace
}  // namespace cutelab::knowledge
