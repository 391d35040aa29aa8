#include "report/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "render/columns.h"
#include "report/lint_view.h"
#include "report/model.h"

namespace cutelab::report {
namespace {
using evidence::PatternFinding;
using evidence::Reading;
using evidence::Tristate;
using render::Align;
using render::Cell;
using render::Columns;
using render::Style;

/// Longest tables of the card; what is cut is counted and stands in the full report.
constexpr std::size_t most_rows = 8;
constexpr std::size_t most_roles_as_columns = 5;
constexpr int title_columns = 26;  ///< of a pattern's name

class Overview {
 public:
  Overview(const Reading& reading, const ViewOptions& options) : reading_(reading), options_(options) {}

  std::string text() {
    title();
    what_it_is();
    for (const KernelModel& model : models(reading_))
      if (options_.kernel.empty() || model.name.find(options_.kernel) != std::string::npos) kernel(model);
    checklist();
    if (!reading_.lints.empty()) out_ += "\n" + lints(reading_, options_, false);
    stated();
    unknown();
    next();
    return std::move(out_);
  }

 private:
  const evidence::Location& at(std::size_t fact) const { return reading_.facts[fact].at; }
  Cell line(std::size_t fact) const { return {where(at(fact)), Style::place}; }

  /// ":523" in the file that was asked for, "helpers.py:12" elsewhere.
  std::string where(const evidence::Location& location) const {
    if (location.known() && location.file == 0) return fmt::format(":{}", location.line());
    return place(reading_, location);
  }

  void heading(const std::string& text) {
    out_ += options_.paint(Style::heading, render::clip(render::one_line(text), options_.width)) + "\n";
  }
  void table(const Columns& columns) { out_ += render::columns(columns, options_.width, options_.paint); }

  template <class Row>
  std::size_t shown_rows(const std::vector<Row>& rows) const {
    return std::min(rows.size(), most_rows);
  }

  void more(std::size_t all, std::size_t shown) {
    if (all > shown)
      out_ += options_.paint(Style::faint, fmt::format("  … and {} more (--full)", all - shown)) + "\n";
  }

  void title() {
    const evidence::SourceFile file = reading_.files.empty() ? evidence::SourceFile{} : reading_.files[0];
    const std::string facts =
        render::clip(render::one_line(fmt::format("{} · {} · {} lines", reading_.language, reading_.style,
                                                  with_thousands(file.lines))),
                     options_.width / 2);
    const int room = options_.width - static_cast<int>(display_width(facts)) - 2;
    out_ += options_.paint(Style::strong, render::clip_middle(render::one_line(file.path), room)) + "  " +
            options_.paint(Style::faint, facts) + "\n";
  }

  void what_it_is() {
    if (!reading_.summary.empty())
      for (const std::string& line : render::wrap(render::one_line(reading_.summary), options_.width - 2))
        out_ += "  " + line + "\n";
    const auto& arch = reading_.arch;
    Columns columns = {{{""}, {"", Align::left, true}, {""}}, {}};
    std::string runs = arch.minimum.empty() ? "undetermined" : "from " + arch.minimum;
    if (!arch.family.empty()) runs += " (also " + join(arch.family, ", ") + ")";
    if (!arch.reason.empty()) runs += ": " + arch.reason;
    columns.rows.push_back(
        {{"runs", Style::faint}, {runs}, {arch.at.empty() ? "" : where(arch.at[0]), Style::place}});
    if (!reading_.problems.empty()) {
      const auto& first = reading_.problems[0];
      columns.rows.push_back({{"parse", Style::faint},
                              {fmt::format("{} place{} not understood, first: {}", reading_.problems.size(),
                                           reading_.problems.size() == 1 ? "" : "s", first.what),
                               Style::warn},
                              {where(first.at), Style::place}});
    }
    if (reading_.helper)
      columns.rows.push_back({{"kind", Style::faint}, {"helper module: holds no kernel of its own"}, {}});
    if (!reading_.give_ups.empty()) {
      const auto& first = reading_.give_ups[0];
      const std::size_t more = reading_.give_ups.size() - 1;
      columns.rows.push_back(
          {{"run", Style::faint},
           {first.reason + (more ? fmt::format(" (and {} more, --full)", more) : ""), Style::warn},
           {first.at.known() ? where(first.at) : "", Style::place}});
    }
    for (std::size_t i = 0; i < reading_.facts.size(); ++i)
      if (reading_.facts[i].kind == "wheel-range")
        columns.rows.push_back({{"wheel", Style::faint}, {reading_.facts[i].says}, line(i)});
    for (std::size_t i = 0; i < reading_.facts.size(); ++i)
      if (reading_.facts[i].kind == "kernel-elsewhere")
        columns.rows.push_back({{"kernel", Style::faint}, {reading_.facts[i].says, Style::warn}, line(i)});
    table(columns);
  }

