// dense_gemm_v6: its configurations, and how they are compiled and launched.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../ladder_plan.h"
#include "config.h"

namespace dense_gemm_v6 {
namespace {

using namespace dense_gemm;

const std::vector<std::string> names = {"tile_m", "tile_n",         "stage_k", "stages",
                                        "splits", "row_contiguous", "promote"};

Config config_of(const Problem& p, const kernel::Config& c) {
  const auto number = [&](const char* name) { return static_cast<int>(c.value(name)); };
  return {number("tile_m"),
          number("tile_n"),
          number("stage_k"),
          number("stages"),
          number("splits"),
          c.value("row_contiguous") != 0,
          static_cast<int>(p.element_bytes()),
          c.value("promote") != 0};
}

kernel::Config named(const Config& c) {
  return {{{"tile_m", c.tile_m},
           {"tile_n", c.tile_n},
           {"stage_k", c.stage_k},
           {"stages", c.stages},
           {"splits", c.splits},
           {"row_contiguous", c.row_contiguous},
           {"promote", c.promote}},
          ""};
}

/// What the kernel sees as m and n: the transposed problem has them swapped.
struct Extents {
  std::int64_t m, n;
  Extents(const Problem& p, const Config& c)
      : m(c.row_contiguous ? p.n : p.m), n(c.row_contiguous ? p.m : p.n) {}
};

std::int64_t output_tiles(const Problem& p, const Config& c) {
  const Extents seen(p, c);
  return tiles(seen.m, c.tile_m) * tiles(seen.n, c.tile_n) * p.batch;
}

/// Clusters that run at once on 132 multiprocessors. Clusters of four and eight leave some of them idle,
/// since they do not divide what a GPC has.
std::int64_t clusters_at_once(int splits) {
  return splits == 1 ? 132 : splits == 2 ? 66 : splits == 4 ? 28 : 14;
}

/// Estimated time: memory bandwidth, which wants most multiprocessors to take part, or what one CTA's shared
/// memory takes in; sharing k adds two cluster barriers and the partial results' way to the other CTAs. Rates
/// measured on an H200.
double nanoseconds(const Problem& p, const Config& c) {
  constexpr double memory_rate = 4100;  // bytes a nanosecond
  constexpr double cta_rate = 70;
  constexpr double cluster_barriers = 1500;
  const auto at_once = static_cast<double>(clusters_at_once(c.splits));
  const auto clusters = static_cast<double>(output_tiles(p, c));
  const double turns = std::ceil(clusters / at_once);
  const double taking_part = std::min(1.0, std::min(clusters, at_once) * c.splits / 120);
  const double all =
      static_cast<double>(p.batch) *
      (static_cast<double>(p.element_bytes() * (p.m * p.k + p.n * p.k)) + 2 * static_cast<double>(p.m * p.n));
  const double loads =
      1.0 * c.stage_bytes() * static_cast<double>(tiles(p.k, INT64_C(1) * c.stage_k * c.splits));
  const double shared = c.splits > 1 ? cluster_barriers + 2 * c.partial_bytes() / cta_rate : 0;
  return std::max(all / memory_rate / taking_part, turns * loads / cta_rate) + turns * shared;
}

class Plan final : public LadderPlan {
  bool takes_e4m3(bool) const override { return true; }

  std::vector<kernel::Config> candidates(const Problem& p) const override {
    std::vector<Config> all;
    for (const bool transposed : {true, false})
      for (const int tile_m : {64, 128})
        for (const int tile_n : {16, 32, 64, 112, 128, 224, 256})
          for (const int splits : {1, 2, 4, 8}) {
            const int bytes = static_cast<int>(p.element_bytes());
            Config c{tile_m, tile_n, 256 / bytes, 1, splits, transposed, bytes, p.narrow() && !p.fast_sums};
            while (c.stages < 12 && (c.stages + 1) * c.stage_bytes() + 2048 <= smem_limit) ++c.stages;
            all.push_back(c);
          }
    std::stable_sort(all.begin(), all.end(),
                     [&](const Config& a, const Config& b) { return nanoseconds(p, a) < nanoseconds(p, b); });
    std::vector<kernel::Config> configs;
    for (const Config& c : all) configs.push_back(named(c));
    return configs;
  }

  std::string rejection(const Problem& p, const kernel::Config& named_config) const override {
    const Config c = config_of(p, named_config);
    if ((c.tile_m != 64 && c.tile_m != 128) || c.tile_n % 16 != 0 || c.tile_n < 16 || c.tile_n > 256)
      return fmt::format("a tile of {}×{} is none of 64 or 128 rows and at most 256 columns", c.tile_m,
                         c.tile_n);
    if (c.splits != 1 && c.splits != 2 && c.splits != 4 && c.splits != 8)
      return fmt::format("{} splits: a cluster has 1, 2, 4 or 8 CTAs", c.splits);
    const int line = 128 / c.element_bytes;
    if (c.stages < 2 || c.stage_k % line != 0 || c.stage_k < line)
      return fmt::format("{} stages of {} k-columns: at least two, of a multiple of {}", c.stages, c.stage_k,
                         line);
    if (c.promote != (p.narrow() && !p.fast_sums) || (c.promote && c.stage_k > 512))
      return c.promote && p.narrow() ? "fp32 sums of e4m3 are promoted after 512 products at the latest"
                                     : "fp32 sums of e4m3 are promoted, and no others";
    const bool second_k_major = c.row_contiguous ? p.a_k_major : p.b_k_major;
    if (!second_k_major && c.tile_n % 64 != 0)
      return fmt::format(
          "tile_n = {}: where columns are contiguous in the second operand, the swizzle wants 64", c.tile_n);
    if (c.smem_bytes() > smem_limit)
      return fmt::format("{} bytes of shared memory, a CTA has at most {}", c.smem_bytes(), smem_limit);
    if (output_tiles(p, c) * c.splits >= INT64_C(1) << 31) return "more than 2^31 CTAs";
    return "";
  }

  Candidate describe(const Problem& p, const kernel::Config& named_config) const override {
    const Config c = config_of(p, named_config);
    Candidate chosen;
    chosen.config = named_config;
    chosen.defines = defines_of(named_config, names);
    define_width(c.tile_n, chosen.defines);
    chosen.block = static_cast<unsigned>(c.block());
    chosen.smem_bytes = static_cast<unsigned>(c.smem_bytes());
    chosen.cluster = static_cast<unsigned>(c.splits);
    chosen.clusters_of_work = output_tiles(p, c);
    chosen.swapped = c.row_contiguous;
    return chosen;
  }
};

}  // namespace
}  // namespace dense_gemm_v6

cutelab::kernel::Package cutelab_package_dense_gemm_v6();
cutelab::kernel::Package cutelab_package_dense_gemm_v6() {
  return dense_gemm::package_of(
      "v6",
      "dense GEMM for skinny problems: a cluster shares a tile's k, sums through distributed shared memory",
      std::make_shared<dense_gemm_v6::Plan>());
}
