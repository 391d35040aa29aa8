// dense_gemm_v8: its configurations, and how they are compiled and launched.
#include <fmt/format.h>

#include <algorithm>

#include "../ladder_plan.h"
#include "../work_split.h"
#include "config.h"

namespace dense_gemm_v8 {
namespace {

using namespace dense_gemm;

const std::vector<std::string> names = {"tile_n",  "lines", "stages",         "cluster_m", "cluster_n",
                                        "dynamic", "gain",  "row_contiguous", "promote",   "halves"};

Config config_of(const kernel::Config& c) {
  const auto number = [&](const char* name) { return static_cast<int>(c.value(name)); };
  return {number("tile_n"),    number("lines"),   number("stages"), number("cluster_m"),
          number("cluster_n"), number("dynamic"), number("gain"),   number("row_contiguous"),
          number("promote"),   number("halves")};
}

kernel::Config named(const Config& c) {
  return {{{"tile_m", Config::tile_m},
           {"tile_n", c.tile_n},
           {"lines", c.lines},
           {"stages", c.stages},
           {"cluster_m", c.cluster_m},
           {"cluster_n", c.cluster_n},
           {"dynamic", c.dynamic},
           {"gain", c.gain},
           {"row_contiguous", c.row_contiguous},
           {"promote", c.promote},
           {"halves", c.halves}},
          ""};
}

/// What the kernel sees: the transposed problem has m and n swapped.
struct Seen {
  std::int64_t blocks;  // of a cluster's tiles
  std::int64_t depth;   // stages of k
  std::int64_t m, n;
  Seen(const Problem& p, const Config& c) : m(c.row_contiguous ? p.n : p.m), n(c.row_contiguous ? p.m : p.n) {
    blocks = tiles(m, Config::tile_m * c.cluster_m) * tiles(n, c.tile_n * c.cluster_n) * p.batch;
    depth = tiles(p.k, 128 / p.element_bytes() * c.lines);
  }
};

/// Estimated nanoseconds: the busiest cluster's stages at the tensor cores' rate, or everybody's bytes at the
/// memory's; what lies between tiles, and what cutting tiles and asking for work cost. The rates are those of
/// the H200's runs (docs/kernels/dense_gemm.md).
double nanoseconds(const Problem& p, const Config& c) {
  constexpr double memory_rate = 4100;             // bytes a nanosecond, of all
  const double cta_rate = c.lines == 2 ? 70 : 85;  // bytes a nanosecond that a CTA takes in: memory, L2
  // By halves a tile's end costs less; a product that reads A twice there makes up for it over several tiles.
  const double between_tiles = c.halves == 0 ? 750 : c.halves == 1 ? 620 : 560;
  const double begun_by_halves = c.halves == 0 || p.narrow() ? 0 : 700;
  constexpr double asking = 2500;
  const Seen seen(p, c);
  const std::int64_t clusters = ranked_for_sms / c.cluster();
  const std::int64_t rest = seen.blocks % clusters;
  const std::int64_t shared = tiles(rest * seen.depth, clusters);
  const bool cut = c.gain > 0 && rest > 0 && seen.depth - shared >= c.gain;
  const std::int64_t last_turn = cut ? shared : rest > 0 ? seen.depth : 0;
  const std::int64_t in_turn = seen.blocks / clusters * seen.depth + last_turn;
  const auto stages = static_cast<double>(in_turn);
  // Widths below 256 columns ask more of L2 for the same product; fp32 sums of e4m3 are added up besides.
  const double narrow_tile = c.tile_n == 256 ? 1 : 1.04;
  const double promoting = c.promote == 0 ? 1 : c.halves > 0 || c.tile_n == 192 ? 1.06 : 1.13;
  const double multiplied = 0.69e3 * c.tile_n / 256 * c.lines * narrow_tile * promoting;
  const auto turns = static_cast<double>(tiles(seen.blocks, clusters));
  const double all =
      static_cast<double>(p.batch) *
      (static_cast<double>(p.element_bytes() * (p.m * p.k + p.n * p.k)) + 2 * static_cast<double>(p.m * p.n));
  const double busy =
      cut ? 1 : std::min(1.0, static_cast<double>(seen.blocks) / static_cast<double>(clusters));
  const double work =
      std::max(stages * std::max(multiplied, c.stage_bytes() / cta_rate), all / memory_rate / busy) +
      turns * between_tiles;
  // A sum that is cut is written and read: 256 KB a CTA where the tile is 128 × 256.
  const double cutting = cut ? 4000 + 15000.0 * c.tile_n / 256 : 0;
  // Over many turns multiprocessors drift apart, which asking for work makes up for; by halves it costs less.
  const bool many_turns = turns >= 12;
  return work * ((c.dynamic || c.halves > 0) && many_turns ? 0.99 : 1) + cutting + begun_by_halves +
         (c.dynamic ? asking : 0);
}

class Plan final : public LadderPlan {
  bool takes_e4m3(bool) const override { return true; }

