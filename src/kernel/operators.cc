#include "kernel/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "kernel/operator_forms.h"
#include "kernel/operator_groups.h"
#include "kernel/sum_tolerance.h"

namespace cutelab::kernel {
namespace {

using Modes = std::vector<std::string>;

const OperatorSpec& spec_of(const Operator& op) { return *find_operator(op.name); }

}  // namespace

const std::vector<OperatorSpec>& all_operators() {
  const Modes rows = {"row*", "column"}, column = {"column"};
  const Modes queries = {"batch*", "query", "query_head", "head", "group", "d"};
  const Modes outputs = {"batch*", "query", "query_head", "head", "group", "dv"};
  static const std::vector<OperatorSpec> all = {
      {"gemm",
       "d = activation(alpha · scale_a · scale_b · a · bᵀ + beta · c)",
       {"a", "b"},
       "d",
       {{"a", {"l", "m", "k"}},
        {"b", {"l", "n", "k"}},
        {"c", {"l", "m", "n"}},
        {"d", {"l", "m", "n"}},
        {"scale_a", {"one"}},
        {"scale_b", {"one"}}},
       {},
       {"c", "scale_a", "scale_b"},
       {{"alpha", 1}, {"beta", 1}, {"activation", 0}, {"accumulator_bits", 0}}},
      {"attention",
       "o = softmax(scale · q · kᵀ) · v, causal or not",
       {"q", "k", "v"},
       "o",
       {{"q", queries},
        {"k", {"batch*", "key", "head", "d"}},
        {"v", {"batch*", "key", "head", "dv"}},
        {"o", outputs}},
       {"scale"},
       {},
       {{"causal", 0}, {"causal_from_start", 0}}},
      {"add", "y = a + b, element by element", {"a", "b"}, "y", {{"a", rows}, {"b", rows}, {"y", rows}}, {}},
      {"copy", "y = x", {"x"}, "y", {{"x", rows}, {"y", rows}}, {}},
      {"scale", "y = alpha · x", {"x"}, "y", {{"x", rows}, {"y", rows}}, {"alpha"}},
      {"rms_norm",
       "y = x / sqrt(mean of x² over a row + eps) · weight + bias",
       {"x"},
       "y",
       {{"x", rows}, {"weight", column}, {"bias", column}, {"y", rows}},
       {"eps"},
       {"weight", "bias"}},
      {"layer_norm",
       "y = (x - mean) / sqrt(variance + eps) · weight + bias, over a row",
       {"x"},
       "y",
       {{"x", rows}, {"weight", column}, {"bias", column}, {"y", rows}},
       {"eps"},
       {"weight", "bias"}},
      {"softmax", "y = softmax of x over a row", {"x"}, "y", {{"x", rows}, {"y", rows}}, {}},
      {"reduce_sum", "y = sum of x over a row", {"x"}, "y", {{"x", rows}, {"y", {"row*"}}}, {}},
      {"reduce_largest", "y = largest of x over a row", {"x"}, "y", {{"x", rows}, {"y", {"row*"}}}, {}}};
  return all;
}

double Operator::number(const std::string& number_name) const {
  if (const auto it = numbers.find(number_name); it != numbers.end()) return it->second;
  const OperatorSpec* spec = find_operator(name);
  const auto it = spec ? spec->defaults.find(number_name) : std::map<std::string, double>::const_iterator();
  return spec && it != spec->defaults.end() ? it->second : 0;
}

Operator with_numbers_of(Operator op, const ExportedCall& call) {
  for (const auto& [number, name] : op.called)
    if (const auto value = call.number(name)) op.numbers[number] = *value;
  return op;
}

/// Of weights and values where other tensors are drawn with a large dynamic range. Their largest number,
/// which tolerances ask for, is that of no other fill that they are given.
constexpr Fill moderate_fill = Fill::normal;

Fill fill_for(const Operator& op, const std::string& tensor, Fill asked) {
  for (const auto& [name, role] : op.roles) {
    if (role.tensor != tensor) continue;
    if (name.starts_with("scale_")) return Fill::uniform;
    const bool moderate =
        name == "weight" || name == "bias" || (op.name == "attention" && (name == "k" || name == "v"));
    if (moderate && asked == Fill::adversarial) return moderate_fill;
  }
  return asked;
}

const OperatorSpec* find_operator(const std::string& name) {
  const auto& all = all_operators();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const OperatorSpec& spec) { return spec.name == name; });
  return it == all.end() ? nullptr : &*it;
}

