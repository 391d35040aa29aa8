#include "reading/cpp/cpp_arithmetic.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace cutelab::reading {
namespace {

struct NamedInteger {
  std::string_view name;
  CppIntegerType type;
};
constexpr NamedInteger integer_names[] = {
    {"int8_t", {8, false}},     {"uint8_t", {8, true}},    {"int16_t", {16, false}},
    {"uint16_t", {16, true}},   {"int32_t", {32, false}},  {"uint32_t", {32, true}},
    {"int64_t", {64, false}},   {"uint64_t", {64, true}},  {"size_t", {64, true}},
    {"ptrdiff_t", {64, false}}, {"intptr_t", {64, false}}, {"uintptr_t", {64, true}}};

CppValue typed(std::int64_t n, CppIntegerType type) {
  CppValue out = CppValue::of(n);
  out.held = type.bits == 64 ? (type.is_unsigned ? CppHeld::unsigned_long : CppHeld::signed_long)
                             : (type.is_unsigned ? CppHeld::unsigned_int : CppHeld::signed_int);
  return out;
}

CppIntegerType type_of(const CppValue& v) {
  return {v.held == CppHeld::signed_long || v.held == CppHeld::unsigned_long ? 64 : 32,
          v.held == CppHeld::unsigned_int || v.held == CppHeld::unsigned_long};
}

/// The value modulo the type's range; none where 64 unsigned bits do not fit ours.
std::optional<std::int64_t> wrapped(std::int64_t n, CppIntegerType type) {
  if (type.bits == 64) return type.is_unsigned && n < 0 ? std::nullopt : std::optional(n);
  const std::int64_t low = n & ((std::int64_t{1} << type.bits) - 1);
  const bool negative = !type.is_unsigned && (low >> (type.bits - 1)) != 0;
  return negative ? low - (std::int64_t{1} << type.bits) : low;
}

bool fits(std::int64_t n, CppIntegerType type) { return wrapped(n, type) == n; }

/// The type that both operands take on.
CppIntegerType common(CppIntegerType a, CppIntegerType b) {
  if (a.bits == b.bits) return {a.bits, a.is_unsigned || b.is_unsigned};
  return a.bits > b.bits ? a : b;
}

CppValue too_large(std::string_view what) {
  return CppValue::unknown("a number that its type does not hold", std::string(what));
}

std::optional<std::int64_t> compared(std::string_view op, std::int64_t a, std::int64_t b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  return std::nullopt;
}

/// Before it is fitted into its type; none: not folded, or beyond 64 bits.
std::optional<std::int64_t> raw(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (op == "+") return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (op == "-") return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (op == "*") return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  const bool divides = b != 0 && !(b == -1 && a == INT64_MIN);
  if (op == "/") return divides ? std::optional(a / b) : std::nullopt;
  if (op == "%") return divides ? std::optional(a % b) : std::nullopt;
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  return std::nullopt;
}

CppValue shifted(std::string_view op, const CppValue& a, std::int64_t by) {
  const CppIntegerType type = type_of(a);
  const std::int64_t n = *a.integer();
  if (by < 0 || by >= type.bits) return too_large(op);
  if (op == ">>") return typed(n >> by, type);
  if (n < 0 || n > (INT64_MAX >> by)) return too_large(op);
  const auto out = wrapped(n << by, type);
  return out ? typed(*out, type) : too_large(op);
}
}  // namespace

std::optional<CppIntegerType> cpp_integer_type(std::string_view written) {
  CppIntegerType out;
  bool any = false, narrow = false;
  for (const auto word : split(written, ' ')) {
    const std::string_view name =
        word.substr(word.rfind(':') == std::string_view::npos ? 0 : word.rfind(':') + 1);
    const auto* known = std::find_if(std::begin(integer_names), std::end(integer_names),
                                     [&](const NamedInteger& n) { return n.name == name; });
    if (name.empty() || name == "const" || name == "constexpr" || name == "static") continue;
    if (known != std::end(integer_names))
      out = known->type;
    else if (name == "unsigned")
      out.is_unsigned = true;
    else if (name == "bool")
      out = {1, true};
    else if (name == "char" || name == "short")
      out.bits = name == "char" ? 8 : 16, narrow = true;
    else if (name == "long")
      out.bits = 64;
    else if (name != "signed" && name != "int")
      return std::nullopt;
    if (narrow && name == "long") return std::nullopt;
    any = true;
  }
  return any ? std::optional(out) : std::nullopt;
}

