// dense_gemm_v3: its configurations, and how they are compiled and launched.
#include <fmt/format.h>

#include "../ladder_plan.h"
#include "config.h"

namespace dense_gemm_v3 {
namespace {

using namespace dense_gemm;

const std::vector<std::string> names = {"tile_m", "tile_n", "stages"};

Config config_of(const kernel::Config& c) {
  const auto number = [&](const char* name) { return static_cast<int>(c.value(name)); };
  return {number("tile_m"), number("tile_n"), number("stages")};
}

kernel::Config named(const Config& c) {
  return {{{"tile_m", c.tile_m}, {"tile_n", c.tile_n}, {"stages", c.stages}}, ""};
}

class Plan final : public LadderPlan {
  std::vector<kernel::Config> candidates(const Problem&) const override {
    return {named({128, 256, 4}), named({128, 128, 6}), named({128, 256, 5})};
  }

  std::string rejection(const Problem& p, const kernel::Config& named_config) const override {
    const Config c = config_of(named_config);
    if (c.tile_m != 128 || (c.tile_n != 128 && c.tile_n != 256))
      return fmt::format("a tile of {}×{} is neither 128×128 nor 128×256", c.tile_m, c.tile_n);
    if (c.stages < 2) return "a ring has at least two stages";
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
    chosen.clusters_of_work = tiles(p.m, c.tile_m) * tiles(p.n, c.tile_n) * p.batch;
    chosen.persistent = true;
    return chosen;
  }
};

}  // namespace
}  // namespace dense_gemm_v3

cutelab::kernel::Package cutelab_package_dense_gemm_v3();
cutelab::kernel::Package cutelab_package_dense_gemm_v3() {
  return dense_gemm::package_of(
      "v3",
      "dense GEMM, persistent CTAs; results leave through shared memory by TMA while the next tile begins",
      std::make_shared<dense_gemm_v3::Plan>());
}
