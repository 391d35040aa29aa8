#include <algorithm>

#include "reading/models/element_types.h"
#include "reading/models/torch_tensor.h"

/// Functions that make tensors.
namespace cutelab::reading::machine {
namespace torch_factory_models {

using Values = std::vector<Value>;

std::optional<std::size_t> small_count(const Values& shape) {
  std::size_t count = 1;
  for (const Value& extent : shape) {
    if (!extent.is_integral() || extent.number() < 0 ||
        extent.number() > static_cast<std::int64_t>(most_torch_values))
      return std::nullopt;
    count *= static_cast<std::size_t>(extent.number());
    if (count > most_torch_values) return std::nullopt;
  }
  return count;
}

Elements filled(const Values& shape, const Value& with) {
  const auto count = with.is_number() ? small_count(shape) : std::nullopt;
  if (!count) return std::nullopt;
  return Values(*count, with);
}

Value made(Call& call, Values shape, Value dtype, Elements values = std::nullopt) {
  return make_torch(call, {std::move(shape), {}, dtype, device_argument(call), std::move(values)});
}

template <int fill>  // -1: elements not known
std::optional<Value> of_shape(Call& call) {
  const auto shape = spread(call, 0, "size");
  if (!shape) return unknown_torch(call, "a tensor of unknown rank");
  Elements values;
  if (fill >= 0) values = filled(*shape, Value::integer(fill));
  return made(call, *shape, dtype_argument(call, "float32"), std::move(values));
}

std::optional<Value> empty_strided(Call& call) {
  const auto *shape = sequence_of(call.get(0, "size")), *strides = sequence_of(call.get(1, "stride"));
  if (!shape || !strides) return unknown_torch(call, "a tensor of unknown rank");
  return make_torch(call,
                    {*shape, *strides, dtype_argument(call, "float32"), device_argument(call), std::nullopt});
}

std::string_view type_of_number(const Value& value) {
  if (value.is_bool()) return "bool";
  return value.is_real() ? "float32" : "int64";
}

std::optional<Value> full(Call& call) {
  const Value size = call.get(0, "size"), fill = call.get(1, "fill_value");
  const auto* shape = sequence_of(size);
  if (!shape && !size.is_integral()) return unknown_torch(call, "a tensor of unknown rank");
  const Values extents = shape ? *shape : Values{size};
  return made(call, extents, dtype_argument(call, type_of_number(fill)), filled(extents, fill));
}

std::optional<Value> randint(Call& call) {
  const Value last = call.count() > 0 ? call.arguments.back() : Value();
  const Value size = call.get(-1, "size", last);
  const auto* shape = sequence_of(size);
  if (!shape) return unknown_torch(call, "a tensor of unknown rank");
  return made(call, *shape, dtype_argument(call, "int64"));
}

std::optional<Value> random_order(Call& call) {
  return made(call, {call.get(0, "n")}, dtype_argument(call, "int64"));
}

std::optional<Value> arange(Call& call) {
  Machine& m = call.machine;
  const bool two = call.count() >= 2 || call.get(-1, "end").bound();
  const Value begin = two ? call.get(0, "start", Value::integer(0)) : Value::integer(0);
  const Value end = two ? call.get(1, "end") : call.get(0, "end");
  const Value step = call.get(2, "step", Value::integer(1));
  const bool real = begin.is_real() || end.is_real() || step.is_real();
  if (!begin.is_integral() || !end.is_integral() || !step.is_integral() || step.number() == 0)
    return made(call, {m.unknown("length of a range", {}, std::string(call.path))},
                dtype_argument(call, real ? "float32" : "int64"));
  const std::int64_t span = end.number() - begin.number(), by = step.number();
  const std::int64_t count = std::max<std::int64_t>(0, (span + by - (by > 0 ? 1 : -1)) / by);
  Elements values;
  if (count <= static_cast<std::int64_t>(most_torch_values)) {
    values = Values();
    for (std::int64_t i = 0; i < count; ++i) values->push_back(Value::integer(begin.number() + i * by));
  }
  return made(call, {Value::integer(count)}, dtype_argument(call, "int64"), std::move(values));
}

/// Shape and elements of nested lists of numbers.
bool collect(const Value& data, std::size_t depth, Values& shape, Values& elements) {
  const auto* items = sequence_of(data);
  if (!items) {
    elements.push_back(data);
    return data.is_number() || data.is_unknown();
  }
  if (depth == shape.size()) shape.push_back(Value::integer(static_cast<std::int64_t>(items->size())));
  for (const Value& item : *items)
    if (!collect(item, depth + 1, shape, elements)) return false;
  return true;
}

std::optional<Value> tensor(Call& call) {
  const Value data = call.get(0, "data", call.get(0, "object"));
  if (const auto t = torch_tensor_of(call.machine, data)) {
    TorchTensor out = *t;
    if (const Value type = dtype_argument(call, ""); type.bound()) out.dtype = type;
    if (const Value device = device_argument(call); device.bound()) out.device = device;
    return make_torch(call, std::move(out));
  }
  Values shape, elements;
  const auto items = call.machine.items(data);
  const Value listed = items && !sequence_of(data) ? call.machine.list(*items) : data;
  if (!collect(listed, 0, shape, elements)) return unknown_torch(call, "a tensor of unknown elements");
  std::string_view type = "int64";
  for (const Value& e : elements)
    if (e.is_real()) type = "float32";
  if (!elements.empty() && elements.front().is_bool()) type = "bool";
  if (elements.empty()) type = "float32";
  return made(call, std::move(shape), dtype_argument(call, type), std::move(elements));
}

template <int fill>
std::optional<Value> like(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.get(0, "input"));
  if (!t) return unknown_torch(call, "a tensor like one of unknown shape");
  TorchTensor out = *t;
  out.values.reset();
  if (fill >= 0) out.values = filled(t->shape, Value::integer(fill));
  if (const Value value = call.get(1, "fill_value"); value.bound() && leaf_name(call.path) == "full_like")
    out.values = filled(t->shape, value);
  if (const Value type = dtype_argument(call, ""); type.bound()) out.dtype = type;
  if (const Value device = device_argument(call); device.bound()) out.device = device;
  out.strides = preserved_strides(call.machine, *t);
  return make_torch(call, std::move(out));
}

/// tensor.new_empty(size) …
template <int fill>
std::optional<Value> like_self(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  const auto shape = spread(call, 0, "size");
  if (!t || !shape) return std::nullopt;
  Elements values;
  if (fill >= 0) values = filled(*shape, Value::integer(fill));
  const Value device = device_argument(call), type = dtype_argument(call, "");
  return make_torch(
      call, {*shape, {}, type.bound() ? type : t->dtype, device.bound() ? device : t->device, values});
}

std::optional<Value> eye(Call& call) {
  const Value n = call.get(0, "n");
  return made(call, {n, call.get(1, "m", n)}, dtype_argument(call, "float32"));
}

std::optional<Value> linspace(Call& call) {
  return made(call, {call.get(2, "steps")}, dtype_argument(call, "float32"));
}

// --- the same elements as another type or elsewhere
// -----------------------------------------------------------

bool reals_of(std::string_view type) { return type.find("float") != std::string_view::npos; }

Elements as_type(const Elements& values, std::string_view type) {
  if (!values) return std::nullopt;
  Values out;
  for (const Value& v : *values) {
    if (!v.is_number()) return std::nullopt;
    if (reals_of(type))
      out.push_back(Value::real(v.as_real()));
    else if (v.is_integral())
      out.push_back(Value::integer(v.number()));
    else
      out.push_back(Value::integer(static_cast<std::int64_t>(v.as_real())));
  }
  return out;
}

Value moved(Call& call, const TorchTensor& t, const Value& dtype, const Value& device) {
  TorchTensor out = t;
  if (dtype.bound()) {
    out.dtype = dtype;
    out.values = as_type(t.values, torch_name_of(dtype));
  }
  if (device.bound()) out.device = device;
  out.strides = preserved_strides(call.machine, t);
  return make_torch(call, std::move(out));
}

std::optional<Value> to(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return std::nullopt;
  Value dtype = dtype_argument(call, ""), device = device_argument(call);
  for (const Value& argument : call.arguments) {
    if (const auto text = text_in(argument)) device = torch_device(call.machine, *text);
    if (record_if(argument, "torch.device")) device = argument;
    if (argument.is_int()) device = torch_device(call.machine, "cuda", argument.number());
    if (!torch_name_of(argument).empty()) dtype = argument;
    if (const auto other = torch_tensor_of(call.machine, argument))
      dtype = other->dtype, device = other->device;
    if (argument.is_unknown()) return unknown_torch(call, "a tensor of an unknown type or place");
  }
  return moved(call, *t, dtype, device);
}

std::optional<Value> to_device(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return std::nullopt;
  return moved(call, *t, {}, torch_device(call.machine, leaf_name(call.path)));
}

std::optional<Value> to_type(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  return t ? std::optional<Value>(moved(call, *t, torch_type(call.machine, leaf_name(call.path)), {}))
           : std::nullopt;
}

std::optional<Value> copy(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self.bound() ? call.self : call.get(0, "input"));
  return t ? std::optional<Value>(moved(call, *t, {}, {})) : std::nullopt;
}

