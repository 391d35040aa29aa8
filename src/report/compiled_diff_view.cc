#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "evidence/names.h"
#include "render/columns.h"
#include "report/compiled_diff.h"

namespace cutelab::report {
namespace {
using evidence::Family;
using render::Style;
using Change = CompiledDifference::Change;

constexpr std::size_t most_lines_shown = 12;

char sign_of(Change change) { return change == Change::fresh ? '+' : change == Change::gone ? '-' : '~'; }

std::string side_text(const CompiledSide& side) {
  std::string out = side.arch + ", " + side.compiler;
  if (!side.flags.empty()) out += ", " + join(side.flags, " ");
  return out;
}

std::string file_name(const CompiledSide& side) {
  const std::string path = side.files.empty() ? "?" : side.files[0].path;
  return render::one_line(path.substr(path.rfind('/') + 1));
}

std::string line_in(const CompiledSide& side, const evidence::Location& at) {
  if (!at.known()) return "";
  if (at.file == 0 || static_cast<std::size_t>(at.file) >= side.files.size())
    return fmt::format(":{}", at.line());
  const std::string& path = side.files[static_cast<std::size_t>(at.file)].path;
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), at.line());
}

std::string lines_of_both(const CompiledSide& left, const CompiledSide& right, const CompiledDifference& d) {
  const std::string a = line_in(left, d.left_at), b = line_in(right, d.right_at);
  return a.empty() || a == b ? b : b.empty() ? a : a + " " + b;
}

std::string difference_words(const CompiledDifference& d) {
  std::vector<std::string> parts;
  for (const ChangedValue& value : d.values) {
    const auto or_none = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
    parts.push_back(d.change == Change::changed
                        ? fmt::format("{} {} -> {}", value.name, or_none(value.left), or_none(value.right))
                        : fmt::format("{} {}", value.name, value.left.empty() ? value.right : value.left));
  }
  return join(parts, "; ");
}

/// By how many instructions a line grew or shrank.
long long growth(const CompiledDifference& d) {
  for (const ChangedValue& value : d.values)
    if (value.name == "instructions")
      return std::llabs(parse_integer(value.right).value_or(0) - parse_integer(value.left).value_or(0));
  return 0;
}

/// Of the lines' instructions those with the largest change, in the order of the lines.
std::vector<const CompiledDifference*> rows_shown(const std::vector<CompiledDifference>& all, Family family,
                                                  bool everything, std::size_t& hidden) {
  std::vector<const CompiledDifference*> out, lines;
  for (const CompiledDifference& d : all) {
    if (d.family != family) continue;
    (d.kind == evidence::kind::instructions ? lines : out).push_back(&d);
  }
  hidden = everything || lines.size() <= most_lines_shown ? 0 : lines.size() - most_lines_shown;
  if (hidden > 0) {
    std::vector<const CompiledDifference*> by_growth = lines;
    std::stable_sort(by_growth.begin(), by_growth.end(),
                     [](const auto* a, const auto* b) { return growth(*a) > growth(*b); });
    by_growth.resize(most_lines_shown);
    std::erase_if(lines, [&](const auto* d) {
      return std::find(by_growth.begin(), by_growth.end(), d) == by_growth.end();
    });
  }
  out.insert(out.end(), lines.begin(), lines.end());
  return out;
}

/// "gemm: spills (local loads) 0 -> 31, spills (local stores) 0 -> 29, stack 0 -> 112 B, registers 168 ->
/// 176" for each kernel whose local memory differs: what a register budget of another compiler looks like.
std::string spill_lines(const std::vector<CompiledDifference>& all) {
  struct Row {
    const char* value;
    const char* name;
    const char* unit;
    bool local;
  };
  constexpr Row rows[] = {{"local_loads", "spills (local loads)", "", true},
                          {"local_stores", "spills (local stores)", "", true},
                          {"stack_bytes", "stack", " B", true},
                          {"registers", "registers", "", false}};
  std::string out;
  for (const CompiledDifference& d : all) {
    if (d.kind != evidence::kind::machine_code || d.change != Change::changed) continue;
    std::vector<std::string> parts;
    bool local = false;
    const auto or_zero = [](const std::string& text) { return text.empty() ? std::string("0") : text; };
    for (const Row& row : rows)
      for (const ChangedValue& value : d.values) {
        if (value.name != row.value) continue;
        local = local || row.local;
        parts.push_back(
            fmt::format("{} {} -> {}{}", row.name, or_zero(value.left), or_zero(value.right), row.unit));
      }
    if (local) out += fmt::format("{}: {}\n", render::one_line(d.subject), join(parts, ", "));
  }
  return out;
}

