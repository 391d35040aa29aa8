#include "report/lint_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/counted.h"
#include "base/text.h"
#include "render/columns.h"
#include "report/model.h"

namespace cutelab::report {
namespace {
using evidence::Lint;
using evidence::Severity;
using render::Align;
using render::Columns;
using render::Style;

constexpr std::size_t most_reasons = 3;

Style style_of(Severity severity) {
  return severity == Severity::error     ? Style::bad
         : severity == Severity::warning ? Style::warn
                                         : Style::plain;
}

std::string where(const evidence::Reading& reading, const evidence::LintFinding& finding) {
  if (finding.at.empty()) return "";
  const evidence::Location& at = finding.at.front();
  return at.file == 0 && at.known() ? fmt::format(":{}", at.line()) : place(reading, at);
}

struct Sums {
  int by_severity[3] = {0, 0, 0};
  int decided = 0, undecided = 0;
  std::map<std::string, int> reasons;
  int by_wheel = 0;  ///< names that need some version of the wheel
  std::string newest_wheel;
};

/// What only the wheel's version decides is said once, with the latest version that a name needs.
void count(const std::string& reason, Sums& sums) {
  static constexpr std::string_view words = "needs wheel >= ";
  const auto needs = reason.find(words);
  if (needs == std::string::npos) {
    ++sums.reasons[reason];
    return;
  }
  ++sums.by_wheel;
  const std::string rest = reason.substr(needs + words.size());
  const std::string version = rest.substr(0, rest.find_first_not_of("0123456789."));
  const bool later = version.size() != sums.newest_wheel.size() ? version.size() > sums.newest_wheel.size()
                                                                : version > sums.newest_wheel;
  if (later) sums.newest_wheel = version;
}

Sums sums_of(const evidence::Reading& reading) {
  Sums sums;
  for (const Lint& lint : reading.lints) {
    sums.by_severity[static_cast<std::size_t>(lint.severity)] += static_cast<int>(lint.findings.size());
    sums.decided += lint.decided;
    sums.undecided += static_cast<int>(lint.undecided.size());
    for (const auto& why : lint.undecided) count(why.reason, sums);
  }
  return sums;
}

std::string title_of(const evidence::Reading& reading, const Sums& sums) {
  std::vector<std::string> found;
  static constexpr const char* names[] = {"note", "warning", "error"};
  for (int s = 2; s >= 0; --s)
    if (sums.by_severity[s] > 0) found.push_back(counted(sums.by_severity[s], names[s]));
  return fmt::format("rules: {}; {} held to {}, {} could not be decided",
                     found.empty() ? "nothing found" : join(found, ", "), counted(sums.decided, "place"),
                     counted(static_cast<int>(reading.lints.size()), "rule"), sums.undecided);
}

Columns findings(const evidence::Reading& reading) {
  Columns columns = {{{""}, {"", Align::right}, {""}, {"", Align::left, true, 24}}, {}};
  for (int s = 2; s >= 0; --s)
    for (const Lint& lint : reading.lints) {
      if (static_cast<int>(lint.severity) != s) continue;
      for (const auto& finding : lint.findings) {
        columns.rows.push_back({{name_of(lint.severity), style_of(lint.severity)},
                                {where(reading, finding), Style::place},
                                {lint.id, Style::strong},
                                {finding.message}});
        if (!finding.formula.empty()) columns.rows.push_back({{}, {}, {}, {finding.formula, Style::faint}});
      }
    }
  return columns;
}

Columns undecided(const evidence::Reading& reading) {
  Columns columns = {{{"could not be decided"}, {"place"}, {"because", Align::left, true, 24}}, {}};
  for (const Lint& lint : reading.lints)
    for (const auto& why : lint.undecided)
      columns.rows.push_back({{lint.id, Style::strong},
                              {why.at.known() ? place(reading, why.at) : "", Style::place},
                              {why.reason}});
  return columns;
}

Columns modes(const evidence::Reading& reading) {
  Columns columns = {{{"tensor"}, {"mode"}, {"stays inside"}, {"place"}, {"because", Align::left, true, 24}},
                     {}};
  for (const auto& mode : reading.boundaries)
    columns.rows.push_back({{mode.tensor, Style::strong},
                            {mode.mode},
                            {mode.verdict, mode.verdict == "unguarded" ? Style::warn : Style::plain},
                            {place(reading, mode.at), Style::place},
                            {mode.says}});
  return columns;
}
}  // namespace

std::string lints(const evidence::Reading& reading, const ViewOptions& options, bool everything) {
  if (reading.lints.empty()) return "";
  const Sums sums = sums_of(reading);
  std::string out = options.paint(Style::heading, title_of(reading, sums)) + "\n";
  out += render::columns(findings(reading), options.width, options.paint);
  if (everything) {
    if (sums.undecided > 0) out += "\n" + render::columns(undecided(reading), options.width, options.paint);
    if (!reading.boundaries.empty())
      out += "\n" + render::columns(modes(reading), options.width, options.paint);
    return out;
  }
  std::vector<std::pair<int, std::string>> top;
  for (const auto& [reason, count] : sums.reasons) top.emplace_back(-count, reason);
  std::sort(top.begin(), top.end());
  if (top.size() > most_reasons) top.resize(most_reasons);
  std::vector<std::string> said;
  for (const auto& [count, reason] : top)
    said.push_back(-count > 1 ? fmt::format("{} ({})", reason, -count) : reason);
  if (sums.by_wheel > 0)
    said.push_back(fmt::format("{} {} wheel >= {}", counted(sums.by_wheel, "name"),
                               sums.by_wheel == 1 ? "needs" : "need", sums.newest_wheel));
  if (!said.empty())
    for (const std::string& line :
         render::wrap(render::one_line("undecided: " + join(said, "; ")), options.width - 2))
      out += "  " + line + "\n";
  return out;
}

}  // namespace cutelab::report
