// Every file in tests/reading/cases carries its own expected facts as comments:
//   … # expect: FAMILY kind [name=value …] [; FAMILY kind …]   a fact of that family and kind stands on this
//   line, with those values; says=TEXT: its sentence holds the text, spaces left out; formula=TEXT: of a
//   value … # expect-role: NAME the facts on this line stand in that role # expect-pattern: P3 present|absent
//   [default_active|inactive] [kind=…] [condition=…] [VALUE=…] # expect-evidence: P8   this line is evidence
//   of that pattern # expect-first: P8   … and the most telling   # expect-no-evidence: P8   this line is
//   none # expect-style: class # expect-arch: sm_90a            # expect-constraint: text # with: dsl-sources
//   read with the DSL's own sources at hand # expect-rule: VERDICT text            a stated rule has that
//   verdict, and says the text # expect-default: NAME BY=VALUE …      defaults that disagree, all of them,
//   the one taken first # expect-no-default: NAME              no such disagreement # expect-give-up: text
//   the run could not follow the program, for a reason that holds the text # read-set: NAME=VALUE read with
//   this setting # expect-none: FAMILY kind   no such fact on this line # expect-why: P10 text   the sentence
//   of a pattern holds the text # expect-summary: text   what the file says of itself; "none" = nothing
//   # expect-need: sm_90 text   what the architecture's least on this line is, and why
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "reading/read.h"

namespace cutelab {
namespace {

using evidence::Reading;

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

class ReadingCase : public ::testing::TestWithParam<std::string> {
 protected:
  static std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out;
    for (const auto word : split(trim(text), ' '))
      if (!word.empty()) out.emplace_back(word);
    return out;
  }

  static bool carries(const evidence::Fact& fact, const std::vector<std::string>& wanted) {
    for (std::size_t i = 2; i < wanted.size(); ++i) {
      const auto equals = wanted[i].find('=');
      if (wanted[i].starts_with("says=")) {
        if (without_spaces(fact.says).find(wanted[i].substr(5)) == std::string::npos) return false;
        continue;
      }
      if (wanted[i].starts_with("formula=")) {
        if (std::none_of(fact.values.begin(), fact.values.end(),
                         [&](auto& v) { return without_spaces(v.second.formula) == wanted[i].substr(8); }))
          return false;
        continue;
      }
      const auto value = fact.values.find(wanted[i].substr(0, equals));
      if (value == fact.values.end() || without_spaces(value->second.text()) != wanted[i].substr(equals + 1))
        return false;
    }
    return true;
  }

  static std::string facts_on(const Reading& reading, int line) {
    std::string out;
    for (const auto& f : reading.facts) {
      if (f.at.line() != line) continue;
      out += std::string("\n  ") + evidence::name_of(f.family) + " " + f.kind + " role=" + f.role;
      for (const auto& [name, value] : f.values) out += " " + name + "=" + value.text();
    }
    return out;
  }

  static void check_fact(const Reading& reading, int line, std::string_view text) {
    const auto wanted = words(text);
    ASSERT_GE(wanted.size(), 2u) << "malformed expectation on line " << line;
    const bool found = std::any_of(reading.facts.begin(), reading.facts.end(), [&](const evidence::Fact& f) {
      return f.at.line() == line && wanted[0] == evidence::name_of(f.family) && wanted[1] == f.kind &&
             carries(f, wanted);
    });
    EXPECT_TRUE(found) << "line " << line << " wants " << text << ", has" << facts_on(reading, line);
  }

