#include "cli/kernel_predicted.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/text.h"
#include "cli/exports.h"
#include "evidence/names.h"
#include "reading/read.h"

namespace cutelab::cli {
namespace {

using evidence::Fact;

/// "--mnk=1,2,3" and "--fast" as the reading takes them: name and value.
std::vector<std::pair<std::string, std::string>> settings_from(const std::vector<std::string>& flags) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& flag : flags) {
    if (!flag.starts_with("--")) continue;
    const auto equals = flag.find('=');
    const std::string name = flag.substr(2, equals == std::string::npos ? equals : equals - 2);
    settings.emplace_back(name, equals == std::string::npos ? "True" : flag.substr(equals + 1));
  }
  return settings;
}

std::optional<std::vector<std::int64_t>> extents_of(const Fact& fact, const char* name) {
  const auto it = fact.values.find(name);
  if (it == fact.values.end() || !it->second.determined() || !it->second.list()) return std::nullopt;
  std::vector<std::int64_t> extents;
  for (const auto& extent : *it->second.list()) {
    if (!extent.integer()) return std::nullopt;
    extents.push_back(*extent.integer());
  }
  extents.resize(3, 1);
  return extents;
}

/// One quantity as it is predicted, if it is, and as it was recorded.
struct Held {
  std::string name;
  std::optional<std::string> predicted;
  std::string recorded;
};

/// `cluster` of the source is the preferred one where a launch names two.
std::vector<Held> held(const Fact& fact, const kernel::LaunchShape& launch,
                       const std::array<unsigned, 3>& preferred_cluster) {
  std::vector<Held> all;
  const auto add = [&](const char* name, const std::array<unsigned, 3>& recorded) {
    const auto predicted = extents_of(fact, name);
    all.push_back({name,
                   predicted ? std::optional(fmt::format("{}", fmt::join(*predicted, "×"))) : std::nullopt,
                   fmt::format("{}", fmt::join(recorded, "×"))});
  };
  add("grid", launch.grid);
  add("block", launch.block);
  if (fact.values.count("cluster")) add("cluster", preferred_cluster[0] ? preferred_cluster : launch.cluster);
  const auto bytes = fact.values.find("smem_bytes");
  const bool known = bytes != fact.values.end() && bytes->second.integer();
  all.push_back({"dynamic shared memory",
                 known ? std::optional(fmt::format("{} B", *bytes->second.integer())) : std::nullopt,
                 fmt::format("{} B", launch.dynamic_smem_bytes)});
  return all;
}

/// The launch of the kernel that `symbol` names.
const Fact* launch_of(const evidence::Reading& reading, const std::string& symbol) {
  for (const Fact& fact : reading.facts) {
    if (fact.kind != evidence::kind::launch) continue;
    const std::string name = fact.kernel.empty() ? fact.subject : fact.kernel;
    if (symbol.find(name.substr(name.rfind('.') + 1)) != std::string::npos) return &fact;
  }
  return nullptr;
}

}  // namespace

std::string predicted_against_recorded(const kernel::ImportedPlan& plan, const kernel::Params& params,
                                       const kernel::Config& config, const kernel::CuteKernel& kernel,
                                       const Context& context) {
  const auto& description = plan.description();
  auto path = program_path(description.program, context);
  if (!path || !context.files.status(*path)) return "";
  std::map<std::string, std::string> values = params.texts();
  for (const auto& [name, value] : config.values) values[name] = fmt::format("{}", value);
  reading::Request request;
  request.path = *path;
  request.arch = description.arch;
  request.settings = settings_from(kernel::flags_of(description, values));
  request.library_roots = reading::library_roots_for(
      *path, context.files,
      {context.source_root + "/build/deps/dsl-sources/nvidia_cutlass_dsl/dsl_packages"});
  auto reading = reading::read(request, context.files);
  if (!reading) return "";
  const Fact* fact = launch_of(*reading, kernel.device_function);
  if (fact == nullptr) return "";
  std::vector<std::string> words, differing;
  std::array<unsigned, 3> preferred{};
  if (const auto exported = read_export(kernel.exported_folder, context.files);
      exported && !exported->call.launches.empty())
    preferred = exported->call.launches[0].preferred_cluster;
  for (const Held& one : held(*fact, kernel.launch(0), preferred)) {
    words.push_back(fmt::format("{} {} / {}", one.name, one.predicted.value_or("?"), one.recorded));
    if (one.predicted && *one.predicted != one.recorded) differing.push_back(one.name);
  }
  return fmt::format("predicted from the source / recorded: {}; {}", join(words, ", "),
                     differing.empty() ? "they agree where the reading knows them"
                                       : "they differ in " + join(differing, ", "));
}

}  // namespace cutelab::cli