  std::vector<kernel::Config> candidates(const Problem& p) const override {
    std::vector<Config> all;
    const bool promote = p.narrow() && !p.fast_sums;
    const auto add = [&](int tile_n, int lines, std::pair<int, int> cluster, bool dynamic, int gain,
                         bool transposed, int by_halves) {
      const int interval = !promote ? 0 : by_halves > 0 ? by_halves : 4 / lines;
      Config c{tile_n,  lines, 0,          cluster.first, cluster.second,
               dynamic, gain,  transposed, interval,      by_halves};
      while (c.stages < 12 && c.smem_bytes() + c.stage_bytes() <= smem_limit) ++c.stages;
      all.push_back(c);
    };
    for (const int tile_n : {256, 240, 224, 192, 176, 160, 128})
      for (const auto& cluster : {std::pair{2, 1}, {1, 2}, {1, 1}}) {
        if (tile_n >= 240)
          for (const int by_halves : {2, 1}) add(tile_n, 1, cluster, false, 0, false, by_halves);
        if (promote && tile_n != 192 && tile_n != 128) continue;  // measured slower
        add(tile_n, 1, cluster, false, 0, false, 0);
        add(tile_n, 1, cluster, true, 0, false, 0);
        add(tile_n, 1, cluster, true, 40, false, 0);
      }
    const bool few_tiles = tiles(p.m, 128) * tiles(p.n, 256) * p.batch < ranked_for_sms;
    for (const bool transposed : {true, false})
      for (const int tile_n : few_tiles ? std::vector{16, 32, 64, 112, 128, 224, 256} : std::vector<int>{})
        add(tile_n, 2, {1, 1}, true, 4, transposed, 0);
    std::stable_sort(all.begin(), all.end(),
                     [&](const Config& a, const Config& b) { return nanoseconds(p, a) < nanoseconds(p, b); });
    std::vector<kernel::Config> configs;
    for (const Config& c : all) configs.push_back(named(c));
    return configs;
  }

  std::string rejection(const Problem& p, const kernel::Config& named_config) const override {
    const Config c = config_of(named_config);
    if (c.tile_n % 16 != 0 || c.tile_n < 16 || c.tile_n > 256)
      return fmt::format("tile_n = {} is no multiple of 16 up to 256", c.tile_n);
    if (c.lines < 1 || c.lines > 2 || c.stages < 2)
      return fmt::format("{} stages of {} lines: at least two, of one or two", c.stages, c.lines);
    if (c.cluster_m < 1 || c.cluster_n < 1 || c.cluster_m * c.cluster_n > 2)
      return fmt::format("a cluster of {}×{}: one operand is shared by two CTAs at most", c.cluster_m,
                         c.cluster_n);
    if (auto wrong = sums_rejection(p, c); !wrong.empty()) return wrong;
    if (auto wrong = halves_rejection(p, c); !wrong.empty()) return wrong;
    const bool second_k_major = c.row_contiguous ? p.a_k_major : p.b_k_major;
    if (!second_k_major && c.tile_n % (64 * c.cluster_m) != 0)
      return fmt::format(
          "tile_n = {}: where columns are contiguous in the second operand, the swizzle wants 64 of every "
          "CTA",
          c.tile_n);
    if (c.smem_bytes() > smem_limit)
      return fmt::format("{} bytes of shared memory, a CTA has at most {}", c.smem_bytes(), smem_limit);
    const Seen seen(p, c);
    return seen.blocks * seen.depth >= INT64_C(1) << 31 ? "more than 2^31 stages" : "";
  }

  static std::string halves_rejection(const Problem& p, const Config& c) {
    if (c.halves == 0) return "";
    if (c.halves < 0 || c.halves > 2) return fmt::format("halves = {}: 0, 1 or 2 stages", c.halves);
    if (c.dynamic || c.gain > 0 || c.row_contiguous || c.lines != 1)
      return "by halves tiles are whole and come in a fixed order, D is n-contiguous, a stage has one line";
    if (c.promote > 0 && c.promote != c.halves)
      return fmt::format("promote = {}: by halves of {} stages sums are promoted after as many", c.promote,
                         c.halves);
    return !p.b_k_major && c.tile_n % 128 != 0
               ? fmt::format("tile_n = {}: where columns of B are contiguous, half of a tile has 64 or 128",
                             c.tile_n)
               : "";
  }

  /// fp32 sums of e4m3 need a second set of accumulators, by halves one for half of the columns.
  static std::string sums_rejection(const Problem& p, const Config& c) {
    const bool promotes = p.narrow() && !p.fast_sums;
    if (promotes == (c.promote > 0) && (c.promote == 0 || c.promote * c.lines <= 4))
      return promotes && c.tile_n > 192 && c.halves == 0
                 ? fmt::format("tile_n = {}: fp32 sums of e4m3 keep two sets of values, 192 columns at most",
                               c.tile_n)
                 : "";
    return promotes ? "fp32 sums of e4m3 are promoted after 512 products at the latest"
                    : "only fp32 sums of e4m3 are promoted";
  }

  Candidate describe(const Problem& p, const kernel::Config& named_config) const override {
    const Config c = config_of(named_config);
    const Seen seen(p, c);
    Candidate chosen;
    chosen.config = named_config;
    chosen.defines = defines_of(named_config, names);
    define_width(c.tile_n, chosen.defines);
    chosen.block = static_cast<unsigned>(c.block());
    chosen.smem_bytes = static_cast<unsigned>(c.smem_bytes());
    chosen.cluster = static_cast<unsigned>(c.cluster());
    // Tiles that may be cut occupy every multiprocessor, whatever their number.
    chosen.clusters_of_work = c.gain > 0 ? seen.blocks * seen.depth : seen.blocks;
    chosen.persistent = true;
    chosen.swapped = c.row_contiguous;
    chosen.tile_group = 16 / c.cluster_m;
    return chosen;
  }
};

}  // namespace
}  // namespace dense_gemm_v8

cutelab::kernel::Package cutelab_package_dense_gemm_v8();
cutelab::kernel::Package cutelab_package_dense_gemm_v8() {
  return dense_gemm::package_of(
      "v8",
      "dense GEMM, work from a counter in memory; tiles cut along k where whole ones "
      "leave processors idle; also e4m3",
      std::make_shared<dense_gemm_v8::Plan>());
}
