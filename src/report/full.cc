#include "report/full.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "evidence/json.h"
#include "render/columns.h"
#include "report/lint_view.h"
#include "report/model.h"

namespace cutelab::report {
namespace {
using evidence::Fact;
using evidence::Family;
using evidence::Function;
using evidence::Reading;
using evidence::Value;
using render::Align;
using render::Columns;
using render::Style;

/// "stages = 6 (self.ab_stage), bytes = ?"
std::string values_text(const std::map<std::string, Value>& values) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) {
    std::string part = name + " = " + value.text();
    if (!value.formula.empty() && value.formula != value.text()) part += " (" + value.formula + ")";
    parts.push_back(std::move(part));
  }
  return join(parts, ", ");
}

class Full {
 public:
  Full(const Reading& reading, const ViewOptions& options) : reading_(reading), options_(options) {}

  std::string text() {
    title();
    for (const Family family : evidence::all_families) facts(family);
    if (options_.families.empty()) {
      checklist();
      if (!reading_.lints.empty()) out_ += "\n" + lints(reading_, options_, true);
      functions();
      flags();
      conflicts();
      constraints();
      imports();
    }
    undetermined();
    if (options_.families.empty()) {
      give_ups();
      problems();
      files();
    }
    return std::move(out_);
  }

 private:
  /// "file.py:12"; a long file name is cut so that the tables keep room for what they say.
  std::string where(const evidence::Location& at) const {
    const std::string text = place(reading_, at);
    return render::clip_place(render::one_line(text), 24);
  }

  bool wanted(const Fact& fact) const {
    if (!options_.kernel.empty() && fact.kernel.find(options_.kernel) == std::string::npos) return false;
    const auto& families = options_.families;
    return families.empty() || std::find(families.begin(), families.end(), fact.family) != families.end();
  }

  void section(const std::string& title, const Columns& columns) {
    if (columns.rows.empty()) return;
    out_ += "\n" + options_.paint(Style::heading, render::clip(render::one_line(title), options_.width)) +
            "\n" + render::columns(columns, options_.width, options_.paint);
  }

  void title() {
    if (!reading_.files.empty())
      out_ += options_.paint(Style::strong, render::clip_middle(render::one_line(reading_.files[0].path),
                                                                options_.width - 20)) +
              "  " +
              options_.paint(Style::faint, fmt::format("{} lines", with_thousands(reading_.files[0].lines))) +
              "\n";
    const std::string kind =
        fmt::format("{}, {}{}. {}", reading_.language, reading_.style,
                    reading_.helper ? ", helper module without a kernel" : "", reading_.summary);
    for (const std::string& line : render::wrap(render::one_line(kind), options_.width)) out_ += line + "\n";
    Columns arch = {{{""}, {""}, {"", Align::left, true}}, {}};
    for (const auto& line : reading_.arch.lines)
      arch.rows.push_back({{where(line.at), Style::place}, {line.minimum}, {line.reason}});
    if (reading_.arch.lines.empty())
      for (const auto& at : reading_.arch.at)
        arch.rows.push_back({{where(at), Style::place}, {reading_.arch.minimum}, {reading_.arch.reason}});
    section(
        "architecture: " + (reading_.arch.minimum.empty() ? "undetermined" : "from " + reading_.arch.minimum),
        arch);
  }

  /// What was read, by content: last, as a kernel may draw on dozens of files.
  void files() {
    Columns table = {{{"", Align::left, false, 20}, {""}, {"", Align::left, false, 12}}, {}};
    for (const evidence::SourceFile& file : reading_.files)
      table.rows.push_back({{file.path, Style::strong},
                            {fmt::format("{} lines", with_thousands(file.lines)), Style::faint},
                            {"sha256 " + file.revision, Style::faint}});
    section(fmt::format("files read ({})", reading_.files.size()), table);
  }

  void facts(Family family) {
    Columns columns = {{{"place", Align::left, false, 16},
                        {"subject", Align::left, true, 16},
                        {"what", Align::left, true, 30},
                        {"role", Align::left, false, 8}},
                       {}};
    int count = 0;
    for (const Fact& fact : reading_.facts) {
      if (fact.family != family || !wanted(fact)) continue;
      ++count;
      columns.rows.push_back({{where(fact.at), Style::place},
                              {fact.subject, Style::strong},
                              {fact.says},
                              {fact.role, Style::faint}});
      if (!fact.values.empty()) columns.rows.push_back({{}, {}, {values_text(fact.values), Style::faint}});
    }
    section(fmt::format("{} {} ({})", name_of(family), title_of(family), count), columns);
  }

  void checklist() {
    Columns columns = {{{""},
                        {"pattern", Align::left, true, 20},
                        {"found"},
                        {"default"},
                        {"lines", Align::left, true, 16},
                        {"why", Align::left, true, 24}},
                       {}};
    for (const auto& p : reading_.patterns) {
      std::string why = p.says;
      if (!p.kind.empty()) why += (why.empty() ? "" : "; ") + ("kind " + p.kind);
      if (!p.condition.empty()) why += (why.empty() ? "" : "; ") + ("when " + p.condition);
      const char* active = p.default_active == evidence::Tristate::yes  ? "on"
                           : p.default_active == evidence::Tristate::no ? "off"
                                                                        : "?";
      columns.rows.push_back({{p.id},
                              {p.title, Style::strong},
                              {p.present ? "yes" : "no", p.present ? Style::good : Style::faint},
                              {p.present ? active : ""},
                              {lines_text(p.at, 1000), Style::place},
                              {why}});
      if (!p.values.empty())
        columns.rows.push_back({{}, {}, {}, {}, {}, {values_text(p.values), Style::faint}});
    }
    section("checklist", columns);
  }

