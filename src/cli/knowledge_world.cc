#include "cli/knowledge_world.h"

#include "evidence/json.h"
#include "evidence/metrics.h"
#include "knowledge/document.h"

namespace cutelab::cli {
namespace {
constexpr std::uint64_t max_run_bytes = 64u << 20;
}

std::string default_knowledge_folder(const Context& context) {
  const std::string here = "docs/knowledge";
  return context.files.status(here) ? here : context.source_root + "/" + here;
}

std::vector<std::string> evidence_roots(const Context& context, const std::vector<std::string>& corpora) {
  std::vector<std::string> roots = {"", context.source_root};
  roots.insert(roots.end(), corpora.begin(), corpora.end());
  return roots;
}

Result<std::vector<evidence::Run>> load_runs(const Context& context,
                                             const std::vector<std::string>& run_files) {
  std::vector<evidence::Run> runs;
  for (const std::string& path : run_files) {
    auto text = context.files.read(path, max_run_bytes);
    if (!text) return text.error();
    auto run = evidence::run_from_json(*text);
    if (!run) {
      Error error = run.error();
      error.where = path;
      return error;
    }
    runs.push_back(std::move(*run));
  }
  return runs;
}

Result<knowledge::CheckWorld> check_world(const Context& context, const std::string& folder,
                                          const std::vector<std::string>& corpora,
                                          const std::vector<std::string>& run_files) {
  knowledge::CheckWorld world;
  world.roots = evidence_roots(context, corpora);
  for (const evidence::MetricDescriptor& metric : evidence::metric_descriptors())
    world.known_metrics.push_back(metric.tag);
  std::vector<std::string> paths = run_files;
  if (const auto kept = context.files.list(folder + "/runs", nullptr))
    for (const std::string& path : *kept)
      if (path.ends_with(".json")) paths.push_back(path);
  auto runs = load_runs(context, paths);
  if (!runs) return runs.error();
  std::map<std::string, evidence::Run> by_id;
  for (const evidence::Run& run : *runs) by_id.emplace(knowledge::run_id(run), run);
  world.find_run = [by_id](const std::string& id) -> std::optional<evidence::Run> {
    const auto it = by_id.find(id);
    return it == by_id.end() ? std::nullopt : std::optional(it->second);
  };
  return world;
}

}  // namespace cutelab::cli
