// dense_gemm_v7: its configurations.
#include "../cluster_plan.h"
#include "config.h"

namespace dense_gemm_v7 {
namespace {

using namespace dense_gemm;

class Plan final : public ClusterPlan<Config> {
  bool takes_e4m3(bool fast_sums) const override { return fast_sums; }

  /// Estimated cycles of one CTA: its turns times a tile's multiplication, 256 columns of 128 rows and 64 k
  /// in 1024; what lies between tiles is hidden but for the last.
  /// Narrow tiles ask more of L2 for the same product.
  static std::int64_t cycles(const Problem& p, const Config& c) {
    return tiles(clusters_of(p, c), ranked_for_sms / c.cluster()) * tiles(p.k, 64) * 4 * (c.tile_n + 16);
  }

  std::vector<kernel::Config> candidates(const Problem& p) const override {
    return ranked(p, with_stages_that_fit(128, {176, 160, 144, 128, 64}, {{2, 1}, {1, 1}, {1, 2}}),
                  [&](const Config& c) { return cycles(p, c); });
  }

  std::string tile_rejection(const Problem& p, const Config& c) const override {
    if (c.tile_m != 128 || c.tile_n % 16 != 0 || c.tile_n < 64 || c.tile_n > 176)
      return fmt::format("a tile of {}×{} is none of 128 rows and 64 to 176 columns in steps of 16", c.tile_m,
                         c.tile_n);
    return swizzle_rejection(p, c);
  }
};

}  // namespace
}  // namespace dense_gemm_v7

cutelab::kernel::Package cutelab_package_dense_gemm_v7();
cutelab::kernel::Package cutelab_package_dense_gemm_v7() {
  return dense_gemm::package_of(
      "v7", "dense GEMM, ping-pong: one consumer multiplies its tile while the other stores its own",
      std::make_shared<dense_gemm_v7::Plan>());
}
