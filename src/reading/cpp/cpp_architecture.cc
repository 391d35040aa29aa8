#include <algorithm>
#include <string>
#include <vector>

#include "reading/cpp/cpp_facts.h"

/// The least architecture that what a source uses needs.
namespace cutelab::reading {
namespace {
bool names_part(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
}  // namespace

namespace {
bool includes_cute(const CppContext& context) {
  for (const source::Tree* tree : context.trees)
    for (std::uint32_t i = 0; i < tree->size(); ++i) {
      const source::Node n = tree->at(i);
      if (!n.is(source::Kind::preproc_include)) continue;
      const std::string path(n.child(source::Field::path_field).text().substr(0, 80));
      if (names_part(path, "cute/") || names_part(path, "cutlass/")) return true;
    }
  return false;
}

/// CuTe runs from Volta on (CUTLASS's README); device code that names nothing newer needs no more.
void read_least_architecture(CppContext& context) {
  const auto& functions = context.reading.functions;
  const bool on_device = std::any_of(functions.begin(), functions.end(), [](auto& f) {
    return f.kind == evidence::Function::Kind::kernel || f.kind == evidence::Function::Kind::device;
  });
  if (!on_device || !includes_cute(context)) return;
  context.reading.arch.minimum = "sm_70";
  context.reading.arch.reason = "no construct needs more than CUTLASS's own minimum, Volta";
}
}  // namespace

namespace {
/// What only the architecture's own variant ("sm_90a") has.
bool is_specific(int level, const CppDraft& d) {
  return level >= 100 || (level == 90 && (d.fact.kind == "mma" || names_part(d.construct, "warpgroup")));
}

/// The lines that need the minimum, and what each of them needs by itself: one for each construct.
void add_cpp_lines(evidence::ArchRequirement& out, int level, const std::vector<const CppDraft*>& deciding) {
  for (const CppDraft* d : deciding) {
    const std::string needs = "sm_" + std::to_string(level) + (is_specific(level, *d) ? "a" : "");
    if (needs == out.minimum && out.at.size() < 4) out.at.push_back(d->fact.at);
    const bool told = std::any_of(out.lines.begin(), out.lines.end(),
                                  [&](auto& line) { return line.reason == d->construct; });
    if (!told) out.lines.push_back({d->fact.at, needs, d->construct});
  }
  std::stable_sort(out.lines.begin(), out.lines.end(),
                   [&](auto& a, auto& b) { return (a.minimum == out.minimum) > (b.minimum == out.minimum); });
}
}  // namespace

void read_cpp_architecture(CppContext& context) {
  int best = 0;
  std::vector<const CppDraft*> deciding;
  for (const CppDraft& d : context.drafts) {
    if (d.construct == "warpgroup_fence_operand") continue;  // keeps the compiler from moving registers
    const auto built_for = d.fact.values.find("architecture");
    const std::string name =
        d.construct + (built_for == d.fact.values.end() ? "" : " " + built_for->second.text());
    int level = 0;
    if (names_part(name, "SM120") || names_part(name, "Sm120"))
      level = 120;
    else if (names_part(name, "SM103") || names_part(name, "Sm103"))
      level = 103;
    else if (names_part(name, "SM100") || names_part(name, "Sm100") || names_part(name, "UMMA") ||
             names_part(name, "tmem") || names_part(name, "TMEM"))
      level = 100;
    else if (names_part(name, "SM90") || names_part(name, "Sm90") || names_part(name, "tma") ||
             names_part(name, "TMA") || names_part(name, "warpgroup") || names_part(name, "cluster") ||
             names_part(name, "Cluster") || d.construct == "launch:cluster")
      level = 90;
    else if (names_part(name, "SM80") || names_part(name, "Sm80"))
      level = 80;
    else if (names_part(name, "SM75") || names_part(name, "Sm75"))
      level = 75;
    else if (names_part(name, "SM70") || names_part(name, "Sm70"))
      level = 70;
    if (level == 0 || level < best) continue;
    if (level > best) deciding.clear();
    best = level;
    deciding.push_back(&d);
  }
  if (best == 0) return read_least_architecture(context);
  evidence::ArchRequirement& out = context.reading.arch;
  const bool specific =
      std::any_of(deciding.begin(), deciding.end(), [&](auto* d) { return is_specific(best, *d); });
  out.minimum = "sm_" + std::to_string(best) + (specific ? "a" : "");
  auto product =
      std::find_if(deciding.begin(), deciding.end(), [](auto* d) { return d->fact.kind == "mma"; });
  if (product == deciding.end() && specific)  // what only the architecture's own variant has
    product = std::find_if(deciding.begin(), deciding.end(),
                           [](auto* d) { return names_part(d->construct, "warpgroup"); });
  if (product != deciding.end()) std::iter_swap(deciding.begin(), product);
  out.reason = "uses " + deciding.front()->construct;
  add_cpp_lines(out, best, deciding);
}

}  // namespace cutelab::reading
