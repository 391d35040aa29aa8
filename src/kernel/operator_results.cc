#include <cmath>
#include <functional>
#include <numeric>

#include "kernel/operator_forms.h"
#include "kernel/reference.h"

namespace cutelab::kernel {
namespace {

const OperatorSpec& spec_of_known(const Operator& op) { return *find_operator(op.name); }

/// The dense form of an input, rows × columns for operators of rows.
Tensor gathered(const Operator& op, const ExportedCall& call, const Inputs& inputs, const std::string& name) {
  const OperatorRole& role = op.roles.at(name);
  const auto& described = *call.find(role.tensor);
  const Tensor& from = *inputs.find(role.tensor);
  const Seen seen = seen_as(role, described, spec_of_known(op).modes.at(name));
  Extents shape = seen.shape;
  if (name != "weight" && name != "bias" && spec_of_known(op).modes.at(name)[0] == "row*") {
    const std::int64_t rows =
        std::accumulate(shape.begin(), shape.end() - 1, std::int64_t{1}, std::multiplies<>());
    shape = {rows, shape.back()};
  }
  Tensor dense(name, from.dtype, shape);
  for_each_coordinate(seen,
                      [&](std::int64_t index, std::int64_t offset) { dense.set(index, from.at(offset)); });
  return dense;
}

/// Decoded once: a product reads each element many times.
std::vector<double> decoded(const Tensor& from) {
  std::vector<double> values(static_cast<std::size_t>(from.size()));
  for (std::int64_t i = 0; i < from.size(); ++i) values[static_cast<std::size_t>(i)] = from.at(i);
  return values;
}

Tensor gemm_of(const Operator& op, const ExportedCall& call, const Inputs& inputs) {
  const Tensor a = gathered(op, call, inputs, "a");  // (l, m, k)
  const Tensor b = gathered(op, call, inputs, "b");  // (l, n, k)
  reference::Gemm problem;
  problem.batch = a.shape[0];
  problem.m = a.shape[1];
  problem.n = b.shape[1];
  problem.k = a.shape[2];
  problem.alpha = op.number("alpha");
  for (const char* scale : {"scale_a", "scale_b"})
    if (op.roles.count(scale)) problem.alpha *= gathered(op, call, inputs, scale).at(0);
  problem.activation = static_cast<reference::Activation>(static_cast<int>(op.number("activation")));
  const std::vector<double> va = decoded(a), vb = decoded(b);
  const auto reader = [](const std::vector<double>& values, std::int64_t rows, std::int64_t columns) {
    return [&values, rows, columns](std::int64_t batch, std::int64_t row, std::int64_t column) {
      return values[static_cast<std::size_t>((batch * rows + row) * columns + column)];
    };
  };
  const auto read_a = reader(va, problem.m, problem.k), read_b = reader(vb, problem.n, problem.k);
  if (!op.roles.count("c")) return reference::gemm(problem, read_a, read_b);
  problem.beta = op.number("beta");
  const std::vector<double> vc = decoded(gathered(op, call, inputs, "c"));  // (l, m, n)
  const MatrixReader read_c = reader(vc, problem.m, problem.n);
  return reference::gemm(problem, read_a, read_b, &read_c);
}

/// A tensor of tokens: (batch, tokens, heads, elements) as reference::attention reads it.
TokenReader token_reader(const std::vector<double>& values, std::int64_t tokens, std::int64_t heads,
                         std::int64_t elements) {
  return [&values, tokens, heads, elements](std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t e) {
    return values[static_cast<std::size_t>(((b * tokens + t) * heads + h) * elements + e)];
  };
}

Tensor attention_of(const Operator& op, const ExportedCall& call, const Inputs& inputs) {
  const auto extent = [&](const char* role, const char* mode) {
    return extent_of(op.roles.at(role), *call.find(op.roles.at(role).tensor), mode);
  };
  reference::Attention problem;
  problem.batch = extent("q", "batch");
  problem.heads = extent("q", "query_head") * extent("q", "head") * extent("q", "group");
  problem.heads_kv = extent("k", "head");
  problem.queries = extent("q", "query");
  problem.d = extent("q", "d");
  problem.dv = extent("v", "dv");
  problem.scale = op.number("scale");
  problem.causal = op.number("causal") != 0;
  problem.causal_from_start = op.number("causal_from_start") != 0;
  const std::int64_t keys = extent("k", "key");
  problem.keys = {keys};
  const auto q = decoded(gathered(op, call, inputs, "q"));
  const auto k = decoded(gathered(op, call, inputs, "k"));
  const auto v = decoded(gathered(op, call, inputs, "v"));
  return reference::attention(problem, token_reader(q, problem.queries, problem.heads, problem.d),
                              token_reader(k, keys, problem.heads_kv, problem.d),
                              token_reader(v, keys, problem.heads_kv, problem.dv))
      .out;
}

/// Elementwise over dense forms of one shape.
Tensor each(const Tensor& x, const std::function<double(std::int64_t)>& value) {
  Tensor y("y", DType::fp32, x.shape);
  for (std::int64_t i = 0; i < y.size(); ++i) y.set(i, value(i));
  return y;
}

/// Without a weight it is 1.
Tensor norm_of(const Operator& op, const ExportedCall& call, const Inputs& inputs) {
  const Tensor x = gathered(op, call, inputs, "x");
  Tensor weight("weight", DType::fp32, {x.shape.back()});
  if (op.roles.count("weight"))
    weight = gathered(op, call, inputs, "weight");
  else
    for (std::int64_t i = 0; i < weight.size(); ++i) weight.set(i, 1);
  Tensor bias;
  if (op.roles.count("bias")) bias = gathered(op, call, inputs, "bias");
  const Tensor* added = bias.shape.empty() ? nullptr : &bias;
  if (op.name == "layer_norm") return reference::layer_norm(x, weight, added, op.number("eps"));
  const Tensor y = reference::rms_norm(x, weight, op.number("eps"));
  if (!added) return y;
  return each(y, [&](std::int64_t i) { return y.at(i) + bias.at(i % bias.size()); });
}

}  // namespace

Tensor dense_result(const Operator& op, const ExportedCall& call, const Inputs& inputs) {
  const auto input = [&](const char* name) { return gathered(op, call, inputs, name); };
  if (op.name == "gemm") return gemm_of(op, call, inputs);
  if (op.name == "attention") return attention_of(op, call, inputs);
  if (op.name == "rms_norm" || op.name == "layer_norm") return norm_of(op, call, inputs);
  if (op.name == "reduce_sum") return reference::reduce(input("x"), reference::Reduction::sum);
  if (op.name == "reduce_largest") return reference::reduce(input("x"), reference::Reduction::largest);
  if (op.name == "add") {
    const Tensor a = input("a"), b = input("b");
    return each(a, [&](std::int64_t i) { return a.at(i) + b.at(i); });
  }
  if (op.name == "copy" || op.name == "scale") {
    const Tensor x = input("x");
    const double alpha = op.name == "scale" ? op.number("alpha") : 1;
    return each(x, [&](std::int64_t i) { return alpha * x.at(i); });
  }
  return reference::softmax(input("x"));
}

Tensor evaluate(const Operator& op, const ExportedCall& call, const Inputs& inputs) {
  const Tensor dense = dense_result(op, call, inputs);
  const OperatorSpec& spec = spec_of_known(op);
  const OperatorRole& role = op.roles.at(spec.output);
  const auto& described = *call.find(role.tensor);
  Tensor out(role.tensor, DType::fp32, host_tensor(described).shape);
  for_each_coordinate(seen_as(role, described, spec.modes.at(spec.output)),
                      [&](std::int64_t index, std::int64_t offset) { out.set(offset, dense.at(index)); });
  return out;
}

}  // namespace cutelab::kernel
