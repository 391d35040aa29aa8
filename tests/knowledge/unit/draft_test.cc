#include "knowledge/draft.h"

#include <gtest/gtest.h>

#include "knowledge/document.h"
#include "knowledge/knowledge_fixture.h"
#include "knowledge/relate.h"
#include "knowledge/risks.h"

namespace cutelab::knowledge {
namespace {
using evidence::Family;
using evidence::Tristate;

class Drafts : public KnowledgeFiles {
 protected:
  Drafts() {
    std::string source;
    for (int i = 1; i <= 20; ++i) source += "statement_" + std::to_string(i) + "(\"a\", b=1)\n";
    reading_ = small_reading();
    reading_.files[0] = {write("examples/gemm.py", source), sha256(source).substr(0, 16), 20};
    request_.roots = {root_};
  }
  std::vector<Draft> drafts() const {
    auto out = draft_entries(reading_, request_, files_);
    EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message());
    return out.ok() ? *out : std::vector<Draft>{};
  }
  evidence::Reading reading_;
  DraftRequest request_;
};

TEST_F(Drafts, Post1EachParsesAndMatchesTheReadingItCameFrom) {
  const auto all = drafts();
  ASSERT_EQ(all.size(), 3u);  // P1, P2, and the ring without a drain
  for (const Draft& draft : all) {
    const auto entry = parse_entry(draft.text, "x/" + draft.id + ".md");
    ASSERT_TRUE(entry.ok()) << entry.error().message();
    EXPECT_TRUE(entry->draft);
    EXPECT_EQ(match(entry->signature, reading_).verdict, Tristate::yes);
    ASSERT_FALSE(entry->evidence.empty());
    for (const EvidenceLine& line : entry->evidence) {
      EXPECT_EQ(line.path, "examples/gemm.py");
      EXPECT_EQ(line.text, "statement_" + std::to_string(line.line) + "(\"a\", b=1)");
      EXPECT_EQ(line.revision, reading_.files[0].revision);
    }
    EXPECT_NE(entry->section("Performance Evidence")->body.find("No run yet."), std::string::npos);
  }
  EXPECT_EQ(all[0].id, "pattern-1-in-gemm");
  EXPECT_EQ(all[2].id, "tma-ring-without-drain-in-gemm");
  EXPECT_EQ(all[2].entry.kind, EntryKind::anti_pattern);
}

TEST_F(Drafts, ASignatureHoldsForTheSameFormAndNotForAnother) {
  const Signature one = drafts().at(0).entry.signature;
  evidence::Reading other = reading_;
  other.facts[0].values["stages"] = evidence::literal(std::int64_t{7});
  EXPECT_EQ(match(one, other).verdict, Tristate::yes) << "a stage count is an instance, not the pattern";
  other.facts[0].values["class"] = evidence::literal("PipelineTmaUmma");
  EXPECT_EQ(match(one, other).verdict, Tristate::no);
  other = reading_;
  other.language = "cute-cpp";
  EXPECT_EQ(match(one, other).verdict, Tristate::no);
}

TEST_F(Drafts, Post2TheSameReadingGivesTheSameText) { EXPECT_EQ(drafts().at(0).text, drafts().at(0).text); }

TEST_F(Drafts, UndeterminedValuesAreSaidToBeUndetermined) {
  const std::string text = drafts().at(1).text;
  EXPECT_NE(text.find("| undetermined: needs evaluation |"), std::string::npos) << text;
  EXPECT_NE(text.find("registers of load_warp is undetermined (self.regs)"), std::string::npos) << text;
}

TEST_F(Drafts, AnotherVersionOfTheSourceIsNotQuoted) {
  write("examples/gemm.py", "something else\n");
  const auto entry = drafts().at(0).entry;
  EXPECT_EQ(entry.evidence.at(0).text, "");
  EXPECT_EQ(entry.evidence.at(0).line, 3);
}

TEST_F(Drafts, HostileTextOfASourceCannotBreakTheEntry) {
  reading_.facts[0].subject = "a\n---\nid: other\n\x1b[31m|`";
  reading_.facts[0].says = "say: \"x\"\n- y # z \xff";
  reading_.facts[0].values["class"] = evidence::literal("A\": [\n]}");
  reading_.patterns[0].says = "## Mechanism\n```";
  const auto all = drafts();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].entry.sections.size(), 9u);
}

