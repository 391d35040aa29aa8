#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "render/columns.h"
#include "report/diff.h"
#include "report/model.h"

namespace cutelab::report {
namespace {
using evidence::Reading;
using render::Align;
using render::Columns;
using render::Style;

char mark_of(const Difference& d) { return d.left.empty() ? '+' : d.right.empty() ? '-' : '~'; }

std::string path_of(const Reading& reading) {
  return reading.files.empty() ? "?" : render::one_line(reading.files[0].path);
}

/// The two paths without the folders that they share.
std::pair<std::string, std::string> names_of(const Reading& left, const Reading& right) {
  std::string a = path_of(left), b = path_of(right);
  std::size_t common = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i)
    if (a[i] == '/') common = i + 1;
  return {a.substr(common), b.substr(common)};
}

std::string line_of(const Reading& reading, const evidence::Location& at) {
  if (!at.known()) return "";
  return at.file == 0 ? fmt::format(":{}", at.line()) : place(reading, at);
}

Columns rows_of(const Reading& left, const Reading& right, const std::vector<Difference>& all,
                const std::string& section) {
  Columns columns = {{{""},
                      {"", Align::left, false, 12},
                      {"", Align::left, true, 24},
                      {"", Align::right},
                      {"", Align::right}},
                     {}};
  for (const char mark : {'+', '~', '-'})
    for (const Difference& d : all) {
      if (d.section != section || mark_of(d) != mark) continue;
      const std::string what = mark == '+' ? d.right : mark == '-' ? d.left : d.left + "  ->  " + d.right;
      columns.rows.push_back({{std::string(1, mark), mark == '+'   ? Style::good
                                                     : mark == '-' ? Style::bad
                                                                   : Style::warn},
                              {render::one_line(d.subject), Style::strong},
                              {what == "yes" ? "" : render::one_line(what)},
                              {line_of(left, d.left_at), Style::place},
                              {line_of(right, d.right_at), Style::place}});
    }
  return columns;
}
}  // namespace

std::string diff(const Reading& left, const Reading& right, const ViewOptions& options) {
  const auto all = differences(left, right);
  const auto [a, b] = names_of(left, right);
  const auto count = [&](char mark) {
    return std::count_if(all.begin(), all.end(), [&](const Difference& d) { return mark_of(d) == mark; });
  };
  const std::string names = a + " -> " + b;
  const std::string counts = fmt::format("{} new, {} changed, {} gone\n", count('+'), count('~'), count('-'));
  const bool fits = display_width(names + ": " + counts) <= static_cast<std::size_t>(options.width) + 1;
  std::string out = options.paint(Style::strong, names) + (fits ? ": " : "\n  ") + counts;
  std::vector<std::string> sections;
  for (const Difference& d : all)
    if (sections.empty() || sections.back() != d.section) sections.push_back(d.section);
  for (const std::string& section : sections)
    out += "\n" + options.paint(Style::heading, section) + "\n" +
           render::columns(rows_of(left, right, all, section), options.width, options.paint);
  if (all.empty()) out += "nothing that the facts show differs\n";
  return out;
}

std::string diff_json(const Reading& left, const Reading& right) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  const auto line = [](const evidence::Location& at) { return at.known() ? Json(at.line()) : Json(nullptr); };
  for (const Difference& d : differences(left, right))
    rows.push_back({{"section", d.section},
                    {"subject", d.subject},
                    {"change", mark_of(d) == '+'   ? "new"
                               : mark_of(d) == '-' ? "gone"
                                                   : "changed"},
                    {"left", d.left},
                    {"right", d.right},
                    {"left_line", line(d.left_at)},
                    {"right_line", line(d.right_at)}});
  const Json out = {{"schema", "cutelab.diff"},
                    {"schema_version", 1},
                    {"left", path_of(left)},
                    {"right", path_of(right)},
                    {"differences", rows}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cutelab::report
