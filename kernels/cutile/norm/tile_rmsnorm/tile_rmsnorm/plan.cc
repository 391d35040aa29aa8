// tile_rmsnorm: the problem, inputs, reference, tolerance and work are rmsnorm's; this is how kernel.py is
// compiled and launched for it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernel/same_problem.h"
#include "kernel/tile_kernel.h"

cutelab::kernel::Package cutelab_package_rmsnorm();

namespace tile_rmsnorm {
namespace {

namespace kernel = cutelab::kernel;
using cutelab::Error;
using cutelab::ErrorKind;
using kernel::TileParameter;

constexpr double eps = 1e-6;  // rmsnorm's

struct TileShape {
  std::int64_t b, h, warps;
  bool tma;
};

kernel::Config named(const TileShape& s, std::int64_t hidden) {
  return {{{"tile_b", s.b},
           {"tile_h", s.h},
           {"warps", s.warps},
           {"tma", s.tma},
           {"read_once", hidden <= s.h},
           {"aligned", std::gcd(hidden, std::int64_t{8})}},
          ""};
}

std::string rejection(const kernel::Config& config, std::int64_t hidden) {
  const auto b = config.value("tile_b"), h = config.value("tile_h"), warps = config.value("warps");
  if (!kernel::is_power_of_two(b) || !kernel::is_power_of_two(h)) return "extents of tiles are powers of two";
  if (warps != 0 && warps != 4 && warps != 8) return "warps is 4 or 8, or 0: as the compiler chooses";
  if (config.value("read_once") != 0 && h < hidden) return "a tile does not hold the row";
  if (config.value("aligned") < 1 || hidden % config.value("aligned") != 0)
    return "the rows are not aligned so";
  const std::int64_t elements = b * h / (32 * (warps ? warps : 4));  // of a thread, in fp32
  if (elements > 128)
    return fmt::format("a thread would hold {} elements, at most 128 fit in registers", elements);
  return "";
}

class Plan final : public kernel::SameProblem {
 public:
  Plan() : SameProblem(cutelab_package_rmsnorm().plan) {}

  std::vector<kernel::Config> autotune_configs(const kernel::Params& params) const override {
    const std::int64_t hidden = params.number("h");
    const std::int64_t whole = kernel::power_of_two_from(hidden);
    std::vector<kernel::Config> all;
    const auto add = [&](std::int64_t b, std::int64_t h) {
      for (const std::int64_t warps : {8, 4})
        for (const bool tma : {false, true}) all.push_back(named({b, h, warps, tma}, hidden));
    };
    // Of a long row two readings, the second from L2, beat the registers that the whole row takes: 70.9 us
    // against 130.7 for 8192 rows of 8192 on an H200 (docs/cutile.md).
    if (hidden > 4096) add(1, 4096);
    if (whole <= 32768) add(std::max<std::int64_t>(1, 1024 / whole), whole);
    if (whole <= 4096) add(std::max<std::int64_t>(1, 4096 / whole), whole);
    if (hidden > 2048) add(1, 2048);
    for (kernel::Config& config : all) config.rejected_because = rejection(config, hidden);
    std::stable_partition(all.begin(), all.end(), [](const kernel::Config& c) { return c.legal(); });
    return all;
  }

  std::vector<kernel::Params> ragged_params(const kernel::Params& params,
                                            const kernel::Config& config) const override {
    const std::int64_t hidden = params.number("h");
    const std::int64_t aligned = config.value("aligned");
    std::vector<kernel::Params> all;
    const auto add = [&](std::int64_t rows, std::int64_t columns) {
      if (columns < 1 || (config.value("read_once") != 0 && columns > config.value("tile_h"))) return;
      all.push_back(params);
      all.back().set("b", rows);
      all.back().set("h", columns);
    };
    add(1, hidden);
    add(config.value("tile_b") * 3 + 1, hidden);  // one row more than whole tiles
    add(33, hidden - aligned);                    // the last vector of a row is outside it
    add(5, aligned);                              // one vector a row
    add(7, config.value("tile_h") + aligned);     // one vector more than a tile
    return all;
  }

  cutelab::Result<kernel::CuteKernel> plan(const kernel::Params& params,
                                           const kernel::Config& config) const override {
    const std::int64_t rows = params.number("b"), hidden = params.number("h");
    const std::string wrong = config.legal() ? rejection(config, hidden) : config.rejected_because;
    if (!wrong.empty())
      return Error{ErrorKind::usage, "plan tile_rmsnorm " + params.text(), wrong, config.text(),
                   "take one of the legal configurations (--dry-run lists them)"};
    const auto dtype = kernel::dtype_of(params.word("dtype"));
    const auto aligned = config.value("aligned");
    kernel::TileStep step;
    step.function = "tile_rmsnorm";
    step.grid = {kernel::tile_blocks(rows, config.value("tile_b")), 1, 1};
    step.warps = static_cast<int>(config.value("warps"));
    step.parameters = {TileParameter::dense("x", dtype, {rows, hidden}, aligned),
                       TileParameter::dense("weight", dtype, {hidden}, aligned),
                       TileParameter::dense("y", dtype, {rows, hidden}, aligned),
                       TileParameter::real(eps),
                       TileParameter::integer(config.value("tile_b")),
                       TileParameter::integer(config.value("tile_h")),
                       TileParameter::flag(config.value("read_once") != 0),
                       TileParameter::flag(config.value("tma") != 0)};
    return kernel::tile_kernel({{std::move(step)}, 0});
  }
};

}  // namespace
}  // namespace tile_rmsnorm

cutelab::kernel::Package cutelab_package_tile_rmsnorm();
cutelab::kernel::Package cutelab_package_tile_rmsnorm() {
  return cutelab::kernel::tile_package(
      "norm", "tile_rmsnorm",
      "RMSNorm forward in cuTile: rows in tiles, read once where a tile holds the row",
      std::make_shared<tile_rmsnorm::Plan>());
}
