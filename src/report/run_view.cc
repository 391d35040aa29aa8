#include "report/run_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "evidence/metrics.h"
#include "render/columns.h"
#include "report/footnotes.h"

namespace cutelab::report {
namespace {

/// Counts whole, small figures with two decimals, large ones with as many as carry meaning.
std::string figure(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return with_thousands(static_cast<long long>(value));
  return std::abs(value) < 1 ? fmt::format("{:.3g}", value) : fmt::format("{:.2f}", value);
}

std::string configuration_text(const evidence::Run& run) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : run.provenance.configuration) parts.push_back(name + "=" + value);
  return join(parts, " ");
}

std::string value_or_dash(const evidence::Run& run, const std::string& tag) {
  const auto* metric = evidence::metric_of(run, tag);
  return metric && metric->value ? figure(*metric->value) : "-";
}

std::string check_text(const evidence::Run::Check& check, const Footnotes& notes) {
  if (!check.made)
    return check.not_made_because.empty() ? ""
                                          : "check: not made: " + notes.mark(check.not_made_because) + "\n";
  return fmt::format("check: {}, relative error {:.3g} (allowed {:.3g}: {}){}\n",
                     check.passed ? "passed" : "FAILED", check.relative_error, check.tolerance,
                     check.tolerance_reason, check.worst.empty() ? "" : ", worst " + check.worst);
}

constexpr char stall_prefix[] = "stall_";

bool is_stall(const std::string& tag) { return tag.rfind(stall_prefix, 0) == 0; }

/// What warps did, largest share first, in one line: twenty rows would bury the rest.
std::string stall_text(const evidence::Run& run) {
  std::vector<std::pair<double, std::string>> shares;
  double sum = 0;
  std::string missing;
  for (const auto& metric : run.metrics) {
    if (!is_stall(metric.tag)) continue;
    if (!metric.value) missing = metric.missing_because;
    if (!metric.value) continue;
    shares.emplace_back(*metric.value, metric.tag.substr(sizeof stall_prefix - 1));
    sum += *metric.value;
  }
  if (shares.empty()) return missing.empty() ? "" : "warps: not known: " + missing + "\n";
  std::sort(shares.rbegin(), shares.rend());
  std::vector<std::string> parts;
  constexpr double worth_saying = 1;  // percent
  for (const auto& [share, reason] : shares)
    if (share >= worth_saying) parts.push_back(fmt::format("{} {:.1f} %", reason, share));
  return fmt::format("warps: {} (all {} states: {:.1f} %)\n", join(parts, ", "), shares.size(), sum);
}

std::string trust_text(const evidence::Run::Trust& trust) {
  return trust.verdict.empty() ? "" : fmt::format("time: {}: {}\n", trust.verdict, join(trust.reasons, "; "));
}

/// Why metrics have no value and the check was not made.
Footnotes footnotes_of(const evidence::Run& run) {
  std::vector<std::string> said;
  for (const auto& descriptor : evidence::metric_descriptors())
    if (const auto* metric = is_stall(descriptor.tag) ? nullptr : evidence::metric_of(run, descriptor.tag))
      if (!metric->value && !metric->missing_because.empty()) said.push_back(metric->missing_because);
  if (!run.check.made && !run.check.not_made_because.empty()) said.push_back(run.check.not_made_because);
  return Footnotes(said);
}

}  // namespace

std::string run_report(const evidence::Run& run, int width) {
  const Footnotes notes = footnotes_of(run);
  const auto& where = run.provenance;
  std::string out =
      render::paragraph(fmt::format("{} {} ({}) {}, {}: {}", run.kernel, run.version, run.language,
                                    where.device.empty() ? "without a GPU" : "on " + where.device, where.arch,
                                    configuration_text(run)),
                        width) +
      "\n";
  render::Table table{{{"Metric"}, {"Value", render::Align::right}, {"Remark"}}, {}};
  for (const auto& descriptor : evidence::metric_descriptors())
    if (const auto* metric = is_stall(descriptor.tag) ? nullptr : evidence::metric_of(run, descriptor.tag))
      table.rows.push_back(
          {descriptor.name, value_or_dash(run, descriptor.tag), notes.mark(metric->missing_because)});
  if (!table.rows.empty()) out += render::fitted(table, width) + "\n";
  if (const std::string legend = notes.legend(width); !legend.empty()) out += legend + "\n";
  for (const std::string& text :
       {check_text(run.check, notes), trust_text(run.trust), notes.within(stall_text(run))})
    if (!text.empty()) out += render::paragraph(text.substr(0, text.size() - 1), width);
  for (const std::string& note : run.notes)
    out += render::paragraph("- " + notes.within(printable(note)), width);
  return out;
}

std::string run_list(const std::vector<std::pair<std::int64_t, evidence::Run>>& runs, int width) {
  render::Table table{{{"Run", render::Align::right},
                       {"Time (UTC)"},
                       {"Kernel"},
                       {"Profile"},
                       {"Device"},
                       {"Configuration", render::Align::left, 60},
                       {"Duration (us)", render::Align::right},
                       {"Check"}},
                      {}};
  for (const auto& [id, run] : runs)
    table.rows.push_back({fmt::format("{}", id), run.provenance.time_utc, run.kernel + " " + run.version,
                          run.prof_type, run.provenance.device.empty() ? "-" : run.provenance.device,
                          configuration_text(run), value_or_dash(run, "duration_us"),
                          !run.check.made    ? "-"
                          : run.check.passed ? "passed"
                                             : "FAILED"});
  return render::fitted(table, width);
}

}  // namespace cutelab::report
