#include <algorithm>
#include <map>

#include "reading/models/element_types.h"
#include "reading/models/torch_tensor.h"

/// Arithmetic on tensors: the shape of the result; elements only where a small tensor's are known.
namespace cutelab::reading::machine {
namespace torch_function_models {

using Values = std::vector<Value>;

Value first_of(const Call& call) { return call.self.bound() ? call.self : call.get(0, "input"); }

/// Argument after the tensor, for a function or a method alike.
Value after_first(const Call& call, int position, std::string_view keyword) {
  return call.get(call.self.bound() ? position : position + 1, keyword);
}

std::optional<Value> elementwise(Call& call) {
  const auto t = torch_tensor_of(call.machine, first_of(call));
  return t ? std::optional<Value>(like_torch(call, *t)) : std::nullopt;
}

/// Broadcast of two shapes from the last mode.
std::optional<Values> broadcast(Machine& m, const Values& a, const Values& b) {
  Values out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Value x = i < a.size() ? a[a.size() - 1 - i] : Value::integer(1);
    const Value y = i < b.size() ? b[b.size() - 1 - i] : Value::integer(1);
    const bool x_is_one = x.is_integral() && x.number() == 1, y_is_one = y.is_integral() && y.number() == 1;
    Value& to = out[out.size() - 1 - i];
    if (x_is_one)
      to = y;
    else if (y_is_one || m.equal(x, y) != Machine::Truth::no)
      to = x;
    else
      return std::nullopt;
  }
  return out;
}

/// Elements of a tensor after arithmetic with a number.
Elements with_number(Machine& m, std::string_view name, const std::optional<TorchTensor>& a,
                     const Value& left, const std::optional<TorchTensor>& b, const Value& right) {
  static constexpr std::pair<std::string_view, std::string_view> operators[] = {
      {"__add__", "+"}, {"__radd__", "+"}, {"__sub__", "-"},       {"__mul__", "*"}, {"__rmul__", "*"},
      {"add", "+"},     {"mul", "*"},      {"__floordiv__", "//"}, {"sub", "-"},     {"__mod__", "%"}};
  const TorchTensor* tensor = a && right.is_number() ? &*a : b && left.is_number() ? &*b : nullptr;
  if (!tensor || !tensor->values) return std::nullopt;
  for (const auto& [method, op] : operators) {
    if (method != name) continue;
    Values out;
    for (const Value& v : *tensor->values)
      out.push_back(tensor == (a ? &*a : nullptr) ? m.arithmetic(op, v, right) : m.arithmetic(op, left, v));
    return out;
  }
  return std::nullopt;
}

std::optional<Value> binary(Call& call) {
  const Value left = first_of(call), right = after_first(call, 0, "other");
  const auto a = torch_tensor_of(call.machine, left), b = torch_tensor_of(call.machine, right);
  if (!a && !b) return std::nullopt;
  const std::string_view name = leaf_name(call.path);
  const bool comparison = name == "__eq__" || name == "__ne__" || name == "__lt__" || name == "__le__" ||
                          name == "__gt__" || name == "__ge__" || name == "eq" || name == "isclose";
  TorchTensor out = a ? *a : *b;
  out.values = with_number(call.machine, name, a, left, b, right);
  if (a && b) {
    auto shape = broadcast(call.machine, a->shape, b->shape);
    if (!shape) return std::nullopt;
    const bool as_a = shape->size() == a->shape.size();
    out.strides = as_a ? preserved_strides(call.machine, *a) : Values();
    out.shape = std::move(*shape);
    if (out.strides.size() == out.shape.size() && !as_a) out.strides.clear();
  } else {
    out.strides = preserved_strides(call.machine, out);
  }
  if (comparison) out.dtype = torch_type(call.machine, "bool");
  return make_torch(call, std::move(out));
}

/// sum, max, mean … : over all, or over modes.
std::optional<Value> reduction(Call& call) {
  Machine& m = call.machine;
  const auto t = torch_tensor_of(m, first_of(call));
  if (!t) return std::nullopt;
  if (torch_tensor_of(m, after_first(call, 0, "other"))) return binary(call);  // torch.max(a, b)
  const Value dim = after_first(call, 0, "dim"), keep = call.get(-1, "keepdim");
  const std::string_view name = leaf_name(call.path);
  TorchTensor out{{}, {}, t->dtype, t->device, std::nullopt};
  if (!dim.bound() || dim.is_none()) {
    if (t->values && (name == "sum" || name == "max" || name == "min") && !t->values->empty()) {
      Value total = t->values->front();
      for (std::size_t i = 1; i < t->values->size(); ++i) {
        const Value& next = (*t->values)[i];
        if (name == "sum")
          total = m.arithmetic("+", total, next);
        else if (m.truth(m.compare(name == "max" ? ">" : "<", next, total)) == Machine::Truth::yes)
          total = next;
      }
      out.values = Values{total};
    }
    return make_torch(call, std::move(out));
  }
  Values modes = sequence_of(dim) ? *sequence_of(dim) : Values{dim};
  std::vector<bool> gone(t->shape.size(), false);
  for (const Value& mode : modes) {
    const auto i = mode_of(mode, t->shape.size());
    if (!i) return std::nullopt;
    gone[*i] = true;
  }
  const bool kept = keep.bound() && m.truth(keep) == Machine::Truth::yes;
  for (std::size_t i = 0; i < gone.size(); ++i)
    if (!gone[i] || kept) out.shape.push_back(gone[i] ? Value::integer(1) : t->shape[i]);
  const Value made = make_torch(call, out);
  const bool pair = !sequence_of(dim) && (name == "max" || name == "min" || name == "topk" || name == "sort");
  return pair ? m.tuple({made, make_torch(call, out)}) : made;
}

std::optional<Value> cumulative(Call& call) {
  const auto t = torch_tensor_of(call.machine, first_of(call));
  if (!t) return std::nullopt;
  TorchTensor out = *t;
  if (t->values && t->shape.size() == 1)
    for (std::size_t i = 1; i < out.values->size(); ++i)
      (*out.values)[i] = call.machine.arithmetic("+", (*out.values)[i - 1], (*out.values)[i]);
  else
    out.values.reset();
  if (const Value type = dtype_argument(call, ""); type.bound()) out.dtype = type;
  return make_torch(call, std::move(out));
}

std::optional<Value> matmul(Call& call) {
  const auto a = torch_tensor_of(call.machine, first_of(call));
  const auto b = torch_tensor_of(call.machine, after_first(call, 0, "mat2"));
  const Value other = after_first(call, 0, "other");
  const auto c = b ? b : torch_tensor_of(call.machine, other);
  if (!a || !c || a->shape.size() < 2 || c->shape.size() < 2) return std::nullopt;
  Values left(a->shape.begin(), a->shape.end() - 2), right(c->shape.begin(), c->shape.end() - 2);
  auto shape = broadcast(call.machine, left, right);
  if (!shape) return std::nullopt;
  shape->push_back(a->shape[a->shape.size() - 2]);
  shape->push_back(c->shape.back());
  return make_torch(call, {std::move(*shape),
                           {},
                           dtype_argument(call, "").bound() ? dtype_argument(call, "") : a->dtype,
                           a->device,
                           std::nullopt});
}

std::optional<Value> einsum(Call& call) {
  const auto equation = text_in(call.get(0, "equation"));
  if (!equation || call.count() < 2) return std::nullopt;
  std::string text;
  for (const char c : *equation)
    if (c != ' ') text += c;
  const auto arrow = text.find("->");
  if (arrow == std::string::npos || text.find('.') != std::string::npos) return std::nullopt;
  std::map<char, Value> extents;
  Value dtype, device;
  std::size_t operand = 1, mode = 0;
  std::optional<TorchTensor> t;
  for (std::size_t i = 0; i < arrow; ++i) {
    if (i == 0 || text[i - 1] == ',') {
      if (operand >= call.count()) return std::nullopt;
      t = torch_tensor_of(call.machine, call.arguments[operand++]);
      mode = 0;
      if (!t) return std::nullopt;
      dtype = t->dtype, device = t->device;
    }
    if (text[i] == ',') continue;
    if (mode >= t->shape.size()) return std::nullopt;
    extents[text[i]] = t->shape[mode++];
  }
  Values shape;
  for (const char c : text.substr(arrow + 2)) {
    if (!extents.count(c)) return std::nullopt;
    shape.push_back(extents[c]);
  }
  return make_torch(call, {std::move(shape), {}, dtype, device, std::nullopt});
}

/// cat and stack.
std::optional<Value> joined(Call& call) {
  Machine& m = call.machine;
  const auto parts = m.items(call.get(0, "tensors"));
  if (!parts || parts->empty()) return std::nullopt;
  const bool stack = leaf_name(call.path) == "stack";
  const auto first = torch_tensor_of(m, parts->front());
  if (!first) return std::nullopt;
  const auto mode = mode_of(call.get(1, "dim", Value::integer(0)), first->shape.size() + (stack ? 1 : 0));
  if (!mode) return std::nullopt;
  TorchTensor out{first->shape, {}, first->dtype, first->device, std::nullopt};
  if (stack) {
    out.shape.insert(out.shape.begin() + static_cast<std::ptrdiff_t>(*mode),
                     Value::integer(static_cast<std::int64_t>(parts->size())));
    return make_torch(call, std::move(out));
  }
  Value extent = Value::integer(0);
  Elements values = Values();
  for (const Value& part : *parts) {
    const auto t = torch_tensor_of(m, part);
    if (!t || t->shape.size() != first->shape.size()) return std::nullopt;
    extent = m.arithmetic("+", extent, t->shape[*mode]);
    if (!t->values || *mode != 0)
      values.reset();
    else if (values)
      values->insert(values->end(), t->values->begin(), t->values->end());
  }
  out.shape[*mode] = extent;
  out.values = std::move(values);
  return make_torch(call, std::move(out));
}

std::optional<Value> nested(Machine& m, const TorchTensor& t, std::size_t mode, std::size_t& at) {
  if (mode == t.shape.size()) return (*t.values)[at++];
  Values out;
  for (std::int64_t i = 0; i < t.shape[mode].number(); ++i) out.push_back(*nested(m, t, mode + 1, at));
  return m.list(std::move(out));
}

std::optional<Value> as_list(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t || !t->values) return std::nullopt;
  std::size_t at = 0;
  return nested(call.machine, *t, 0, at);
}

