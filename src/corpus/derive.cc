#include "corpus/derive.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "corpus/words.h"

namespace cutelab::corpus {

const char* name_of(Layer layer) {
  switch (layer) {
    case Layer::cute:
      return "CuTe";
    case Layer::cute_ext:
      return "cute_ext";
    case Layer::primitives:
      return "primitives";
    case Layer::task_scheduling:
      return "task sched";
    case Layer::tutorial:
      return "tutorial";
    case Layer::helper:
      return "helper";
    case Layer::notebook:
      return "notebook";
    case Layer::cute_cpp:
      return "CuTe C++";
    case Layer::cuda_cpp:
      return "CUDA C++";
  }
  return "?";
}

namespace {

void add(std::vector<std::string>& list, const std::string& item) {
  if (!item.empty() && std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

bool imports_below(const FileFacts& facts, std::string_view module) {
  return std::any_of(facts.imports.begin(), facts.imports.end(),
                     [&](const Mention& m) { return std::string_view(m.name).starts_with(module); });
}

/// The MMA families that exclude each other: a GPU has at most one of them.
int exclusive_group(std::string_view feature) {
  if (feature == "wgmma") return 1;
  if (feature.starts_with("tcgen05")) return 2;
  if (feature == "block-scaled-mma-sync") return 3;
  return 0;
}

int generation_group(std::string_view generation) {
  return generation == "hopper"                               ? 1
         : generation == "blackwell" || generation == "rubin" ? 2
         : generation == "blackwell_geforce"                  ? 3
                                                              : 0;
}

struct Found {
  const SignalHit* hit;
  const Signal* signal;
  const Feature* feature;
};

std::vector<Found> deciding_hits(const Example& e, const SignalTable& signals, const ArchFacts& archs,
                                 bool weak) {
  std::vector<Found> found;
  for (const SignalHit& hit : e.facts->signals) {
    const int i = signals.find(hit.seen);
    if (i < 0 || signals[i].feature.empty() || signals[i].weak != weak) continue;
    const Signal& s = signals[i];
    const Feature* feature = archs.feature(s.feature);
    // A kernel that can do without decides nothing; a demonstration of one instruction cannot do without it.
    if (feature && (!feature->optional || e.layer == Layer::primitives)) found.push_back({&hit, &s, feature});
  }
  return found;
}

int sm_of(const Feature& f) {
  const auto arch = parse_arch(f.minimum);
  return arch ? arch->sm : 0;
}

/// Of several MMA families in one file the folder's generation decides; without one, the first that stands in
/// the file.
int chosen_group(const Example& e, const std::vector<Found>& found) {
  const int wanted = generation_group(e.generation);
  int first = 0;
  for (const Found& f : found) {
    const int group = exclusive_group(f.signal->feature);
    if (group == 0) continue;
    if (group == wanted) return group;
    if (first == 0) first = group;
  }
  return first;
}

}  // namespace

void derive_from_signals(Example& e, const SignalTable& signals) {
  for (const SignalHit& hit : e.facts->signals) {
    const int i = signals.find(hit.seen);
    if (i < 0) continue;
    for (const std::string& p : signals[i].patterns) add(e.patterns, p);
    add(e.constructs, signals[i].construct);
    add(e.dtypes, signals[i].dtype);
  }
  std::sort(e.patterns.begin(), e.patterns.end(),
            [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
}

Layer layer_of(const FileFacts& facts) {
  if (facts.language == Language::notebook) return Layer::notebook;
  const bool tutorial = facts.path.find("tutorial") != std::string::npos;
  if (facts.language == Language::cuda_cpp && !facts.has_main && facts.kernels.empty()) return Layer::helper;
  if (facts.language == Language::cuda_cpp) return tutorial ? Layer::tutorial : Layer::cute_cpp;
  if (!facts.has_main && facts.kernels.empty()) return Layer::helper;
  if (imports_below(facts, "cutlass.experimental.task_scheduling")) return Layer::task_scheduling;
  if (imports_below(facts, "cutlass.experimental")) return Layer::primitives;
  if (imports_below(facts, "cutlass.cute.experimental")) return Layer::cute_ext;
  return tutorial ? Layer::tutorial : Layer::cute;
}

ArchNeed need_of(const Example& e, const SignalTable& signals, const ArchFacts& archs) {
  ArchNeed need;
  std::vector<Found> found = deciding_hits(e, signals, archs, false);
  if (found.empty()) found = deciding_hits(e, signals, archs, true);
  const int group = chosen_group(e, found);
  const Found* best = nullptr;
  for (const Found& f : found) {
    const int own = exclusive_group(f.signal->feature);
    if (own != 0 && own != group) {
      add(need.instead, f.signal->feature);
      continue;
    }
    add(need.features, f.signal->feature);
    const auto rank = [](const Found& x) {
      return std::pair(sm_of(*x.feature), exclusive_group(x.signal->feature));
    };
    if (!best || rank(f) > rank(*best)) best = &f;
  }
  if (!best) return need;
  need.minimum = best->feature->minimum;
  need.deciding_feature = best->feature->id;
  need.line = best->hit->line;
  need.reason = fmt::format("{}: {}, line {}", best->feature->title, best->hit->seen, best->hit->line);
  return need;
}

void settle_need(Example& e, const ArchFacts& archs) {
  if (!e.arch.minimum.empty()) return;
  const bool kernels = !e.facts->kernels.empty() || !e.facts->jits.empty();
  if (kernels && e.facts->language != Language::cuda_cpp) {
    e.arch.minimum = "sm_80";
    e.arch.reason = "nothing in it needs more than the CuTe DSL's own minimum";
    return;
  }
  for (const Target& t : archs.targets())
    if (!e.generation.empty() && has(t.folders, e.generation)) {
      e.arch.minimum = t.native.text();
      e.arch.assumed = true;
      e.arch.reason =
          fmt::format("assumed from its place under {}; no construct in it decides", e.generation);
      return;
    }
}

}  // namespace cutelab::corpus