TEST_F(Drafts, APatternThatIsAbsentOrUnknownIsSaid) {
  request_.patterns = {"P4"};
  EXPECT_NE(draft_entries(reading_, request_, files_).error().wrong.find("P4 (pattern 4) is absent"),
            std::string::npos);
  request_.patterns = {"P99"};
  EXPECT_EQ(draft_entries(reading_, request_, files_).error().kind, ErrorKind::usage);
  request_.patterns = {"P2"};
  EXPECT_EQ(drafts().size(), 1u);
}

TEST_F(Drafts, AnEditedDraftIsNeverLost) {
  const Draft draft = drafts().at(0);
  PlacedDraft placed = place_draft(draft, path("kb"), files_);
  EXPECT_EQ(placed.placement, Placement::created);
  write("kb/" + draft.id + ".md", placed.content);
  EXPECT_EQ(place_draft(draft, path("kb"), files_).placement, Placement::unchanged);

  Draft newer = draft;  // the source moved on: an untouched draft may go
  newer.text = stamped(draft.text + "\nMore.\n");
  EXPECT_EQ(place_draft(newer, path("kb"), files_).placement, Placement::replaced);

  const std::string edited = draft.text + "\nMy own words.\n";
  write("kb/" + draft.id + ".md", edited);
  placed = place_draft(newer, path("kb"), files_);
  EXPECT_EQ(placed.placement, Placement::beside);
  EXPECT_EQ(placed.path, path("kb/" + draft.id + ".new.md"));
  EXPECT_EQ(placed.kept, path("kb/" + draft.id + ".md"));
  EXPECT_EQ(read("kb/" + draft.id + ".md"), edited);
  write("kb/" + draft.id + ".new.md", edited + "and these\n");
  EXPECT_EQ(place_draft(newer, path("kb"), files_).path, path("kb/" + draft.id + ".new-2.md"));
}

TEST_F(Drafts, DocumentKeepsADraftsStampRight) {
  const Draft draft = drafts().at(0);
  write("kb/" + draft.id + ".md", draft.text);
  write("examples/gemm.py", "# one line more\n" + read("examples/gemm.py"));
  CheckWorld world;
  world.roots = {root_};
  const auto plan = plan_document(*load_library(path("kb"), files_), world, files_);
  ASSERT_EQ(plan.changes.at(0).path, path("kb/" + draft.id + ".md"));
  EXPECT_TRUE(is_untouched_draft(plan.changes[0].content));
  EXPECT_NE(plan.changes[0].content.find("examples/gemm.py:4"), std::string::npos);
}

TEST(Risks, HoldOnlyWhileTheCompanionIsMissing) {
  const auto risks = known_risks();
  ASSERT_TRUE(risks.ok()) << risks.error().message();
  const auto risk = [&](const std::string& id) {
    for (const Risk& one : *risks)
      if (one.id == id) return one.signature;
    ADD_FAILURE() << id;
    return Signature{};
  };
  evidence::Reading r = small_reading();
  EXPECT_EQ(match(risk("tma-ring-without-drain"), r).verdict, Tristate::yes);
  r.patterns[9].present = true;
  EXPECT_EQ(match(risk("tma-ring-without-drain"), r).verdict, Tristate::no);

  r.facts.push_back(fact(Family::H4, "launch-keyword", "use_pdl", 8, {{"use_pdl", evidence::literal(true)}}));
  EXPECT_EQ(match(risk("dependent-launch-without-wait"), r).verdict, Tristate::yes);
  r.facts.push_back(fact(Family::D5, "dependent-launch", "cute.arch", 9));
  r.facts.back().says = "dependent launch (griddepcontrol_launch_dependents)";
  EXPECT_EQ(match(risk("dependent-launch-without-wait"), r).verdict, Tristate::yes);
  r.facts.back().says = "dependent launch (griddepcontrol_wait)";
  EXPECT_EQ(match(risk("dependent-launch-without-wait"), r).verdict, Tristate::no);

  r.facts.push_back(fact(Family::D4, "mma", "tiled_mma", 10));
  r.facts.push_back(
      fact(Family::H1, "tma-descriptor", "tma_c", 11, {{"direction", evidence::literal("store")}}));
  EXPECT_EQ(match(risk("tma-store-without-proxy-fence"), r).verdict, Tristate::yes);
  r.facts.push_back(fact(Family::D5, "fence", "fence_proxy", 12));
  EXPECT_EQ(match(risk("tma-store-without-proxy-fence"), r).verdict, Tristate::no);
}

Library library_of(const std::vector<std::pair<std::string, std::string>>& signatures,
                   EntryKind kind = EntryKind::pattern) {
  Library library;
  for (const auto& [id, yaml] : signatures) {
    Entry entry;
    entry.id = entry.title = id;
    entry.scope = "shared";
    entry.kind = kind;
    entry.signature = signature(yaml);
    library.entries.push_back(entry);
  }
  return library;
}

