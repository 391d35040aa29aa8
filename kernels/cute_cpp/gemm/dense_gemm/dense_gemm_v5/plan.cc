// dense_gemm_v5: its configurations.
#include <utility>

#include "../cluster_plan.h"
#include "config.h"

namespace dense_gemm_v5 {
namespace {

using namespace dense_gemm;

class Plan final : public ClusterPlan<Config> {
  /// Estimated cycles of one CTA: its turns times a tile's multiplication, 256 columns of 128 rows and 64 k
  /// in 1024. The idle end of the last turn counts, which is what odd widths are for.
  static std::int64_t cycles(const Problem& p, const Config& c) {
    const std::int64_t turns = tiles(clusters_of(p, c), ranked_for_sms / c.cluster());
    constexpr std::int64_t between_tiles = 1000;
    return turns * (tiles(p.k, 64) * 4 * c.tile_m * c.tile_n / 128 + between_tiles);
  }

  std::vector<kernel::Config> candidates(const Problem& p) const override {
    auto all = with_stages_that_fit(128, {256, 240, 224, 208, 192, 176, 160, 128}, {{2, 1}, {1, 2}, {1, 1}});
    all.push_back({256, 128, 4, 1, 2});
    // Narrower tiles read more of L2 for the same product: they have to win by more than 4 %.
    return ranked(p, std::move(all), [&](const Config& c) {
      return cycles(p, c) * (c.tile_m * c.tile_n == 128 * 256 ? 96 : 100);
    });
  }

  std::string tile_rejection(const Problem& p, const Config& c) const override {
    const bool tall = c.tile_m == 256 && c.tile_n <= 128;
    if ((c.tile_m != 128 && !tall) || c.tile_n % 16 != 0 || c.tile_n < 16 || c.tile_n > 256)
      return fmt::format(
          "a tile of {}×{} has more than 128 accumulators a thread, or a width that is no multiple of 16",
          c.tile_m, c.tile_n);
    return swizzle_rejection(p, c);
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
