#include <fmt/format.h>

#include "base/sha256.h"
#include "base/text.h"
#include "evidence/json.h"
#include "knowledge/document.h"
#include "knowledge/entry.h"

namespace cutelab::knowledge {
namespace {

std::string or_unknown(const std::string& text) { return text.empty() ? "not recorded" : printable(text); }

std::string check_line(const evidence::Run& run) {
  if (!run.check.made) return "not checked: " + or_unknown(run.check.not_made_because);
  return fmt::format("{}: relative error {:.3g}, tolerance {:.3g}", run.check.passed ? "passed" : "FAILED",
                     run.check.relative_error, run.check.tolerance);
}

std::string run_section(const evidence::Run& run, const std::string& id) {
  std::string out = fmt::format("## Run {}\n\n", id);
  out += fmt::format("- kernel: {} {} ({})\n", printable(run.kernel), printable(run.version), run.language);
  out += fmt::format("- when: {}; profile: {}\n", or_unknown(run.provenance.time_utc),
                     or_unknown(run.prof_type));
  out += fmt::format("- device: {}; driver {}; compiler {}\n", or_unknown(run.provenance.device),
                     or_unknown(run.provenance.driver), or_unknown(run.provenance.compiler));
  out += fmt::format("- source: {}\n", or_unknown(run.provenance.source_hash));
  std::vector<std::string> settings;
  for (const auto& [name, value] : run.provenance.configuration) settings.push_back(name + "=" + value);
  out += fmt::format("- configuration: {}\n",
                     settings.empty() ? "not recorded" : printable(join(settings, " ")));
  out += fmt::format("- check: {}\n\n", check_line(run));
  out += "| metric | value |\n|---|---|\n" + metric_rows(run) + "\n";
  for (const std::string& note : run.notes) out += fmt::format("- note: {}\n", printable(note));
  out +=
      fmt::format("\n### What was tried\n\n{}\n\n### What it showed\n\n{}\n\n", to_be_written, to_be_written);
  return out;
}

}  // namespace

std::string run_id(const evidence::Run& run) { return sha256(evidence::identity_text(run)).substr(0, 12); }

std::string metric_rows(const evidence::Run& run) {
  std::string out;
  for (const evidence::Metric& metric : run.metrics)
    out += metric.value ? fmt::format("| {} | {:.6g} |\n", cell(metric.tag), *metric.value)
                        : fmt::format("| {} | none: {} |\n", cell(metric.tag), cell(metric.missing_because));
  return out;
}

std::string with_runs(const std::string& existing, const std::string& kernel,
                      const std::vector<evidence::Run>& runs) {
  std::string out = existing;
  if (out.empty())
    out = fmt::format(
        "# Development log: {}\n\nOne section for each run: what was measured, what was tried, what it "
        "showed.\n\n",
        printable(kernel));
  for (const evidence::Run& run : runs) {
    const std::string id = run_id(run);
    if (out.find(fmt::format("## Run {}\n", id)) != std::string::npos) continue;
    if (out.back() != '\n') out += '\n';
    out += run_section(run, id);
  }
  return out;
}

}  // namespace cutelab::knowledge
