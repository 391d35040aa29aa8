#include <array>
#include <cmath>

#include "reading/models/arguments.h"
#include "reading/models/element_types.h"

namespace cutelab::reading::machine {
namespace numeric_models {

constexpr std::array<ElementType, 28> types = {{
    {"Boolean", 1, false, true, "bool"},
    {"Int4", 4, false, true, ""},
    {"Int8", 8, false, true, "int8"},
    {"Int16", 16, false, true, "int16"},
    {"Int32", 32, false, true, "int32"},
    {"Int64", 64, false, true, "int64"},
    {"Int128", 128, false, true, ""},
    {"Uint8", 8, false, false, "uint8"},
    {"Uint16", 16, false, false, "uint16"},
    {"Uint32", 32, false, false, "uint32"},
    {"Uint64", 64, false, false, "uint64"},
    {"Uint128", 128, false, false, ""},
    {"Float64", 64, true, true, "float64"},
    {"Float32", 32, true, true, "float32"},
    {"TFloat32", 32, true, true, "float32"},
    {"Float16", 16, true, true, "float16"},
    {"BFloat16", 16, true, true, "bfloat16"},
    {"Float8E5M2", 8, true, true, "float8_e5m2"},
    {"Float8E4M3FN", 8, true, true, "float8_e4m3fn"},
    {"Float8E4M3B11FNUZ", 8, true, true, "float8_e4m3fnuz"},
    {"Float8E4M3", 8, true, true, ""},
    {"Float8E8M0FNU", 8, true, true, "float8_e8m0fnu"},
    {"Float4E2M1FN", 4, true, true, "float4_e2m1fn_x2"},
    {"Float6E3M2FN", 6, true, true, ""},
    {"Float6E2M3FN", 6, true, true, ""},
    {"Float4E2M1FNx2", 8, true, true, "float4_e2m1fn_x2"},
    {"Float6E3M2FNx4", 24, true, true, ""},
    {"Float6E2M3FNx4", 24, true, true, ""},
}};

struct TorchType {
  std::string_view name, cute;  ///< cute: what from_dlpack takes it for
  int bytes;
  bool floating, is_signed;
};
constexpr std::array<TorchType, 19> torch_types = {{
    {"float64", "Float64", 8, true, true},
    {"float32", "Float32", 4, true, true},
    {"float16", "Float16", 2, true, true},
    {"bfloat16", "BFloat16", 2, true, true},
    {"float8_e5m2", "Float8E5M2", 1, true, true},
    {"float8_e4m3fn", "Float8E4M3FN", 1, true, true},
    {"float8_e4m3fnuz", "Float8E4M3B11FNUZ", 1, true, true},
    {"float8_e8m0fnu", "Float8E8M0FNU", 1, true, true},
    {"float4_e2m1fn_x2", "Float4E2M1FN", 1, true, true},
    {"int64", "Int64", 8, false, true},
    {"int32", "Int32", 4, false, true},
    {"int16", "Int16", 2, false, true},
    {"int8", "Int8", 1, false, true},
    {"uint64", "Uint64", 8, false, false},
    {"uint32", "Uint32", 4, false, false},
    {"uint16", "Uint16", 2, false, false},
    {"uint8", "Uint8", 1, false, false},
    {"bool", "Boolean", 1, false, false},
    {"complex64", "", 8, false, true},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> torch_aliases = {{
    {"half", "float16"},
    {"float", "float32"},
    {"double", "float64"},
    {"short", "int16"},
    {"int", "int32"},
    {"long", "int64"},
    {"bool_", "bool"},
    {"float_", "float64"},
    {"int_", "int64"},
}};

const TorchType* find_torch(std::string_view name) {
  for (const auto& [alias, real] : torch_aliases)
    if (alias == name) name = real;
  for (const TorchType& type : torch_types)
    if (type.name == name) return &type;
  return nullptr;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string_view leaf_of(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

/// n modulo 2^bits, in the type's range.
Value wrapped(const ElementType& type, std::int64_t n) {
  if (type.bits >= 64) return Value::integer(n);
  const std::int64_t span = std::int64_t{1} << type.bits;
  std::int64_t rest = n % span;
  if (rest < 0) rest += span;
  if (type.is_signed && rest >= span / 2) rest -= span;
  return Value::integer(rest);
}

std::optional<Value> call_type(Call& call) {
  const ElementType* type = find_element_type(leaf_of(call.path));
  if (!type) return std::nullopt;
  const Value value = call.get(0, "value", call.get(0, "a"));
  if (!value.bound()) return std::nullopt;
  return converted(call.machine, *type, value);
}

std::optional<Value> to(Call& call) {
  const Value wanted = call.get(0, "dtype");
  const ElementType* type = element_type_of(wanted);
  if (type) return converted(call.machine, *type, call.self);
  const auto* name = wanted.as<External>();
  if (name && (name->leaf() == "int" || name->leaf() == "float" || name->leaf() == "bool"))
    return call.self.is_number() ? std::optional<Value>(call.self) : std::nullopt;
  return std::nullopt;
}

std::optional<Value> itself(Call& call) { return call.self; }

/// The type that "cutlass.Float16.width" speaks of.
const ElementType* type_of_path(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? nullptr : find_element_type(leaf_of(path.substr(0, dot)));
}

std::optional<Value> type_attribute(Call& call) {
  const ElementType* type = type_of_path(call.path);
  if (!type) return std::nullopt;
  const std::string_view name = leaf_of(call.path);
  if (name == "width") return Value::integer(type->bits);
  if (name == "bytes") return Value::integer(bytes_of(*type));
  if (name == "is_float") return Value::boolean(type->floating);
  if (name == "is_integer") return Value::boolean(!type->floating);
  if (name == "is_abstract") return Value::boolean(false);
  if (name == "__name__" || name == "name") return call.machine.text(std::string(type->name));
  if (name == "zero") return type->floating ? Value::real(0) : Value::integer(0);
  if (name == "inf" && type->floating) return Value::real(HUGE_VAL);
  if (name == "signed" && !type->floating) return Value::boolean(type->is_signed);
  if ((name == "max" || name == "min") && !type->floating && type->bits < 64) {
    const std::int64_t span = std::int64_t{1} << (type->is_signed ? type->bits - 1 : type->bits);
    if (name == "max") return Value::integer(span - 1);
    return Value::integer(type->is_signed ? -span : 0);
  }
  return std::nullopt;
}

std::optional<Value> same_kind(Call& call) {
  const ElementType* a = type_of_path(call.path);
  const ElementType* b = element_type_of(call.get(0, "other"));
  if (!a || !b) return std::nullopt;
  return Value::boolean(a->floating == b->floating);
}

std::optional<Value> n_bytes(Call& call) {
  const ElementType* type = type_of_path(call.path);
  const auto count = integer_in(call.get(0, "n_elements"));
  if (!type || !count) return std::nullopt;
  return Value::integer(*count * bytes_of(*type));
}

/// "Numeric" of cutlass.Numeric, by whatever module it was named.
std::string_view library_class(const Value& type) {
  if (const auto* klass = type.as<Class>())
    return starts_with(klass->path, "cutlass.") ? klass->name : std::string_view{};
  const auto* name = type.as<External>();
  return name && starts_with(name->path, "cutlass.") ? name->leaf() : std::string_view{};
}

std::optional<Value> warp_size(Call&) { return Value::integer(32); }
std::optional<Value> full_mask(Call&) { return Value::integer(0xffffffff); }
std::optional<Value> infinity(Call&) { return Value::real(HUGE_VAL); }
std::optional<Value> not_a_number(Call&) { return Value::real(std::nan("")); }

std::optional<Value> torch_of(Call& call) {
  const ElementType* type = element_type_of(call.get(0, "ty"));
  if (!type || type->torch.empty()) return std::nullopt;
  return torch_type(call.machine, type->torch);
}

std::optional<Value> dtype_by_text(Call& call) {
  const auto name = text_in(call.get(0, "dtype_"));
  if (!name) return std::nullopt;
  const ElementType* type = find_element_type(*name);
  if (!type)
    return call.machine.raise("TypeError: can't interpret " + *name + " as data type", call.node,
                              call.module);
  return element_type(call.machine, *type);
}

/// "torch.float16.itemsize".
std::optional<Value> torch_attribute(Call& call) {
  const auto dot = call.path.rfind('.');
  const TorchType* type =
      dot == std::string_view::npos ? nullptr : find_torch(leaf_of(call.path.substr(0, dot)));
  if (!type) return std::nullopt;
  const std::string_view name = leaf_of(call.path);
  if (name == "itemsize") return Value::integer(type->bytes);
  if (name == "is_floating_point") return Value::boolean(type->floating);
  if (name == "is_signed") return Value::boolean(type->is_signed);
  if (name == "is_complex") return Value::boolean(type->name == "complex64");
  return std::nullopt;
}

}  // namespace numeric_models

const ElementType* find_element_type(std::string_view name) {
  using namespace numeric_models;
  for (const ElementType& type : types)
    if (type.name == name) return &type;
  return nullptr;
}

const ElementType* element_type_of(const Value& value) {
  using namespace numeric_models;
  if (const auto* klass = value.as<Class>())
    return starts_with(klass->path, "cutlass.") ? find_element_type(klass->name) : nullptr;
  const auto* name = value.as<External>();
  return name && starts_with(name->path, "cutlass.") ? find_element_type(name->leaf()) : nullptr;
}

Value element_type(Machine& machine, const ElementType& type) {
  return machine.external("cutlass." + std::string(type.name));
}

Value element_type(Machine& machine, std::string_view name) {
  const ElementType* type = find_element_type(name);
  return type ? element_type(machine, *type) : Value();
}

std::string_view torch_name_of(const Value& value) {
  using namespace numeric_models;
  std::string_view path;
  if (const auto* name = value.as<External>()) path = name->path;
  if (!starts_with(path, "torch.") && !starts_with(path, "numpy.")) return {};
  const TorchType* type = find_torch(leaf_of(path));
  return type ? type->name : std::string_view{};
}

std::optional<int> torch_bytes(std::string_view name) {
  using namespace numeric_models;
  const TorchType* type = find_torch(name);
  return type ? std::optional<int>(type->bytes) : std::nullopt;
}

Value torch_type(Machine& machine, std::string_view name) {
  using namespace numeric_models;
  const TorchType* type = find_torch(name);
  return machine.external("torch." + std::string(type ? type->name : name));
}

const ElementType* element_type_of_torch(std::string_view name) {
  using namespace numeric_models;
  const TorchType* type = find_torch(name);
  return type ? find_element_type(type->cute) : nullptr;
}

std::optional<bool> is_numeric_instance(const Value& value, const Value& type) {
  using namespace numeric_models;
  if (const auto* plain = type.as<External>();
      plain && plain->path == "builtins.type" && element_type_of(value))
    return true;
  const std::string_view name = library_class(type);
  if (name != "NumericMeta" && name != "IntegerMeta" && name != "FloatMeta" && name != "DslType")
    return std::nullopt;
  if (const ElementType* found = element_type_of(value))
    return name == "IntegerMeta" ? !found->floating : name == "FloatMeta" ? found->floating : true;
  return value.is_unknown() ? std::nullopt : std::optional<bool>(false);
}

std::optional<bool> is_numeric_subclass(const Value& value, const Value& type) {
  using namespace numeric_models;
  const ElementType* found = element_type_of(value);
  const std::string_view name = library_class(type);
  if (!found || name.empty()) return std::nullopt;
  if (name == "Numeric") return true;
  if (name == "Integer") return !found->floating;
  if (name == "Float") return found->floating;
  if (find_element_type(name)) return found->name == name;
  return std::nullopt;
}

Value converted(Machine& machine, const ElementType& type, const Value& value) {
  using namespace numeric_models;
  if (value.is_unknown()) return value;
  if (!value.is_number())
    return machine.unknown("converted at run time", {}, "cutlass." + std::string(type.name));
  if (type.name == "Boolean") return Value::boolean(value.as_real() != 0);
  if (type.floating) return Value::real(value.as_real());
  if (value.is_integral()) return wrapped(type, value.number());
  if (!std::isfinite(value.as_real()) || std::fabs(value.as_real()) > 9e18)
    return machine.unknown("a real number outside the type's range", {}, "cutlass." + std::string(type.name));
  return wrapped(type, static_cast<std::int64_t>(value.as_real()));
}

void add_numeric_types(Natives& natives) {
  using namespace numeric_models;
  for (const ElementType& type : types) {
    const std::string name(type.name);
    natives.function("cutlass", name, call_type);
    natives.function("cutlass", name + ".is_same_kind", same_kind);
    natives.function("cutlass", name + ".n_bytes", n_bytes);
    for (const char* attribute : {"width", "bytes", "is_float", "is_integer", "is_abstract", "__name__",
                                  "name", "zero", "inf", "signed", "max", "min"})
      natives.function("cutlass", name + "." + attribute + ".__get__", type_attribute);
  }
  const auto add_torch_type = [&](std::string_view name) {
    for (const char* attribute : {"itemsize", "is_floating_point", "is_signed", "is_complex"})
      for (const char* package : {"torch", "numpy"})
        natives.function(package, std::string(name) + "." + attribute + ".__get__", torch_attribute);
  };
  for (const TorchType& type : torch_types) add_torch_type(type.name);
  for (const auto& [alias, name] : torch_aliases) add_torch_type(alias);
  for (const char* package : {"torch", "numpy", "math"}) {
    natives.function(package, "inf.__get__", infinity);
    natives.function(package, "nan.__get__", not_a_number);
  }
  natives.function("cutlass", "WARP_SIZE.__get__", warp_size);
  natives.function("cutlass", "FULL_MASK.__get__", full_mask);
  for (const char* kind : {"int", "float"}) {
    natives.method(kind, "to", to);
    natives.method(kind, "ir_value", itself);
  }
  natives.function("cutlass", "torch.dtype", torch_of);
  natives.function("cutlass", "dtype", dtype_by_text);
}

}  // namespace cutelab::reading::machine
