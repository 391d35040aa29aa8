#include "kernel/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "kernel/reference.h"
#include "kernel/sum_tolerance.h"

namespace cutelab::kernel {
namespace {

using Extents = std::vector<std::int64_t>;

/// Modes of a call's tensor by falling stride; those of one element say nothing.
std::vector<std::size_t> memory_order(const ExportedCall::Tensor& tensor) {
  std::vector<std::size_t> order(tensor.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto stride = [&](std::size_t i) { return tensor.shape[i] == 1 ? INT64_MAX : tensor.stride[i]; };
    return stride(a) > stride(b);
  });
  return order;
}

bool is_dense(const ExportedCall::Tensor& tensor) {
  std::int64_t expected = 1;
  const auto order = memory_order(tensor);
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    if (tensor.shape[*i] == 1) continue;
    if (tensor.stride[*i] != expected) return false;
    expected *= tensor.shape[*i];
  }
  return true;
}

std::int64_t extent_of(const OperatorRole& role, const ExportedCall::Tensor& tensor,
                       const std::string& mode) {
  std::int64_t extent = 1;
  for (std::size_t i = 0; i < role.modes.size(); ++i)
    if (role.modes[i] == mode) extent *= tensor.shape[i];
  return extent;
}

/// A role's tensor seen in the operator's own order of modes; "row*" are all of its modes of that name.
struct Seen {
  Extents shape, stride;  ///< elements
};

Seen seen_as(const OperatorRole& role, const ExportedCall::Tensor& tensor,
             const std::vector<std::string>& modes) {
  Seen seen;
  for (const std::string& mode : modes) {
    bool found = false;
    for (std::size_t i = 0; i < role.modes.size(); ++i) {
      if (role.modes[i] + "*" != mode && role.modes[i] != mode) continue;
      seen.shape.push_back(tensor.shape[i]);
      seen.stride.push_back(tensor.stride[i]);
      found = true;
    }
    if (found || mode.back() == '*') continue;
    seen.shape.push_back(1);
    seen.stride.push_back(0);
  }
  return seen;
}

/// Calls `visit(dense index, offset)` for every coordinate, the last mode fastest.
template <class Visit>
void for_each_coordinate(const Seen& seen, const Visit& visit) {
  const std::int64_t count =
      std::accumulate(seen.shape.begin(), seen.shape.end(), std::int64_t{1}, std::multiplies<>());
  Extents at(seen.shape.size(), 0);
  std::int64_t offset = 0;
  for (std::int64_t index = 0; index < count; ++index) {
    visit(index, offset);
    for (std::size_t d = seen.shape.size(); d-- > 0;) {
      offset += seen.stride[d];
      if (++at[d] < seen.shape[d]) break;
      offset -= seen.stride[d] * seen.shape[d];
      at[d] = 0;
    }
  }
}

const OperatorSpec& spec_of(const Operator& op) { return *find_operator(op.name); }

/// The dense form of an input, rows × columns for operators of rows.
Tensor gathered(const Operator& op, const ExportedCall& call, const Inputs& inputs, const std::string& name) {
  const OperatorRole& role = op.roles.at(name);
  const auto& described = *call.find(role.tensor);
  const Tensor& from = *inputs.find(role.tensor);
  const Seen seen = seen_as(role, described, spec_of(op).modes.at(name));
  Extents shape = seen.shape;
  if (name != "weight" && name != "bias" && spec_of(op).modes.at(name)[0] == "row*") {
    const std::int64_t rows =
        std::accumulate(shape.begin(), shape.end() - 1, std::int64_t{1}, std::multiplies<>());
    shape = {rows, shape.back()};
  }
  Tensor dense(name, from.dtype, shape);
  for_each_coordinate(seen,
                      [&](std::int64_t index, std::int64_t offset) { dense.set(index, from.at(offset)); });
  return dense;
}

Tensor gemm_of(const Operator& op, const ExportedCall& call, const Inputs& inputs) {
  const Tensor a = gathered(op, call, inputs, "a");  // (l, m, k)
  const Tensor b = gathered(op, call, inputs, "b");  // (l, n, k)
  reference::Gemm problem;
  problem.batch = a.shape[0];
  problem.m = a.shape[1];
  problem.n = b.shape[1];
  problem.k = a.shape[2];
  // Decoded once: a product reads each element many times.
  const auto decoded = [](const Tensor& from) {
    std::vector<double> values(static_cast<std::size_t>(from.size()));
    for (std::int64_t i = 0; i < from.size(); ++i) values[static_cast<std::size_t>(i)] = from.at(i);
    return values;
  };
  const std::vector<double> va = decoded(a), vb = decoded(b);
  const auto reader = [](const std::vector<double>& values, std::int64_t rows, std::int64_t columns) {
    return [&values, rows, columns](std::int64_t batch, std::int64_t row, std::int64_t column) {
      return values[static_cast<std::size_t>((batch * rows + row) * columns + column)];
    };
  };
  return reference::gemm(problem, reader(va, problem.m, problem.k), reader(vb, problem.n, problem.k));
}