std::optional<Value> contiguous(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return std::nullopt;
  if (is_contiguous(call.machine, *t)) return call.self;
  return make_torch(call, {t->shape, {}, t->dtype, t->device, t->values});
}

/// In place: the elements are others, or all the same.
std::optional<Value> refill(Call& call) {
  const auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return call.self;
  const std::string_view name = leaf_name(call.path);
  Elements values;
  if (name == "fill_") values = filled(t->shape, call.get(0, "value"));
  if (name == "zero_") values = filled(t->shape, Value::integer(0));
  if (name == "copy_")
    if (const auto other = torch_tensor_of(call.machine, call.get(0, "src"))) values = other->values;
  call.machine.set_field(call.self.as<Record>(), "values",
                         values ? call.machine.list(std::move(*values)) : Value::none());
  return call.self;
}

}  // namespace torch_factory_models

void add_torch_factories(Natives& natives) {
  using namespace torch_factory_models;
  const std::pair<const char*, Native> functions[] = {
      {"empty", of_shape<-1>},
      {"rand", of_shape<-1>},
      {"randn", of_shape<-1>},
      {"zeros", of_shape<0>},
      {"ones", of_shape<1>},
      {"full", full},
      {"randint", randint},
      {"randperm", random_order},
      {"arange", arange},
      {"tensor", tensor},
      {"as_tensor", tensor},
      {"from_numpy", tensor},
      {"empty_like", like<-1>},
      {"zeros_like", like<0>},
      {"ones_like", like<1>},
      {"full_like", like<-1>},
      {"rand_like", like<-1>},
      {"randn_like", like<-1>},
      {"randint_like", like<-1>},
      {"empty_strided", empty_strided},
      {"eye", eye},
      {"linspace", linspace},
      {"clone", copy},
  };
  for (const auto& [name, native] : functions) natives.function("torch", name, native);
  for (const char* name : {"float", "half", "bfloat16", "double", "int", "long", "short", "bool"})
    natives.method("torch", name, to_type);
  natives.method("torch", "to", to);
  natives.method("torch", "type", to);
  natives.method("torch", "cuda", to_device);
  natives.method("torch", "cpu", to_device);
  for (const char* name : {"clone", "detach", "pin_memory"}) natives.method("torch", name, copy);
  natives.method("torch", "contiguous", contiguous);
  for (const char* name :
       {"random_",    "normal_",      "uniform_",    "fill_",    "zero_",      "copy_",      "clamp_",
        "mul_",       "add_",         "div_",        "sub_",     "round_",     "trunc_",     "exponential_",
        "bernoulli_", "masked_fill_", "index_copy_", "scatter_", "index_add_", "__setitem__"})
    natives.method("torch", name, refill);
  for (const char* name : {"requires_grad_", "share_memory_"}) natives.method("torch", name, answer_self);
  for (const char* name : {"record_stream", "backward"}) natives.method("torch", name, answer_none);
  natives.method("torch", "new_empty", like_self<-1>);
  natives.method("torch", "new_zeros", like_self<0>);
  natives.method("torch", "new_ones", like_self<1>);
}

}  // namespace cutelab::reading::machine
