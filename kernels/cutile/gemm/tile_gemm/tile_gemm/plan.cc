// tile_gemm: the problem, inputs, reference, tolerance and work are dense_gemm's; this is how kernel.py is
// compiled and launched for it.
#include <fmt/format.h>

#include <algorithm>

#include "../../../../cute_cpp/gemm/dense_gemm/ladder_plan.h"
#include "kernel/tile_kernel.h"

namespace tile_gemm {
namespace {

namespace kernel = cutelab::kernel;
using cutelab::Error;
using cutelab::ErrorKind;
using dense_gemm::Problem;
using kernel::TileParameter;

/// An operand (batch, rows, k): k contiguous or rows contiguous.
TileParameter operand(const char* name, const Problem& p, std::int64_t rows, bool k_major) {
  auto array = TileParameter::dense(name, kernel::dtype_of(p.dtype), {p.batch, rows, p.k}, 8);
  if (k_major) return array;
  array.strides = {rows * p.k, 1, rows};
  array.contiguous = 1;
  return array;
}

struct TileShape {
  std::int64_t m, n, k, group, warps;
};

// Eight warps share the accumulator of the large tiles; with four, 128 × 256 does not fit their registers.
constexpr TileShape shapes[] = {{128, 256, 64, 8, 8},  {256, 128, 64, 8, 8}, {128, 256, 64, 4, 8},
                                {128, 256, 64, 16, 8}, {128, 128, 64, 8, 0}, {128, 128, 128, 8, 8},
                                {128, 128, 64, 8, 8},  {64, 256, 64, 8, 0},  {64, 128, 64, 8, 4},
                                {64, 128, 128, 8, 4},  {64, 64, 128, 8, 4}};

/// For the order alone: waves of tiles, each as long as its products and, for what it reads, as its edges.
double cost(const Problem& p, const TileShape& s) {
  const std::int64_t blocks = dense_gemm::tiles(p.m, s.m) * dense_gemm::tiles(p.n, s.n) * p.batch;
  const std::int64_t waves = dense_gemm::tiles(blocks, dense_gemm::ranked_for_sms);
  return static_cast<double>(waves * (s.m * s.n + 64 * (s.m + s.n)));
}

class Plan final : public dense_gemm::LadderPlan {
 public:
  cutelab::Status check(const kernel::Params& params) const override {
    if (params.number("alpha") != 1 || params.number("beta") != 0)
      return Error{ErrorKind::usage, "tile_gemm " + params.text(), "it computes D = A·Bᵀ alone", "",
                   "give --alpha=1 --beta=0"};
    return LadderPlan::check(params);
  }

  std::vector<kernel::Params> ragged_params(const kernel::Params& params,
                                            const kernel::Config& config) const override {
    auto all = LadderPlan::ragged_params(params, config);
    for (kernel::Params& problem : all) {
      problem.set("alpha", std::int64_t{1});
      problem.set("beta", std::int64_t{0});
    }
    return all;
  }

  cutelab::Result<kernel::CuteKernel> plan(const kernel::Params& params,
                                           const kernel::Config& config) const override {
    const Problem p = dense_gemm::problem_of(params);
    const std::string wrong = config.legal() ? rejection(p, config) : config.rejected_because;
    if (!wrong.empty())
      return Error{ErrorKind::usage, "plan tile_gemm " + params.text(), wrong, config.text(),
                   "take one of the legal configurations (--dry-run lists them)"};
    const auto tile_m = config.value("tile_m");
    const auto tile_n = config.value("tile_n");
    const std::int64_t blocks = dense_gemm::tiles(p.m, tile_m) * dense_gemm::tiles(p.n, tile_n);
    kernel::TileStep step;
    step.function = "tile_gemm";
    step.grid = {static_cast<unsigned>(blocks), static_cast<unsigned>(p.batch), 1};
    step.warps = static_cast<int>(config.value("warps"));
    step.parameters = {operand("a", p, p.m, p.a_k_major),
                       operand("b", p, p.n, p.b_k_major),
                       TileParameter::dense("d", kernel::dtype_of(p.dtype), {p.batch, p.m, p.n}, 8),
                       TileParameter::integer(tile_m),
                       TileParameter::integer(tile_n),
                       TileParameter::integer(config.value("tile_k")),
                       TileParameter::integer(config.value("group_m"))};
    return kernel::tile_kernel({{std::move(step)}, 0});
  }

 private:
  std::vector<kernel::Config> candidates(const Problem& p) const override {
    std::vector<TileShape> order(std::begin(shapes), std::end(shapes));
    std::stable_sort(order.begin(), order.end(),
                     [&](const TileShape& a, const TileShape& b) { return cost(p, a) < cost(p, b); });
    std::vector<kernel::Config> all;
    for (const TileShape& s : order)
      all.push_back(
          {{{"tile_m", s.m}, {"tile_n", s.n}, {"tile_k", s.k}, {"group_m", s.group}, {"warps", s.warps}},
           ""});
    return all;
  }

  std::string rejection(const Problem&, const kernel::Config& config) const override {
    for (const char* name : {"tile_m", "tile_n", "tile_k"})
      if (config.value(name) < 16 || config.value(name) > 256 || !kernel::is_power_of_two(config.value(name)))
        return fmt::format("{} = {} is no power of two from 16 to 256", name, config.value(name));
    if (config.value("tile_m") * config.value("tile_n") > 128 * 256)
      return "its accumulator is more than the registers of eight warps";
    if (config.value("group_m") < 1) return "a group has at least one row of tiles";
    if (const auto warps = config.value("warps"); warps != 0 && warps != 4 && warps != 8)
      return "warps is 4 or 8, or 0: as the compiler chooses";
    return "";
  }

  dense_gemm::Candidate describe(const Problem&, const kernel::Config& config) const override {
    dense_gemm::Candidate chosen;
    chosen.config = config;
    return chosen;
  }
};

}  // namespace
}  // namespace tile_gemm

cutelab::kernel::Package cutelab_package_tile_gemm();
cutelab::kernel::Package cutelab_package_tile_gemm() {
  return cutelab::kernel::tile_package(
      "gemm", "tile_gemm", "dense GEMM in cuTile: one tile of D a tile block, tiles in groups of rows",
      std::make_shared<tile_gemm::Plan>());
}
