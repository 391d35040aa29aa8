#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "report/model.h"

namespace cutelab::report {
using evidence::Fact;
using evidence::Reading;
using evidence::Value;

std::string shown(const Value& value) {
  if (value.determined()) return value.text();
  if (value.undetermined() && !value.formula.empty()) return "? = " + value.formula;
  return value.text();
}

std::string short_name(const std::string& qualified) { return qualified.substr(qualified.rfind('.') + 1); }

std::string place(const Reading& reading, const evidence::Location& at) {
  const auto file = static_cast<std::size_t>(at.file);
  if (!at.known() || at.file < 0 || file >= reading.files.size()) return "?";
  const std::string& path = reading.files[file].path;
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), at.line());
}

std::string lines_text(const std::vector<evidence::Location>& at, std::size_t most) {
  std::vector<std::pair<int, int>> runs;  // first and last line
  for (const auto& location : at) {
    if (!location.known() || location.file != 0) continue;
    const int line = location.line();
    const bool known = std::any_of(runs.begin(), runs.end(),
                                   [&](auto& run) { return run.first <= line && line <= run.second; });
    if (known) continue;
    if (!runs.empty() && line == runs.back().second + 1)
      runs.back().second = line;
    else
      runs.emplace_back(line, line);
  }
  std::string out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i == most) return out + " …";
    const auto [first, last] = runs[i];
    out += (out.empty() ? "" : ", ") +
           (first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last));
  }
  return out;
}

std::string verdict_text(evidence::Constraint::Verdict verdict) {
  using Verdict = evidence::Constraint::Verdict;
  if (verdict == Verdict::not_understood) return "";
  return verdict == Verdict::undetermined ? "?" : evidence::name_of(verdict);
}

render::Style verdict_style(evidence::Constraint::Verdict verdict) {
  using Verdict = evidence::Constraint::Verdict;
  if (verdict == Verdict::satisfied) return render::Style::good;
  return verdict == Verdict::not_understood ? render::Style::plain : render::Style::warn;
}

std::string stated_text(const evidence::DefaultConflict& conflict) {
  std::vector<std::string> parts;
  for (const auto& stated : conflict.stated) parts.push_back(stated.by + " " + stated.value.text());
  return join(parts, ", ");
}

std::vector<Dependency> dependencies(const Reading& reading) {
  std::map<std::string, int> counts;
  const auto count = [&](const Value& value, const auto& self) -> void {
    if (const auto* unknown = value.undetermined())
      for (const std::string& name : std::set(unknown->depends_on.begin(), unknown->depends_on.end()))
        ++counts[name];
    if (const Value::List* items = value.list())
      for (const Value& item : *items) self(item, self);
  };
  for (const Fact& fact : reading.facts)
    for (const auto& [name, value] : fact.values) count(value, count);
  for (const auto& pattern : reading.patterns)
    for (const auto& [name, value] : pattern.values) count(value, count);
  std::vector<Dependency> out;
  for (const auto& [name, n] : counts) out.push_back({name, n});
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.count > b.count; });
  return out;
}

}  // namespace cutelab::report
