// GCC with sanitizers reports members of <regex> as uninitialised that are not; the pragma has to precede the
// header.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "report/html.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <utility>

#include "base/text.h"
#include "report/sample.h"

namespace cutelab::report {
namespace {
using testing::hostile_reading;
using testing::hostile_source;
using testing::sample_reading;
using testing::sample_source;

/// The page between <body> and the script, where only our own markup may stand.
std::string body_of(const std::string& page) {
  const auto begin = page.find("<body>"), end = page.find("<script>", begin);
  EXPECT_NE(begin, std::string::npos);
  EXPECT_NE(end, std::string::npos);
  return page.substr(begin + 6, end - begin - 6);
}

std::set<std::string> all_matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  std::set<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
    out.insert((*it)[1]);
  return out;
}

/// Every tag of `body`: known name, attributes well formed, closed in order.
void expect_well_formed(const std::string& body) {
  static const std::set<std::string> known = {
      "a",    "header", "h1",   "h2",   "h3",    "span",   "nav",   "kbd",    "button",  "section",
      "main", "p",      "ul",   "li",   "small", "table",  "thead", "tbody",  "tr",      "th",
      "td",   "code",   "div",  "b",    "i",     "form",   "label", "input",  "select",  "option",
      "svg",  "title",  "rect", "line", "path",  "circle", "text",  "output", "details", "summary"};
  static const std::regex attributes(R"re(( [a-zA-Z0-9-]+(="[^"<>]*"|=[a-z])?)*/?)re", std::regex::optimize);
  std::vector<std::string> open;
  for (std::size_t at = body.find('<'); at != std::string::npos; at = body.find('<', at + 1)) {
    const std::size_t end = body.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = body.substr(at + 1, end - at - 1);
    const bool closing = tag[0] == '/';
    const std::string name = tag.substr(closing, tag.find_first_of(" /", closing) - closing);
    ASSERT_TRUE(known.count(name)) << tag.substr(0, 200);
    if (closing) {
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ(open.back(), name);
      open.pop_back();
      continue;
    }
    if (tag.size() < 2000) {
      ASSERT_TRUE(std::regex_match(tag.substr(name.size()), attributes)) << tag;
    }
    if (name != "input" && tag.back() != '/') open.push_back(name);
  }
  EXPECT_TRUE(open.empty()) << open.back();
}

TEST(Html, TheSourcePaneOpensAtTheKernel) {
  const std::string page = html(sample_reading(), {sample_source()});
  std::string line;
  for (const auto& function : sample_reading().functions)
    if (function.kind == evidence::Function::Kind::kernel) line = std::to_string(function.at.line());
  EXPECT_NE(page.find("data-open=\"L" + line + "\""), std::string::npos) << line;
  EXPECT_NE(page.find("id=\"L" + line + "\""), std::string::npos);
}

TEST(HtmlView, WellFormed) {
  expect_well_formed(body_of(html(sample_reading(), {sample_source()})));
  expect_well_formed(body_of(html(evidence::Reading{}, {})));
}

TEST(HtmlView, Post1HostileTextStaysText) {
  const std::string page = html(hostile_reading(), {hostile_source(), hostile_source()});
  expect_well_formed(body_of(page));
  const std::string lower = to_lower(page);
  EXPECT_EQ(lower.find("<img"), std::string::npos);
  EXPECT_EQ(lower.find("<script", lower.find("<script") + 1), std::string::npos);
  EXPECT_EQ(lower.find("</style", lower.find("</style") + 1), std::string::npos);
  EXPECT_EQ(page, replace_all(printable(page), "\x1b", ""));
}

TEST(HtmlView, Post2EveryLinkHasItsGoal) {
  const std::vector<std::pair<evidence::Reading, std::vector<std::string>>> cases = {
      {sample_reading(), {sample_source()}},
      {sample_reading(), {}},
      {hostile_reading(), {hostile_source(), "one\ntwo\n"}},
      {{}, {}}};
  for (const auto& [reading, texts] : cases) {
    const std::string body = body_of(html(reading, texts));
    const auto ids = all_matches(body, " id=\"([^\"]*)\"");
    for (const std::string& goal : all_matches(body, " href=\"#([^\"]*)\""))
      EXPECT_TRUE(ids.count(goal)) << goal;
  }
}

TEST(HtmlView, Post2FactsLeadToTheirLinesAndBack) {
  const auto reading = sample_reading();
  const std::string page = html(reading, {sample_source()});
  for (std::size_t i = 0; i < reading.facts.size(); ++i) {
    const std::string fact = "F" + std::to_string(i), line = "L" + std::to_string(reading.facts[i].at.line());
    EXPECT_NE(page.find("<li id=\"" + fact + "\""), std::string::npos);
    const auto row = page.find("id=\"" + line + "\"");
    ASSERT_NE(row, std::string::npos) << line;
    EXPECT_NE(page.substr(row, page.find("</div>", row) - row).find("href=\"#" + fact + "\""),
              std::string::npos)
        << fact << " " << line;
  }
}

