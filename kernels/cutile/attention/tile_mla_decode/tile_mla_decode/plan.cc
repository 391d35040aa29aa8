// tile_mla_decode: decoding with multi-head latent attention; problem, inputs, reference, work, and how
// kernel.py is compiled and launched for it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../../reference/calls.h"
#include "kernel/reference.h"
#include "kernel/tile_kernel.h"

namespace tile_mla_decode {
namespace {

namespace kernel = cutelab::kernel;
using cutelab::Bytes;
using cutelab::Error;
using cutelab::ErrorKind;
using cutelab::Status;
using kernel::Fill;
using kernel::Params;
using kernel::TileParameter;

constexpr std::int64_t latent = 512;          // elements that are keys and values
constexpr std::int64_t width = latent + 64;   // with those that carry the position
constexpr std::int64_t ranked_for_sms = 132;  // multiprocessors that splits are chosen for: H100 SXM, H200
constexpr std::int64_t most_splits = 32;

struct Problem {
  std::int64_t batch, queries, heads, tokens;
  bool causal;
  kernel::DType dtype;
  std::int64_t sequences() const { return batch * queries; }
};

Problem problem_of(const Params& p) {
  return {p.number("b"),
          p.number("s"),
          p.number("heads"),
          p.number("t"),
          p.word("causal") == "yes",
          kernel::dtype_of(p.word("dtype"))};
}

double scale() { return 1 / std::sqrt(static_cast<double>(width)); }

/// Query-token pairs of one head of one sequence that the mask leaves.
double pairs(const Problem& p) {
  const auto queries = static_cast<double>(p.queries);
  const auto tokens = static_cast<double>(p.tokens);
  return p.causal ? queries * (tokens - queries) + queries * (queries + 1) / 2 : queries * tokens;
}

kernel::Tensor lengths(const char* name, std::int64_t batch, std::int64_t value) {
  kernel::Tensor t(name, kernel::DType::int32, {batch});
  for (std::int64_t i = 0; i < batch; ++i) t.set(i, static_cast<double>(value));
  return t;
}

/// How many tile blocks share the tokens of a sequence so that every multiprocessor has one, at least four
/// tiles of tokens each.
std::int64_t splits_for(const Problem& p, std::int64_t tile_h, std::int64_t tile_t) {
  const std::int64_t blocks = p.sequences() * kernel::tile_blocks(p.heads, tile_h);
  const std::int64_t most = std::max<std::int64_t>(1, p.tokens / (4 * tile_t));
  return std::clamp<std::int64_t>(ranked_for_sms / blocks, 1, std::min(most, most_splits));
}

std::string rejection(const kernel::Config& config) {
  for (const char* name : {"tile_h", "tile_t"})
    if (config.value(name) < 16 || config.value(name) > 128 || !kernel::is_power_of_two(config.value(name)))
      return fmt::format("{} = {} is no power of two from 16 to 128", name, config.value(name));
  const auto warps = config.value("warps");
  if (warps != 0 && warps != 4 && warps != 8) return "warps is 4 or 8, or 0: as the compiler chooses";
  if (const auto r = config.value("tile_h") * latent / (32 * (warps ? warps : 4)); r > 128)
    return fmt::format("results alone would take {} registers of a thread", r);
  if (config.value("splits") < 1 || config.value("splits") > most_splits)
    return fmt::format("splits is from 1 to {}", most_splits);
  return "";
}

class Plan final : public kernel::KernelPlan {
 public:
  std::vector<kernel::ParameterSpec> parameters() const override;
  Status check(const Params& params) const override;
  kernel::Inputs prepare_inputs(const Params& params, Fill fill, kernel::Seed seed) const override;
  kernel::Outputs prepare_outputs(const Params& params) const override;
  kernel::Outputs reference_fn(const Params& params, const kernel::Inputs& inputs) const override;
  std::optional<kernel::DeviceReference> device_reference(const Params& params) const override;
  kernel::Tolerance tolerance(const Params& params) const override;
  std::vector<kernel::Config> autotune_configs(const Params& params) const override;
  kernel::Work algorithmic_flops_bytes(const Params& params) const override;
  std::vector<Params> ragged_params(const Params& params, const kernel::Config& config) const override;
  cutelab::Result<kernel::CuteKernel> plan(const Params& params, const kernel::Config& config) const override;
};

std::vector<kernel::ParameterSpec> Plan::parameters() const {
  constexpr std::int64_t most = 1 << 20;
  return {
      {"b", "sequences", "128", 1, 65535, {}},
      {"s", "queries of a sequence", "1", 1, 256, {}},
      {"heads", "query heads, all of which read one cache", "128", 1, 4096, {}},
      {"t", "tokens in the cache of a sequence", "4096", 1, most, {}},
      {"causal", "whether a query sees only tokens up to its own, the last all", "yes", 0, 0, {"no", "yes"}},
      {"dtype", "type of Q, cache and O; sums are fp32", "bf16", 0, 0, {"bf16", "fp16"}}};
}

Status Plan::check(const Params& params) const {
  const Problem p = problem_of(params);
  if (p.causal && p.queries > p.tokens)
    return Error{ErrorKind::usage, "tile_mla_decode " + params.text(),
                 fmt::format("the first {} queries would see no token", p.queries - p.tokens), "",
                 "give at least as many tokens as queries, or --causal=no"};
  if (p.sequences() > 65535)
    return Error{ErrorKind::usage, "tile_mla_decode " + params.text(), "b · s is above 65535", "",
                 "take fewer sequences"};
  return {};
}

kernel::Inputs Plan::prepare_inputs(const Params& params, Fill fill, kernel::Seed seed) const {
  const Problem p = problem_of(params);
  kernel::Tensor q("q", p.dtype, {p.batch, p.queries, p.heads, width});
  kernel::Tensor cache("cache", p.dtype, {p.batch, p.tokens, width});
  // As for attention: two factors of large range would leave one token and nothing beside it.
  q.fill(fill, seed);
  cache.fill(fill == Fill::adversarial ? Fill::normal : fill, seed + 1);
  return {{std::move(q), std::move(cache)}};
}

kernel::Outputs Plan::prepare_outputs(const Params& params) const {
  const Problem p = problem_of(params);
  return {{kernel::Tensor("o", p.dtype, {p.batch, p.queries, p.heads, latent})}};
}

kernel::Outputs Plan::reference_fn(const Params& params, const kernel::Inputs& inputs) const {
  const Problem p = problem_of(params);
  kernel::reference::Attention a{p.batch, p.heads, 1,        p.queries, width,
                                 latent,  scale(), p.causal, {p.tokens}};
  const auto cache = kernel::tokens(*inputs.find("cache"), p.tokens, 1, width);
  auto got = kernel::reference::attention(a, kernel::tokens(*inputs.find("q"), p.queries, p.heads, width),
                                          cache, cache);
  got.out.name = "o";
  return {{std::move(got.out)}};
}

std::optional<kernel::DeviceReference> Plan::device_reference(const Params& params) const {
  namespace ops = cutelab_reference;
  const Problem p = problem_of(params);
  kernel::DeviceReference reference;
  reference.operations = pairs(p) * static_cast<double>(p.batch * p.heads * (width + latent));
  reference.inputs.tensors = {lengths("keys", p.batch, p.tokens), lengths("queries", p.batch, p.queries)};
  // The operators write the sums too.
  reference.outputs.tensors = {
      kernel::Tensor("o", kernel::DType::fp32, {p.batch, p.queries, p.heads, latent}),
      kernel::Tensor("lse", kernel::DType::fp32, {p.batch, p.heads, p.queries})};
  reference.arguments = [p](const kernel::Addresses& in, const kernel::Addresses& out) {
    ops::Call call{};
    call.op = ops::Call::attention_op;
    auto& a = call.attention;
    a.q = ops::token_operand(ops::address_of(in.at("q")), p.dtype, p.queries, p.heads, width);
    a.k = ops::token_operand(ops::address_of(in.at("cache")), p.dtype, p.tokens, 1, width);
    a.v = a.k;
    a.keys = static_cast<const std::int32_t*>(ops::address_of(in.at("keys")));
    a.queries_of = static_cast<const std::int32_t*>(ops::address_of(in.at("queries")));
    a.out = reinterpret_cast<float*>(out.at("o"));
    a.log_sums = reinterpret_cast<float*>(out.at("lse"));
    a.batch = p.batch, a.heads = p.heads, a.heads_kv = 1;
    a.queries = p.queries, a.d = width, a.dv = latent;
    a.scale = scale(), a.causal = p.causal;
    return ops::bytes_of(call);
  };
  return reference;
}

kernel::Tolerance Plan::tolerance(const Params& params) const {
  const double half = kernel::spacing_at_one(problem_of(params).dtype) / 2;
  // As of attention: weights are rounded before they meet the values, the result once more.
  return {1.5 * half, 4 * half, 1,
          fmt::format("weights and results are each rounded to {}: at most 2^{:.0f} relative, independent of "
                      "each other",
                      params.word("dtype"), std::log2(half))};
}

std::vector<kernel::Config> Plan::autotune_configs(const Params& params) const {
  const Problem p = problem_of(params);
  std::vector<kernel::Config> all;
  for (const auto& [tile_h, tile_t, warps] :
       {std::array<std::int64_t, 3>{64, 64, 8}, {64, 32, 8}, {32, 64, 4}, {16, 64, 4}, {16, 128, 4}}) {
    if (tile_h >= 2 * std::max<std::int64_t>(p.heads, 16)) continue;  // half of its heads would not be there
    const std::int64_t filled = splits_for(p, tile_h, tile_t);
    for (const std::int64_t splits : {filled, 2 * filled, std::int64_t{1}}) {
      kernel::Config config{{{"tile_h", tile_h}, {"tile_t", tile_t}, {"warps", warps}, {"splits", splits}},
                            ""};
      config.rejected_because = rejection(config);
      if (std::none_of(all.begin(), all.end(), [&](const auto& c) { return c.values == config.values; }))
        all.push_back(std::move(config));
    }
  }
  std::stable_partition(all.begin(), all.end(), [](const kernel::Config& c) { return c.legal(); });
  return all;
}

kernel::Work Plan::algorithmic_flops_bytes(const Params& params) const {
  const Problem p = problem_of(params);
  const double flops = 2 * pairs(p) * static_cast<double>(p.batch * p.heads * (width + latent));
  return {
      {{params.word("dtype") + "-tensor", flops}},
      Bytes(2 * (p.batch * p.tokens * width + p.sequences() * p.heads * (width + latent))),
      "read the cache and Q, write O: 2·b·(t·576 + s·heads·(576 + 512)) bytes; 2·b·heads·(576 + 512) flops "
      "for each pair of query and token that the mask leaves"};
}

std::vector<Params> Plan::ragged_params(const Params& params, const kernel::Config& config) const {
  std::vector<Params> all;
  const std::int64_t tile_t = config.value("tile_t");
  const auto add = [&](std::int64_t batch, std::int64_t queries, std::int64_t heads, std::int64_t tokens) {
    all.push_back(params);
    for (const auto& [name, value] : {std::pair{"b", batch}, {"s", queries}, {"heads", heads}, {"t", tokens}})
      all.back().set(name, value);
  };
  add(1, 1, 1, 2);                                        // one head, two tokens
  add(3, 2, config.value("tile_h"), tile_t + 1);          // one token more than a tile
  add(2, 1, config.value("tile_h") + 1, 5 * tile_t - 1);  // one head more than a tile
  return all;
}

/// One launch, or two with partial results between them.
kernel::TileProgram program_of(const Problem& p, const kernel::Config& config) {
  const auto tile_h = config.value("tile_h"), splits = config.value("splits");
  const auto q = TileParameter::dense("q", p.dtype, {p.batch, p.queries, p.heads, width}, 8);
  const auto cache = TileParameter::dense("cache", p.dtype, {p.batch, p.tokens, width}, 8);
  const auto heads = kernel::tile_blocks(p.heads, tile_h);
  const std::vector<TileParameter> tiles = {TileParameter::integer(tile_h),
                                            TileParameter::integer(config.value("tile_t")),
                                            TileParameter::flag(p.causal)};
  kernel::TileStep attend;
  attend.warps = static_cast<int>(config.value("warps"));
  if (splits == 1) {
    attend.function = "tile_mla_decode";
    attend.grid = {heads, static_cast<unsigned>(p.queries), static_cast<unsigned>(p.batch)};
    attend.parameters = {q, cache,
                         TileParameter::dense("o", p.dtype, {p.batch, p.queries, p.heads, latent}, 8)};
    attend.parameters.insert(attend.parameters.end(), tiles.begin(), tiles.end());
    return {{std::move(attend)}, 0};
  }
  auto partial = TileParameter::dense("", kernel::DType::fp32, {p.sequences(), splits, p.heads, latent}, 4);
  auto sums = TileParameter::dense("", kernel::DType::fp32, {p.sequences(), splits, p.heads}, 1);
  partial.workspace = 0;
  sums.workspace = p.sequences() * splits * p.heads * latent * 4;
  attend.function = "tile_mla_split";
  attend.grid = {heads, static_cast<unsigned>(splits), static_cast<unsigned>(p.sequences())};
  attend.parameters = {q, cache, partial, sums};
  attend.parameters.insert(attend.parameters.end(), tiles.begin(), tiles.end());
  kernel::TileStep combine;
  combine.function = "tile_mla_combine";
  combine.grid = {static_cast<unsigned>(p.heads), static_cast<unsigned>(p.sequences()), 1};
  combine.parameters = {partial, sums,
                        TileParameter::dense("o", p.dtype, {p.sequences(), p.heads, latent}, 8),
                        TileParameter::integer(kernel::power_of_two_from(splits))};
  return {{std::move(attend), std::move(combine)}, sums.workspace + p.sequences() * splits * p.heads * 4};
}

cutelab::Result<kernel::CuteKernel> Plan::plan(const Params& params, const kernel::Config& config) const {
  const Problem p = problem_of(params);
  const std::string wrong = config.legal() ? rejection(config) : config.rejected_because;
  if (!wrong.empty())
    return Error{ErrorKind::usage, "plan tile_mla_decode " + params.text(), wrong, config.text(),
                 "take one of the legal configurations (--dry-run lists them)"};
  return kernel::tile_kernel(program_of(p, config));
}

}  // namespace
}  // namespace tile_mla_decode

cutelab::kernel::Package cutelab_package_tile_mla_decode();
cutelab::kernel::Package cutelab_package_tile_mla_decode() {
  return cutelab::kernel::tile_package("attention", "tile_mla_decode",
                                       "MLA decoding in cuTile: one latent cache for all heads, its tokens "
                                       "split where the grid would be small",
                                       std::make_shared<tile_mla_decode::Plan>());
}