  static void check_pattern(const Reading& reading, std::string_view text) {
    const auto wanted = words(text);
    const auto found = std::find_if(reading.patterns.begin(), reading.patterns.end(),
                                    [&](auto& p) { return p.id == wanted[0]; });
    ASSERT_NE(found, reading.patterns.end());
    for (std::size_t i = 1; i < wanted.size(); ++i) {
      const std::string& word = wanted[i];
      if (word == "present") {
        EXPECT_TRUE(found->present) << text << ": " << found->says;
      }
      if (word == "absent") {
        EXPECT_FALSE(found->present) << text << ": " << found->says;
      }
      if (word == "default_active") {
        EXPECT_EQ(found->default_active, evidence::Tristate::yes) << text;
      }
      if (word == "inactive") {
        EXPECT_EQ(found->default_active, evidence::Tristate::no) << text;
      }
      if (word.starts_with("kind=")) {
        EXPECT_EQ(found->kind, word.substr(5));
      }
      if (word.starts_with("condition=")) {
        EXPECT_EQ(found->condition, word.substr(10));
      } else if (const auto equals = word.find('=');
                 equals != std::string::npos && !word.starts_with("kind=")) {
        const auto value = found->values.find(word.substr(0, equals));
        ASSERT_NE(value, found->values.end()) << text;
        EXPECT_EQ(value->second.text(), word.substr(equals + 1)) << text;
      }
    }
    if (found->present) {
      EXPECT_FALSE(found->at.empty()) << text << " without a line";
    }
  }

  static void check_rule(const Reading& reading, std::string_view text) {
    const auto space = text.find(' ');
    const std::string verdict(text.substr(0, space)), says(trim(text.substr(std::min(space, text.size()))));
    std::string seen;
    for (const auto& c : reading.constraints) {
      if (verdict == name_of(c.verdict) && c.says.find(says) != std::string::npos) return;
      seen += std::string("\n  ") + name_of(c.verdict) + " " + c.says;
    }
    ADD_FAILURE() << "no rule is " << text << ", they are" << seen;
  }

  static void check_default(const Reading& reading, std::string_view text) {
    std::string seen;
    for (const auto& conflict : reading.default_conflicts) {
      std::string one = conflict.name;
      for (const auto& s : conflict.stated) one += " " + s.by + "=" + without_spaces(s.value.text());
      if (one == text) return;
      seen += "\n  " + one;
    }
    ADD_FAILURE() << "no defaults disagree as " << text << ", but" << seen;
  }

  static void check_whole(const Reading& reading, std::string_view line) {
    const auto after = [&](std::string_view mark) {
      const auto at = line.find(mark);
      return at == std::string_view::npos ? std::string_view() : trim(line.substr(at + mark.size()));
    };
    if (const auto rule = after("expect-rule:"); !rule.empty()) check_rule(reading, rule);
    if (const auto stated = after("expect-default:"); !stated.empty()) check_default(reading, stated);
    if (const auto none = after("expect-no-default:"); !none.empty()) {
      for (const auto& conflict : reading.default_conflicts) EXPECT_NE(conflict.name, none);
    }
    if (const auto summary = after("expect-summary:"); !summary.empty()) {
      EXPECT_EQ(reading.summary, summary == "none" ? "" : summary);
    }
    if (const auto why = after("expect-why:"); !why.empty()) {
      for (const auto& p : reading.patterns) {
        if (!why.starts_with(p.id + " ")) continue;
        EXPECT_NE(p.says.find(why.substr(p.id.size() + 1)), std::string::npos) << p.says;
      }
    }
    if (const auto why = after("expect-give-up:"); !why.empty()) {
      const bool found = std::any_of(reading.give_ups.begin(), reading.give_ups.end(),
                                     [&](auto& g) { return g.reason.find(why) != std::string::npos; });
      EXPECT_TRUE(found) << "no give-up says " << why;
    }
  }

  /// Where a line stands in a pattern's evidence; -1 = not there.
  static int place_in_evidence(const Reading& reading, int line, std::string_view pattern) {
    for (const auto& p : reading.patterns)
      if (p.id == pattern)
        for (std::size_t i = 0; i < p.at.size(); ++i)
          if (p.at[i].line() == line) return static_cast<int>(i);
    return -1;
  }

  static void check_absent(const Reading& reading, int line, std::string_view text) {
    const auto wanted = words(text);
    if (wanted.size() < 2) return;
    for (const auto& f : reading.facts)
      EXPECT_FALSE(f.at.line() == line && wanted[0] == evidence::name_of(f.family) && wanted[1] == f.kind &&
                   carries(f, wanted))
          << "line " << line << " has " << text;
  }