TEST(HtmlView, NeedsNothingFromOutside) {
  const std::string page = html(sample_reading(), {sample_source()});
  EXPECT_EQ(page.find("http"), page.find("http-equiv")) << "the policy is the first";
  std::string rest = page.substr(page.find("http-equiv") + 10);
  rest = replace_all(rest, "xmlns=\"http://www.w3.org/2000/svg\"", "");
  EXPECT_EQ(rest.find("http"), std::string::npos);
  EXPECT_EQ(rest.find("url("), std::string::npos);
  EXPECT_EQ(rest.find(" src="), std::string::npos);
}

TEST(HtmlView, IdsAreUnique) {
  const std::string body = body_of(html(hostile_reading(), {hostile_source(), "one\ntwo\n"}));
  std::set<std::string> seen;
  const std::regex expression(" id=\"([^\"]*)\"");
  for (std::sregex_iterator it(body.begin(), body.end(), expression), end; it != end; ++it)
    EXPECT_TRUE(seen.insert((*it)[1]).second) << (*it)[1];
}

evidence::Value compiled_text(const char* text) {
  evidence::Value value = evidence::literal(text);
  value.known_by = evidence::KnownBy::compiled;
  return value;
}

/// A view of shared memory on line 2, with what the compiler states, and a comparison that names it.
std::pair<evidence::Reading, evidence::Comparison> compiled_view(const char* layout) {
  evidence::Reading reading;
  reading.files = {{"k.py", "", 3}};
  evidence::Fact fact;
  fact.family = evidence::Family::D6;
  fact.kind = "swizzle-applied";
  fact.subject = "sA";
  fact.says = "swizzle applied";
  fact.at.span.line = fact.at.span.end_line = 2;
  fact.values = {{"layout", compiled_text(layout)},
                 {"element", compiled_text("f16")},
                 {"offset", compiled_text("1024")}};
  reading.facts = {fact, fact};
  evidence::Comparison comparison;
  comparison.files = reading.files;
  comparison.arch = "sm_90a";
  comparison.compiler = "CuTe DSL <4.8.1>";
  comparison.facts = {{evidence::Agreement::differ,
                       fact.family,
                       fact.kind,
                       fact.subject,
                       fact.at,
                       {{"stages", evidence::literal(std::int64_t{4}), evidence::literal(std::int64_t{7}),
                         evidence::Agreement::differ}},
                       ""}};
  return {reading, comparison};
}

TEST(HtmlCompiled, TheMarginCarriesMarksValuesAndOneDrawingForEachLayout) {
  const auto [reading, comparison] = compiled_view("S<3,4,3> o 0 o (8,64):(64,1)");
  const std::string page = html(reading, {"a\nb\nc\n"}, nullptr, &comparison);
  EXPECT_NE(page.find("Compiled for sm_90a"), std::string::npos);
  EXPECT_NE(page.find("CuTe DSL &lt;4.8.1&gt;"), std::string::npos);
  EXPECT_NE(page.find("<b class=\"differ\" title=\"differ\">≠</b>"), std::string::npos);
  EXPECT_NE(page.find("<i>stages</i> 4, compiled 7"), std::string::npos);
  EXPECT_NE(page.find("<i>offset</i> 1024"), std::string::npos);
  const auto count = [&](const std::string& part) {
    int found = 0;
    for (auto at = page.find(part); at != std::string::npos; at = page.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<symbol "), 1) << "drawn once";
  EXPECT_EQ(count("<use href=\"#layout1\""), 2) << "shown at both facts";
  // Eight rows of eight units of 16 bytes, each row's order XORed with its number: rows differ in the first
  // unit.
  for (int row = 0; row < 8; ++row)
    EXPECT_NE(
        page.find("<path class=\"u" + std::to_string(row) + "\" d=\"M0 0h24v3h-24z") == std::string::npos,
        row == 0)
        << row;
  EXPECT_NE(html(reading, {"a\nb\nc\n"}).find("<b class=\"differ\""), 0u);
  EXPECT_EQ(html(reading, {"a\nb\nc\n"}).find("<symbol "), std::string::npos) << "no comparison, no drawing";
}

TEST(HtmlCompiled, WhatCannotBeDrawnStandsAsText) {
  for (const char* layout : {"S<3,4,3> o 0 o (?,64):(64,1)", "<script>", "((("}) {
    const auto [reading, comparison] = compiled_view(layout);
    const std::string page = html(reading, {"a\nb\nc\n"}, nullptr, &comparison);
    EXPECT_EQ(page.find("<symbol "), std::string::npos) << layout;
    EXPECT_EQ(page.find("<code><script>"), std::string::npos);
  }
}

}  // namespace
}  // namespace cutelab::report