TEST(Relate, ConfirmsRefinesContradictsAndNamesWhatIsNew) {
  const auto result = relate(
      small_reading(),
      library_of(
          {{"a-confirms", "all: [pattern: P1, fact: {family: D2, kind: pipeline}, fact: {family: H1}]"},
           {"b-refines", "pattern: P1"},
           {"c-contradicts", "all: [pattern: P1, fact: {family: D2, kind: pipeline, count: \">= 9\"}]"},
           {"d-open", "all: [pattern: P2, fact: {family: D1, kind: role, registers: 40}]"},
           {"e-silent", "pattern: P4"}}));
  ASSERT_EQ(result.relations.size(), 4u);
  EXPECT_EQ(result.relations[0].id, "c-contradicts");
  EXPECT_EQ(result.relations[0].kind, Relation::Kind::contradicts);
  EXPECT_EQ(result.relations[0].details.at(0),
            "{fact: {family: D2, kind: pipeline, count: \">= 9\"}} does not hold");
  EXPECT_EQ(result.relations[1].id, "b-refines");
  EXPECT_EQ(result.relations[1].details.at(0),
            "adds {fact: {family: D2, kind: pipeline, class: PipelineTmaAsync}}");
  EXPECT_EQ(result.relations[2].id, "a-confirms");
  EXPECT_EQ(result.relations[3].id, "d-open");
  EXPECT_EQ(result.relations[3].kind, Relation::Kind::undetermined);
  EXPECT_TRUE(result.fresh.empty()) << "P1 and P2 are covered";
  EXPECT_TRUE(
      relate(small_reading(), library_of({{"other-form", "pattern: {id: P1, kind: of_another_form}"}}))
          .relations.empty())
      << "an entry about another form of the pattern says nothing of this one";
  EXPECT_EQ(relate(small_reading(), Library{}).fresh, (std::vector<std::string>{"P1", "P2"}));
}

TEST(Relate, AKernelWithoutATechniqueContradictsNothing) {
  const auto kind_for = [](const std::string& yaml) {
    const auto result = relate(small_reading(), library_of({{"entry", yaml}}));
    return result.relations.empty() ? std::string("silent") : name_of(result.relations[0].kind);
  };
  EXPECT_EQ(kind_for("all: [pattern: P1, fact: {family: D6}]"), "lacks") << "no such fact at all";
  EXPECT_EQ(kind_for("all: [pattern: P1, any: [fact: {family: D6}, fact: {family: E1, kind: store}]]"),
            "lacks");
  EXPECT_EQ(kind_for("all: [pattern: P1, fact: {family: D2, kind: pipeline, class: PipelineOther}]"),
            "contradicts")
      << "a pipeline of another class is there";
  EXPECT_EQ(
      kind_for("all: [pattern: P1, any: [fact: {family: D6}, fact: {family: D2, class: PipelineOther}]]"),
      "contradicts")
      << "one of the ways is there in another form";
  EXPECT_EQ(kind_for("all: [pattern: P1, none: [fact: {family: D2}]]"), "contradicts")
      << "what must not be is there";
}

TEST(Relate, DraftsAreNoEntries) {
  Library library = library_of({{"mine", "pattern: P1"}});
  library.entries[0].draft = true;
  const auto result = relate(small_reading(), library);
  EXPECT_TRUE(result.relations.empty());
  EXPECT_EQ(result.fresh, (std::vector<std::string>{"P1", "P2"})) << "a draft covers nothing yet";
  EXPECT_EQ(library.drafts(), 1);
}

TEST(Relate, AnAntiPatternWarnsOnlyWhenItHolds) {
  const auto one = relate(small_reading(), library_of({{"deep-ring", "fact: {family: D2, stages: \"> 3\"}"}},
                                                      EntryKind::anti_pattern));
  ASSERT_EQ(one.relations.size(), 1u);
  EXPECT_EQ(one.relations[0].kind, Relation::Kind::warns);
  EXPECT_TRUE(relate(small_reading(), library_of({{"deep-ring", "fact: {family: D2, stages: \"> 4\"}"}},
                                                 EntryKind::anti_pattern))
                  .relations.empty());
}

TEST(Relate, AnEntryOfAnotherLanguageIsLeftOut) {
  Library library = library_of({{"a", "pattern: P1"}});
  library.entries[0].scope = "cute-cpp";
  EXPECT_TRUE(relate(small_reading(), library).relations.empty());
}

}  // namespace
}  // namespace cutelab::knowledge