std::string name_of_change(Change change) {
  return change == Change::fresh ? "new" : change == Change::gone ? "gone" : "changed";
}

}  // namespace

std::string compiled_diff(const CompiledSide& left, const CompiledSide& right, const ViewOptions& options,
                          bool all) {
  const auto differences = compiled_differences(left, right);
  const auto count = [&](Change change) {
    return std::count_if(differences.begin(), differences.end(),
                         [&](const auto& d) { return d.change == change; });
  };
  const std::string a = file_name(left), b = file_name(right);
  std::string out =
      options.paint(Style::strong,
                    a == b ? fmt::format("{}: {} -> {}", a, side_text(left), side_text(right))
                           : fmt::format("{}, {} -> {}, {}", a, side_text(left), b, side_text(right))) +
      fmt::format(": {} new, {} gone, {} changed\n", count(Change::fresh), count(Change::gone),
                  count(Change::changed)) +
      spill_lines(differences);
  for (const Family family : evidence::all_families) {
    std::size_t hidden = 0;
    const auto rows = rows_shown(differences, family, all, hidden);
    if (rows.empty()) continue;
    render::Columns columns = {{{""},
                                {"", render::Align::left},
                                {"", render::Align::left, false, 14},
                                {"", render::Align::left, false, 24},
                                {"", render::Align::left, true, 30}},
                               {}};
    for (const CompiledDifference* d : rows)
      columns.rows.push_back({{std::string(1, sign_of(d->change)), d->change == Change::fresh  ? Style::good
                                                                   : d->change == Change::gone ? Style::bad
                                                                                               : Style::warn},
                              {lines_of_both(left, right, *d), Style::place},
                              {d->kind},
                              {render::one_line(d->subject), Style::strong},
                              {render::one_line(difference_words(*d))}});
    out += "\n" + options.paint(Style::heading, title_of(family)) + "\n" +
           render::columns(columns, options.width, options.paint);
    if (hidden > 0) out += fmt::format("  and {} more lines whose instructions changed (--full)\n", hidden);
  }
  if (differences.empty()) out += "nothing that the compiler states differs\n";
  return out;
}

std::string compiled_diff_json(const CompiledSide& left, const CompiledSide& right) {
  using Json = nlohmann::ordered_json;
  const auto side = [](const CompiledSide& s) {
    return Json{{"file", s.files.empty() ? "" : s.files[0].path},
                {"arch", s.arch},
                {"compiler", s.compiler},
                {"flags", s.flags}};
  };
  const auto line = [](const evidence::Location& at) { return at.known() ? Json(at.line()) : Json(nullptr); };
  const auto file = [](const CompiledSide& s, const CompiledDifference& d) {
    const evidence::Location& at = d.right_at.known() ? d.right_at : d.left_at;
    return at.known() && static_cast<std::size_t>(at.file) < s.files.size()
               ? Json(s.files[static_cast<std::size_t>(at.file)].path)
               : Json(nullptr);
  };
  Json rows = Json::array();
  for (const CompiledDifference& d : compiled_differences(left, right)) {
    Json values = Json::array();
    for (const ChangedValue& value : d.values)
      values.push_back({{"name", value.name}, {"left", value.left}, {"right", value.right}});
    rows.push_back({{"family", name_of(d.family)},
                    {"kind", d.kind},
                    {"subject", d.subject},
                    {"change", name_of_change(d.change)},
                    {"file", file(d.right_at.known() ? right : left, d)},
                    {"left_line", line(d.left_at)},
                    {"right_line", line(d.right_at)},
                    {"values", std::move(values)}});
  }
  const Json out = {{"schema", "cutelab.compiled-diff"},
                    {"schema_version", 1},
                    {"left", side(left)},
                    {"right", side(right)},
                    {"differences", std::move(rows)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cutelab::report
