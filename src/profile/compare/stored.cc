#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "evidence/metrics.h"
#include "profile/compare.h"
#include "profile/statistics.h"

namespace cutelab::profile {
namespace {

using evidence::Run;

std::optional<double> row_of(const Run& run, const char* tag) {
  const auto* row = evidence::metric_of(run, tag);
  return row ? row->value : std::nullopt;
}

/// "L2 cold (clean unrelated lines); inputs uniform [-1, 1)" of the note on how the run was timed.
std::string way_of(const Run& run) {
  for (const std::string& note : run.notes) {
    if (note.rfind("L2 ", 0) != 0) continue;
    const auto parts = split(note, ';');
    if (parts.size() > 1) return fmt::format("{};{}", parts[0], parts[1]);
  }
  return "";
}

/// What the two runs do not share and would have to; empty = they can be compared.
std::string unlike(const Run& left, const Run& right) {
  const auto differ = [](const char* what, const std::string& l, const std::string& r) {
    return fmt::format("{}: {} against {}", what, l.empty() ? "not told" : l, r.empty() ? "not told" : r);
  };
  const auto& a = left.provenance;
  const auto& b = right.provenance;
  if (a.device != b.device || a.device.empty()) return differ("device", a.device, b.device);
  if (a.driver != b.driver) return differ("driver", a.driver, b.driver);
  if (way_of(left) != way_of(right)) return differ("cache and inputs", way_of(left), way_of(right));
  const auto l = row_of(left, "sm_clock_mhz");
  const auto r = row_of(right, "sm_clock_mhz");
  constexpr double same_clock = 0.02;
  if (l && r && std::abs(*r / *l - 1) > same_clock)
    return fmt::format("SM clock: {:.0f} against {:.0f} MHz", *l, *r);
  return "";
}

}  // namespace

void explain_by_code(evidence::Verdict& verdict, const Run& left, const Run& right) {
  using Kind = evidence::VerdictKind;
  const std::string& code = left.provenance.code_hash;
  if (code.empty() || code != right.provenance.code_hash || verdict.kind == Kind::impossible) return;
  verdict.reason +=
      fmt::format("{}both run the same machine code ({})", verdict.reason.empty() ? "" : "; ", code);
  if (verdict.kind == Kind::faster || verdict.kind == Kind::slower)
    verdict.reason += ": its launch, its arguments or the machine make the difference";
}

StoredComparison compare_stored(const Run& left, const Run& right, double margin, double z) {
  using Kind = evidence::VerdictKind;
  const auto l = row_of(left, "duration_us");
  const auto r = row_of(right, "duration_us");
  if (!l || !r || *l <= 0 || *r <= 0) {
    const auto* row = evidence::metric_of(l ? right : left, "duration_us");
    return {
        {Kind::impossible, row && !row->missing_because.empty() ? row->missing_because : "it was not timed"},
        std::nullopt};
  }
  const double error =
      std::hypot(summarize(left.samples_us).median_error, summarize(right.samples_us).median_error);
  const double centre = *r / *l - 1;
  const double half = z * error + run_to_run;
  const Difference d{centre - half, centre, centre + half, centre};
  if (auto reason = unlike(left, right); !reason.empty())
    return {{Kind::ambiguous, "not measured the same way: " + reason}, d};
  StoredComparison seen{judge_difference(d, margin), d};
  explain_by_code(seen.verdict, left, right);
  return seen;
}

}  // namespace cutelab::profile
