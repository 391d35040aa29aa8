#include "report/compare_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "evidence/json.h"
#include "evidence/metrics.h"
#include "render/columns.h"
#include "report/footnotes.h"

namespace cutelab::report {
namespace {

using evidence::Run;
using evidence::VerdictKind;

std::optional<double> run_value(const Run& run, const char* tag) {
  const auto* metric = evidence::metric_of(run, tag);
  return metric ? metric->value : std::nullopt;
}

std::string shown_number(const std::optional<double>& value) {
  if (!value) return "-";
  return *value == std::floor(*value) && std::abs(*value) < 1e15
             ? with_thousands(static_cast<long long>(*value))
             : fmt::format("{:.2f}", *value);
}

std::string interval(const ComparedPair& pair) {
  return fmt::format("{:+.2f} % ({:+.2f} … {:+.2f})", pair.centre * 100, pair.low * 100, pair.high * 100);
}

std::string overview(const ComparedRuns& compared, int width) {
  render::Table table{{{"Kernel"},
                       {"Median (us)", render::Align::right},
                       {"Quartiles"},
                       {"Rate (TFLOP/s)", render::Align::right},
                       {"Bandwidth (TB/s)", render::Align::right},
                       {"Against the first"},
                       {"Verdict"}},
                      {}};
  for (std::size_t i = 0; i < compared.runs.size(); ++i) {
    const Run& run = compared.runs[i];
    const bool other = i > 0 && compared.pairs[i - 1].measured;
    const auto first = run_value(run, "duration_q1_us");
    const auto third = run_value(run, "duration_q3_us");
    table.rows.push_back({compared.names[i], shown_number(run_value(run, "duration_us")),
                          first && third ? shown_number(first) + " … " + shown_number(third) : "-",
                          shown_number(run_value(run, "rate_tflops")),
                          shown_number(run_value(run, "bandwidth_tbs")),
                          other ? interval(compared.pairs[i - 1]) : "",
                          other ? word_of(compared.pairs[i - 1].verdict.kind) : ""});
  }
  return render::fitted(table, width);
}

/// Blocks of one SM that a block's shared memory leaves room for (sm_90: 228 KB, 1 KB of each block
/// reserved).
int blocks_by_smem(double kb) { return static_cast<int>(228 / (kb + 1)); }

/// What a row says beyond its numbers; only what the two runs themselves show.
std::string insight(const std::string& tag, const Run& left, const Run& right, const ComparedPair& pair) {
  const auto l = run_value(left, tag.c_str());
  const auto r = run_value(right, tag.c_str());
  if (tag == "duration_us")
    return pair.measured ? word_of(pair.verdict.kind) + (": " + pair.verdict.reason) : "";
  if (!l || !r) {
    const auto* row = evidence::metric_of(l ? right : left, tag);
    return row ? row->missing_because : "not asked for";
  }
  const bool slower = pair.measured && pair.verdict.kind == VerdictKind::slower;
  if (tag == "tc_percent")
    return std::max(*l, *r) > 80   ? "the tensor pipe is the limit"
           : std::abs(*r - *l) > 5 ? "tensor pipe idles more on one side"
                                   : "";
  if (tag == "dram_percent") return std::max(*l, *r) > 80 ? "memory is the limit" : "";
  if (tag == "occupancy_percent" && *r > *l && slower)
    return "more warps resident and yet slower: latency was hidden already";
  if (tag == "registers") {
    const auto spills = run_value(right, "local_accesses").value_or(0);
    const auto spills_left = run_value(left, "local_accesses").value_or(0);
    if (spills != spills_left)
      return fmt::format("local loads and stores (spills): {:.0f} against {:.0f}", spills_left, spills);
  }
  if (tag == "smem_kb" && blocks_by_smem(*l) != blocks_by_smem(*r))
    return fmt::format("blocks of an SM by shared memory: {} against {}", blocks_by_smem(*l),
                       blocks_by_smem(*r));
  return "";
}

std::string side_by_side(const ComparedRuns& compared, std::size_t other, int width) {
  const Run& left = compared.runs[0];
  const Run& right = compared.runs[other];
  render::Table table{{{"Metric"},
                       {compared.names[0], render::Align::right},
                       {compared.names[other], render::Align::right},
                       {"Delta", render::Align::right},
                       {"Insight"}},
                      {}};
  std::vector<std::string> said;
  for (const char* tag :
       {"duration_us", "tc_percent", "dram_percent", "occupancy_percent", "registers", "smem_kb"}) {
    const auto l = run_value(left, tag);
    const auto r = run_value(right, tag);
    const bool percent = std::string(tag).ends_with("percent");
    std::string delta;
    if (l && r)
      delta = percent   ? fmt::format("{:+.1f} points", *r - *l)
              : *l != 0 ? fmt::format("{:+.1f} %", (*r / *l - 1) * 100)
                        : "";
    said.push_back(insight(tag, left, right, compared.pairs[other - 1]));
    table.rows.push_back(
        {evidence::find_metric(tag)->name, shown_number(l), shown_number(r), delta, said.back()});
  }
  const Footnotes notes(said);
  for (auto& row : table.rows) row.back() = notes.mark(row.back());
  const std::string legend = notes.legend(width);
  return render::fitted(table, width) + (legend.empty() ? "" : "\n" + legend);
}

/// Notes that all runs share are said once.
std::string remarks(const ComparedRuns& compared, int width) {
  std::string out;
  for (std::size_t i = 0; i < compared.runs.size(); ++i)
    for (const std::string& note : compared.runs[i].notes) {
      bool earlier = false;
      for (std::size_t j = 0; j < i; ++j)
        for (const std::string& other : compared.runs[j].notes) earlier = earlier || other == note;
      if (!earlier) out += render::paragraph("- " + compared.names[i] + ": " + printable(note), width);
    }
  return out;
}

}  // namespace

const char* word_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::faster:
      return "FASTER";
    case VerdictKind::slower:
      return "SLOWER";
    case VerdictKind::same:
      return "SAME";
    case VerdictKind::ambiguous:
      return "AMBIGUOUS";
    case VerdictKind::impossible:
      return "IMPOSSIBLE";
  }
  return "?";
}