  void kernel(const KernelModel& model) {
    if (!model.name.empty()) {
      const std::string line = render::clip(where(model.at), options_.width / 2);
      const int room = options_.width - 8 - static_cast<int>(display_width(line));
      out_ += "\n" + options_.paint(Style::heading, "kernel ") +
              options_.paint(Style::strong, render::clip_middle(render::one_line(model.name), room)) + " " +
              options_.paint(Style::place, line) + "\n";
    }
    launch(model);
    roles(model);
    pipelines(model);
    memory(model);
    operations("MMA", model.mma);
  }

  void launch(const KernelModel& model) {
    if (model.launch.empty()) return;
    heading("launch");
    Columns columns = {{{""}, {"", Align::left, true}, {""}}, {}};
    for (const LaunchRow& row : model.launch)
      columns.rows.push_back(
          {{row.name, Style::faint}, {shown(row.value), value_style(row.value)}, line(row.fact)});
    table(columns);
  }

  static Style value_style(const evidence::Value& value) {
    return value.determined() ? Style::plain : Style::warn;
  }

  void roles(const KernelModel& model) {
    if (model.roles.empty()) return;
    heading(fmt::format("roles ({})", model.roles.size()));
    Columns columns = {{{"role", Align::left, false, 12},
                        {"warps", Align::left, true, 14},
                        {"registers"},
                        {"where", Align::left, false, 20},
                        {"line"}},
                       {}};
    for (std::size_t i = 0; i < shown_rows(model.roles); ++i) {
      const RoleRow& row = model.roles[i];
      columns.rows.push_back({{short_name(row.name), Style::strong},
                              {row.warps},
                              {row.registers},
                              {reading_.facts[row.fact].says},
                              line(row.fact)});
    }
    table(columns);
    more(model.roles.size(), shown_rows(model.roles));
  }

  /// One row per pipeline; with few roles a column each (P produces, C consumes), else the names.
  void pipelines(const KernelModel& model) {
    if (model.pipelines.empty()) return;
    heading(fmt::format("pipelines ({})", model.pipelines.size()));
    const bool matrix = !model.roles.empty() && model.roles.size() <= most_roles_as_columns;
    Columns columns = {
        {{"pipeline", Align::left, false, 14}, {"class", Align::left, false, 16}, {"stages", Align::right}},
        {}};
    if (matrix)
      for (const RoleRow& role : model.roles) columns.columns.push_back({short_name(role.name)});
    else
      columns.columns.push_back({"producer → consumer", Align::left, true, 16});
    columns.columns.push_back({"line"});
    for (std::size_t i = 0; i < shown_rows(model.pipelines); ++i) {
      const PipelineRow& row = model.pipelines[i];
      std::vector<Cell> cells = {{short_name(row.name), Style::strong}, {row.type}, {row.stages}};
      if (matrix)
        for (const RoleRow& role : model.roles) cells.push_back({side(row, role.name)});
      else
        cells.push_back({names(row.producers) + " → " + names(row.consumers)});
      cells.push_back(line(row.fact));
      columns.rows.push_back(std::move(cells));
    }
    table(columns);
    more(model.pipelines.size(), shown_rows(model.pipelines));
  }