std::optional<DType> dsl_dtype(const std::string& name) {
  static const std::map<std::string, DType> known = {{"Float32", DType::fp32},
                                                     {"Float16", DType::fp16},
                                                     {"BFloat16", DType::bf16},
                                                     {"TFloat32", DType::tf32},
                                                     {"Float8E4M3FN", DType::fp8_e4m3},
                                                     {"Float8E5M2", DType::fp8_e5m2},
                                                     {"Int8", DType::int8},
                                                     {"Int4", DType::int4},
                                                     {"Float8E8M0FNU", DType::ue8m0},
                                                     {"Int32", DType::int32}};
  const auto it = known.find(name);
  return it == known.end() ? std::nullopt : std::optional<DType>(it->second);
}

Tensor host_tensor(const ExportedCall::Tensor& tensor) {
  const auto dtype = dsl_dtype(tensor.dtype);
  if (!dtype) return Tensor(tensor.name, DType::int8, {tensor.bytes});
  const bool empty = std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0;
  if (!is_dense(tensor)) {
    std::int64_t elements = empty ? 0 : 1;
    for (std::size_t i = 0; i < tensor.shape.size() && !empty; ++i)
      elements += (tensor.shape[i] - 1) * tensor.stride[i];
    return Tensor(tensor.name, *dtype, {elements});
  }
  Extents extents;
  for (const std::size_t i : memory_order(tensor)) extents.push_back(tensor.shape[i]);
  if (extents.empty()) extents.push_back(1);
  return Tensor(tensor.name, *dtype, extents);
}

