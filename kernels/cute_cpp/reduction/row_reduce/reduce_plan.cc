#include "reduce_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../reference/calls.h"
#include "kernel/reference.h"

namespace row_reduce {

using cutelab::Bytes;
using cutelab::Error;
using cutelab::ErrorKind;
using cutelab::Status;
using kernel::Fill;

namespace {

const std::vector<std::string>& op_words() {
  static const std::vector<std::string> words = {"sum", "largest", "least", "sum_of_squares"};
  return words;
}

kernel::reference::Reduction reduction_of(Op op) {
  using kernel::reference::Reduction;
  constexpr Reduction all[] = {Reduction::sum, Reduction::largest, Reduction::least,
                               Reduction::sum_of_squares};
  return all[static_cast<int>(op)];
}

int rows_kind_of(Op op) {
  using ops = cutelab_reference::Rows;
  constexpr int all[] = {ops::sum, ops::largest, ops::least, ops::sum_of_squares};
  return all[static_cast<int>(op)];
}

/// Additions on the longest way of an element into its sum: a thread of a block of 128 adds its share, then
/// partial sums meet.
double longest_chain(std::int64_t columns) { return static_cast<double>(columns) / 128 + 64; }

}  // namespace

Problem problem_of(const kernel::Params& p) {
  const auto& words = op_words();
  const auto op = std::find(words.begin(), words.end(), p.word("op")) - words.begin();
  return {p.number("b"), p.number("h"), kernel::dtype_of(p.word("dtype")), static_cast<Op>(op)};
}

std::vector<kernel::ParameterSpec> ReducePlan::parameters() const {
  return {{"b", "rows", "8192", 1, INT64_C(1) << 30, {}},
          {"h", "elements of a row", "8192", 1, INT64_C(1) << 30, {}},
          {"op", "what is done over a row", "sum", 0, 0, op_words()},
          {"dtype", "type of x; y and the sums are fp32", "bf16", 0, 0, {"bf16", "fp16", "fp32"}}};
}

Status ReducePlan::check(const kernel::Params&) const { return {}; }

kernel::Inputs ReducePlan::prepare_inputs(const kernel::Params& params, Fill fill, kernel::Seed seed) const {
  const Problem p = problem_of(params);
  kernel::Tensor x("x", p.dtype, {p.rows, p.columns});  // (b, h) : (h, 1)
  x.fill(fill, seed);
  return {{std::move(x)}};
}

kernel::Outputs ReducePlan::prepare_outputs(const kernel::Params& params) const {
  return {{kernel::Tensor("y", kernel::DType::fp32, {problem_of(params).rows})}};
}

kernel::Outputs ReducePlan::reference_fn(const kernel::Params& params, const kernel::Inputs& inputs) const {
  kernel::Tensor y = kernel::reference::reduce(*inputs.find("x"), reduction_of(problem_of(params).op));
  y.name = "y";
  y.shape = {problem_of(params).rows};
  return {{std::move(y)}};
}

std::optional<kernel::DeviceReference> ReducePlan::device_reference(const kernel::Params& params) const {
  namespace ops = cutelab_reference;
  const Problem p = problem_of(params);
  kernel::DeviceReference reference;
  reference.operations = static_cast<double>(p.rows) * static_cast<double>(p.columns);
  reference.outputs = prepare_outputs(params);
  reference.arguments = [p](const kernel::Addresses& in, const kernel::Addresses& out) {
    ops::Call call{};
    call.op = ops::Call::rows_op;
    call.rows.x = ops::address_of(in.at("x"));
    call.rows.out = reinterpret_cast<float*>(out.at("y"));
    call.rows.rows = p.rows;
    call.rows.columns = p.columns;
    call.rows.kind = rows_kind_of(p.op);
    call.rows.x_dtype = static_cast<int>(p.dtype);
    return ops::bytes_of(call);
  };
  return reference;
}

kernel::Tolerance ReducePlan::tolerance(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  if (p.op == Op::largest || p.op == Op::least) return {0, 0, 0x1p-100, "nothing is rounded"};
  const double chain = longest_chain(p.columns);
  const double rounding = chain * 0x1p-24;
  if (p.op == Op::sum_of_squares)
    return {rounding, rounding, 0x1p-100,
            fmt::format("at most {:.0f} roundings to fp32 on the way of an element, nothing cancels", chain)};
  // |error| <= rounding · Σ|x|. Of the fills, Σ|x| is at most 4 · columns (adversarial, 64 at most, 3.6 on
  // average), and a sum is about sqrt(columns) · the root mean square, of which the mean is a part.
  const auto columns = static_cast<double>(p.columns);
  const double magnitudes = 4 * columns + 64;
  return {
      rounding * std::sqrt(columns), rounding, magnitudes,
      fmt::format("at most {:.0f} roundings to fp32 on the way of an element; magnitudes add up to {:.3g}",
                  chain, magnitudes)};
}

kernel::Work ReducePlan::algorithmic_flops_bytes(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  const double elements = static_cast<double>(p.rows) * static_cast<double>(p.columns);
  const std::int64_t width = static_cast<std::int64_t>(kernel::bytes_of(p.dtype));
  return {{{"fp32", (p.op == Op::sum_of_squares ? 2 : 1) * elements}},
          Bytes(p.rows * p.columns * width + p.rows * 4),
          fmt::format("read x, write y: {}·b·h + 4·b bytes", width)};
}

std::vector<kernel::Config> ReducePlan::autotune_configs(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  auto all = candidates(p);
  for (auto& config : all) config.rejected_because = rejection(p, config);
  std::stable_partition(all.begin(), all.end(), [](const kernel::Config& c) { return c.legal(); });
  return all;
}

std::vector<kernel::Params> ReducePlan::ragged_params(const kernel::Params& params,
                                                      const kernel::Config& config) const {
  std::vector<kernel::Params> all;
  const std::int64_t unit = columns_multiple(config);
  const auto add = [&](std::int64_t rows, std::int64_t columns) {
    auto one = params;
    one.set("b", rows);
    one.set("h", (columns + unit - 1) / unit * unit);
    if (rejection(problem_of(one), config).empty()) all.push_back(std::move(one));
  };
  add(1, 1);        // one element
  add(1, 4097);     // one row
  add(17, 1000);    // no multiple of rows or of a tile
  add(1001, 33);    // short rows
  add(3, 100'001);  // long rows
  return all;
}

Status ReducePlan::refused(const kernel::Params& params, const kernel::Config& config) const {
  const std::string wrong = config.legal() ? rejection(problem_of(params), config) : config.rejected_because;
  if (wrong.empty()) return {};
  return Error{ErrorKind::usage, "plan a reduction " + params.text(), wrong, config.text(),
               "take one of the legal configurations (--dry-run lists them)"};
}

}  // namespace row_reduce