  static std::string side(const PipelineRow& row, const std::string& role) {
    const auto has = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), role) != names.end();
    };
    return std::string(has(row.producers) ? "P" : "") + (has(row.consumers) ? "C" : "");
  }

  static std::string names(const std::vector<std::string>& all) {
    std::vector<std::string> shorts;
    for (const std::string& name : all) shorts.push_back(short_name(name));
    return shorts.empty() ? "?" : join(shorts, ", ");
  }

  void memory(const KernelModel& model) {
    if (model.storage.empty() && !model.storage_bytes && model.tensor_memory_columns.empty()) return;
    std::string title = "shared memory";
    if (model.storage_bytes) title += fmt::format(" {} B", with_thousands(*model.storage_bytes));
    if (model.storage_bytes && model.capacity_bytes && *model.capacity_bytes > 0)
      title += fmt::format(
          " of {} B ({:.0f} %)", with_thousands(*model.capacity_bytes),
          100.0 * static_cast<double>(*model.storage_bytes) / static_cast<double>(*model.capacity_bytes));
    if (!model.tensor_memory_columns.empty())
      title += fmt::format(", tensor memory {} columns", model.tensor_memory_columns);
    heading(title);
    Columns columns = {{{"member"},
                        {"type", Align::left, false, 16},
                        {"bytes", Align::right},
                        {"align", Align::right},
                        {"line"}},
                       {}};
    for (std::size_t i = 0; i < shown_rows(model.storage); ++i) {
      const StorageRow& row = model.storage[i];
      columns.rows.push_back(
          {{short_name(row.name), Style::strong},
           {row.type},
           {row.bytes ? with_thousands(*row.bytes) : "?", row.bytes ? Style::plain : Style::warn},
           {row.alignment},
           line(row.fact)});
    }
    table(columns);
    more(model.storage.size(), shown_rows(model.storage));
  }

  void operations(const char* title, const std::vector<OperationRow>& rows) {
    if (rows.empty()) return;
    heading(title);
    Columns columns = {{{""}, {"", Align::left, true, 20}, {""}}, {}};
    for (std::size_t i = 0; i < shown_rows(rows); ++i)
      columns.rows.push_back({{short_name(rows[i].name), Style::strong}, {rows[i].says}, line(rows[i].fact)});
    table(columns);
    more(rows.size(), shown_rows(rows));
  }

  void checklist() {
    out_ += "\n";
    heading("checklist");
    Columns columns = {{{""},
                        {"pattern", Align::left, false, 24},
                        {"found"},
                        {"default"},
                        {"lines", Align::left, false, 12},
                        {"why", Align::left, false, 16}},
                       {}};
    for (const PatternFinding& p : reading_.patterns)
      columns.rows.push_back(
          {{p.id, Style::faint},
           {render::clip(p.title, title_columns), p.present ? Style::strong : Style::faint},
           {p.present ? "yes" : "no", p.present ? Style::good : Style::faint},
           {active(p), p.default_active == Tristate::undetermined ? Style::warn : Style::plain},
           {lines_text(p.at, 2), Style::place},
           {why(p), p.present ? Style::plain : Style::faint}});
    table(columns);
  }

  static std::string why(const PatternFinding& p) {
    if (p.kind.empty() || p.says.find(p.kind) != std::string::npos) return p.says;
    return p.kind + (p.says.empty() ? "" : ": " + p.says);
  }

  static std::string active(const PatternFinding& p) {
    if (!p.present) return "";
    return p.default_active == Tristate::yes ? "on" : p.default_active == Tristate::no ? "off" : "?";
  }

  /// Rules of the source that the problem breaks or that could not be told, and defaults that disagree.
  void stated() {
    using Verdict = evidence::Constraint::Verdict;
    int satisfied = 0, violated = 0, open = 0;
    Columns columns = {{{""}, {"", Align::left, true, 30}, {""}}, {}};
    for (const auto& rule : reading_.constraints) {
      satisfied += rule.verdict == Verdict::satisfied;
      violated += rule.verdict == Verdict::violated;
      open += rule.verdict == Verdict::undetermined;
      if (rule.verdict == Verdict::violated && columns.rows.size() < most_rows)
        columns.rows.push_back(
            {{"violated", Style::warn}, {rule.text + ": " + rule.says}, {where(rule.at), Style::place}});
    }
    for (const auto& conflict : reading_.default_conflicts)
      if (columns.rows.size() < most_rows)
        columns.rows.push_back({{"defaults", Style::faint},
                                {conflict.name + ": " + stated_text(conflict)},
                                {where(conflict.stated[0].at), Style::place}});
    if (satisfied + violated + open + static_cast<int>(columns.rows.size()) == 0) return;
    out_ += "\n";
    heading("stated in the source");
    const std::string counts =
        fmt::format("{} rules satisfied, {} violated, {} not told; {} defaults disagree", satisfied, violated,
                    open, reading_.default_conflicts.size());
    for (const std::string& line : render::wrap(counts, options_.width - 2)) out_ += "  " + line + "\n";
    table(columns);
  }

  void unknown() {
    const auto total = undetermined_total(reading_);
    out_ += "\n" + options_.paint(Style::heading, "undetermined") +
            fmt::format(" {} of {} values in {} facts", total.undetermined, total.values, total.facts);
    std::vector<std::string> tops;
    for (const Dependency& d : dependencies(reading_)) {
      if (tops.size() == 4) break;
      tops.push_back(fmt::format("{} ({})", render::clip(render::one_line(d.name), 40), d.count));
    }
    out_ += "\n";
    if (tops.empty()) return;
    for (const std::string& line : render::wrap("most depend on " + join(tops, ", "), options_.width - 2))
      out_ += "  " + line + "\n";
  }

  void next() {
    const std::string path = reading_.files.empty() ? "FILE" : render::one_line(reading_.files[0].path);
    heading("next");
    for (const char* flags : {"--full", "--html reading.html"})
      out_ += fmt::format("  {} read {} {}\n", options_.program, path, flags);
  }

  const Reading& reading_;
  const ViewOptions& options_;
  std::string out_;
};

}  // namespace

std::string overview(const Reading& reading, const ViewOptions& options) {
  return Overview(reading, options).text();
}

}  // namespace cutelab::report
