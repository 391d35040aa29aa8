#include "corpus/api_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "corpus/json_file.h"
#include "corpus/scan.h"

namespace cutelab::corpus {
namespace {

ApiChange change_from(const nlohmann::json& j) {
  ApiChange c;
  c.names = string_list(j, "names");
  c.unless = string_of(j, "unless");
  c.since = parse_release(string_of(j, "since"));
  c.removed = parse_release(string_of(j, "removed"));
  c.deprecated = parse_release(string_of(j, "deprecated"));
  c.instead = string_of(j, "instead");
  if (const auto rule = j.find("rule"); rule != j.end() && rule->is_object()) {
    for (const std::string& release : string_list(*rule, "in"))
      if (const auto r = parse_release(release)) c.rule_releases.push_back(*r);
    c.rule = string_of(*rule, "says");
    c.otherwise = string_of(*rule, "otherwise");
  }
  return c;
}

std::string list_of(const std::vector<Release>& releases) {
  std::vector<std::string> names;
  for (const Release& r : releases) names.push_back(r.text());
  return join(names, ", ");
}

}  // namespace

Result<ApiChanges> ApiChanges::load(const FileSource& files, const std::string& data_folder) {
  auto json = load_data_file(files, data_folder + "/api_changes.json");
  if (!json) return json.error();
  ApiChanges table;
  std::vector<Signal> names;
  for (const auto& j : json->at("changes")) {
    table.changes_.push_back(change_from(j));
    for (const std::string& name : table.changes_.back().names) {
      Signal s;
      s.word = name;
      names.push_back(std::move(s));
    }
  }
  table.names_ = SignalTable(std::move(names));
  return table;
}

std::vector<ApiUse> ApiChanges::uses_in(std::string_view text) const {
  const FileFacts facts = scan_python(text, names_);
  const auto imports = [&](const std::string& module) {
    return std::any_of(facts.imports.begin(), facts.imports.end(),
                       [&](const Mention& m) { return m.name == module; });
  };
  std::vector<ApiUse> out;
  for (const SignalHit& hit : facts.signals)
    for (const ApiChange& change : changes_)
      if (std::find(change.names.begin(), change.names.end(), hit.word) != change.names.end() &&
          (change.unless.empty() || !imports(change.unless)))
        out.push_back({&change, hit.seen, hit.line});
  return out;
}

WheelRange wheel_range(const std::vector<ApiUse>& uses) {
  WheelRange range;
  for (const ApiUse& use : uses) {
    const ApiChange& c = *use.change;
    if (c.since && (!range.least || *range.least < *c.since)) range.least = c.since;
    if (c.removed && (!range.before || *c.removed < *range.before)) range.before = c.removed;
  }
  return range;
}

bool breaks(const ApiUse& use, const Release& wheel) {
  return (use.change->since && wheel < *use.change->since) ||
         (use.change->removed && wheel >= *use.change->removed);
}

std::string text_of(const ApiUse& use, const std::optional<Release>& wheel) {
  const ApiChange& c = *use.change;
  const std::string at = fmt::format("{} (line {})", use.name, use.line);
  const std::string instead = c.instead.empty() ? "" : "; instead: " + c.instead;
  if (!c.rule.empty()) {
    if (!wheel)
      return fmt::format("{}: with wheel {} {}; with any other {}", at, list_of(c.rule_releases), c.rule,
                         c.otherwise);
    const bool special =
        std::find(c.rule_releases.begin(), c.rule_releases.end(), *wheel) != c.rule_releases.end();
    return fmt::format("{}: with wheel {} {}", at, wheel->text(), special ? c.rule : c.otherwise);
  }
  if (wheel && breaks(use, *wheel))
    return c.since && *wheel < *c.since
               ? fmt::format("{} is not in wheel {}; it came with {}", at, wheel->text(), c.since->text())
               : fmt::format("{} is not in wheel {}; removed in {}{}", at, wheel->text(), c.removed->text(),
                             instead);
  const bool warns = c.deprecated && (!wheel || *wheel >= *c.deprecated);
  if (wheel && !warns) return "";
  if (wheel) return fmt::format("{} warns since {}{}", at, c.deprecated->text(), instead);
  if (c.since) return fmt::format("{} needs wheel >= {}", at, c.since->text());
  if (c.removed) return fmt::format("{} was removed in {}{}", at, c.removed->text(), instead);
  return fmt::format("{} warns since {}{}", at, c.deprecated ? c.deprecated->text() : "?", instead);
}

}  // namespace cutelab::corpus
