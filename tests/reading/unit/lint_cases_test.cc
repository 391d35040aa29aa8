// Cases in tests/reading/cases also carry what rules say of them:
//   … # expect-lint: ID text            on this line rule ID finds something whose message holds the text
//   # expect-lint-passed: ID            ID was decided at least once in the file and found nothing
//   # expect-lint-undecided: ID text    ID could not decide a place, for a reason that holds the text
//   # expect-remedy: ID text           what the rule tells to do holds the text
//   # expect-mode: TENSOR MODE VERDICT  how accesses to a mode stay inside
//   # read-arch: sm_90a                 the target
//   # read-elects: yes|no               whether the wheel elects the thread of a bulk copy
// A finding that no line expects is a failure, of every rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/text.h"
#include "reading/lints.h"
#include "reading/read.h"

namespace cutelab {
namespace {
using evidence::Lint;
using evidence::Reading;

std::string cases_folder() { return std::string(CUTELAB_SOURCE_DIR) + "/tests/reading/cases"; }

std::vector<std::string> all_cases() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(cases_folder()))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

/// What follows a mark on a line, cut into its first word and the rest.
struct Expectation {
  std::string mark, id, text;
  int line = 0;
};

std::vector<Expectation> expectations_of(const std::string& path) {
  static constexpr const char* marks[] = {
      "expect-lint:", "expect-lint-passed:", "expect-lint-undecided:", "expect-mode:", "expect-remedy:",
      "read-arch:",   "read-elects:"};
  std::vector<Expectation> out;
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    for (const char* mark : marks) {
      const auto at = line.find(mark);
      if (at == std::string::npos) continue;
      const std::string rest(trim(std::string_view(line).substr(at + std::string_view(mark).size())));
      const auto space = rest.find(' ');
      out.push_back({mark, rest.substr(0, space),
                     space == std::string::npos ? "" : std::string(trim(rest.substr(space))), number});
    }
  }
  return out;
}

const Lint* lint_named(const Reading& reading, const std::string& id) {
  for (const Lint& lint : reading.lints)
    if (lint.id == id) return &lint;
  return nullptr;
}

class LintCase : public ::testing::TestWithParam<std::string> {
 protected:
  static void check(const Reading& reading, const Expectation& e) {
    if (e.mark == "expect-mode:") {
      const auto space = e.text.find(' ');
      const bool found =
          std::any_of(reading.boundaries.begin(), reading.boundaries.end(), [&](const auto& m) {
            return m.tensor == e.id && m.mode == e.text.substr(0, space) &&
                   m.verdict == e.text.substr(space + 1);
          });
      EXPECT_TRUE(found) << e.id << " " << e.text;
      return;
    }
    if (e.mark.starts_with("read-")) return;
    const Lint* lint = lint_named(reading, e.id);
    ASSERT_NE(lint, nullptr) << "no rule " << e.id;
    if (e.mark == "expect-remedy:") {
      EXPECT_NE(lint->remedy.find(e.text), std::string::npos) << e.id << ": " << lint->remedy;
    } else if (e.mark == "expect-lint-passed:") {
      EXPECT_GT(lint->decided, 0) << e.id;
      EXPECT_TRUE(lint->findings.empty()) << e.id << ": " << lint->findings.front().message;
    } else if (e.mark == "expect-lint-undecided:") {
      const bool found = std::any_of(lint->undecided.begin(), lint->undecided.end(),
                                     [&](auto& u) { return u.reason.find(e.text) != std::string::npos; });
      EXPECT_TRUE(found) << e.id << " has " << lint->undecided.size() << " undecided places, none says "
                         << e.text;
      EXPECT_TRUE(lint->findings.empty()) << e.id;
    } else {
      check_finding(*lint, e);
    }
  }

  static void check_finding(const Lint& lint, const Expectation& e) {
    std::string seen;
    for (const auto& finding : lint.findings) {
      if (finding.at.front().line() == e.line && finding.message.find(e.text) != std::string::npos) return;
      seen += "\n  " + std::to_string(finding.at.front().line()) + ": " + finding.message;
    }
    for (const auto& why : lint.undecided) seen += "\n  undecided: " + why.reason;
    ADD_FAILURE() << e.id << " should say on line " << e.line << ": " << e.text << seen;
  }

  static void check_nothing_else(const Reading& reading, const std::vector<Expectation>& expected) {
    for (const Lint& lint : reading.lints)
      for (const auto& finding : lint.findings) {
        const bool known = std::any_of(expected.begin(), expected.end(), [&](const Expectation& e) {
          return e.mark == "expect-lint:" && e.id == lint.id && e.line == finding.at.front().line();
        });
        EXPECT_TRUE(known) << lint.id << " finds on line " << finding.at.front().line() << ": "
                           << finding.message;
      }
  }
};

TEST_P(LintCase, FindsWhatTheFileExpectsAndNothingElse) {
  reading::Request request;
  request.path = cases_folder() + "/" + GetParam();
  const auto expected = expectations_of(request.path);
  reading::LintTarget target;
  for (const Expectation& e : expected) {
    if (e.mark == "read-arch:") request.arch = target.arch = e.id;
    if (e.mark == "read-elects:") target.bulk_copy_elects = e.id == "yes";
  }
  auto result = reading::read(request, DiskFileSource());
  ASSERT_TRUE(result.ok()) << result.error().message();
  if (target.bulk_copy_elects) reading::run_lints(*result, target);
  for (const Expectation& e : expected) check(*result, e);
  check_nothing_else(*result, expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, LintCase, ::testing::ValuesIn(all_cases()), [](const auto& one) {
  std::string name = one.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(Lints, EveryRuleHasACaseThatItFindsAndOneThatPasses) {
  std::set<std::string> found, passed;
  for (const std::string& name : all_cases())
    for (const Expectation& e : expectations_of(cases_folder() + "/" + name)) {
      if (e.mark == "expect-lint:") found.insert(e.id);
      if (e.mark == "expect-lint-passed:") passed.insert(e.id);
    }
  reading::Request request;
  request.path = cases_folder() + "/plain_kernel.py";
  const auto reading = reading::read(request, DiskFileSource());
  ASSERT_TRUE(reading.ok());
  EXPECT_GE(reading->lints.size(), 20u);
  for (const Lint& lint : reading->lints) {
    EXPECT_TRUE(found.count(lint.id)) << lint.id << " has no case that it finds";
    EXPECT_TRUE(passed.count(lint.id)) << lint.id << " has no case that passes";
    EXPECT_FALSE(lint.title.empty() || lint.remedy.empty()) << lint.id;
  }
}

}  // namespace
}  // namespace cutelab
