#include "cli/kernel_roles.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/kernel_profile.h"
#include "evidence/metrics.h"
#include "profile/l2_state.h"
#include "profile/role_timeline.h"
#include "profile/runner.h"
#include "report/role_timeline_view.h"

namespace cutelab::cli {
namespace {

constexpr std::size_t most_buffer_bytes = std::size_t{64} << 20;
constexpr int drawn_ctas = 4;
constexpr int traced_ctas = 16;

/// Two launches, the second one stamped; what it stamped.
Result<evidence::RoleTimeline> stamp(const KernelRequest& request, device::Session& session,
                                     const kernel::Launchable& kernel) {
  auto names = profile::role_names(kernel.stamped_roles());
  if (!names) return names.error();
  auto problem = profile::BoundProblem::bind(session, *request.package.plan, request.params, request.config,
                                             request.timing.fill, 1);
  if (!problem) return problem.error();
  const auto& grid = problem->shape.grid;
  const auto buffer = profile::role_buffer(static_cast<unsigned>(names->roles.size()),
                                           grid[0] * grid[1] * grid[2], most_buffer_bytes);
  auto address = session.allocate(buffer.bytes());
  if (!address) return address.error();
  auto cache = profile::CacheSetter::make(session);
  if (!cache) return cache.error();
  if (auto s = session.fill(*address, 0, buffer.bytes()); !s) return s.error();
  if (auto s = problem->launch(session, kernel); !s) return s.error();
  if (auto s = session.synchronize(); !s) return s.error();
  if (auto s = kernel.stamp_into(*address, buffer.roles, buffer.capacity, buffer.ctas); !s) return s.error();
  if (auto s = cache->set(request.timing.l2); !s) return s.error();
  if (auto s = problem->launch(session, kernel); !s) return s.error();
  if (auto s = session.synchronize(); !s) return s.error();
  if (auto s = kernel.stamp_into(0, 0, 0, 0); !s) return s.error();
  std::vector<std::byte> bytes(buffer.bytes());
  if (auto s = session.download(bytes.data(), *address, bytes.size()); !s) return s.error();
  return profile::decode_roles(std::move(*names), buffer, bytes);
}

Status keep(evidence::Run& run, const KernelRequest& request, const evidence::RoleTimeline& timeline,
            const Context& context) {
  const std::string path = report_path(run, request, context) + ".roles";
  const auto traced = profile::sampled_ctas(timeline, traced_ctas);
  const auto drawn = profile::sampled_ctas(timeline, drawn_ctas);
  const std::string title = request.package.title() + ", " + request.params.text();
  if (auto s = write_file_atomically(path + ".perfetto.json",
                                     profile::role_perfetto_json(timeline, traced, title));
      !s)
    return s;
  if (auto s = write_file_atomically(path + ".svg", report::role_svg(timeline, drawn, title)); !s) return s;
  run.notes.push_back(fmt::format("role timeline kept: {0}.svg ({1} CTAs) and {0}.perfetto.json ({2} CTAs)",
                                  path, drawn.size(), traced.size()));
  return {};
}

}  // namespace

PackageBuild build_stamped(const kernel::Package& package, const kernel::CuteKernel& kernel,
                           const Context& context) {
  kernel::CuteKernel stamping = kernel;
  stamping.defines.emplace_back("CUTELAB_ROLE_TIMELINE=1");
  return build_package(package, stamping, context);
}

std::string profile_roles(evidence::Run& run, const KernelRequest& request, device::Session& session,
                          const KernelLoader& load, const PackageBuild& stamped, const Context& context) {
  if (!stamped.built) return "role timeline: not compiled: " + stamped.not_built_because;
  auto kernel = load(stamped.built->library);
  if (!kernel) return "role timeline: " + one_line(kernel.error());
  if ((*kernel)->stamped_roles().empty())
    return "role timeline: " + request.package.title() +
           " stamps no roles (try: kernels/role_timeline.cuh says how; --prof_type=nsys shows launches)";
  auto timeline = stamp(request, session, **kernel);
  if (!timeline) return "role timeline: " + one_line(timeline.error());
  const auto roles = profile::summarize_roles(*timeline);
  const std::string table = report::role_table(roles);
  for (const auto line : split(table, '\n'))
    if (!line.empty()) run.notes.emplace_back(line);
  int dropped = 0;
  for (const auto& role : roles) dropped += role.dropped;
  if (dropped > 0)
    run.notes.push_back(fmt::format("{} spans had no room: what they covered counts as unaccounted",
                                    with_thousands(dropped)));
  const auto* plain = evidence::metric_of(run, "duration_us");
  run.notes.push_back(fmt::format(
      "stamped launch: {:.2f} us from its first stamp to its last{}; {:.4f} ns a cycle",
      timeline->end_ns * 1e-3,
      plain && plain->value ? fmt::format(", {:.2f} us by events without stamps", *plain->value) : "",
      timeline->ns_per_cycle));
  if (auto s = keep(run, request, *timeline, context); !s) return "role timeline: " + one_line(s.error());
  return "";
}

}  // namespace cutelab::cli
