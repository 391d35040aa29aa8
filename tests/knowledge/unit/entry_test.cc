#include "knowledge/entry.h"

#include <gtest/gtest.h>

#include "knowledge/knowledge_fixture.h"

namespace cutelab::knowledge {
namespace {

const std::string one_line = "  - {at: a.py:3-4@0123456789abcdef, line: 'x = 1', says: sets x}\n";

TEST(Entry, KeepsEveryMemberWithItsLine) {
  const auto entry =
      parse_entry(entry_text("ring", one_line, "seen: {cute-dsl: 4.8.1}\nrefines: other\n"), "kb/ring.md");
  ASSERT_TRUE(entry.ok()) << entry.error().message();
  EXPECT_EQ(entry->id, "ring");
  EXPECT_EQ(entry->kind, EntryKind::pattern);
  EXPECT_EQ(entry->refines, "other");
  EXPECT_EQ(entry->seen.at("cute-dsl"), "4.8.1");
  ASSERT_EQ(entry->evidence.size(), 1u);
  EXPECT_EQ(entry->evidence[0].full(), "a.py:3-4@0123456789abcdef");
  EXPECT_EQ(entry->evidence[0].text, "x = 1");
  EXPECT_EQ(entry->evidence[0].at_line, 9);
  EXPECT_EQ(entry->line_of("signature"), 7);
  ASSERT_EQ(entry->sections.size(), 9u);
  EXPECT_EQ(entry->sections[0].title, "When to Apply");
}

TEST(Entry, AHeadingInsideFencedCodeIsNoSection) {
  const auto sections = split_sections("## One\n```\n## Two\n```\n## Three\n", 5);
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[1].title, "Three");
  EXPECT_EQ(sections[1].line, 9);
}

TEST(Entry, APlaceNeverLeavesTheProject) {
  EXPECT_TRUE(parse_place("a/b.py:1"));
  EXPECT_TRUE(parse_place("a/b.py:0"));
  for (const char* bad : {"/etc/passwd:1", "../a.py:1", "a/../../b.py:1", "a.py", "a.py:x", "a.py:5-3",
                          "a.py:1@xyz", "a//b.py:1", ":1", "a.py:1-2-3", "a.py:-1", "a.py:99999999999"})
    EXPECT_FALSE(parse_place(bad)) << bad;
}

struct BadEntry {
  const char* name;
  std::string text;
  const char* wrong;
  const char* where;
};
class EntryErrors : public ::testing::TestWithParam<BadEntry> {};
TEST_P(EntryErrors, SayWhatIsWrongAndWhere) {
  const auto entry = parse_entry(GetParam().text, "kb/ring.md");
  ASSERT_FALSE(entry.ok());
  EXPECT_NE(entry.error().wrong.find(GetParam().wrong), std::string::npos) << entry.error().message();
  EXPECT_EQ(entry.error().where, GetParam().where);
  EXPECT_EQ(entry.error().kind, ErrorKind::input);
}
std::string deep() {
  std::string text = "---\nid: ";
  for (int i = 0; i < 2000; ++i) text += "[";
  return text + "\n---\n";
}
std::string wide() {
  std::string text = "---\nid: [";
  for (int i = 0; i < 20000; ++i) text += "a,";
  return text + "a]\n---\n";
}
INSTANTIATE_TEST_SUITE_P(
    Hostile, EntryErrors,
    ::testing::Values(
        BadEntry{"NoFrontMatter", "# Ring\n", "no front matter", "kb/ring.md:1"},
        BadEntry{"Empty", "", "no front matter", "kb/ring.md:1"},
        BadEntry{"NeverEnds", "---\nid: ring\n", "the front matter never ends", "kb/ring.md:1"},
        BadEntry{"BrokenYaml", "---\nid: ring\nmetrics: [a, b\n---\n", "not YAML", "kb/ring.md:4"},
        BadEntry{"Anchor", "---\nid: &a ring\ntitle: *a\n---\n", "anchors and aliases", "kb/ring.md:2"},
        BadEntry{"CyclicAlias", "---\nid: &a [*a]\n---\n", "anchors and aliases", "kb/ring.md:2"},
        BadEntry{"TwiceTheKey", "---\nid: ring\nid: ring\n---\n", "'id' is given twice", "kb/ring.md:3"},
        BadEntry{"Unknown", "---\nid: ring\nmetric: [a]\n---\n", "unknown member 'metric'", "kb/ring.md:3"},
        BadEntry{"OtherName", "---\nid: rings\n---\n", "the id 'rings' is not the file's name",
                 "kb/ring.md:2"},
        BadEntry{"NotKebab", "---\nid: Ring_1\n---\n", "is not kebab-case", "kb/ring.md:2"},
        BadEntry{"Scope", "---\nid: ring\nscope: python\n---\n", "scope is 'python'", "kb/ring.md:3"},
        BadEntry{"Lacks", "---\nid: ring\n---\n", "lacks 'title'", "kb/ring.md:1"},
        BadEntry{"Outside", entry_text("ring", "  - at: ../../secret:1\n"), "below the project",
                 "kb/ring.md:9"},
        BadEntry{"NotUtf8", entry_text("ring", one_line, "", "a\xff"), "not UTF-8", "kb/ring.md:18"},
        BadEntry{"Nul", entry_text("ring", one_line, "", std::string("a\0b", 3)), "not UTF-8",
                 "kb/ring.md:18"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Entry, DeepAndWideFrontMatterIsRefused) {
  EXPECT_FALSE(parse_entry(deep(), "kb/ring.md").ok());
  EXPECT_FALSE(parse_entry(wide(), "kb/ring.md").ok());
}

TEST(Entry, ARegionIsReplacedAppendedOrSaidToBeDamaged) {
  const std::string open = "<!-- catalog: begin, written by `cutelab document` -->\n",
                    close = "<!-- catalog: end -->";
  EXPECT_EQ(*with_region("mine\n", "catalog", "rows\n", "x"), "mine\n\n" + open + "rows\n" + close + "\n");
  EXPECT_EQ(*with_region("a\n" + open + "old\n" + close + "\nb\n", "catalog", "new\n", "x"),
            "a\n" + open + "new\n" + close + "\nb\n");
  const auto damaged = with_region("a\nb\n" + open + "old\n", "catalog", "new\n", "x.md");
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().where, "x.md:3");
  EXPECT_FALSE(with_region(close + "\n" + open, "catalog", "new\n", "x.md").ok());
}

}  // namespace
}  // namespace cutelab::knowledge
