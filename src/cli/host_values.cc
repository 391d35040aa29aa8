#include "cli/host_values.h"

#include <cstdint>
#include <cstdlib>

#include "base/text.h"

namespace cutelab::cli {
namespace {
using ValueKind = HostValue::Kind;

HostValue of_reals(const std::string& sign, double a, double b) {
  if (sign == "+") return HostValue::of_real(a + b);
  if (sign == "-") return HostValue::of_real(a - b);
  if (sign == "*") return HostValue::of_real(a * b);
  if (sign == "/" && b != 0) return HostValue::of_real(a / b);
  return {};
}

HostValue of_integers(const std::string& sign, std::int64_t a, std::int64_t b, bool fixed) {
  std::int64_t result = 0;
  if (sign == "+" && !__builtin_add_overflow(a, b, &result)) return HostValue::of_integer(result, fixed);
  if (sign == "-" && !__builtin_sub_overflow(a, b, &result)) return HostValue::of_integer(result, fixed);
  if (sign == "*" && !__builtin_mul_overflow(a, b, &result)) return HostValue::of_integer(result, fixed);
  const bool divides = b != 0 && b != -1;
  if (sign == "/" && divides) return HostValue::of_integer(a / b, fixed);
  if (sign == "%" && divides) return HostValue::of_integer(a % b, fixed);
  if (sign == "==") return HostValue::of_integer(a == b);
  if (sign == "!=") return HostValue::of_integer(a != b);
  if (sign == "<") return HostValue::of_integer(a < b);
  if (sign == ">") return HostValue::of_integer(a > b);
  if (sign == "<=") return HostValue::of_integer(a <= b);
  if (sign == ">=") return HostValue::of_integer(a >= b);
  if (sign == "&&") return HostValue::of_integer(a != 0 && b != 0);
  if (sign == "||") return HostValue::of_integer(a != 0 || b != 0);
  if (sign == "<<" && a >= 0 && b >= 0 && b < 40 && a < (INT64_C(1) << 20))
    return HostValue::of_integer(a << b, fixed);
  return {};
}

void add_leaves(const HostValue& value, std::vector<HostLeaf>& leaves, bool& known) {
  if (value.is(ValueKind::integer))
    leaves.push_back({value.integer, value.fixed});
  else if (value.is(ValueKind::tuple))
    leaves.insert(leaves.end(), value.shape.begin(), value.shape.end());
  else
    known = false;
}

}  // namespace

bool is_whole_number(const HostValue& v) { return v.is(ValueKind::integer) || v.is(ValueKind::word); }

HostValue joined_values(const std::string& sign, const HostValue& a, const HostValue& b) {
  for (const HostValue* one : {&a, &b}) {
    if (!one->is(ValueKind::integer)) continue;
    if (sign == "&&" && one->integer == 0) return HostValue::of_integer(0);
    if (sign == "||" && one->integer != 0) return HostValue::of_integer(1);
  }
  if (is_whole_number(a) && is_whole_number(b))
    return of_integers(sign, a.integer, b.integer, a.fixed && b.fixed);
  const auto number = [](const HostValue& v) { return is_whole_number(v) || v.is(ValueKind::real); };
  if (!number(a) || !number(b)) return {};
  const auto as_real = [](const HostValue& v) {
    return v.is(ValueKind::real) ? v.real : static_cast<double>(v.integer);
  };
  return of_reals(sign, as_real(a), as_real(b));
}

HostValue tuple_of(const std::vector<HostValue>& values) {
  HostValue made;
  bool known = true;
  for (const HostValue& value : values) add_leaves(value, made.shape, known);
  if (known) made.kind = ValueKind::tuple;
  return made;
}

HostValue layout_of(const std::vector<HostValue>& values) {
  if (values.empty() || values.size() > 2) return {};
  HostValue made = tuple_of({values[0]});
  if (!made.known()) return {};
  made.kind = ValueKind::layout;
  if (values.size() == 2) {
    const HostValue strides = tuple_of({values[1]});
    made.stride = strides.shape;
    return strides.known() && strides.shape.size() == made.shape.size() ? made : HostValue();
  }
  HostLeaf stride{1, true};
  for (const HostLeaf& extent : made.shape) {
    made.stride.push_back(stride);
    stride = {stride.value * extent.value, stride.fixed && extent.fixed};
  }
  return made;
}

HostValue HostValue::of_integer(std::int64_t value, bool fixed) {
  HostValue made;
  made.kind = Kind::integer;
  made.integer = value;
  made.fixed = fixed;
  return made;
}

HostValue HostValue::of_real(double value) {
  HostValue made;
  made.kind = Kind::real;
  made.real = value;
  return made;
}

}  // namespace cutelab::cli