CppValue cpp_literal(std::string_view written) {
  std::string digits(trim(written));
  if (digits.starts_with('-')) {  // of a macro or a setting
    const CppValue positive = cpp_literal(digits.substr(1));
    return positive.integer() ? cpp_unary("-", positive) : positive;
  }
  const auto none = [&] { return CppValue::unknown("not an integer", std::string(written.substr(0, 40))); };
  CppIntegerType type;
  while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos) {
    (digits.back() == 'u' || digits.back() == 'U' ? type.is_unsigned = true : (type.bits = 64) != 0);
    digits.pop_back();
  }
  std::erase(digits, '\'');
  const std::string low = to_lower(digits);
  int base = 10;
  std::size_t begin = 0;
  if (low.starts_with("0x")) base = 16, begin = 2;
  if (low.starts_with("0b")) base = 2, begin = 2;
  if (base == 10 && low.size() > 1 && low[0] == '0') base = 8, begin = 1;
  if (begin >= low.size()) return none();
  std::int64_t n = 0;
  for (std::size_t i = begin; i < low.size(); ++i) {
    const auto digit = std::string_view("0123456789abcdef").find(low[i]);
    if (digit == std::string_view::npos || static_cast<int>(digit) >= base ||
        __builtin_mul_overflow(n, std::int64_t{base}, &n) ||
        __builtin_add_overflow(n, static_cast<std::int64_t>(digit), &n))
      return none();
  }
  // The first type that holds it; without a point, a decimal one is never unsigned by itself.
  if (!fits(n, type) && type.bits == 32) {
    if (base != 10 && fits(n, {32, true}))
      type.is_unsigned = true;
    else
      type.bits = 64;
  }
  return typed(n, type);
}

CppValue cpp_converted(const CppValue& number, std::string_view written_type) {
  const auto type = cpp_integer_type(written_type);
  if (!type || !number.integer())
    return CppValue::unknown("not an integer", std::string(written_type.substr(0, 40)));
  if (type->bits == 1) return CppValue::of(std::int64_t{*number.integer() != 0});
  const auto out = wrapped(*number.integer(), *type);
  if (!out) return too_large(written_type);
  return typed(*out, type->bits < 32 ? CppIntegerType() : *type);
}

CppValue cpp_arithmetic(std::string_view op, const CppValue& a, const CppValue& b) {
  if (op == "<<" || op == ">>") return shifted(op, a, *b.integer());
  const CppIntegerType type = common(type_of(a), type_of(b));
  const auto left = wrapped(*a.integer(), type), right = wrapped(*b.integer(), type);
  if (!left || !right) return too_large(op);
  if (const auto told = compared(op, *left, *right)) return CppValue::of(*told);
  const auto out = raw(op, *left, *right);
  if (!out) return CppValue::unknown("an operator that is not folded", std::string(op));
  if (!type.is_unsigned && !fits(*out, type)) return too_large(op);
  const auto held = wrapped(*out, type);
  return held ? typed(*held, type) : too_large(op);
}

CppValue cpp_unary(std::string_view op, const CppValue& a) {
  const std::int64_t n = *a.integer();
  if (op == "!") return CppValue::of(std::int64_t{n == 0});
  if (op == "+") return a;
  if ((op != "-" && op != "~") || n == INT64_MIN)
    return CppValue::unknown("an operator that is not folded", std::string(op));
  const auto out = wrapped(op == "-" ? -n : ~n, type_of(a));
  return out ? typed(*out, type_of(a)) : too_large(op);
}

}  // namespace cutelab::reading
