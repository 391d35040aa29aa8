#include <cmath>

#include "reading/models/element_types.h"
#include "reading/models/torch_tensor.h"

/// numpy: arrays are Records "torch", and arithmetic on numbers is done. Also the random module, whose draws
/// are unknown.
namespace cutelab::reading::machine {
namespace numpy_models {

std::optional<Value> prod(Call& call) {
  const Value a = call.get(0, "a");
  if (const auto t = torch_tensor_of(call.machine, a); t && t->values)
    return product(call.machine, *t->values);
  const auto items = call.machine.items(a);
  return items ? std::optional<Value>(product(call.machine, *items)) : std::nullopt;
}

std::optional<Value> rounded(Call& call) {
  const Value x = call.get(0, "x");
  if (!x.is_number()) return std::nullopt;
  const std::string_view name = leaf_name(call.path);
  if (name == "ceil") return Value::real(std::ceil(x.as_real()));
  if (name == "floor") return Value::real(std::floor(x.as_real()));
  if (name == "log2")
    return x.as_real() > 0 ? std::optional<Value>(Value::real(std::log2(x.as_real()))) : std::nullopt;
  if (name == "sqrt")
    return x.as_real() >= 0 ? std::optional<Value>(Value::real(std::sqrt(x.as_real()))) : std::nullopt;
  return Value::real(std::fabs(x.as_real()));
}

/// np.int64(3) and its like.
std::optional<Value> number(Call& call) {
  const Value x = call.get(0, "x");
  if (!x.is_number()) return std::nullopt;
  return leaf_name(call.path).find("float") != std::string_view::npos ? Value::real(x.as_real()) : x;
}

/// np.empty(shape, dtype=float): as torch's, but doubles by default and the type may stand second.
std::optional<Value> array(Call& call) {
  const Value shape = call.get(0, "shape");
  std::vector<Value> extents;
  if (const auto* items = sequence_of(shape))
    extents = *items;
  else if (shape.is_integral())
    extents = {shape};
  else
    return std::nullopt;
  const std::string_view name = leaf_name(call.path);
  const Value type = call.get(name == "full" ? 2 : 1, "dtype", torch_type(call.machine, "float64"));
  return make_torch(call, {std::move(extents), {}, type, {}, std::nullopt});
}

std::optional<Value> astype(Call& call) {
  auto t = torch_tensor_of(call.machine, call.self);
  if (!t) return std::nullopt;
  t->dtype = call.get(0, "dtype");
  return make_torch(call, std::move(*t));
}

std::optional<Value> drawn(Call& call) {
  return call.machine.unknown("a random number", {}, std::string(call.path));
}

}  // namespace numpy_models

void add_numpy(Natives& natives) {
  using namespace numpy_models;
  natives.function("numpy", "prod", prod);
  for (const char* name : {"ceil", "floor", "log2", "sqrt", "abs"}) natives.function("numpy", name, rounded);
  for (const char* name : {"int32", "int64", "uint8", "uint32", "float32", "float64", "float16"})
    natives.function("numpy", name, number);
  for (const char* name : {"empty", "zeros", "ones", "full"}) natives.function("numpy", name, array);
  natives.method("torch", "astype", astype);
  natives.method("torch", "numpy", answer_self);
  natives.function("numpy", "random.seed", answer_none);
  for (const char* name : {"assert_allclose", "set_printoptions", "savetxt"})
    natives.function("numpy", name, answer_none);
  natives.function("random", "seed", answer_none);
  for (const char* name : {"randint", "random", "choice", "uniform", "gauss", "sample", "randrange"})
    natives.function("random", name, drawn);
}

}  // namespace cutelab::reading::machine
