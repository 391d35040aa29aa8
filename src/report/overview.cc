#include "report/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "report/card_text.h"
#include "report/lint_view.h"

namespace cutelab::report {
namespace {
using evidence::PatternFinding;
using evidence::Reading;
using evidence::Tristate;

class Overview : CardText {
 public:
  Overview(const Reading& reading, const ViewOptions& options) : CardText(reading, options) {}

  std::string text() {
    title();
    what_it_is();
    const std::vector<KernelModel> all = models(reading_);
    for (const KernelModel& model : all)
      if (options_.kernel.empty() || model.name.find(options_.kernel) != std::string::npos)
        out_ += kernel_card(reading_, model, options_, all.size() > 1);
    if (reading_.helper) functions();
    checklist();
    if (!reading_.lints.empty()) out_ += "\n" + lints(reading_, options_, false);
    stated();
    unknown();
    next();
    return std::move(out_);
  }

 private:
  void title() {
    const evidence::SourceFile file = reading_.files.empty() ? evidence::SourceFile{} : reading_.files[0];
    const std::string facts =
        render::clip(render::one_line(fmt::format("{} · {} · {} lines", reading_.language, reading_.style,
                                                  with_thousands(file.lines))),
                     options_.width / 2);
    const int room = options_.width - static_cast<int>(display_width(facts)) - 2;
    const std::string path = render::one_line(file.path);
    const bool fits = static_cast<int>(display_width(path)) <= room;
    const auto slash = path.rfind('/');
    const std::string name = fits || slash == std::string::npos ? path : path.substr(slash + 1);
    out_ += options_.paint(Style::strong, render::clip_middle(name, room)) + "  " +
            options_.paint(Style::faint, facts) + "\n";
    if (fits || slash == std::string::npos) return;
    for (const std::string& line : render::wrap("in " + path.substr(0, slash), options_.width - 2))
      out_ += "  " + options_.paint(Style::faint, line) + "\n";
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

  /// What a file without a kernel offers to those that have one.
  void functions() {
    Columns columns = {{{"function"}, {"", Align::left, true}, {"line"}}, {}};
    for (const evidence::Function& f : reading_.functions) {
      if (f.kind == evidence::Function::Kind::host || f.at.file != 0) continue;
      std::vector<std::string> calls;
      for (const auto& call : f.calls)
        if (call.callee >= 0 && static_cast<std::size_t>(call.callee) < reading_.functions.size())
          calls.push_back(short_name(reading_.functions[static_cast<std::size_t>(call.callee)].name));
      std::sort(calls.begin(), calls.end());
      calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
      columns.rows.push_back({{short_name(f.name), Style::strong},
                              {calls.empty() ? "" : "calls " + join(calls, ", ")},
                              {where(f.at), Style::place}});
    }
    if (columns.rows.empty()) return;
    out_ += "\n";
    heading(fmt::format("device functions ({})", columns.rows.size()));
    const std::size_t all = columns.rows.size();
    columns.rows.resize(std::min(all, 2 * most_rows));
    table(columns);
    more(all, columns.rows.size());
    primitives();
  }

  /// Statements of a helper that a kernel's reader asks for: copies, barriers, multiplies.
  void primitives() {
    Columns columns = {{{""}, {"", Align::left, true, 20}, {""}}, {}};
    for (std::size_t i = 0; i < reading_.facts.size(); ++i) {
      const evidence::Fact& fact = reading_.facts[i];
      const bool device = fact.family == evidence::Family::D2 || fact.family == evidence::Family::D3 ||
                          fact.family == evidence::Family::D4 || fact.family == evidence::Family::D5;
      if (device && !fact.optional)
        columns.rows.push_back({{name_of(fact.family), Style::faint}, {fact.says}, line(i)});
    }
    if (columns.rows.empty()) return;
    heading("primitives");
    const std::size_t all = columns.rows.size();
    columns.rows.resize(std::min(all, most_rows));
    table(columns);
    more(all, columns.rows.size());
  }

  void checklist() {
    out_ += "\n";
    heading("checklist");
    Columns columns = {{{""},
                        {"pattern", Align::left, true, 22},
                        {"found"},
                        {"default"},
                        {"lines", Align::left, true, 12},
                        {"why", Align::left, true, 20}},
                       {}};
    for (const PatternFinding& p : reading_.patterns) {
      if (reading_.helper && !p.present) continue;  // what a file without a kernel lacks says nothing
      columns.rows.push_back(
          {{p.id, Style::faint},
           {short_title(p), p.present ? Style::strong : Style::faint},
           {p.present ? "yes" : "no", p.present ? Style::good : Style::faint},
           {active(p), p.default_active == Tristate::undetermined ? Style::warn : Style::plain},
           {lines_text(p.at, 3), Style::place},
           {why(p), p.present ? Style::plain : Style::faint}});
    }
    if (columns.rows.empty()) columns.rows.push_back({{}, {"none of the ten patterns", Style::faint}});
    table(columns);
  }

  /// The pattern's title without what its row says anyway.
  static std::string short_title(const PatternFinding& p) {
    std::string title = p.title.substr(0, p.title.find(" and its "));
    if (title.starts_with("register-level ")) title.erase(0, 15);
    if (const auto either = title.find(" or "); either != std::string::npos) title.erase(0, either + 4);
    return title;
  }

  static std::string why(const PatternFinding& p) {
    const bool said = p.kind.empty() || p.says.find(p.kind) != std::string::npos;
    std::string out = said ? p.says : p.kind + (p.says.empty() ? "" : ": " + p.says);
    if (p.present && p.default_active != Tristate::yes && !p.condition.empty())
      out += "; needs " + render::clip(render::one_line(p.condition), 60);
    return out;
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
        fmt::format("{} satisfied, {} violated, {} not told; {} disagree", counted(satisfied, "rule"),
                    violated, open, counted(static_cast<int>(reading_.default_conflicts.size()), "default"));
    for (const std::string& line : render::wrap(counts, options_.width - 2)) out_ += "  " + line + "\n";
    table(columns);
  }

  void unknown() {
    const auto total = undetermined_total(reading_);
    out_ += "\n" + options_.paint(Style::heading, "undetermined") +
            fmt::format(" {} of {} in {}", total.undetermined, counted(total.values, "value"),
                        counted(total.facts, "fact"));
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
};

}  // namespace

std::string overview(const Reading& reading, const ViewOptions& options) {
  return Overview(reading, options).text();
}

}  // namespace cutelab::report