  static void check_line(const Reading& reading, int number, std::string_view line) {
    const auto after = [&](std::string_view mark) {
      const auto at = line.find(mark);
      return at == std::string_view::npos ? std::string_view() : trim(line.substr(at + mark.size()));
    };
    if (const auto facts = after("expect:"); !facts.empty())
      for (const auto one : split(facts, ';')) check_fact(reading, number, one);
    if (const auto pattern = after("expect-pattern:"); !pattern.empty()) check_pattern(reading, pattern);
    check_absent(reading, number, after("expect-none:"));
    for (const std::string& id : words(after("expect-evidence:")))
      EXPECT_GE(place_in_evidence(reading, number, id), 0)
          << "line " << number << " is no evidence of " << id;
    for (const std::string& id : words(after("expect-no-evidence:")))
      EXPECT_LT(place_in_evidence(reading, number, id), 0) << "line " << number << " is evidence of " << id;
    for (const std::string& id : words(after("expect-first:")))
      EXPECT_EQ(place_in_evidence(reading, number, id), 0)
          << "line " << number << " is not the first of " << id;
    if (const auto arch = after("expect-arch:"); !arch.empty()) {
      EXPECT_EQ(reading.arch.minimum, arch);
    }
    if (const auto need = after("expect-need:"); !need.empty()) {
      const bool found = std::any_of(reading.arch.lines.begin(), reading.arch.lines.end(), [&](auto& one) {
        return one.at.line() == number && one.minimum + " " + one.reason == need;
      });
      EXPECT_TRUE(found) << "line " << number << " does not need " << need;
    }
    if (const auto style = after("expect-style:"); !style.empty()) {
      EXPECT_EQ(reading.style, style);
    }
    if (const auto role = after("expect-role:"); !role.empty()) {
      const bool found = std::any_of(reading.facts.begin(), reading.facts.end(),
                                     [&](auto& f) { return f.at.line() == number && f.role == role; });
      EXPECT_TRUE(found) << "line " << number << " wants role " << role << ", has"
                         << facts_on(reading, number);
    }
    if (const auto rule = after("expect-constraint:"); !rule.empty()) {
      const bool found = std::any_of(reading.constraints.begin(), reading.constraints.end(),
                                     [&](auto& c) { return c.text.find(rule) != std::string::npos; });
      EXPECT_TRUE(found) << "no constraint says: " << rule;
    }
  }
};

std::string folder() { return std::string(CUTELAB_SOURCE_DIR) + "/tests/reading/cases"; }

std::vector<std::string> case_names() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::pair<std::string, std::string>> settings_of(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find("read-set:");
    if (at == std::string::npos) continue;
    const std::string setting(trim(std::string_view(line).substr(at + 9)));
    const auto equals = setting.find('=');
    out.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return out;
}

TEST_P(ReadingCase, SaysWhatTheFileExpects) {
  reading::Request request;
  request.path = folder() + "/" + GetParam();
  std::stringstream text;
  text << std::ifstream(request.path).rdbuf();
  if (text.str().find("# with: dsl-sources") != std::string::npos) {
    const std::string sources = CUTELAB_DEPS_DIR "/dsl-sources/nvidia_cutlass_dsl/dsl_packages";
    if (!std::filesystem::exists(sources)) GTEST_SKIP() << "the part 'dsl-sources' is not set up";
    request.library_roots = {sources};
  }
  request.settings = settings_of(request.path);
  const auto result = reading::read(request, DiskFileSource());
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_TRUE(result->problems.empty())
      << result->problems.front().what << " on line " << result->problems.front().at.line();
  std::ifstream file(request.path);
  std::string line;
  int number = 0, expectations = 0;
  while (std::getline(file, line)) {
    ++number;
    if (line.find("expect") != std::string::npos) ++expectations;
    check_line(*result, number, line);
    check_whole(*result, line);
  }
  EXPECT_GT(expectations, 0) << "a case without an expectation";
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string out = info.param;
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(Cases, ReadingCase, ::testing::ValuesIn(case_names()), test_name);

}  // namespace
}  // namespace cutelab
