#include "report/listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "render/columns.h"
#include "report/model.h"

namespace cutelab::report {
namespace {
using evidence::Reading;
using render::Align;
using render::Columns;
using render::Style;

/// Most roles, pipelines and shared memory of any one kernel of the file: files with several kernels list
/// their largest.
struct Largest {
  std::size_t roles = 0;
  std::size_t pipelines = 0;
  std::optional<std::int64_t> storage_bytes;
};

Largest largest_of(const Reading& reading) {
  Largest out;
  for (const KernelModel& model : models(reading)) {
    out.roles = std::max(out.roles, model.roles.size());
    out.pipelines = std::max(out.pipelines, model.pipelines.size());
    if (model.storage_bytes)
      out.storage_bytes = std::max(out.storage_bytes.value_or(0), *model.storage_bytes);
  }
  return out;
}

std::string patterns_text(const Reading& reading) {
  std::vector<std::string> present;
  for (const auto& p : reading.patterns)
    if (p.present) present.push_back(p.id.starts_with("P") ? p.id.substr(1) : p.id);
  return join(present, " ");
}

/// The folders that all paths share, with the slash; empty for a single path.
std::string common_folder(const std::vector<Reading>& readings) {
  if (readings.size() < 2) return "";
  std::string common;
  bool first = true;
  for (const Reading& reading : readings) {
    const std::string path = reading.files.empty() ? "" : reading.files[0].path;
    if (first) common = path;
    first = false;
    const auto differs = std::mismatch(common.begin(), common.end(), path.begin(), path.end()).first;
    common.erase(differs, common.end());
  }
  return common.substr(0, common.rfind('/') + 1);
}

}  // namespace

std::string listing(const std::vector<Reading>& readings, const ViewOptions& options) {
  Columns columns = {{{"file", Align::left, false, 24},
                      {"style", Align::left, false, 8},
                      {"from"},
                      {"roles", Align::right},
                      {"pipelines", Align::right},
                      {"smem B", Align::right},
                      {"patterns", Align::left, true, 12},
                      {"undetermined", Align::right}},
                     {}};
  const std::string folder = common_folder(readings);
  int helpers = 0;
  evidence::UndeterminedTotal sum;
  for (const Reading& reading : readings) {
    const auto total = undetermined_total(reading);
    sum.facts += total.facts;
    sum.values += total.values;
    sum.undetermined += total.undetermined;
    if (reading.helper && readings.size() > 1) {
      ++helpers;
      continue;
    }
    const Largest largest = largest_of(reading);
    const std::string path = reading.files.empty() ? "?" : reading.files[0].path.substr(folder.size());
    columns.rows.push_back(
        {{render::clip_middle(render::one_line(path), std::max(24, options.width - 62)), Style::strong},
         {reading.style},
         {reading.arch.minimum.empty() ? "?" : reading.arch.minimum},
         {largest.roles ? fmt::format("{}", largest.roles) : ""},
         {largest.pipelines ? fmt::format("{}", largest.pipelines) : ""},
         {largest.storage_bytes ? with_thousands(*largest.storage_bytes) : ""},
         {patterns_text(reading)},
         {fmt::format("{}/{}", total.undetermined, total.values)}});
  }
  std::string out;
  if (!folder.empty())
    out += options.paint(Style::faint, render::clip_middle(render::one_line(folder), options.width)) + "\n";
  if (!columns.rows.empty()) out += render::columns(columns, options.width, options.paint, 0);
  out += fmt::format("{} file{} with kernels", columns.rows.size(), columns.rows.size() == 1 ? "" : "s");
  if (helpers) out += fmt::format(", {} without", helpers);
  return out + fmt::format("; {} facts, {} of {} values undetermined\n", with_thousands(sum.facts),
                           with_thousands(sum.undetermined), with_thousands(sum.values));
}

}  // namespace cutelab::report