std::optional<Value> item(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t || !t->values || t->values->size() != 1) return std::nullopt;
  return t->values->front();
}

/// One mode's index or slice; appends to `out`, advances `from` (offset of the first element, in row-major
/// values).
std::optional<Value> subscript(Call& call) {
  Machine& m = call.machine;
  const auto t = torch_tensor_of(m, call.self);
  if (!t) return std::nullopt;
  Values indices;
  for (const Value& a : call.arguments) indices.push_back(a);
  if (indices.size() == 1)
    if (const auto* tuple = indices[0].as<Tuple>()) indices = tuple->items;
  TorchTensor out{{}, {}, t->dtype, t->device, std::nullopt};
  std::size_t mode = 0;
  const auto keep = [&](const Value& extent, const Value& stride) {
    out.shape.push_back(extent);
    out.strides.push_back(stride);
  };
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Value& index = indices[i];
    const auto* name = index.as<External>();
    if (name && name->leaf() == "Ellipsis") {
      std::size_t rest = 0;
      for (std::size_t j = i + 1; j < indices.size(); ++j) rest += indices[j].is_none() ? 0 : 1;
      for (; mode + rest < t->shape.size(); ++mode) keep(t->shape[mode], t->strides[mode]);
    } else if (index.is_none()) {
      keep(Value::integer(1), Value::integer(1));
    } else if (mode >= t->shape.size()) {
      return std::nullopt;
    } else if (const auto* slice = index.as<Slice>()) {
      const Value begin = slice->begin.bound() && !slice->begin.is_none() ? slice->begin : Value::integer(0);
      Value end = slice->end.bound() && !slice->end.is_none() ? slice->end : t->shape[mode];
      const bool whole = begin.is_integral() && begin.number() == 0 && end.same(t->shape[mode]);
      if (slice->step.bound() && !slice->step.is_none()) return std::nullopt;
      if (end.is_integral() && end.number() < 0) end = m.arithmetic("+", end, t->shape[mode]);
      if (!whole && begin.is_integral() && begin.number() < 0) return std::nullopt;
      if (end.is_integral() && t->shape[mode].is_integral() && end.number() > t->shape[mode].number())
        end = t->shape[mode];
      keep(whole ? t->shape[mode] : m.arithmetic("-", end, begin), t->strides[mode]);
      ++mode;
    } else if (index.is_integral() || index.is_unknown()) {
      ++mode;
    } else {
      return std::nullopt;
    }
  }
  if (t->values && t->shape.size() == 1 && indices.size() == 1 && out.shape.empty())
    if (const auto at = mode_of(indices[0], t->values->size())) out.values = Values{(*t->values)[*at]};
  for (; mode < t->shape.size(); ++mode) keep(t->shape[mode], t->strides[mode]);
  return make_torch(call, std::move(out));
}

