#include <algorithm>
#include <numeric>

#include "reading/models/element_types.h"
#include "reading/models/torch_tensor.h"

/// Methods of a tensor that look at the same elements in another way, and questions about its shape.
namespace cutelab::reading::machine {
namespace torch_view_models {

using Values = std::vector<Value>;

/// Elements in the order of a permuted shape; nothing when they are not known.
Elements permuted_values(const TorchTensor& t, const std::vector<std::size_t>& order) {
  if (!t.values) return std::nullopt;
  std::vector<std::size_t> extents, strides(order.size(), 1);
  for (const Value& extent : t.shape) extents.push_back(static_cast<std::size_t>(extent.number()));
  for (std::size_t i = order.size(); i-- > 1;) strides[i - 1] = strides[i] * extents[i];
  Values out;
  std::vector<std::size_t> at(order.size(), 0);
  for (std::size_t count = 0; count < t.values->size(); ++count) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < order.size(); ++i) offset += at[i] * strides[order[i]];
    out.push_back((*t.values)[offset]);
    for (std::size_t i = order.size(); i-- > 0;) {
      if (++at[i] < extents[order[i]]) break;
      at[i] = 0;
    }
  }
  return out;
}

Value permuted(Call& call, const TorchTensor& t, const std::vector<std::size_t>& order) {
  TorchTensor out{{}, {}, t.dtype, t.device, permuted_values(t, order)};
  for (const std::size_t i : order) {
    out.shape.push_back(t.shape[i]);
    out.strides.push_back(t.strides[i]);
  }
  return make_torch(call, std::move(out));
}

std::optional<Value> permute(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  const auto modes = spread(call, 0, "dims");
  if (!t || !modes || modes->size() != t->shape.size()) return std::nullopt;
  std::vector<std::size_t> order;
  for (const Value& mode : *modes) {
    const auto i = mode_of(mode, t->shape.size());
    if (!i) return std::nullopt;
    order.push_back(*i);
  }
  return permuted(call, *t, order);
}

std::vector<std::size_t> in_order(std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::optional<Value> transpose(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return std::nullopt;
  const auto a = mode_of(call.get(0, "dim0"), t->shape.size()),
             b = mode_of(call.get(1, "dim1"), t->shape.size());
  if (!a || !b) return std::nullopt;
  auto order = in_order(t->shape.size());
  std::swap(order[*a], order[*b]);
  return permuted(call, *t, order);
}

std::optional<Value> matrix_transpose(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t || t->shape.size() < 2) return std::nullopt;
  auto order = in_order(t->shape.size());
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return permuted(call, *t, order);
}

std::optional<Value> transposed_field(Machine& machine, const Value& self) {
  Call call{machine, "torch.Tensor.mT", self, {}, {}, {}, 0};
  return matrix_transpose(call);
}

/// Extents with -1 replaced; nullopt = cannot be told.
std::optional<Values> resolved(Machine& m, const TorchTensor& t, Values wanted) {
  std::ptrdiff_t open = -1;
  Values known;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].is_integral() && wanted[i].number() == -1)
      open = static_cast<std::ptrdiff_t>(i);
    else
      known.push_back(wanted[i]);
  }
  if (open >= 0)
    wanted[static_cast<std::size_t>(open)] = m.arithmetic("//", product(m, t.shape), product(m, known));
  return wanted;
}

/// Strides of the same memory under another shape (torch's rule for view); nullopt = it must be copied, or
/// not known.
std::optional<Values> viewed_strides(const TorchTensor& t, const Values& shape) {
  for (const Values* list : {&t.shape, &t.strides, &shape})
    for (const Value& v : *list)
      if (!v.is_integral()) return std::nullopt;
  Values out(shape.size());
  std::ptrdiff_t at = static_cast<std::ptrdiff_t>(shape.size()) - 1;
  std::int64_t base = t.strides.empty() ? 1 : t.strides.back().number();
  std::int64_t old_count = 1, new_count = 1;
  for (std::size_t i = t.shape.size(); i-- > 0;) {
    old_count *= t.shape[i].number();
    const bool last = i == 0;
    if (!last && (t.shape[i - 1].number() == 1 || t.strides[i - 1].number() == old_count * base)) continue;
    while (at >= 0 && (new_count < old_count || shape[static_cast<std::size_t>(at)].number() == 1)) {
      out[static_cast<std::size_t>(at)] = Value::integer(new_count * base);
      new_count *= shape[static_cast<std::size_t>(at)].number();
      --at;
    }
    if (new_count != old_count) return std::nullopt;
    if (last) break;
    base = t.strides[i - 1].number();
    old_count = new_count = 1;
  }
  if (at >= 0) return std::nullopt;
  return out;
}

