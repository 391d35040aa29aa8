#include <fmt/format.h>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
constexpr std::int64_t most_ctas = 16;     ///< of a cluster, where the kernel opts in
constexpr std::int64_t portable_ctas = 8;  ///< CUDA C++ Programming Guide, Thread Block Clusters

std::optional<std::int64_t> ctas(const evidence::Fact& launch) {
  const auto shape = numbers_of(value_of(launch, "cluster"));
  if (!shape) return std::nullopt;
  std::int64_t product = 1;
  for (const auto n : *shape) product *= n;
  return product;
}

void hold_shape(Check& check, const evidence::Fact& launch) {
  const auto cluster = numbers_of(value_of(launch, "cluster"));
  const auto size = ctas(launch);
  if (!size) return check.undecided(launch, "cluster");
  const std::string shape = value_of(launch, "cluster")->text();
  if (*size > most_ctas)
    return check.fire(fmt::format("the cluster {} has {} CTAs; no architecture takes more than {}", shape,
                                  *size, most_ctas),
                      fmt::format("{} = {}", product_text(*cluster), *size), {launch.at});
  if (*size == 1) return check.passed();
  const evidence::Value* grid = value_of(launch, "grid");
  const auto* extents = grid ? grid->list() : nullptr;
  if (!extents) return check.undecided(launch, "grid");
  bool whole = extents->size() >= cluster->size();
  for (std::size_t i = 0; i < cluster->size() && i < extents->size(); ++i) {
    const auto extent = (*extents)[i].integer();
    const auto of = (*cluster)[i];
    if (extent && of > 0 && *extent % of != 0)
      return check.fire(
          fmt::format("mode {} of the grid, {}, is no multiple of the cluster's {}", i, *extent, of),
          fmt::format("{} % {} = {}", *extent, of, *extent % of), {launch.at});
    whole = whole && (of == 1 || extent);
  }
  if (whole)
    check.passed();
  else
    check.undecided(launch, "grid");
}
}  // namespace

Rule cluster_shape() {
  return {"cluster-shape", "a cluster has at most 16 CTAs and divides the grid",
          "round the grid up to whole clusters and let CTAs beyond the problem leave",
          evidence::Severity::error, [](Check& check) {
            for (const evidence::Fact* launch : check.facts(evidence::kind::launch))
              if (value_of(*launch, "cluster")) hold_shape(check, *launch);
          }};
}

Rule cluster_not_portable() {
  return {"cluster-not-portable", "more than 8 CTAs in a cluster need an opt-in that not every device grants",
          "ask the device for its largest cluster (cudaOccupancyMaxPotentialClusterSize) before the launch",
          evidence::Severity::warning, [](Check& check) {
            for (const evidence::Fact* launch : check.facts(evidence::kind::launch)) {
              if (!value_of(*launch, "cluster")) continue;
              const auto size = ctas(*launch);
              if (!size)
                check.undecided(*launch, "cluster");
              else if (*size > portable_ctas && *size <= most_ctas)
                check.fire(
                    fmt::format("the cluster {} has {} CTAs: beyond the {} that every device takes",
                                value_of(*launch, "cluster")->text(), *size, portable_ctas),
                    fmt::format("{} = {} > {}", product_text(*numbers_of(value_of(*launch, "cluster"))),
                                *size, portable_ctas),
                    {launch->at});
              else
                check.passed();
            }
          }};
}

}  // namespace cutelab::reading::lints
