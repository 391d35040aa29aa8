// dense_gemm_v4: its configurations, and how they are compiled and launched.
#include <fmt/format.h>

#include "../ladder_plan.h"
#include "config.h"

namespace dense_gemm_v4 {
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

class Plan final : public LadderPlan {
  std::vector<kernel::Config> candidates(const Problem&) const override {
    return {named({128, 256, 4, 2, 1}), named({128, 256, 4, 1, 2}), named({128, 256, 4, 1, 1}),
            named({128, 128, 6, 2, 1})};
  }

  std::string rejection(const Problem& p, const kernel::Config& named_config) const override {
    const Config c = config_of(named_config);
    if (c.tile_m != 128 || (c.tile_n != 128 && c.tile_n != 256))
      return fmt::format("a tile of {}×{} is neither 128×128 nor 128×256", c.tile_m, c.tile_n);
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
}  // namespace dense_gemm_v4

cutelab::kernel::Package cutelab_package_dense_gemm_v4();
cutelab::kernel::Package cutelab_package_dense_gemm_v4() {
  return dense_gemm::package_of(
      "v4", "dense GEMM, clusters of two share loads by multicast; tiles in blocks that stay in L2",
      std::make_shared<dense_gemm_v4::Plan>());
}