namespace {

Error no_fit(const Operator& op, std::string wrong) {
  return {ErrorKind::usage, "operator " + op.name, std::move(wrong), "",
          "correct `operator` in the package's package.json"};
}

using RoleModes = std::pair<const std::string, Modes>;  ///< of an OperatorSpec

/// Adds the role's extents to those that others have.
Status check_role(const Operator& op, const OperatorSpec& spec, const RoleModes& wanted,
                  const ExportedCall& call, std::map<std::string, std::int64_t>& extents) {
  const std::string& name = wanted.first;  // lambdas below hold it: no structured binding
  const Modes& modes = wanted.second;
  const OperatorRole& role = op.roles.at(name);
  const auto bad = [&](const std::string& wrong) {
    return Status(no_fit(op, fmt::format("role {}: {}", name, wrong)));
  };
  const auto* tensor = call.find(role.tensor);
  if (!tensor) return bad(fmt::format("the call has no tensor {}", printable(role.tensor)));
  if (tensor->shape.size() != role.modes.size())
    return bad(fmt::format("tensor {} has {} modes, {} are named", tensor->name, tensor->shape.size(),
                           role.modes.size()));
  if (!dsl_dtype(tensor->dtype))
    return bad(fmt::format("no reference for elements of type {} (tensor {})", tensor->dtype, tensor->name));
  if (name == spec.output && !is_dense(*tensor))
    return bad(fmt::format("the output, tensor {}, is not dense in memory", tensor->name));
  for (const std::string& mode : role.modes) {
    if (std::find(modes.begin(), modes.end(), mode) == modes.end() &&
        std::find(modes.begin(), modes.end(), mode + "*") == modes.end())
      return bad(fmt::format("it has no mode {} (tensor {})", printable(mode), tensor->name));
    const std::int64_t extent = extent_of(role, *tensor, mode);
    const auto known = extents.emplace(mode, extent).first->second;
    if (known != extent)
      return bad(fmt::format("extent {} is {} in {} and {} elsewhere", mode, extent, tensor->name, known));
  }
  return {};
}

Status check_one(const Operator& op, const ExportedCall& call) {
  const OperatorSpec* spec = find_operator(op.name);
  if (!spec) return no_fit(op, "there is no such operator");
  for (const std::string& number : spec->numbers)
    if (!op.numbers.count(number) && !op.called.count(number))
      return no_fit(op, "it needs the number " + number);
  for (const auto& [number, name_there] : op.called)
    if (!call.number(name_there)) return no_fit(op, "the call has no number " + name_there);
  std::map<std::string, std::int64_t> extents;
  for (const auto& wanted : spec->modes) {
    const auto& optional = spec->optional;
    if (!op.roles.count(wanted.first)) {
      if (std::find(optional.begin(), optional.end(), wanted.first) != optional.end()) continue;
      return no_fit(op, "no tensor is named for role " + wanted.first);
    }
    if (auto fits = check_role(op, *spec, wanted, call, extents); !fits) return fits;
  }
  if (extents.count("one") && extents["one"] != 1) return no_fit(op, "a scale of more than one element");
  if (extents.count("query_head") && extents["query_head"] % std::max<std::int64_t>(extents["head"], 1) != 0)
    return no_fit(op, "the heads of the queries are no multiple of those of the keys");
  return {};
}

/// A result that is an operand too is gone when the reference is made of it. Precondition: check_one.
Status check_results_apart(const std::vector<Operator>& groups, const ExportedCall& call) {
  std::map<std::string, std::string> results;  // tensor and its role
  for (const Operator& group : groups) {
    const std::string& output = find_operator(group.name)->output;
    results.emplace(group.roles.at(output).tensor, output);
  }
  for (const Operator& group : groups)
    for (const auto& [name, role] : group.roles) {
      const auto result = results.find(role.tensor);
      if (result == results.end() || name == result->second || !call.find(role.tensor)) continue;
      Error error = no_fit(
          group,
          fmt::format("role {}: tensor {} is the result too (role {}): the reference needs it as it was "
                      "before the run, and the run writes over it",
                      name, role.tensor, result->second));
      error.remedy = "there is no check of an operator in place: call it with a result of its own";
      return error;
    }
  return {};
}

bool is_fp8(DType dtype) { return dtype == DType::fp8_e4m3 || dtype == DType::fp8_e5m2; }

/// Weights are rounded to the type of V before they meet it (relative to the result as the rounding of the
/// result itself: both sums have the same random signs), the result once more. A single element may cancel:
/// its error is held against max(|ref|, 1), |v| being about 1. Scores are sums in fp32 and have a size of
/// their own: their error moves weights by as much, relatively.
Tolerance attention_tolerance(const Operator& op, const ExportedCall& call, double half,
                              const std::string& rounded) {
  const auto& v = *call.find(op.roles.at("v").tensor);
  const double weights = spacing_at_one(dsl_dtype(v.dtype).value_or(DType::fp32)) / 2;
  const auto& q = op.roles.at("q");
  const auto d = static_cast<double>(extent_of(q, *call.find(q.tensor), "d"));
  const double score = 119 * std::sqrt(d) * std::fabs(op.number("scale"));  // two adversarial numbers: 119
  const double of_scores = (d / 16 + 2) * score * 0x1p-23;
  return {half + weights / 2 + of_scores, 2 * (half + weights) + 4 * of_scores, 1,
          fmt::format("{}; weights to {}; scores up to {:.2g} in fp32 add {:.2g}", rounded,
                      name_of(dsl_dtype(v.dtype).value_or(DType::fp32)), score, of_scores)};
}

/// What fp32 may lose, absolute, where numbers cancel: x against the mean of its row, a term against the
/// bias, the numbers of a sum against each other. A normed number has a size of about 1 before the weight, so
/// a few units in the last place of the largest weight; a sum of n numbers wanders by n units of one of them.
double lost_by_cancelling(const Operator& op, const ExportedCall& call) {
  const auto taken = [&](const char* role) { return op.roles.count(role) > 0; };
  if (op.name == "layer_norm" || (op.name == "rms_norm" && taken("bias")))
    return 8 * (taken("weight") || taken("bias") ? largest_magnitude(moderate_fill) : 1) * 0x1p-23;
  if (op.name != "reduce_sum") return 0;
  const auto& x = op.roles.at("x");
  const auto columns = static_cast<double>(extent_of(x, *call.find(x.tensor), "column"));
  return columns * root_mean_square(Fill::adversarial) * 0x1p-23;
}

}  // namespace