std::string comparison_report(const ComparedRuns& compared, int width) {
  const auto& where = compared.runs[0].provenance;
  std::string out =
      fmt::format("{}, margin {:.3g} %\n\n", where.device.empty() ? "without a GPU" : "on " + where.device,
                  compared.margin * 100);
  out += overview(compared, width) + "\n";
  for (std::size_t other = 1; other < compared.runs.size(); ++other)
    out += side_by_side(compared, other, width) + "\n";
  return out + remarks(compared, width);
}

std::string comparison_json(const ComparedRuns& compared) {
  using Json = nlohmann::ordered_json;
  Json contenders = Json::array();
  for (std::size_t i = 0; i < compared.runs.size(); ++i)
    contenders.push_back({{"name", compared.names[i]}, {"run", evidence::to_json(compared.runs[i])}});
  Json pairs = Json::array();
  for (std::size_t i = 0; i < compared.pairs.size(); ++i) {
    const ComparedPair& pair = compared.pairs[i];
    pairs.push_back({{"left", compared.names[0]},
                     {"right", compared.names[i + 1]},
                     {"verdict", pair.measured ? Json(word_of(pair.verdict.kind)) : Json(nullptr)},
                     {"reason", pair.verdict.reason},
                     {"low", pair.low},
                     {"centre", pair.centre},
                     {"high", pair.high}});
  }
  return Json{{"schema", "cutelab.comparison"},
              {"schema_version", 1},
              {"margin", compared.margin},
              {"contenders", contenders},
              {"pairs", pairs}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace cutelab::report
