#include "report/known_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "render/columns.h"
#include "report/model.h"

namespace cutelab::report {
using render::Align;
using render::Columns;
using render::Style;

namespace {
/// One detail is enough on a terminal; JSON and page have all.
std::string first_of(const std::vector<std::string>& details) {
  if (details.empty()) return "";
  return details[0] + (details.size() > 1 ? fmt::format("; … {} more", details.size() - 1) : "");
}
}  // namespace

std::string known(const evidence::Reading&, const evidence::Knowledge& knowledge,
                  const ViewOptions& options) {
  if (knowledge.entries.empty() && knowledge.fresh.empty()) return "";
  std::map<std::string, int> counts;
  for (const evidence::KnownEntry& entry : knowledge.entries) ++counts[entry.relation];
  std::vector<std::string> parts;
  for (const auto& [relation, count] : counts) parts.push_back(fmt::format("{} {}", relation, count));
  if (!knowledge.fresh.empty()) parts.push_back("new: " + join(knowledge.fresh, ", "));
  const std::string head = fmt::format("known patterns ({}): {}", knowledge.folder, join(parts, ", "));
  std::string out;
  bool first = true;
  for (const std::string& line : render::wrap(render::one_line(head), options.width - 2)) {
    out += first ? options.paint(Style::heading, line) : "  " + line;
    out += "\n";
    first = false;
  }
  // Names that are cut name nothing: they go on below, where there is no room even in half of the line.
  constexpr int longest_relation = 12;
  int longest_name = 20;
  for (const evidence::KnownEntry& entry : knowledge.entries)
    longest_name = std::max(longest_name, static_cast<int>(entry.id.size()));
  Columns columns = {{{"relation", Align::left, false, longest_relation},
                      {"entry", Align::left, true, std::min(longest_name, options.width / 2)},
                      {"patterns", Align::left, true, 8},
                      {"lines", Align::left, true, 12},
                      {"details", Align::left, true, 20}},
                     {}};
  for (const evidence::KnownEntry& entry : knowledge.entries) {
    const Style look = entry.relation == "confirms"                                   ? Style::good
                       : entry.relation == "warns" || entry.relation == "contradicts" ? Style::warn
                                                                                      : Style::plain;
    columns.rows.push_back({{entry.relation, look},
                            {entry.id, Style::strong},
                            {join(entry.patterns, ", ")},
                            {lines_text(entry.at, 3), Style::place},
                            {first_of(entry.details), Style::faint}});
  }
  if (columns.rows.empty()) return out;
  return out + render::columns(columns, options.width, options.paint);
}

}  // namespace cutelab::report
