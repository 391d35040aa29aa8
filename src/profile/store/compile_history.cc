#include "profile/compile_history.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "evidence/metrics.h"

namespace cutelab::profile {
namespace {

std::optional<double> compiled_row(const evidence::Run& run, const char* tag) {
  const auto* row = evidence::metric_of(run, tag);
  return row ? row->value : std::nullopt;
}

/// What the text says of a row; `unit` is empty or " B".
struct CompiledRow {
  const char* tag;
  const char* name;
  const char* unit;
};
constexpr CompiledRow compiled_rows[] = {{"local_accesses", "local loads and stores (spills)", ""},
                                         {"stack_bytes", "stack", " B"},
                                         {"registers", "registers", ""}};

bool has_compiled_rows(const evidence::Run& run) {
  for (const CompiledRow& row : compiled_rows)
    if (!compiled_row(run, row.tag)) return false;
  return true;
}

CompileChange change_between(const StoredRun& then, const evidence::Run& now) {
  CompileChange change;
  std::vector<std::string> parts;
  bool equal = true;
  for (const CompiledRow& row : compiled_rows) {
    const double before = *compiled_row(then.run, row.tag), after = *compiled_row(now, row.tag);
    equal = equal && before == after;
    if (row.tag != std::string("registers")) change.worse = change.worse || after > before;
    parts.push_back(before == after
                        ? fmt::format("{} {:.0f}{}", row.name, after, row.unit)
                        : fmt::format("{} {:.0f} -> {:.0f}{}", row.name, before, after, row.unit));
  }
  const auto& a = then.run.provenance;
  const auto& b = now.provenance;
  std::string since = a.compiler != b.compiler ? a.compiler : "other sources or options by " + a.compiler;
  if (a.compiler != b.compiler && a.source_hash != b.source_hash) since += " and other sources or options";
  change.text =
      fmt::format("{} {} {} (run {})", join(parts, ", "), equal ? "as with" : "since", since, then.id);
  return change;
}

}  // namespace

Result<std::optional<CompileChange>> since_last_compile(const evidence::Run& now, const Store& store) {
  if (!has_compiled_rows(now)) return std::optional<CompileChange>();
  auto earlier = store.compiled_alike(now);
  if (!earlier) return earlier.error();
  const StoredRun* other_sources = nullptr;
  for (const StoredRun& then : *earlier) {
    if (!has_compiled_rows(then.run)) continue;
    if (then.run.provenance.compiler != now.provenance.compiler)
      return std::optional<CompileChange>(change_between(then, now));
    if (!other_sources && then.run.provenance.source_hash != now.provenance.source_hash)
      other_sources = &then;
  }
  if (!other_sources) return std::optional<CompileChange>();
  return std::optional<CompileChange>(change_between(*other_sources, now));
}

}  // namespace cutelab::profile
