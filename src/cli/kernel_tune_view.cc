#include <fmt/format.h>

#include "base/text.h"
#include "cli/kernel_tune.h"
#include "render/columns.h"

namespace cutelab::cli {

std::string tune_report(const TuneOutcome& outcome, int width) {
  std::string out;
  if (outcome.from_store) {
    out = fmt::format("kept from {}: {:.2f} us, of {} timed, {} rejected, {} failed\n", outcome.best.time_utc,
                      outcome.best.duration_us, outcome.best.candidates, outcome.best.rejected,
                      outcome.best.failed);
  } else {
    render::Table table{{{"Configuration"},
                         {"First (us)", render::Align::right},
                         {"Again (us)", render::Align::right},
                         {"Failed because", render::Align::left, 70}},
                        {}};
    const auto us = [](double value) { return value > 0 ? fmt::format("{:.2f}", value) : std::string("-"); };
    for (const auto& candidate : outcome.candidates)
      table.rows.push_back({candidate.config.text(), us(candidate.screened_us), us(candidate.final_us),
                            printable(candidate.failed_because)});
    out = render::fitted(table, width);
    int rejected = 0;
    for (const auto& [reason, count] : outcome.rejected) rejected += count;
    out += fmt::format("\n{} rejected by the plan\n", rejected);
    for (const auto& [reason, count] : outcome.rejected) out += fmt::format("  {} × {}\n", count, reason);
  }
  if (outcome.best.values.empty()) return out + "nothing could be timed: " + outcome.outcome.reason + "\n";
  out +=
      fmt::format("best: {} ({:.2f} us, L2 {}){}\n", kernel::Config{outcome.best.values, ""}.text(),
                  outcome.best.duration_us, outcome.key.l2, outcome.said.empty() ? "" : "; " + outcome.said);
  return out;
}

}  // namespace cutelab::cli
