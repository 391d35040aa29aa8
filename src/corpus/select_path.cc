#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "corpus/select.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

const std::vector<std::string>* names_for(const PathStep& step, const std::string& generation) {
  const auto it = step.names.find(generation);
  return it == step.names.end() ? nullptr : &it->second;
}

/// The example of that name for a generation ("" = any); ordinary forms before the extensions.
int find_named(const std::string& name, const std::string& generation, const Catalog& catalog) {
  int best = -1;
  int best_rank = -1;
  for (int i = 0; i < static_cast<int>(catalog.examples().size()); ++i) {
    const Example& e = catalog.examples()[static_cast<std::size_t>(i)];
    if (stem_of(e.path()) != name || !e.relevant || (!generation.empty() && e.generation != generation))
      continue;
    const int rank = e.layer == Layer::cute || e.layer == Layer::tutorial ? 2
                     : e.layer == Layer::helper                           ? 0
                                                                          : 1;
    if (rank > best_rank) {
      best_rank = rank;
      best = i;
    }
  }
  return best;
}

int find_first(const std::vector<std::string>* names, const std::string& generation, const Workspace& w) {
  if (!names) return -1;
  for (const std::string& name : *names) {
    if (const int i = find_named(name, generation, *w.catalog); i >= 0) return i;
    for (const Rename& r : w.history.renames())  // a release before a rename has it under the old name
      if (std::find(r.new_names.begin(), r.new_names.end(), name + ".py") != r.new_names.end())
        if (const int i = find_named(std::string(stem_of(r.old_name)), generation, *w.catalog); i >= 0)
          return i;
  }
  return -1;
}

std::string missing_text(const PathStep& step, const std::string& generation, const Workspace& w) {
  const auto* names = names_for(step, generation);
  if (!names) names = names_for(step, "");
  if (!names) return fmt::format("no example for {}", generation);
  std::vector<std::string> parts;
  for (const std::string& name : *names) {
    const std::string when = w.history.when(name + ".py");
    parts.push_back(when.empty() ? name + " is not here"
                                 : fmt::format("{} is not here; CUTLASS has it {}", name, when));
  }
  return join(parts, "; ");
}

/// The generation whose own examples cover most steps.
std::string richest_generation(const LearningPath& path, const Workspace& w) {
  std::map<std::string, int> covered;
  for (const PathStep& step : path.steps)
    for (const auto& [generation, names] : step.names)
      if (!generation.empty() && find_first(&names, generation, w) >= 0) ++covered[generation];
  std::string best = "blackwell";
  for (const auto& [generation, count] : covered)
    if (count > covered[best]) best = generation;
  return best;
}

}  // namespace

Result<std::vector<ResolvedStep>> learning_path(const std::string& id, const std::optional<Device>& device,
                                                const Workspace& w) {
  auto path = w.taxonomy.path(id);
  if (!path) return path.error();
  std::string generation = device ? w.archs.folder_of(device->arch) : "";
  if (generation == "ada") generation = "ampere";
  if (generation.empty()) generation = richest_generation(**path, w);
  std::vector<ResolvedStep> steps;
  for (const PathStep& step : (*path)->steps) {
    ResolvedStep r;
    r.teaches = step.teaches;
    r.example = find_first(names_for(step, generation), generation, w);
    if (r.example < 0) r.example = find_first(names_for(step, ""), "", w);
    if (r.example < 0) r.missing = missing_text(step, generation, w);
    for (const auto& [other, names] : step.names)
      if (r.example < 0 && !other.empty() && (r.example = find_first(&names, other, w)) >= 0)
        r.other_generation = true;
    if (const auto it = step.packages.find(generation); it != step.packages.end()) r.package = it->second;
    steps.push_back(std::move(r));
  }
  return steps;
}

}  // namespace cutelab::corpus