/// Elementwise over dense forms of one shape.
Tensor each(const Tensor& x, const std::function<double(std::int64_t)>& value) {
  Tensor y("y", DType::fp32, x.shape);
  for (std::int64_t i = 0; i < y.size(); ++i) y.set(i, value(i));
  return y;
}

Tensor dense_result(const Operator& op, const ExportedCall& call, const Inputs& inputs) {
  const auto input = [&](const char* name) { return gathered(op, call, inputs, name); };
  if (op.name == "gemm") return gemm_of(op, call, inputs);
  if (op.name == "add") {
    const Tensor a = input("a"), b = input("b");
    return each(a, [&](std::int64_t i) { return a.at(i) + b.at(i); });
  }
  if (op.name == "copy" || op.name == "scale") {
    const Tensor x = input("x");
    const double alpha = op.name == "scale" ? op.numbers.at("alpha") : 1;
    return each(x, [&](std::int64_t i) { return alpha * x.at(i); });
  }
  if (op.name == "rms_norm") return reference::rms_norm(input("x"), input("weight"), op.numbers.at("eps"));
  if (op.name == "layer_norm")
    return reference::layer_norm(input("x"), input("weight"), nullptr, op.numbers.at("eps"));
  return reference::softmax(input("x"));
}

}  // namespace

const std::vector<OperatorSpec>& all_operators() {
  static const std::vector<OperatorSpec> all = {
      {"gemm",
       "d = a · bᵀ",
       {"a", "b"},
       "d",
       {{"a", {"l", "m", "k"}}, {"b", {"l", "n", "k"}}, {"d", {"l", "m", "n"}}},
       {}},
      {"add",
       "y = a + b, element by element",
       {"a", "b"},
       "y",
       {{"a", {"row*", "column"}}, {"b", {"row*", "column"}}, {"y", {"row*", "column"}}},
       {}},
      {"copy", "y = x", {"x"}, "y", {{"x", {"row*", "column"}}, {"y", {"row*", "column"}}}, {}},
      {"scale",
       "y = alpha · x",
       {"x"},
       "y",
       {{"x", {"row*", "column"}}, {"y", {"row*", "column"}}},
       {"alpha"}},
      {"rms_norm",
       "y = x / sqrt(mean of x² over a row + eps) · weight",
       {"x", "weight"},
       "y",
       {{"x", {"row*", "column"}}, {"weight", {"column"}}, {"y", {"row*", "column"}}},
       {"eps"}},
      {"layer_norm",
       "y = (x - mean) / sqrt(variance + eps) · weight, over a row",
       {"x", "weight"},
       "y",
       {{"x", {"row*", "column"}}, {"weight", {"column"}}, {"y", {"row*", "column"}}},
       {"eps"}},
      {"softmax",
       "y = softmax of x over a row",
       {"x"},
       "y",
       {{"x", {"row*", "column"}}, {"y", {"row*", "column"}}},
       {}}};
  return all;
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
  if (!is_dense(tensor)) {
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i)
      elements += (tensor.shape[i] - 1) * tensor.stride[i];
    return Tensor(tensor.name, *dtype, {elements});
  }
  Extents extents;
  for (const std::size_t i : memory_order(tensor)) extents.push_back(tensor.shape[i]);
  if (extents.empty()) extents.push_back(1);
  return Tensor(tensor.name, *dtype, extents);
}