  void functions() {
    Columns columns = {{{"place", Align::left, false, 16},
                        {"kind"},
                        {"function", Align::left, true, 20},
                        {"calls", Align::left, true, 20}},
                       {}};
    for (const Function& function : reading_.functions) {
      std::vector<std::string> calls;
      for (const Function::Call& call : function.calls) {
        const auto callee = static_cast<std::size_t>(call.callee);
        if (call.callee < 0 || callee >= reading_.functions.size()) continue;
        calls.push_back(fmt::format("{}{} (:{})", call.launches ? "launches " : "",
                                    short_name(reading_.functions[callee].name), call.at.line()));
      }
      columns.rows.push_back({{where(function.at), Style::place},
                              {name_of(function.kind)},
                              {function.name, Style::strong},
                              {join(calls, ", ")}});
    }
    section(fmt::format("functions ({})", reading_.functions.size()), columns);
  }

  void flags() {
    Columns columns = {{{"place", Align::left, false, 16},
                        {"flag"},
                        {"default", Align::left, true, 10},
                        {"help", Align::left, true, 20}},
                       {}};
    for (const auto& flag : reading_.flags)
      columns.rows.push_back({{where(flag.at), Style::place},
                              {flag.name, Style::strong},
                              {shown(flag.default_value)},
                              {flag.help}});
    section(fmt::format("command-line flags ({})", reading_.flags.size()), columns);
  }

  void constraints() {
    Columns columns = {{{"place", Align::left, false, 16},
                        {"rule", Align::left, true, 24},
                        {"here"},
                        {"because", Align::left, true, 20}},
                       {}};
    for (const auto& rule : reading_.constraints)
      columns.rows.push_back({{where(rule.at), Style::place},
                              {rule.text},
                              {verdict_text(rule.verdict), verdict_style(rule.verdict)},
                              {rule.says}});
    section(fmt::format("constraints stated in the source ({})", reading_.constraints.size()), columns);
  }

  void conflicts() {
    Columns columns = {{{"input", Align::left, true, 12}, {"default"}, {"of"}, {"place"}}, {}};
    for (const auto& conflict : reading_.default_conflicts)
      for (std::size_t i = 0; i < conflict.stated.size(); ++i)
        columns.rows.push_back({{i ? "" : conflict.name, Style::strong},
                                {conflict.stated[i].value.text(), i ? Style::warn : Style::plain},
                                {conflict.stated[i].by + (i ? "" : ", taken")},
                                {where(conflict.stated[i].at), Style::place}});
    section(fmt::format("defaults that disagree ({})", reading_.default_conflicts.size()), columns);
  }

  void give_ups() {
    Columns columns = {{{"place", Align::left, false, 16},
                        {"reason", Align::left, true, 24},
                        {"depends on", Align::left, true, 16}},
                       {}};
    for (const auto& stop : reading_.give_ups)
      columns.rows.push_back(
          {{where(stop.at), Style::place}, {stop.reason, Style::warn}, {join(stop.depends_on, ", ")}});
    section(fmt::format("where the run could not follow the program ({})", reading_.give_ups.size()),
            columns);
  }

  void imports() {
    Columns columns = {{{""}, {"", Align::left, true}, {"", Align::left, true}}, {}};
    for (const auto& import : reading_.imports)
      columns.rows.push_back({{where(import.at), Style::place},
                              {import.module},
                              {import.resolved.empty() ? "not found" : import.resolved}});
    section(fmt::format("local imports ({})", reading_.imports.size()), columns);
  }

  void add_undetermined(Columns& columns, const std::string& name, const Value& value,
                        const evidence::Location& at) const {
    if (const auto* unknown = value.undetermined())
      columns.rows.push_back({{where(unknown->at.known() ? unknown->at : at), Style::place},
                              {name, Style::strong},
                              {unknown->reason},
                              {join(unknown->depends_on, ", ")}});
    if (const Value::List* items = value.list())
      for (std::size_t i = 0; i < items->size(); ++i)
        add_undetermined(columns, fmt::format("{}[{}]", name, i), (*items)[i], at);
  }

  void undetermined() {
    Columns columns = {{{"place", Align::left, false, 16},
                        {"value", Align::left, true, 16},
                        {"reason", Align::left, true, 16},
                        {"depends on", Align::left, true, 16}},
                       {}};
    for (const Fact& fact : reading_.facts)
      if (wanted(fact))
        for (const auto& [name, value] : fact.values)
          add_undetermined(columns, fact.subject + "." + name, value, fact.at);
    if (options_.families.empty())
      for (const auto& pattern : reading_.patterns)
        for (const auto& [name, value] : pattern.values)
          add_undetermined(columns, pattern.id + "." + name, value,
                           pattern.at.empty() ? evidence::Location{} : pattern.at[0]);
    const std::size_t count = columns.rows.size();
    section(fmt::format("undetermined ({})", count), columns);
  }

  void problems() {
    Columns columns = {{{""}, {"", Align::left, true}}, {}};
    for (const auto& problem : reading_.problems)
      columns.rows.push_back({{where(problem.at), Style::place}, {problem.what, Style::warn}});
    section(fmt::format("not understood by the parser ({})", reading_.problems.size()), columns);
  }

  const Reading& reading_;
  const ViewOptions& options_;
  std::string out_;
};

}  // namespace

std::string full(const Reading& reading, const ViewOptions& options) { return Full(reading, options).text(); }

}  // namespace cutelab::report