/// view(dtype): the same bytes as other elements.
std::optional<Value> view_as_type(Call& call, TorchTensor t, const Value& type) {
  const auto old_bytes = torch_bytes(torch_name_of(t.dtype)), new_bytes = torch_bytes(torch_name_of(type));
  if (!old_bytes || !new_bytes || t.shape.empty()) return std::nullopt;
  t.dtype = type;
  t.values.reset();
  if (*old_bytes == *new_bytes) return make_torch(call, std::move(t));
  Machine& m = call.machine;
  const auto scaled = [&](const Value& v) {
    return m.arithmetic("//", m.arithmetic("*", v, Value::integer(*old_bytes)), Value::integer(*new_bytes));
  };
  for (std::size_t i = 0; i < t.shape.size(); ++i)
    if (i + 1 < t.shape.size()) t.strides[i] = scaled(t.strides[i]);
  t.shape.back() = scaled(t.shape.back());
  return make_torch(call, std::move(t));
}

std::optional<Value> reshape(Call& call) {
  Machine& m = call.machine;
  auto t = torch_tensor_of(m, call.self);
  if (!t) return std::nullopt;
  const bool is_view = leaf_name(call.path) == "view";
  const Value type = call.get(-1, "dtype", call.get(0, ""));
  if (is_view && !torch_name_of(type).empty()) return view_as_type(call, *t, type);
  const auto wanted = spread(call, 0, is_view ? "size" : "shape");
  auto shape = wanted ? resolved(m, *t, *wanted) : std::nullopt;
  if (!shape) return std::nullopt;
  auto strides = viewed_strides(*t, *shape);
  if (!strides) strides = row_major_strides(m, *shape);
  return make_torch(call, {*shape, *strides, t->dtype, t->device, t->values});
}

std::optional<Value> flatten(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t || call.count() + call.keywords.size() > 0) return std::nullopt;
  return make_torch(call, {{product(call.machine, t->shape)}, {}, t->dtype, t->device, t->values});
}

std::optional<Value> unsqueeze(Call& call) {
  auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return std::nullopt;
  const auto at = mode_of(call.get(0, "dim"), t->shape.size() + 1);
  if (!at) return std::nullopt;
  const auto i = static_cast<std::ptrdiff_t>(*at);
  const Value stride = *at < t->shape.size() ? call.machine.arithmetic("*", t->shape[*at], t->strides[*at])
                                             : Value::integer(1);
  t->shape.insert(t->shape.begin() + i, Value::integer(1));
  t->strides.insert(t->strides.begin() + i, stride);
  return make_torch(call, *t);
}

std::optional<Value> squeeze(Call& call) {
  auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return std::nullopt;
  const Value only = call.get(0, "dim");
  const auto mode = only.bound() ? mode_of(only, t->shape.size()) : std::nullopt;
  if (only.bound() && !mode) return std::nullopt;
  TorchTensor out{{}, {}, t->dtype, t->device, t->values};
  for (std::size_t i = 0; i < t->shape.size(); ++i) {
    if (!t->shape[i].is_integral()) return std::nullopt;
    if (t->shape[i].number() == 1 && (!mode || *mode == i)) continue;
    out.shape.push_back(t->shape[i]);
    out.strides.push_back(t->strides[i]);
  }
  return make_torch(call, std::move(out));
}

std::optional<Value> expand(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  const auto wanted = spread(call, 0, "size");
  if (!t || !wanted || wanted->size() < t->shape.size()) return std::nullopt;
  const std::size_t extra = wanted->size() - t->shape.size();
  TorchTensor out{{}, {}, t->dtype, t->device, std::nullopt};
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    const Value& extent = (*wanted)[i];
    const bool old = i >= extra;
    if (old && extent.is_integral() && extent.number() == -1) {
      out.shape.push_back(t->shape[i - extra]);
      out.strides.push_back(t->strides[i - extra]);
      continue;
    }
    const bool same = old && call.machine.equal(t->shape[i - extra], extent) == Machine::Truth::yes;
    out.shape.push_back(extent);
    out.strides.push_back(same ? t->strides[i - extra] : Value::integer(0));
  }
  return make_torch(call, std::move(out));
}

std::optional<Value> as_strided(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  const auto *shape = sequence_of(call.get(0, "size")), *strides = sequence_of(call.get(1, "stride"));
  if (!t || !shape || !strides) return std::nullopt;
  return make_torch(call, {*shape, *strides, t->dtype, t->device, std::nullopt});
}

// --- questions
// ----------------------------------------------------------------------------------------------

