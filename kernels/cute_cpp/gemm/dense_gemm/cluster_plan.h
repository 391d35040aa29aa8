#pragma once
// What v4, v5 and v7 share on the host: persistent clusters of at most two CTAs, of which one operand is
// multicast. A version adds its tiles.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ladder_plan.h"

namespace dense_gemm {

/// `Config` has tile_m, tile_n, stages, cluster_m, cluster_n in this order, and block(), cluster(),
/// smem_bytes().
template <class Config>
class ClusterPlan : public LadderPlan {
 protected:
  static Config config_of(const kernel::Config& c) {
    const auto number = [&](const char* name) { return static_cast<int>(c.value(name)); };
    return {number("tile_m"), number("tile_n"), number("stages"), number("cluster_m"), number("cluster_n")};
  }
  static kernel::Config named(const Config& c) {
    return {{{"tile_m", c.tile_m},
             {"tile_n", c.tile_n},
             {"stages", c.stages},
             {"cluster_m", c.cluster_m},
             {"cluster_n", c.cluster_n}},
            ""};
  }
  /// Every width with every cluster shape, as many stages as fit, at most six.
  static std::vector<Config> with_stages_that_fit(int tile_m, const std::vector<int>& widths,
                                                  const std::vector<std::pair<int, int>>& clusters) {
    std::vector<Config> all;
    for (const int tile_n : widths)
      for (const auto& [cluster_m, cluster_n] : clusters) {
        Config c{tile_m, tile_n, 0, cluster_m, cluster_n};
        while (c.stages < 6 && Config{tile_m, tile_n, c.stages + 1, 1, 1}.smem_bytes() <= most_smem)
          ++c.stages;
        all.push_back(c);
      }
    return all;
  }
  /// Cheapest first; clusters of which one CTA would only multiply rows or columns outside of D come last.
  template <class Cost>
  static std::vector<kernel::Config> ranked(const Problem& p, std::vector<Config> all, Cost cost) {
    const auto idle = [&](const Config& c) {
      return (c.cluster_m > 1 && tiles(p.m, c.tile_m) == 1) || (c.cluster_n > 1 && tiles(p.n, c.tile_n) == 1);
    };
    std::stable_sort(all.begin(), all.end(), [&](const Config& a, const Config& b) {
      return std::make_pair(idle(a), cost(a)) < std::make_pair(idle(b), cost(b));
    });
    std::vector<kernel::Config> configs;
    for (const Config& c : all) configs.push_back(named(c));
    return configs;
  }
  /// Clusters that the problem has work for.
  static std::int64_t clusters_of(const Problem& p, const Config& c) {
    return tiles(p.m, c.tile_m * c.cluster_m) * tiles(p.n, c.tile_n * c.cluster_n) * p.batch;
  }

  /// What is wrong with the tile; empty = nothing.
  virtual std::string tile_rejection(const Problem& problem, const Config& config) const = 0;

 private:
  static constexpr int most_smem = 232448;  // bytes per CTA on sm_90, with opt-in

  std::string rejection(const Problem& p, const kernel::Config& named_config) const final {
    const Config c = config_of(named_config);
    if (auto wrong = tile_rejection(p, c); !wrong.empty()) return wrong;
    if (c.stages < 2) return "a ring has at least two stages";
    if (c.cluster_m < 1 || c.cluster_n < 1 || c.cluster_m * c.cluster_n > 2)
      return fmt::format("a cluster of {}×{}: one operand is shared by two CTAs at most", c.cluster_m,
                         c.cluster_n);
    if (c.smem_bytes() > most_smem)
      return fmt::format("{} bytes of shared memory, a CTA has at most {}", c.smem_bytes(), most_smem);
    if (tiles(p.m, c.tile_m) * tiles(p.n, c.tile_n) * p.batch >= INT64_C(1) << 31)
      return "more than 2^31 tiles";
    return "";
  }

  Candidate describe(const Problem& p, const kernel::Config& named_config) const final {
    const Config c = config_of(named_config);
    Candidate chosen;
    chosen.config = named_config;
    chosen.defines = defines_of(named_config, {"tile_m", "tile_n", "stages", "cluster_m", "cluster_n"});
    define_width(c.tile_n, chosen.defines);
    chosen.block = static_cast<unsigned>(c.block());
    chosen.smem_bytes = static_cast<unsigned>(c.smem_bytes());
    chosen.cluster = static_cast<unsigned>(c.cluster());
    chosen.clusters_of_work = clusters_of(p, c);
    chosen.persistent = true;
    chosen.tile_group = 16 / c.cluster_m;  // 16 rows of tiles: the block in flight is about as high as wide
    return chosen;
  }
};

/// Where n is contiguous in B, what a CTA loads of it is a multiple of the swizzle's 64 columns.
template <class Config>
std::string swizzle_rejection(const Problem& p, const Config& c) {
  if (p.b_k_major || c.tile_n % (64 * c.cluster_m) == 0) return "";
  return fmt::format(
      "tile_n = {}: where n is contiguous in B, the swizzle wants multiples of 64 of every CTA", c.tile_n);
}

}  // namespace dense_gemm
