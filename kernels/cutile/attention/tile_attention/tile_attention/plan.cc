// tile_attention: the problem, inputs, reference, tolerance and work are those of all attention packages;
// this is how kernel.py is compiled and launched for it.
#include <fmt/format.h>

#include <algorithm>

#include "../../../../library/attention/cudnn_attention/attention_plan.h"
#include "kernel/tile_kernel.h"

namespace tile_attention {
namespace {

namespace kernel = cutelab::kernel;
using attention::Problem;
using cutelab::Error;
using cutelab::ErrorKind;
using kernel::TileParameter;

struct TileShape {
  std::int64_t q, t, warps;
};

constexpr TileShape shapes[] = {{128, 128, 8}, {128, 64, 8}, {64, 128, 4},
                                {64, 64, 4},   {64, 64, 8},  {64, 128, 8}};

std::string rejection(const Problem& p, const kernel::Config& config) {
  const auto q = config.value("tile_q"), t = config.value("tile_t");
  for (const auto tile : {q, t})
    if (tile < 16 || tile > 256 || !kernel::is_power_of_two(tile))
      return fmt::format("{} is no power of two from 16 to 256", tile);
  const auto warps = config.value("warps");
  if (warps != 0 && warps != 4 && warps != 8) return "warps is 4 or 8, or 0: as the compiler chooses";
  // fp32 results and scores of a tile, and the weights in 16 bits, next to each other in registers.
  const std::int64_t registers =
      q * (kernel::power_of_two_from(p.d) + t + t / 2) / (32 * (warps ? warps : 4));
  if (registers > 224)
    return fmt::format("results, scores and weights would take {} registers of a thread", registers);
  return "";
}

class Plan final : public attention::AttentionPlan {
 public:
  std::vector<kernel::Config> autotune_configs(const kernel::Params& params) const override {
    std::vector<kernel::Config> all;
    for (const TileShape& s : shapes) {
      all.push_back({{{"tile_q", s.q}, {"tile_t", s.t}, {"warps", s.warps}}, ""});
      all.back().rejected_because = rejection(attention::problem_of(params), all.back());
    }
    std::stable_partition(all.begin(), all.end(), [](const kernel::Config& c) { return c.legal(); });
    return all;
  }

  /// The mask and the sums are compiled in.
  std::vector<kernel::Params> ragged_params(const kernel::Params& params,
                                            const kernel::Config& config) const override {
    auto all = AttentionPlan::ragged_params(params, config);
    for (kernel::Params& problem : all)
      for (const char* name : {"causal", "lse"}) problem.set(name, params.word(name));
    return all;
  }

  cutelab::Result<kernel::CuteKernel> plan(const kernel::Params& params,
                                           const kernel::Config& config) const override {
    const Problem p = attention::problem_of(params);
    const std::string wrong = config.legal() ? rejection(p, config) : config.rejected_because;
    if (!wrong.empty())
      return Error{ErrorKind::usage, "plan tile_attention " + params.text(), wrong, config.text(),
                   "take one of the legal configurations (--dry-run lists them)"};
    kernel::TileStep step;
    step.function = "tile_attention";
    step.grid = {kernel::tile_blocks(p.queries, config.value("tile_q")), static_cast<unsigned>(p.heads),
                 static_cast<unsigned>(p.batch)};
    step.warps = static_cast<int>(config.value("warps"));
    step.parameters = {TileParameter::dense("q", p.dtype, {p.batch, p.queries, p.heads, p.d}, 8),
                       TileParameter::dense("k", p.dtype, {p.batch, p.keys, p.heads_kv, p.d}, 8),
                       TileParameter::dense("v", p.dtype, {p.batch, p.keys, p.heads_kv, p.d}, 8),
                       TileParameter::dense("o", p.dtype, {p.batch, p.queries, p.heads, p.d}, 8),
                       TileParameter::dense("lse", kernel::DType::fp32, {p.batch, p.heads, p.queries}, 1),
                       TileParameter::integer(config.value("tile_q")),
                       TileParameter::integer(config.value("tile_t")),
                       TileParameter::integer(kernel::power_of_two_from(p.d)),
                       TileParameter::flag(p.causal),
                       TileParameter::flag(p.lse)};
    return kernel::tile_kernel({{std::move(step)}, 0});
  }
};

}  // namespace
}  // namespace tile_attention

cutelab::kernel::Package cutelab_package_tile_attention();
cutelab::kernel::Package cutelab_package_tile_attention() {
  return cutelab::kernel::tile_package(
      "attention", "tile_attention",
      "forward attention in cuTile: online softmax, a tile of queries a tile block, causal or not",
      std::make_shared<tile_attention::Plan>());
}