Status check_operator(const Operator& op, const ExportedCall& call) {
  const auto groups = groups_of(op, call);
  if (!groups) return groups.error();
  for (const Operator& group : *groups)
    if (auto fits = check_one(group, call); !fits) return fits;
  return check_results_apart(*groups, call);
}

namespace {

Tolerance tolerance_of_one(const Operator& op, const ExportedCall& call) {
  const OperatorSpec& spec = spec_of(op);
  const auto& out = *call.find(op.roles.at(spec.output).tensor);
  const DType dtype = dsl_dtype(out.dtype).value_or(DType::fp32);
  const double half = spacing_at_one(dtype) / 2;
  const double floor = dtype == DType::fp16 ? 0x1p-14 : 0x1p-100;
  const std::string rounded = fmt::format("the result is rounded once to {}: at most 2^{:.0f} relative",
                                          name_of(dtype), std::log2(half));
  if (op.name == "copy") return {0, 0, floor, "a copy changes nothing"};
  if (op.name == "attention") return attention_tolerance(op, call, half, rounded);
  if (op.name == "gemm") {
    const auto& a = op.roles.at("a");
    const auto& factors = *call.find(a.tensor);
    const double drawn = root_mean_square(Fill::adversarial);  // both operands are filled alike
    ProductSum sum{extent_of(a, factors, "k"), drawn * drawn, 1, dtype};
    // Of products of fp8 numbers the tensor cores keep 13 bits behind the sum's leading one, 32 at a time.
    if (is_fp8(dsl_dtype(factors.dtype).value_or(DType::fp32))) sum.at_once = 32, sum.kept_bits = 13;
    // Bits that the sums keep where they are not fp32's.
    const int bits = static_cast<int>(op.number("accumulator_bits"));
    if (bits > 0) sum.kept_bits = bits;
    Tolerance tolerance = product_tolerance(sum);
    // Not the result's rounding alone but the sums' own decides on the whole, too.
    if (sum.kept_bits < 23) tolerance.relative_norm += lost_in_norm(sum);
    return tolerance;
  }
  // Exponentials, roots and sums in fp32, some of them approximations of the hardware.
  const double approximate = op.name == "add" || op.name == "scale" ? half * 0.001 : 0x1p-15;
  const double element = (half + approximate) * 1.05;
  const double lost = lost_by_cancelling(op, call);
  return {half + approximate, element, std::max(floor, lost / element),
          fmt::format("{}; arithmetic in fp32 adds {:.2g}{}", rounded, approximate,
                      lost > 0 ? fmt::format(", and {:.2g} absolute where numbers cancel", lost) : "")};
}

/// The unit that computes products of such numbers.
std::string unit_of(const ExportedCall::Tensor& factors) {
  const DType dtype = dsl_dtype(factors.dtype).value_or(DType::fp32);
  if (dtype == DType::fp32) return "fp32";
  return is_fp8(dtype) ? "fp8-tensor" : name_of(dtype) + std::string("-tensor");
}

double elements_of(const ExportedCall::Tensor& tensor) {
  double elements = 1;
  for (const std::int64_t extent : tensor.shape) elements *= static_cast<double>(extent);
  return elements;
}

std::string add_attention_flops(const Operator& op, const ExportedCall& call, Work& work) {
  const auto& q = op.roles.at("q");
  const auto& k = op.roles.at("k");
  const auto& tensor = *call.find(q.tensor);
  const auto keys = static_cast<double>(extent_of(k, *call.find(k.tensor), "key"));
  const auto queries = static_cast<double>(extent_of(q, tensor, "query"));
  double seen = keys;  // by a query, on average
  if (op.number("causal") != 0 && op.number("causal_from_start") != 0)
    seen = queries <= keys ? (queries + 1) / 2 : keys - (keys - 1) / 2 * keys / queries;
  else if (op.number("causal") != 0)
    seen = queries <= keys ? keys - (queries - 1) / 2 : (keys + 1) / 2 * keys / queries;
  const double rows = elements_of(tensor) / static_cast<double>(extent_of(q, tensor, "d"));
  const auto& o = op.roles.at("o");
  const auto widths =
      static_cast<double>(extent_of(q, tensor, "d") + extent_of(o, *call.find(o.tensor), "dv"));
  work.flops[unit_of(tensor)] += 2 * rows * seen * widths;
  return "; 2·(d + dv) flops for each pair of query and key that the mask leaves";
}

/// Adds the flops of one operator; says how they are counted.
std::string add_flops(const Operator& op, const ExportedCall& call, Work& work) {
  if (op.name == "attention") return add_attention_flops(op, call, work);
  const double elements = elements_of(*call.find(op.roles.at(spec_of(op).output).tensor));
  if (op.name == "gemm") {
    const auto& a = op.roles.at("a");
    const auto& tensor = *call.find(a.tensor);
    work.flops[unit_of(tensor)] += 2 * elements * static_cast<double>(extent_of(a, tensor, "k"));
    return "; 2·l·m·n·k flops";
  }
  static const std::map<std::string, double> per_element = {
      {"add", 1}, {"scale", 1}, {"rms_norm", 4}, {"layer_norm", 7}, {"softmax", 4}};
  if (const auto it = per_element.find(op.name); it != per_element.end()) {
    work.flops["fp32"] += it->second * elements;
    return fmt::format("; {} flops an element", it->second);
  }
  if (!op.name.starts_with("reduce_")) return "";
  work.flops["fp32"] += elements_of(*call.find(op.roles.at("x").tensor));
  return "; 1 flop an element";
}

/// Precondition: check_operator.
std::vector<Operator> known_groups(const Operator& op, const ExportedCall& call) {
  auto groups = groups_of(op, call);
  return groups ? std::move(*groups) : std::vector<Operator>();
}

}  // namespace

Tolerance operator_tolerance(const Operator& op, const ExportedCall& call) {
  Tolerance widest{0, 0, 0, "no reference is known"};
  if (!op.known()) return widest;
  bool first = true;
  const auto groups = known_groups(op, call);
  for (const Operator& group : groups) {
    Tolerance one = tolerance_of_one(group, call);
    if (first || one.floor > widest.floor) widest = std::move(one);
    first = false;
  }
  if (groups.size() > 1) widest.reason = "of the problem with the longest sums: " + widest.reason;
  return widest;
}

Work operator_work(const Operator& op, const ExportedCall& call) {
  Work work;
  std::int64_t bytes = 0;
  for (const auto& tensor : call.tensors) bytes += tensor.bytes;
  work.compulsory = Bytes(bytes);
  work.formula = "every tensor of the call once";
  if (!op.known()) return work;
  std::string counted;
  const auto groups = known_groups(op, call);
  for (const Operator& group : groups) counted = add_flops(group, call, work);
  if (groups.size() > 1 && !counted.empty())
    counted += fmt::format(", of each of {} problems", groups.size());
  work.formula += counted;
  return work;
}

}  // namespace cutelab::kernel
