#include "reading/models/torch_tensor.h"

#include <algorithm>

#include "reading/models/element_types.h"

namespace cutelab::reading::machine {
namespace torch_tensor_models {

std::optional<std::int64_t> known_count(const std::vector<Value>& shape) {
  std::int64_t count = 1;
  for (const Value& extent : shape)
    if (!extent.is_integral() || __builtin_mul_overflow(count, extent.number(), &count)) return std::nullopt;
  return count;
}

}  // namespace torch_tensor_models

std::vector<Value> row_major_strides(Machine& machine, const std::vector<Value>& shape) {
  std::vector<Value> out(shape.size(), Value::integer(1));
  for (std::size_t i = shape.size(); i-- > 1;) {
    const Value extent = shape[i].is_integral() && shape[i].number() < 1 ? Value::integer(1) : shape[i];
    out[i - 1] = machine.arithmetic("*", out[i], extent);
  }
  return out;
}

std::vector<Value> preserved_strides(Machine& machine, const TorchTensor& tensor) {
  if (tensor.strides.size() != tensor.shape.size()) return row_major_strides(machine, tensor.shape);
  for (const Value& stride : tensor.strides)
    if (!stride.is_integral()) return tensor.strides;
  const auto is_one = [&](std::size_t i) {
    return tensor.shape[i].is_integral() && tensor.shape[i].number() == 1;
  };
  std::vector<std::size_t> order;  // modes that matter, outermost first
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    if (!is_one(i)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tensor.strides[a].number() > tensor.strides[b].number();
  });
  std::vector<Value> out = row_major_strides(machine, tensor.shape);
  Value running = Value::integer(1);
  bool dense = true;
  for (std::size_t i = order.size(); i-- > 0;) {
    out[order[i]] = running;
    dense = dense && running.same(tensor.strides[order[i]]);
    running = machine.arithmetic("*", running, tensor.shape[order[i]]);
  }
  return dense ? tensor.strides : out;  // a dense tensor keeps its own, also those of extents of one
}

bool is_contiguous(Machine& machine, const TorchTensor& tensor) {
  const std::vector<Value> wanted = row_major_strides(machine, tensor.shape);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (tensor.shape[i].is_integral() && tensor.shape[i].number() == 1) continue;
    if (machine.equal(wanted[i], tensor.strides[i]) != Machine::Truth::yes) return false;
  }
  return true;
}

std::optional<TorchTensor> torch_tensor_of(Machine& machine, const Value& value) {
  const Record* record = record_if(value, "torch");
  if (!record) return std::nullopt;
  const auto* shape = sequence_of(machine.field(record, "shape"));
  const auto* strides = sequence_of(machine.field(record, "strides"));
  if (!shape || !strides) return std::nullopt;
  TorchTensor out{*shape, *strides, machine.field(record, "dtype"), machine.field(record, "device"),
                  std::nullopt};
  if (const auto* values = sequence_of(machine.field(record, "values"))) out.values = *values;
  return out;
}

Value make_torch(Call& call, TorchTensor tensor) {
  using namespace torch_tensor_models;
  Machine& m = call.machine;
  if (tensor.strides.size() != tensor.shape.size()) tensor.strides = row_major_strides(m, tensor.shape);
  if (!tensor.device.bound()) tensor.device = torch_device(m, "cpu");
  if (!tensor.dtype.bound()) tensor.dtype = torch_type(m, "float32");
  const auto count = known_count(tensor.shape);
  const bool keep = tensor.values && count && static_cast<std::size_t>(*count) == tensor.values->size() &&
                    tensor.values->size() <= most_torch_values;
  Record* made = m.record("torch", std::string(call.path), &call);
  put(m, made, "shape", m.tuple(std::move(tensor.shape)));
  put(m, made, "strides", m.tuple(std::move(tensor.strides)));
  put(m, made, "dtype", tensor.dtype);
  put(m, made, "device", tensor.device);
  if (keep) put(m, made, "values", m.list(std::move(*tensor.values)));
  return made;
}

Value like_torch(Call& call, const TorchTensor& tensor) {
  TorchTensor out = tensor;
  out.values.reset();
  out.strides = preserved_strides(call.machine, tensor);
  return make_torch(call, std::move(out));
}

std::optional<std::size_t> mode_of(const Value& index, std::size_t rank) {
  if (!index.is_integral()) return std::nullopt;
  const auto n = static_cast<std::int64_t>(rank);
  const std::int64_t i = index.number() < 0 ? index.number() + n : index.number();
  return i >= 0 && i < n ? std::optional<std::size_t>(static_cast<std::size_t>(i)) : std::nullopt;
}

Value torch_device(Machine& machine, std::string_view type, std::int64_t index) {
  const auto colon = type.find(':');
  Record* made = machine.record("torch.device", "torch.device");
  put(machine, made, "type", machine.text(std::string(type.substr(0, colon))));
  if (colon != std::string_view::npos && colon + 1 < type.size()) index = type[colon + 1] - '0';
  put(machine, made, "index", index < 0 ? Value::none() : Value::integer(index));
  return made;
}

Value dtype_argument(Call& call, std::string_view otherwise) {
  const Value given = call.get(-1, "dtype");
  if (given.bound() && !given.is_none()) return given;
  return otherwise.empty() ? Value() : torch_type(call.machine, otherwise);
}

Value device_argument(Call& call) {
  const Value given = call.get(-1, "device");
  if (const auto text = text_in(given)) return torch_device(call.machine, *text);
  if (given.is_integral()) return torch_device(call.machine, "cuda", given.number());
  return given.is_none() ? Value() : given;
}

Value unknown_torch(Call& call, std::string reason) {
  return call.machine.unknown(std::move(reason), {}, std::string(call.path));
}

void add_torch(Natives& natives) {
  using namespace torch_tensor_models;
  add_torch_views(natives);
  add_torch_factories(natives);
  add_torch_functions(natives);
  add_torch_devices(natives);
  add_torch_ranks(natives);
  add_numpy(natives);
}

}  // namespace cutelab::reading::machine
