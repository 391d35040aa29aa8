#include <algorithm>

#include <gtest/gtest.h>

#include "base/text.h"
#include "render/columns.h"
#include "render/html.h"
#include "render/paint.h"
#include "render/svg.h"

namespace cutelab::render {
namespace {

TEST(Paint, OffLeavesTextAlone) {
  EXPECT_EQ(Paint(false)(Style::bad, "absent"), "absent");
  EXPECT_EQ(Paint(true)(Style::bad, "absent"), "\x1b[31mabsent\x1b[0m");
  EXPECT_EQ(Paint(true)(Style::plain, "x"), "x");
}

TEST(Paint, ColourNeedsATerminalAndNobodyAgainstIt) {
  EXPECT_TRUE(wants_colour(true, "", "xterm"));
  EXPECT_FALSE(wants_colour(false, "", "xterm"));
  EXPECT_FALSE(wants_colour(true, "1", "xterm"));
  EXPECT_FALSE(wants_colour(true, "", "dumb"));
}

TEST(Columns, LineUpAndWrap) {
  const Columns table = {{{"pattern"}, {"n", Align::right}, {"why", Align::left, true}},
                         {{{"TMA"}, {"7"}, {"a ring of seven stages"}}, {{"swizzle"}, {"128"}, {"sA"}}}};
  EXPECT_EQ(columns(table, 30, Paint()),
            "  pattern    n  why\n"
            "  TMA        7  a ring of\n"
            "                seven stages\n"
            "  swizzle  128  sA\n");
}

TEST(Columns, ElidesWhatMayNotWrap) {
  const Columns table = {{{""}, {""}}, {{{"a_very_long_name_of_something"}, {"x"}}}};
  EXPECT_EQ(columns(table, 20, Paint(), 0), "a_very_long_name…  x\n");
}

TEST(Columns, ALineNumberIsNeverCut) {
  const Columns table = {{{"place", Align::left, false, 16}, {"what", Align::left, true, 30}, {"role"}},
                         {{{"a_kernel_with_a_long_name.cu:1299", Style::place},
                           {"waits until every stage of the ring is free again"},
                           {"load"}},
                          {{":7", Style::place}, {"x"}, {"an_elected_warp"}}}};
  for (int width = 1; width <= 120; ++width) {
    const std::string out = columns(table, width, Paint());
    EXPECT_NE(out.find(":1299 "), std::string::npos) << width << "\n" << out;
    EXPECT_NE(out.find(":7 "), std::string::npos) << width << "\n" << out;
  }
}

TEST(Clip, KeepsTheLineOfAPlace) {
  EXPECT_EQ(clip_place("a_kernel_with_a_long_name.cu:1299", 16), "a_k…name.cu:1299");
  EXPECT_EQ(clip_place("a_kernel_with_a_long_name.cu:1299", 6), "…:1299");
  EXPECT_EQ(clip_place("a_kernel_with_a_long_name.cu:1299", 3), ":1299");
  EXPECT_EQ(clip_place("kernel.cu:12", 12), "kernel.cu:12");
  EXPECT_EQ(clip_place("203, 218, 205", 12), "203, 218, …") << "no place";
}

TEST(Columns, TitlesStayWholeWhereTheyFit) {
  const Columns table = {{{"default"}, {"why", Align::left, true}}, {{{"on"}, {"a ring of seven stages"}}}};
  EXPECT_EQ(columns(table, 22, Paint(), 0),
            "default  why\n"
            "on       a ring of\n"
            "         seven stages\n");
}

TEST(Fitted, IsMarkdownWhereThatFitsAndColumnsElsewhere) {
  const Table table = {{{"Kernel"}, {"n", Align::right}, {"What"}},
                       {{"ring", "7", "a ring of seven stages"}}};
  EXPECT_EQ(fitted(table, 0), markdown(table));
  EXPECT_EQ(fitted(table, 80), markdown(table));
  EXPECT_EQ(fitted(table, 24),
            "Kernel  n  What\n"
            "ring    7  a ring of\n"
            "           seven stages\n");
}

TEST(Fitted, WordsStayWholeAsLongAsAllColumnsFit) {
  const Table table = {{{"Name"}, {"Runs on"}}, {{"persistent_kernel", "sm_90a, sm_100a, sm_120a"}}};
  for (const int width : {27, 30, 36}) {
    const std::string out = fitted(table, width);
    EXPECT_NE(out.find("persistent_kernel"), std::string::npos) << out;
    EXPECT_NE(out.find("sm_120a"), std::string::npos) << out;
  }
  const std::string narrow = fitted(table, 18);
  for (const std::string_view line : split(narrow, '\n')) EXPECT_LE(display_width(line), 18u) << line;
}

TEST(Columns, ControlCharactersFromAFileDoNotReachTheTerminal) {
  const Columns table = {{{""}, {"", Align::left, true}}, {{{"\x1b[2J"}, {"line\nbreak\x07"}}}};
  const std::string out = columns(table, 80, Paint());
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1);
}

TEST(Clip, KeepsWholeCharacters) {
  EXPECT_EQ(clip("größe", 3), "gr…");
  EXPECT_EQ(clip("漢字漢字", 5), "漢字…");
  EXPECT_EQ(clip_middle("folder/of/cutlass/dense_gemm.py", 20), "folder…dense_gemm.py");
}

TEST(Clip, CutsBetweenWordsWhereThatCostsLittle) {
  EXPECT_EQ(clip("203, 218, 205", 12), "203, 218, …");
  EXPECT_EQ(clip("203, 218, 205", 11), "203, 218, …");
  EXPECT_EQ(clip("a_very_long_name b", 14), "a_very_long_n…") << "there is no word to end at";
}

TEST(Wrap, BreaksLongWordsAfterAMark) {
  EXPECT_EQ(wrap("register-reallocation", 12), (std::vector<std::string>{"register-", "reallocation"}));
  EXPECT_EQ(wrap("x-abcdefghijkl", 8), (std::vector<std::string>{"x-abcdef", "ghijkl"}))
      << "too little before it";
}

TEST(Wrap, BreaksBetweenWordsAndInsideLongOnes) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("abcdefgh i", 3), (std::vector<std::string>{"abc", "def", "gh", "i"}));
  EXPECT_EQ(wrap("", 10), std::vector<std::string>{""});
}

TEST(Html, EscapesWhatCouldEscape) {
  EXPECT_EQ(html_escape("<script>\"'&</script>"), "&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;");
  EXPECT_EQ(html_escape(std::string("a\x1b\xFFz", 4)), "a\uFFFD\uFFFDz");
  EXPECT_EQ(text_element("a", {{"href", "\"><b>"}}, "<i>"), "<a href=\"&quot;&gt;&lt;b&gt;\">&lt;i&gt;</a>");
}

TEST(Svg, EscapesTextAndKeepsItsSize) {
  Svg svg;
  svg.text(1, 2, "</text><script>", "t");
  const std::string out = svg.document(10, 20, "d", "roles \"x\"");
  EXPECT_EQ(out.find("<script>"), std::string::npos);
  EXPECT_NE(out.find("viewBox=\"0 0 10 20\""), std::string::npos);
  EXPECT_NE(out.find("aria-label=\"roles &quot;x&quot;\""), std::string::npos);
}

TEST(Svg, ArrowHeadEndsAtItsGoal) {
  Svg svg;
  svg.arrow(0, 5, 100, 5, "a");
  EXPECT_NE(svg.document(1, 1, "", "").find("M100 5L93 8.5L93 1.5Z"), std::string::npos);
}

}  // namespace
}  // namespace cutelab::render