Status check_operator(const Operator& op, const ExportedCall& call) {
  const auto bad = [&](std::string wrong) {
    return Status(Error{ErrorKind::usage, "operator " + op.name, std::move(wrong), "",
                        "correct `operator` in the package's package.json"});
  };
  const OperatorSpec* spec = find_operator(op.name);
  if (!spec) return bad("there is no such operator");
  for (const std::string& number : spec->numbers)
    if (!op.numbers.count(number)) return bad("it needs the number " + number);
  std::map<std::string, std::int64_t> extents;
  for (const auto& [name, modes] : spec->modes) {
    const auto role = op.roles.find(name);
    if (role == op.roles.end()) return bad("no tensor is named for " + name);
    const auto* tensor = call.find(role->second.tensor);
    if (!tensor) return bad(fmt::format("the call has no tensor {}", role->second.tensor));
    if (tensor->shape.size() != role->second.modes.size())
      return bad(fmt::format("tensor {} has {} modes", tensor->name, tensor->shape.size()));
    if (!dsl_dtype(tensor->dtype)) return bad("no reference for elements of type " + tensor->dtype);
    if (name == spec->output && !is_dense(*tensor)) return bad("the output is not dense in memory");
    for (const std::string& mode : role->second.modes) {
      if (std::find(modes.begin(), modes.end(), mode) == modes.end() &&
          std::find(modes.begin(), modes.end(), mode + "*") == modes.end())
        return bad(fmt::format("{} has no mode {} (tensor {})", name, mode, tensor->name));
      const std::int64_t extent = extent_of(role->second, *tensor, mode);
      const auto known = extents.emplace(mode, extent).first->second;
      if (known != extent)
        return bad(fmt::format("extent {} is {} in {} and {} elsewhere", mode, extent, tensor->name, known));
    }
  }
  return {};
}

Tensor evaluate(const Operator& op, const ExportedCall& call, const Inputs& inputs) {
  const Tensor dense = dense_result(op, call, inputs);
  const OperatorSpec& spec = spec_of(op);
  const OperatorRole& role = op.roles.at(spec.output);
  const auto& described = *call.find(role.tensor);
  Tensor out(role.tensor, DType::fp32, host_tensor(described).shape);
  for_each_coordinate(seen_as(role, described, spec.modes.at(spec.output)),
                      [&](std::int64_t index, std::int64_t offset) { out.set(offset, dense.at(index)); });
  return out;
}

Tolerance operator_tolerance(const Operator& op, const ExportedCall& call) {
  if (!op.known()) return {0, 0, 0, "no reference is known"};
  const OperatorSpec& spec = spec_of(op);
  const auto& out = *call.find(op.roles.at(spec.output).tensor);
  const DType dtype = dsl_dtype(out.dtype).value_or(DType::fp32);
  const double half = spacing_at_one(dtype) / 2;
  const double floor = dtype == DType::fp16 ? 0x1p-14 : 0x1p-100;
  const std::string rounded = fmt::format("the result is rounded once to {}: at most 2^{:.0f} relative",
                                          name_of(dtype), std::log2(half));
  if (op.name == "copy") return {0, 0, floor, "a copy changes nothing"};
  if (op.name == "gemm") {
    const auto& a = op.roles.at("a");
    const double drawn = root_mean_square(Fill::adversarial);  // both operands are filled alike
    return product_tolerance({extent_of(a, *call.find(a.tensor), "k"), drawn * drawn, 1, dtype});
  }
  // Exponentials, roots and sums in fp32, some of them approximations of the hardware.
  const double approximate = op.name == "add" || op.name == "scale" ? half * 0.001 : 0x1p-15;
  return {half + approximate, (half + approximate) * 1.05, floor,
          fmt::format("{}; arithmetic in fp32 adds {:.2g}", rounded, approximate)};
}

Work operator_work(const Operator& op, const ExportedCall& call) {
  Work work;
  std::int64_t bytes = 0;
  for (const auto& tensor : call.tensors) bytes += tensor.bytes;
  work.compulsory = Bytes(bytes);
  work.formula = "every tensor of the call once";
  if (!op.known()) return work;
  const auto& out = op.roles.at(spec_of(op).output);
  double elements = 1;
  for (const std::int64_t extent : call.find(out.tensor)->shape) elements *= static_cast<double>(extent);
  if (op.name == "gemm") {
    const auto& a = op.roles.at("a");
    const auto& tensor = *call.find(a.tensor);
    const DType dtype = dsl_dtype(tensor.dtype).value_or(DType::fp32);
    const bool fp8 = dtype == DType::fp8_e4m3 || dtype == DType::fp8_e5m2;
    const std::string unit = dtype == DType::fp32 ? "fp32"
                             : fp8                ? "fp8-tensor"
                                                  : name_of(dtype) + std::string("-tensor");
    work.flops[unit] = 2 * elements * static_cast<double>(extent_of(a, tensor, "k"));
    work.formula += "; 2·l·m·n·k flops";
    return work;
  }
  static const std::map<std::string, double> per_element = {
      {"add", 1}, {"scale", 1}, {"rms_norm", 4}, {"layer_norm", 7}, {"softmax", 4}};
  if (const auto it = per_element.find(op.name); it != per_element.end()) {
    work.flops["fp32"] = it->second * elements;
    work.formula += fmt::format("; {} flops an element", it->second);
  }
  return work;
}

}  // namespace cutelab::kernel
