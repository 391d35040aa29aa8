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

}  // namespace
}  // namespace cutelab::report
