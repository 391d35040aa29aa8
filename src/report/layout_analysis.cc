#include "report/layout_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace cutelab::report {

using layout::AccessKind;
using layout::BankReport;
using layout::Phase;

const char* name_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "load";
    case AccessKind::store:
      return "store";
    case AccessKind::ldmatrix:
      return "ldmatrix";
    case AccessKind::stmatrix:
      return "stmatrix";
  }
  return "";
}

namespace {
bool moves_matrices(AccessKind kind) { return kind == AccessKind::ldmatrix || kind == AccessKind::stmatrix; }

std::string phase_text(const Phase& phase) {
  const auto busiest = std::max_element(phase.words_per_bank.begin(), phase.words_per_bank.end());
  std::string out =
      fmt::format("    threads {:>2}-{:<2}  {} wavefront{}", phase.first_thread,
                  phase.first_thread + phase.threads - 1, phase.wavefronts, phase.wavefronts == 1 ? "" : "s");
  if (phase.wavefronts > 1)
    out += fmt::format(", bank {} is asked for {} words", busiest - phase.words_per_bank.begin(), *busiest);
  return out + "\n";
}
}  // namespace

std::string banks_text(const layout::WarpAccess& access, const std::string& threads) {
  const BankReport report = bank_conflicts(access);
  std::string out = fmt::format("  shared memory: {} of {} bytes per thread, threads {}\n",
                                name_of(access.kind), access.bytes, threads);
  out += "    " + sentence(report) + "\n";
  for (const Phase& phase : report.phases) out += phase_text(phase);
  if (moves_matrices(access.kind)) return out;
  const layout::SectorReport global = global_sectors(access);
  return out +
         fmt::format(
             "  the same access in global memory: {} sectors of 32 bytes ({} at best), {} cache lines\n",
             global.sectors, global.ideal, global.cache_lines);
}

std::string banks_json(const layout::WarpAccess& access) {
  const BankReport report = bank_conflicts(access);
  nlohmann::ordered_json out;
  out["kind"] = name_of(access.kind);
  out["bytes"] = access.bytes;
  out["addresses"] = access.address;
  out["wavefronts"] = report.wavefronts;
  out["ideal"] = report.ideal;
  out["conflicts"] = report.conflicts;
  out["says"] = sentence(report);
  out["phases"] = nlohmann::ordered_json::array();
  for (const Phase& phase : report.phases)
    out["phases"].push_back({{"first_thread", phase.first_thread},
                             {"threads", phase.threads},
                             {"wavefronts", phase.wavefronts},
                             {"words_per_bank", phase.words_per_bank}});
  if (moves_matrices(access.kind)) return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const layout::SectorReport global = global_sectors(access);
  out["global"] = {{"sectors", global.sectors}, {"ideal", global.ideal}, {"cache_lines", global.cache_lines}};
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace cutelab::report