std::optional<Value> each(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self.bound() ? call.self : call.get(0, "input"));
  if (!t || t->shape.empty() || !t->shape[0].is_integral() || t->shape[0].number() > 256) return std::nullopt;
  Values out;
  for (std::int64_t i = 0; i < t->shape[0].number(); ++i) {
    TorchTensor one{{t->shape.begin() + 1, t->shape.end()},
                    {t->strides.begin() + 1, t->strides.end()},
                    t->dtype,
                    t->device,
                    std::nullopt};
    if (t->values && t->shape.size() == 1) one.values = Values{(*t->values)[static_cast<std::size_t>(i)]};
    out.push_back(make_torch(call, std::move(one)));
  }
  return call.machine.tuple(std::move(out));
}

std::optional<Value> always_true(Call&) { return Value::boolean(true); }

}  // namespace torch_function_models

void add_torch_functions(Natives& natives) {
  using namespace torch_function_models;
  for (const char* name :
       {"exp",      "exp2",       "log",        "log2",    "sqrt",        "rsqrt",       "abs",
        "relu",     "gelu",       "silu",       "sigmoid", "tanh",        "softmax",     "clamp",
        "round",    "floor",      "ceil",       "trunc",   "neg",         "square",      "tril",
        "triu",     "nan_to_num", "isnan",      "isinf",   "where_self",  "masked_fill", "logical_not",
        "rms_norm", "layer_norm", "reciprocal", "sign",    "log_softmax", "roll",        "flip"}) {
    natives.function("torch", name, elementwise);
    natives.method("torch", name, elementwise);
  }
  for (const char* name : {"__neg__", "__abs__", "__invert__"}) natives.method("torch", name, elementwise);
  for (const char* name :
       {"add", "sub", "mul", "div", "maximum", "minimum", "pow", "eq", "isclose", "remainder"}) {
    natives.function("torch", name, binary);
    natives.method("torch", name, binary);
  }
  for (const char* name :
       {"__add__",      "__radd__",     "__sub__", "__rsub__", "__mul__",  "__rmul__", "__truediv__",
        "__rtruediv__", "__floordiv__", "__mod__", "__pow__",  "__rpow__", "__and__",  "__or__",
        "__eq__",       "__ne__",       "__lt__",  "__le__",   "__gt__",   "__ge__"})
    natives.method("torch", name, binary);
  natives.method("torch", "__bool__", [](Call&) -> std::optional<Value> { return std::nullopt; });
  for (const char* name : {"sum", "max", "min", "mean", "amax", "amin", "any", "all", "argmax", "argmin",
                           "prod", "norm", "logsumexp", "std", "var", "count_nonzero"}) {
    natives.function("torch", name, reduction);
    natives.method("torch", name, reduction);
  }
  for (const char* name : {"matmul", "mm", "bmm", "_scaled_mm"}) natives.function("torch", name, matmul);
  for (const char* name : {"matmul", "mm", "bmm", "__matmul__"}) natives.method("torch", name, matmul);
  natives.function("torch", "einsum", einsum);
  for (const char* name : {"cat", "concat", "stack"}) natives.function("torch", name, joined);
  natives.function("torch", "cumsum", cumulative);
  natives.method("torch", "cumsum", cumulative);
  natives.method("torch", "tolist", as_list);
  natives.method("torch", "item", item);
  natives.method("torch", "__int__", item);
  natives.method("torch", "__getitem__", subscript);
  natives.method("torch", "__iter__", each);
  natives.method("torch", "unbind", each);
  natives.function("torch", "unbind", each);
  for (const char* name : {"equal", "allclose"}) natives.function("torch", name, always_true);
  for (const char* name :
       {"assert_close", "assert_allclose", "set_printoptions", "manual_seed", "set_default_device"})
    natives.function("torch", name, answer_none);
}

}  // namespace cutelab::reading::machine
