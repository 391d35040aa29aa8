#include "attention_plan.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../reference/calls.h"
#include "kernel/reference.h"

namespace attention {

using cutelab::Bytes;
using cutelab::Error;
using cutelab::ErrorKind;
using cutelab::Status;
using kernel::Fill;

namespace {

/// Query-key pairs of one head of one sequence that the mask leaves.
double pairs(const Problem& p) {
  const auto queries = static_cast<double>(p.queries);
  const auto keys = static_cast<double>(p.keys);
  return p.causal ? queries * (keys - queries) + queries * (queries + 1) / 2 : queries * keys;
}

kernel::Tensor lengths(const char* name, std::int64_t batch, std::int64_t value) {
  kernel::Tensor t(name, kernel::DType::int32, {batch});
  for (std::int64_t i = 0; i < batch; ++i) t.set(i, static_cast<double>(value));
  return t;
}

}  // namespace

double Problem::scale() const { return 1 / std::sqrt(static_cast<double>(d)); }

Problem problem_of(const kernel::Params& p) {
  return {p.number("b"),
          p.number("heads"),
          p.number("heads_kv"),
          p.number("s"),
          p.number("t"),
          p.number("d"),
          p.word("causal") == "yes",
          p.word("lse") == "yes",
          kernel::dtype_of(p.word("dtype"))};
}

std::vector<kernel::ParameterSpec> AttentionPlan::parameters() const {
  constexpr std::int64_t most = 1 << 20;
  return {{"b", "sequences", "2", 1, most, {}},
          {"heads", "query heads", "16", 1, 4096, {}},
          {"heads_kv", "key-value heads; divides heads", "16", 1, 4096, {}},
          {"s", "queries of a sequence", "4096", 1, most, {}},
          {"t", "keys of a sequence", "4096", 1, most, {}},
          {"d", "elements of a head", "128", 8, 256, {}},
          {"causal", "whether a query sees only keys up to its own, the last all", "no", 0, 0, {"no", "yes"}},
          {"lse", "whether the logarithms of the sums are written too", "no", 0, 0, {"no", "yes"}},
          {"dtype", "type of Q, K, V and O; sums are fp32", "bf16", 0, 0, {"bf16", "fp16"}}};
}

Status AttentionPlan::check(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  const auto refuse = [&](std::string wrong, std::string remedy) {
    return Error{ErrorKind::usage, "attention " + params.text(), std::move(wrong), "", std::move(remedy)};
  };
  if (p.heads % p.heads_kv != 0)
    return refuse(fmt::format("{} query heads are no multiple of {} key-value heads", p.heads, p.heads_kv),
                  "give --heads and --heads_kv so that one divides the other");
  if (p.d % 8 != 0)
    return refuse(fmt::format("d = {} is no multiple of 8: rows of 16 bytes are wanted", p.d),
                  fmt::format("pad d to {}", (p.d + 7) / 8 * 8));
  if (p.causal && p.queries > p.keys)
    return refuse(fmt::format("the first {} queries would see no key", p.queries - p.keys),
                  "give at least as many keys as queries, or --causal=no");
  return {};
}

kernel::Inputs AttentionPlan::prepare_inputs(const kernel::Params& params, Fill fill,
                                             kernel::Seed seed) const {
  const Problem p = problem_of(params);
  kernel::Tensor q("q", p.dtype, {p.batch, p.queries, p.heads, p.d});
  kernel::Tensor k("k", p.dtype, {p.batch, p.keys, p.heads_kv, p.d});
  kernel::Tensor v("v", p.dtype, {p.batch, p.keys, p.heads_kv, p.d});
  // Large scores make a softmax that nearly picks one key; two such factors would leave nothing beside it.
  const Fill other = fill == Fill::adversarial ? Fill::normal : fill;
  q.fill(fill, seed);
  k.fill(other, seed + 1);
  v.fill(other, seed + 2);
  return {{std::move(q), std::move(k), std::move(v)}};
}

kernel::Outputs AttentionPlan::prepare_outputs(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  kernel::Outputs outputs{{kernel::Tensor("o", p.dtype, {p.batch, p.queries, p.heads, p.d})}};
  if (p.lse)
    outputs.tensors.emplace_back("lse", kernel::DType::fp32, std::vector{p.batch, p.heads, p.queries});
  return outputs;
}

kernel::Outputs AttentionPlan::reference_fn(const kernel::Params& params,
                                            const kernel::Inputs& inputs) const {
  const Problem p = problem_of(params);
  kernel::reference::Attention a{p.batch, p.heads,   p.heads_kv, p.queries, p.d,
                                 p.d,     p.scale(), p.causal,   {p.keys}};
  auto got = kernel::reference::attention(a, kernel::tokens(*inputs.find("q"), p.queries, p.heads, p.d),
                                          kernel::tokens(*inputs.find("k"), p.keys, p.heads_kv, p.d),
                                          kernel::tokens(*inputs.find("v"), p.keys, p.heads_kv, p.d));
  got.out.name = "o";
  got.log_sums.name = "lse";
  kernel::Outputs outputs{{std::move(got.out)}};
  if (p.lse) outputs.tensors.push_back(std::move(got.log_sums));
  return outputs;
}

std::optional<kernel::DeviceReference> AttentionPlan::device_reference(const kernel::Params& params) const {
  namespace ops = cutelab_reference;
  const Problem p = problem_of(params);
  kernel::DeviceReference reference;
  reference.operations = 2 * pairs(p) * static_cast<double>(p.batch * p.heads * p.d);
  reference.inputs.tensors = {lengths("keys", p.batch, p.keys), lengths("queries", p.batch, p.queries)};
  // The operators write both, wanted or not.
  reference.outputs.tensors = {kernel::Tensor("o", kernel::DType::fp32, {p.batch, p.queries, p.heads, p.d}),
                               kernel::Tensor("lse", kernel::DType::fp32, {p.batch, p.heads, p.queries})};
  reference.arguments = [p](const kernel::Addresses& in, const kernel::Addresses& out) {
    ops::Call call{};
    call.op = ops::Call::attention_op;
    auto& a = call.attention;
    a.q = ops::token_operand(ops::address_of(in.at("q")), p.dtype, p.queries, p.heads, p.d);
    a.k = ops::token_operand(ops::address_of(in.at("k")), p.dtype, p.keys, p.heads_kv, p.d);
    a.v = ops::token_operand(ops::address_of(in.at("v")), p.dtype, p.keys, p.heads_kv, p.d);
    a.keys = static_cast<const std::int32_t*>(ops::address_of(in.at("keys")));
    a.queries_of = static_cast<const std::int32_t*>(ops::address_of(in.at("queries")));
    a.out = reinterpret_cast<float*>(out.at("o"));
    a.log_sums = reinterpret_cast<float*>(out.at("lse"));
    a.batch = p.batch, a.heads = p.heads, a.heads_kv = p.heads_kv;
    a.queries = p.queries, a.d = p.d, a.dv = p.d;
    a.scale = p.scale(), a.causal = p.causal;
    return ops::bytes_of(call);
  };
  return reference;
}

kernel::Tolerance AttentionPlan::tolerance(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  const double half = kernel::spacing_at_one(p.dtype) / 2;
  // Weights are rounded to the type before they meet V (|error| <= half · Σ weight · |v|, which relative to
  // the result is as the rounding of the result itself: both sums have the same random signs), the result
  // once more. A single element may cancel: its error is held against max(|ref|, 1), |v| being about 1.
  return {1.5 * half, 4 * half, 1,
          fmt::format("weights and results are each rounded to {}: at most 2^{:.0f} relative, independent of "
                      "each other",
                      kernel::name_of(p.dtype), std::log2(half))};
}

kernel::Work AttentionPlan::algorithmic_flops_bytes(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  const double flops = 4 * pairs(p) * static_cast<double>(p.batch * p.heads * p.d);
  const std::int64_t elements = p.batch * p.d * (2 * p.queries * p.heads + 2 * p.keys * p.heads_kv);
  const std::int64_t sums = p.lse ? 4 * p.batch * p.heads * p.queries : 0;
  return {{{std::string(kernel::name_of(p.dtype)) + "-tensor", flops}},
          Bytes(2 * elements + sums),
          "read Q, K, V, write O: 4·b·d·(s·heads + t·heads_kv) bytes; 4·b·heads·d flops for each pair of "
          "query and key that the mask leaves"};
}

std::vector<kernel::Params> AttentionPlan::ragged_params(const kernel::Params& params,
                                                         const kernel::Config&) const {
  std::vector<kernel::Params> all;
  const auto add = [&](std::int64_t batch, std::int64_t heads, std::int64_t heads_kv, std::int64_t queries,
                       std::int64_t keys, const char* causal, const char* lse) {
    all.push_back(params);
    for (const auto& [name, value] :
         {std::pair{"b", batch}, {"heads", heads}, {"heads_kv", heads_kv}, {"s", queries}, {"t", keys}})
      all.back().set(name, value);
    all.back().set("causal", std::string(causal));
    all.back().set("lse", std::string(lse));
  };
  add(1, 1, 1, 64, 64, "no", "yes");     // one tile or less
  add(2, 4, 1, 1, 193, "no", "no");      // one query, one key-value head for all
  add(1, 3, 3, 129, 129, "yes", "yes");  // one more than a tile, triangular
  add(2, 6, 2, 100, 357, "no", "yes");   // grouped, neither a multiple of a tile
  add(1, 4, 2, 130, 300, "yes", "no");   // causal with more keys than queries
  return all;
}

}  // namespace attention