std::optional<Value> size(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return std::nullopt;
  const Value index = call.get(0, "dim");
  if (!index.bound()) return call.machine.tuple(t->shape);
  const auto mode = mode_of(index, t->shape.size());
  return mode ? std::optional<Value>(t->shape[*mode]) : std::nullopt;
}

std::optional<Value> stride(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return std::nullopt;
  const Value index = call.get(0, "dim");
  if (!index.bound()) return call.machine.tuple(t->strides);
  const auto mode = mode_of(index, t->shape.size());
  return mode ? std::optional<Value>(t->strides[*mode]) : std::nullopt;
}

std::optional<Value> numel(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  return t ? std::optional<Value>(product(call.machine, t->shape)) : std::nullopt;
}

std::optional<Value> rank(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  return t ? std::optional<Value>(Value::integer(static_cast<std::int64_t>(t->shape.size()))) : std::nullopt;
}

std::optional<Value> length(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  return t && !t->shape.empty() ? std::optional<Value>(t->shape.front()) : std::nullopt;
}

std::optional<Value> element_size(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  const auto bytes = t ? torch_bytes(torch_name_of(t->dtype)) : std::nullopt;
  return bytes ? std::optional<Value>(Value::integer(*bytes)) : std::nullopt;
}

std::optional<Value> contiguous_question(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  return t ? std::optional<Value>(Value::boolean(is_contiguous(call.machine, *t))) : std::nullopt;
}

std::optional<Value> dim_order(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return std::nullopt;
  for (const Value& stride : t->strides)
    if (!stride.is_integral()) return std::nullopt;
  auto order = in_order(t->shape.size());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return t->strides[a].number() > t->strides[b].number();
  });
  Values out;
  for (const std::size_t i : order) out.push_back(Value::integer(static_cast<std::int64_t>(i)));
  return call.machine.tuple(std::move(out));
}

std::optional<Value> rank_field(Machine& machine, const Value& self) {
  const auto t = torch_tensor_of(machine, self);
  return t ? std::optional<Value>(Value::integer(static_cast<std::int64_t>(t->shape.size()))) : std::nullopt;
}

std::optional<Value> item_bytes(Machine& machine, const Value& self) {
  const auto t = torch_tensor_of(machine, self);
  const auto bytes = t ? torch_bytes(torch_name_of(t->dtype)) : std::nullopt;
  return bytes ? std::optional<Value>(Value::integer(*bytes)) : std::nullopt;
}

std::optional<Value> all_bytes(Machine& machine, const Value& self) {
  const auto t = torch_tensor_of(machine, self);
  const auto one = item_bytes(machine, self);
  return t && one ? std::optional<Value>(machine.arithmetic("*", product(machine, t->shape), *one))
                  : std::nullopt;
}

std::optional<Value> element_count(Machine& machine, const Value& self) {
  const auto t = torch_tensor_of(machine, self);
  return t ? std::optional<Value>(product(machine, t->shape)) : std::nullopt;
}

std::optional<Value> on_gpu(Machine& machine, const Value& self) {
  const auto t = torch_tensor_of(machine, self);
  const Record* device = t ? record_if(t->device, "torch.device") : nullptr;
  if (!device) return std::nullopt;
  return Value::boolean(text_in(machine.field(device, "type")) != "cpu");
}

std::optional<Value> data_itself(Machine&, const Value& self) { return self; }

}  // namespace torch_view_models

void add_torch_views(Natives& natives) {
  using namespace torch_view_models;
  const std::pair<const char*, Native> methods[] = {
      {"permute", permute},
      {"transpose", transpose},
      {"swapaxes", transpose},
      {"t", matrix_transpose},
      {"view", reshape},
      {"reshape", reshape},
      {"flatten", flatten},
      {"ravel", flatten},
      {"unsqueeze", unsqueeze},
      {"squeeze", squeeze},
      {"expand", expand},
      {"broadcast_to", expand},
      {"as_strided", as_strided},
      {"size", size},
      {"stride", stride},
      {"numel", numel},
      {"nelement", numel},
      {"dim", rank},
      {"ndimension", rank},
      {"__len__", length},
      {"element_size", element_size},
      {"data_ptr", answer_runtime},
      {"is_contiguous", contiguous_question},
      {"dim_order", dim_order},
  };
  for (const auto& [name, native] : methods) natives.method("torch", name, native);
  natives.getter("torch", "ndim", rank_field);
  natives.getter("torch", "itemsize", item_bytes);
  natives.getter("torch", "nbytes", all_bytes);
  natives.getter("torch", "is_cuda", on_gpu);
  natives.getter("torch", "data", data_itself);
  natives.getter("torch", "mT", transposed_field);
  natives.getter("torch", "T", transposed_field);
}

}  // namespace cutelab::reading::machine
