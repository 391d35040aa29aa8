// dense_gemm_v4: its configurations.
#include "../cluster_plan.h"
#include "config.h"

namespace dense_gemm_v4 {
namespace {

using namespace dense_gemm;

class Plan final : public ClusterPlan<Config> {
  std::vector<kernel::Config> candidates(const Problem& p) const override {
    return ranked(p, {{128, 256, 4, 2, 1}, {128, 256, 4, 1, 2}, {128, 256, 4, 1, 1}, {128, 128, 6, 2, 1}},
                  [](const Config&) { return 0; });
  }

  std::string tile_rejection(const Problem&, const Config& c) const override {
    if (c.tile_m == 128 && (c.tile_n == 128 || c.tile_n == 256)) return "";
    return fmt::format("a tile of {}×{} is neither 128×128 nor 128×256", c.tile_m, c.tile_n);
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
