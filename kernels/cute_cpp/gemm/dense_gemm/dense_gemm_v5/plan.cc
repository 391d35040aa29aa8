// dense_gemm_v5: its configurations, and how they are compiled and launched.
#include <fmt/format.h>

#include <algorithm>

#include "../ladder_plan.h"
#include "config.h"

namespace dense_gemm_v5 {
namespace {

using namespace dense_gemm;

const std::vector<std::string> names = {"tile_m", "tile_n", "stages", "cluster_m", "cluster_n"};

Config config_of(const kernel::Config& c) {
  const auto number = [&](const char* name) { return static_cast<int>(c.value(name)); };
  return {number("tile_m"), number("tile_n"), number("stages"), number("cluster_m"), number("cluster_n")};
}

kernel::Config named(const Config& c) {
  return {{{"tile_m", c.tile_m},
           {"tile_n", c.tile_n},
           {"stages", c.stages},
           {"cluster_m", c.cluster_m},
           {"cluster_n", c.cluster_n}},
          ""};
}

/// Estimated cycles of one CTA: its turns times a tile's multiplication, 256 columns of 128 rows and 64 k in
/// 1024. The idle end of the last turn counts, which is what odd widths are for.
std::int64_t cycles(const Problem& p, const Config& c) {
  const std::int64_t clusters =
      tiles(p.m, c.tile_m * c.cluster_m) * tiles(p.n, c.tile_n * c.cluster_n) * p.batch;
  const std::int64_t turns = tiles(clusters, ranked_for_sms / c.cluster());
  constexpr std::int64_t between_tiles = 1000;
  return turns * (tiles(p.k, 64) * 4 * c.tile_m * c.tile_n / 128 + between_tiles);
}

class Plan final : public LadderPlan {
  std::vector<kernel::Config> candidates(const Problem& p) const override {
    std::vector<Config> all;
    for (const int tile_n : {256, 240, 224, 208, 192, 176, 160, 128})
      for (const auto& [cluster_m, cluster_n] : {std::pair{2, 1}, {1, 2}, {1, 1}}) {
        Config c{128, tile_n, 0, cluster_m, cluster_n};
        while (c.stages < 6 && Config{128, tile_n, c.stages + 1, 1, 1}.smem_bytes() <= smem_limit) ++c.stages;
        all.push_back(c);
      }
    all.push_back({256, 128, 4, 1, 2});
    std::stable_sort(all.begin(), all.end(), [&](const Config& a, const Config& b) {
      // Narrower tiles read more of L2 for the same product: they have to win by more than 4 %.
      const auto cost = [&](const Config& c) {
        return cycles(p, c) * (c.tile_m * c.tile_n == 128 * 256 ? 96 : 100);
      };
      return cost(a) < cost(b);
    });
    std::vector<kernel::Config> configs;
    for (const Config& c : all) configs.push_back(named(c));
    return configs;
  }

  std::string rejection(const Problem& p, const kernel::Config& named_config) const override {
    const Config c = config_of(named_config);
    const bool tall = c.tile_m == 256 && c.tile_n <= 128;
    if ((c.tile_m != 128 && !tall) || c.tile_n % 16 != 0 || c.tile_n < 16 || c.tile_n > 256)
      return fmt::format(
          "a tile of {}×{} has more than 128 accumulators a thread, or a width that is no multiple of 16",
          c.tile_m, c.tile_n);
    if (!p.b_k_major && c.tile_n % (64 * c.cluster_m) != 0)
      return fmt::format(
          "tile_n = {}: where n is contiguous in B, the swizzle wants multiples of 64 of every CTA",
          c.tile_n);
    if (c.stages < 2) return "a ring has at least two stages";
    if (c.cluster_m < 1 || c.cluster_n < 1 || c.cluster_m * c.cluster_n > 2)
      return fmt::format("a cluster of {}×{}: one operand is shared by two CTAs at most", c.cluster_m,
                         c.cluster_n);
    if (c.smem_bytes() > smem_limit)
      return fmt::format("{} bytes of shared memory, a CTA has at most {}", c.smem_bytes(), smem_limit);
    if (tiles(p.m, c.tile_m) * tiles(p.n, c.tile_n) * p.batch >= INT64_C(1) << 31)
      return "more than 2^31 tiles";
    return "";
  }

  Candidate describe(const Problem& p, const kernel::Config& named_config) const override {
    const Config c = config_of(named_config);
    Candidate chosen;
    chosen.config = named_config;
    chosen.defines = defines_of(named_config, names);
    define_width(c.tile_n, chosen.defines);
    chosen.block = static_cast<unsigned>(c.block());
    chosen.smem_bytes = static_cast<unsigned>(c.smem_bytes());
    chosen.cluster = static_cast<unsigned>(c.cluster());
    chosen.clusters_of_work =
        tiles(p.m, c.tile_m * c.cluster_m) * tiles(p.n, c.tile_n * c.cluster_n) * p.batch;
    chosen.persistent = true;
    chosen.tile_group = 16 / c.cluster_m;  // 16 rows of tiles: the block in flight is about as high as wide
    return chosen;
  }
};

}  // namespace
}  // namespace dense_gemm_v5

cutelab::kernel::Package cutelab_package_dense_gemm_v5();
cutelab::kernel::Package cutelab_package_dense_gemm_v5() {
  return dense_gemm::package_of("v5",
                                "dense GEMM, a tile is stored while the next is multiplied; width of the "
                                "tile chosen to fill the last turn",
                                std::make_shared<dense_gemm_v5::Plan>());
}
