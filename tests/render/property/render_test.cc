#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "base/text.h"
#include "render/columns.h"
#include "render/highlight.h"

namespace cutelab::render {
namespace {

std::string random_text(std::mt19937& random, const std::vector<std::string>& pieces, int most) {
  std::string out;
  for (int i = static_cast<int>(random() % static_cast<unsigned>(most + 1)); i > 0; --i)
    out += pieces[random() % pieces.size()];
  return out;
}

const std::vector<std::string> cell_pieces = {
    "word ", "a ", "漢字", "größe ", "\n", "\x1b[1m", "\xFF", "self.num_ab_stage", " "};

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : printable(text))
    if (c != ' ' && c != '\n' && c != '\t') out += c;
  return out;
}

TEST(ColumnsProperty, Post1And4WidthAndNoTrailingBlank) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Columns table;
    table.columns = {{"name"}, {"n", Align::right}, {"why", Align::left, true}, {"", Align::left, true}};
    for (int r = 0; r < 5; ++r) {
      auto& row = table.rows.emplace_back();
      for (int c = 0; c < 4; ++c) row.push_back({random_text(random, cell_pieces, 12)});
    }
    const int width = 40 + static_cast<int>(random() % 80);
    const std::string out = columns(table, width, Paint());
    for (const auto line : split(out, '\n')) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << "seed " << seed << ": " << line;
      EXPECT_FALSE(line.ends_with(' ')) << "seed " << seed << ": '" << line << "'";
    }
  }
}

TEST(ColumnsProperty, Post3WrappingLosesNothing) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_text(random, cell_pieces, 30);
    const Columns table = {{{"", Align::left, true}}, {{{text}}}};
    EXPECT_EQ(without_blanks(columns(table, 24, Paint())), without_blanks(text)) << "seed " << seed;
  }
}

/// Tags removed, entities decoded; fails when a tag stays open.
std::string plain(const std::string& html) {
  std::string out;
  int open = 0;
  for (std::size_t i = 0; i < html.size(); ++i) {
    if (html[i] != '<') {
      out += html[i];
      continue;
    }
    open += html[i + 1] == '/' ? -1 : 1;
    i = html.find('>', i);
  }
  EXPECT_EQ(open, 0) << html;
  for (const auto& [entity, character] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    out = replace_all(out, entity, character);
  return out;
}

const std::vector<std::string> source_pieces = {
    "def f",     "(x)",       ":\n",     "    ", "\"\"\"", "'''",  "'",   "\"", "\\",   "# c",
    "\n",        "@cute.jit", "0x1F",    "1e-3", "r\"",    "R\"(", ")\"", "//", "/*",   "*/",
    "#define X", "&<>",       "class K", "\xFF", "\r\n",   "漢",   "if ", "\t", "1'000"};

TEST(HighlightProperty, Posts1To3OnRandomText) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_text(random, source_pieces, 60) + "x";
    auto lines = split(text, '\n');
    const auto html = highlight(text, seed % 2 ? SourceLanguage::python : SourceLanguage::cpp);
    ASSERT_EQ(html.size(), lines.size()) << "seed " << seed;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string_view line = lines[i];
      if (line.ends_with('\r') && i + 1 < lines.size()) line.remove_suffix(1);
      EXPECT_EQ(plain(html[i]), printable(line)) << "seed " << seed << " line " << i + 1;
    }
  }
}

TEST(Highlight, Tokens) {
  EXPECT_EQ(highlight("def f(x): return 1  # <c>\n", SourceLanguage::python),
            std::vector<std::string>{
                "<i class=k>def</i> <i class=f>f</i>(x): <i class=k>return</i> <i class=n>1</i>  <i "
                "class=c># &lt;c&gt;</i>"});
  EXPECT_EQ(highlight("a = \"\"\"x\ny\"\"\"", SourceLanguage::python),
            (std::vector<std::string>{"a = <i class=s>&quot;&quot;&quot;x</i>",
                                      "<i class=s>y&quot;&quot;&quot;</i>"}));
  EXPECT_EQ(highlight("@cute.kernel", SourceLanguage::python),
            std::vector<std::string>{"<i class=d>@cute.kernel</i>"});
  EXPECT_EQ(highlight("#include <x>\nint a = 1'000; // c", SourceLanguage::cpp),
            (std::vector<std::string>{"<i class=d>#include</i> &lt;x&gt;",
                                      "<i class=k>int</i> a = <i class=n>1&#39;000</i>; <i "
                                      "class=c>// c</i>"}));
}

}  // namespace
}  // namespace cutelab::render
