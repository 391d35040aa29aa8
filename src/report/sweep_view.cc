#include "report/sweep_view.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/text.h"
#include "evidence/metrics.h"
#include "render/columns.h"
#include "report/footnotes.h"

namespace cutelab::report {
namespace {

std::string number(const evidence::Run& run, const char* tag, const char* otherwise) {
  const auto* metric = evidence::metric_of(run, tag);
  if (!metric || !metric->value) return otherwise;
  return std::abs(*metric->value) < 1 ? fmt::format("{:.3g}", *metric->value)
                                      : fmt::format("{:.2f}", *metric->value);
}

std::string checked(const evidence::Run& run) {
  if (!run.check.made) return "-";
  return run.check.passed ? "passed" : "FAILED";
}

std::string parameter(const evidence::Run& run, const std::string& name) {
  const auto it = run.provenance.configuration.find(name);
  return it == run.provenance.configuration.end() ? "" : it->second;
}

std::string remark(const evidence::Run& run) {
  if (run.outcome.kind != "done") return run.outcome.kind + ": " + run.outcome.reason;
  const auto* duration = evidence::metric_of(run, "duration_us");
  return duration ? duration->missing_because : "";
}

}  // namespace

std::string sweep_report(const std::vector<std::string>& varying,
                         const std::vector<std::pair<std::int64_t, evidence::Run>>& runs, int width) {
  std::vector<std::string> said;
  for (const auto& [id, run] : runs) said.push_back(remark(run));
  const Footnotes notes(said);
  render::Table table;
  for (const std::string& name : varying) table.columns.push_back({name, render::Align::right});
  for (const char* title : {"Duration (us)", "Quartiles", "TB/s", "TFLOP/s", "Of roofline (%)"})
    table.columns.push_back({title, render::Align::right});
  for (const char* title : {"Check", "Run"}) table.columns.push_back({title});
  table.columns.push_back({"Remark", render::Align::left, 70});
  for (const auto& [id, run] : runs) {
    std::vector<std::string> row;
    for (const std::string& name : varying) row.push_back(parameter(run, name));
    const std::string first = number(run, "duration_q1_us", "");
    row.insert(row.end(), {number(run, "duration_us", "-"),
                           first.empty() ? "-" : first + " … " + number(run, "duration_q3_us", "-"),
                           number(run, "bandwidth_tbs", "-"), number(run, "rate_tflops", "-"),
                           number(run, "roofline_percent", "-"), checked(run), fmt::format("{}", id),
                           notes.mark(printable(remark(run)))});
    table.rows.push_back(std::move(row));
  }
  const std::string legend = notes.legend(width);
  return render::fitted(table, width) + (legend.empty() ? "" : "\n" + legend);
}

std::string sweep_csv(const std::vector<std::pair<std::int64_t, evidence::Run>>& runs) {
  std::set<std::string> names;
  std::set<std::string> tags;
  for (const auto& [id, run] : runs) {
    for (const auto& [name, value] : run.provenance.configuration) names.insert(name);
    for (const auto& metric : run.metrics) tags.insert(metric.tag);
  }
  render::Table table{{{"run"}, {"kernel"}, {"version"}, {"device"}}, {}};
  for (const auto* all : {&names, &tags})
    for (const std::string& name : *all) table.columns.push_back({name});
  for (const char* title : {"check", "outcome", "reason"}) table.columns.push_back({title});
  for (const auto& [id, run] : runs) {
    std::vector<std::string> row = {fmt::format("{}", id), run.kernel, run.version, run.provenance.device};
    for (const std::string& name : names) row.push_back(parameter(run, name));
    for (const std::string& tag : tags) {
      const auto* metric = evidence::metric_of(run, tag);
      row.push_back(metric && metric->value ? fmt::format("{}", *metric->value) : "");
    }
    row.insert(row.end(), {checked(run), run.outcome.kind, run.outcome.reason});
    table.rows.push_back(std::move(row));
  }
  return render::csv(table);
}

}  // namespace cutelab::report
