#include <fmt/format.h>

#include "base/text.h"
#include "evidence/json.h"
#include "render/html.h"
#include "report/diagram.h"
#include "report/html_parts.h"

namespace cutelab::report {
namespace {
using evidence::PatternFinding;
using evidence::Reading;
using evidence::Tristate;
using evidence::Value;
using render::element;
using render::html_escape;
using render::text_element;

std::string links(const std::vector<evidence::Location>& at, const Anchors& anchors) {
  std::string out;
  for (const evidence::Location& location : at)
    if (location.known()) out += (out.empty() ? "" : ", ") + anchors.link(location);
  return out;
}

std::string chip(const std::string& name, const std::string& value) {
  return element("li", {}, text_element("small", {}, name) + html_escape(value));
}

std::string overview_html(const Reading& reading, const Anchors& anchors) {
  std::string out = heading_html("overview", "Overview");
  if (!reading.summary.empty()) out += text_element("p", {}, reading.summary);
  const auto total = undetermined_total(reading);
  out += element("ul", {{"class", "chips"}},
                 chip("language", reading.language) + chip("style", reading.style) +
                     chip("runs from", reading.arch.minimum.empty() ? "undetermined" : reading.arch.minimum) +
                     chip("facts", fmt::format("{}", total.facts)) +
                     chip("undetermined", fmt::format("{} of {} values", total.undetermined, total.values)));
  std::string arch = reading.arch.reason, further;
  if (!reading.arch.family.empty())
    arch += (arch.empty() ? "" : "; ") + ("also " + join(reading.arch.family, ", "));
  for (std::size_t i = 1; i < reading.arch.lines.size(); ++i) {
    const auto& line = reading.arch.lines[i];
    further += (further.empty() ? "; also needs " : ", ") +
               html_escape(line.reason + " (" + line.minimum + ") ") + anchors.link(line.at);
  }
  if (!arch.empty() || !reading.arch.at.empty())
    out += element("p", {{"class", "faint"}},
                   html_escape(arch) + " " + links(reading.arch.at, anchors) + further);
  if (reading.helper) out += text_element("p", {}, "A helper module: it holds no kernel of its own.");
  return out;
}

std::string active_html(const PatternFinding& p) {
  if (!p.present) return "";
  if (p.default_active == Tristate::undetermined)
    return text_element("span", {{"class", "warn"}, {"title", p.condition}}, "?");
  return text_element("span", {{"title", p.condition}}, p.default_active == Tristate::yes ? "on" : "off");
}

std::string checklist_html(const Reading& reading, const Anchors& anchors) {
  HtmlTable table({"", "pattern", "found", "default", "why and where"}, {"tight faint", "", "", "", ""});
  for (const PatternFinding& p : reading.patterns) {
    std::string why = html_escape(p.says);
    if (!p.kind.empty()) why = text_element("code", {}, p.kind) + " " + why;
    if (!p.condition.empty()) why += " " + text_element("span", {{"class", "faint"}}, "when " + p.condition);
    for (const auto& [name, value] : p.values)
      why += " " + text_element("span", {{"class", "faint"}}, name) + " " + value_html(value);
    const std::string where = links(p.at, anchors);
    if (!where.empty()) why += element("div", {}, where);
    table.row({html_escape(p.id), html_escape(p.title), p.present ? "<span class=\"yes\">yes</span>" : "no",
               active_html(p), why},
              p.present ? "" : "absent");
  }
  return heading_html("checklist", "Checklist") + table.text();
}

void undetermined_rows(HtmlTable& table, const std::string& name, const Value& value,
                       const evidence::Location& at, const Anchors& anchors) {
  if (const auto* unknown = value.undetermined())
    table.row({anchors.link(unknown->at.known() ? unknown->at : at), text_element("code", {}, name),
               html_escape(unknown->reason), text_element("code", {}, join(unknown->depends_on, ", "))});
  if (const Value::List* items = value.list())
    for (std::size_t i = 0; i < items->size(); ++i)
      undetermined_rows(table, fmt::format("{}[{}]", name, i), (*items)[i], at, anchors);
}

std::string undetermined_html(const Reading& reading, const Anchors& anchors) {
  HtmlTable table({"line", "value", "reason", "depends on"}, {"tight", "", "", ""});
  for (const auto& fact : reading.facts)
    for (const auto& [name, value] : fact.values)
      undetermined_rows(table, fact.subject + "." + name, value, fact.at, anchors);
  for (const auto& p : reading.patterns)
    for (const auto& [name, value] : p.values)
      undetermined_rows(table, p.id + "." + name, value, p.at.empty() ? evidence::Location{} : p.at[0],
                        anchors);
  const auto total = undetermined_total(reading);
  std::string out = heading_html("undetermined", "Undetermined",
                                 fmt::format("{} of {} values", total.undetermined, total.values));
  return out + (table.empty() ? text_element("p", {{"class", "faint"}}, "Every value is determined.")
                              : table.text());
}

std::string functions_html(const Reading& reading, const Anchors& anchors) {
  if (reading.functions.empty()) return "";
  HtmlTable table({"line", "kind", "function", "calls"}, {"tight", "faint", "", ""});
  for (const auto& function : reading.functions) {
    std::string calls;
    for (const auto& call : function.calls) {
      const auto callee = static_cast<std::size_t>(call.callee);
      if (call.callee < 0 || callee >= reading.functions.size()) continue;
      calls += (calls.empty() ? "" : ", ") + std::string(call.launches ? "launches " : "") +
               text_element("code", {}, short_name(reading.functions[callee].name)) + " " +
               anchors.link(call.at);
    }
    table.row(
        {anchors.link(function.at), name_of(function.kind), text_element("code", {}, function.name), calls});
  }
  return heading_html("calls", "Functions and calls", fmt::format("{}", reading.functions.size())) +
         table.text();
}

std::string verdict_html(evidence::Constraint::Verdict verdict) {
  using Verdict = evidence::Constraint::Verdict;
  if (verdict == Verdict::not_understood) return "";
  const char* look = verdict == Verdict::satisfied ? "yes" : "warn";
  return text_element("span", {{"class", look}}, verdict_text(verdict));
}

std::string rest_html(const Reading& reading, const Anchors& anchors) {
  HtmlTable flags({"line", "flag", "default", "help"}, {"tight", "", "", "faint"});
  for (const auto& flag : reading.flags)
    flags.row({anchors.link(flag.at), text_element("code", {}, flag.name), value_html(flag.default_value),
               html_escape(flag.help)});
  HtmlTable constraints({"line", "rule", "here", "because"}, {"tight", "", "tight", "faint"});
  for (const auto& rule : reading.constraints)
    constraints.row(
        {anchors.link(rule.at), html_escape(rule.text), verdict_html(rule.verdict), html_escape(rule.says)});
  HtmlTable conflicts({"line", "input", "default", "of"}, {"tight", "", "", ""});
  for (const auto& conflict : reading.default_conflicts)
    for (std::size_t i = 0; i < conflict.stated.size(); ++i) {
      const auto& stated = conflict.stated[i];
      conflicts.row({anchors.link(stated.at), i ? "" : text_element("code", {}, conflict.name),
                     value_html(stated.value), html_escape(stated.by + (i ? "" : ", taken"))});
    }
  HtmlTable stops({"line", "reason", "depends on"}, {"tight", "warn", ""});
  for (const auto& stop : reading.give_ups)
    stops.row({anchors.link(stop.at), html_escape(stop.reason),
               text_element("code", {}, join(stop.depends_on, ", "))});
  HtmlTable imports({"line", "module", "file"}, {"tight", "", ""});
  for (const auto& import : reading.imports)
    imports.row({anchors.link(import.at), text_element("code", {}, import.module),
                 html_escape(import.resolved.empty() ? "not found" : import.resolved)});
  HtmlTable problems({"", ""}, {"tight", "warn"});
  for (const auto& problem : reading.problems)
    problems.row({anchors.link(problem.at), html_escape(problem.what)});
  std::string out;
  const auto add = [&](const char* id, const char* title, const HtmlTable& table) {
    if (!table.empty()) out += heading_html(id, title) + table.text();
  };
  add("flags", "Command-line flags", flags);
  add("conflicts", "Defaults that disagree", conflicts);
  add("constraints", "Constraints stated in the source", constraints);
  add("imports", "Local imports", imports);
  add("stops", "Where the run could not follow the program", stops);
  add("problems", "Not understood by the parser", problems);
  return out;
}

std::string known_html(const evidence::Knowledge& knowledge, const Anchors& anchors) {
  HtmlTable table({"lines", "relation", "entry", "patterns", "details"},
                  {"tight", "tight", "", "tight", "faint"});
  for (const evidence::KnownEntry& entry : knowledge.entries) {
    const bool bad = entry.relation == "warns" || entry.relation == "contradicts";
    table.row({links(entry.at, anchors),
               text_element("span", {{"class", bad ? "warn" : "yes"}}, entry.relation),
               html_escape(entry.title) + " " + text_element("code", {}, entry.id),
               html_escape(join(entry.patterns, ", ")), html_escape(join(entry.details, "; "))});
  }
  const std::string fresh = knowledge.fresh.empty() ? "" : "new: " + join(knowledge.fresh, ", ");
  if (table.empty() && fresh.empty()) return "";
  return heading_html("known", "Known patterns", fresh) + (table.empty() ? "" : table.text());
}

}  // namespace

std::string panel_html(const Reading& reading, const Anchors& anchors, const evidence::Knowledge* knowledge,
                       const CompiledNotes& compiled) {
  std::string out =
      overview_html(reading, anchors) + compiled.section(anchors) + checklist_html(reading, anchors);
  if (knowledge) out += known_html(*knowledge, anchors);
  for (const KernelModel& model : models(reading)) out += kernel_html(reading, model, anchors);
  return out + facts_html(reading, anchors) + undetermined_html(reading, anchors) +
         functions_html(reading, anchors) + rest_html(reading, anchors);
}

}  // namespace cutelab::report
