#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "base/text.h"
#include "reading/machine/unicode.h"
#include "reading/models/python_models.h"

// Numbers: int(), float(), abs(), round() and math.
namespace cutelab::reading::machine::python_models {
namespace {
constexpr double largest_whole = 9e18;  ///< a double below it is an int64

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

enum class Parsed { number, no_number, too_large };

/// As int(text, base): spaces around, a sign, the base's own prefix, underscores between digits.
Parsed parse_whole(std::string_view text, int base, std::int64_t& out) {
  std::string_view t = trim(text);
  const bool negative = t.starts_with('-');
  if (negative || t.starts_with('+')) t.remove_prefix(1);
  if (t.size() > 2 && t[0] == '0') {
    const int named = digit_of(t[1]) == 33 ? 16 : digit_of(t[1]) == 24 ? 8 : digit_of(t[1]) == 11 ? 2 : 0;
    if (named != 0 && (base == named || base == 0)) {
      base = named;
      t.remove_prefix(t[2] == '_' ? 3 : 2);
    }
  }
  const bool leading_zero = base == 0 && t.size() > 1 && t[0] == '0';
  if (base == 0) base = 10;
  if (t.empty()) return Parsed::no_number;
  bool after_digit = false, large = false;
  std::int64_t value = 0;
  for (const char c : t) {
    if (c == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    const int digit = digit_of(c);
    if (digit >= base) return Parsed::no_number;
    after_digit = true;
    large =
        large || __builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value);
  }
  if (!after_digit || (leading_zero && value != 0)) return Parsed::no_number;
  out = negative ? -value : value;
  return large ? Parsed::too_large : Parsed::number;
}

Answer whole_of_text(Call& c, const std::string& text) {
  Machine& m = c.machine;
  const Value given = c.get(1, "base", Value::integer(10));
  if (!given.is_integral() || !is_ascii(text)) return std::nullopt;
  const auto base = given.number();
  std::int64_t n = 0;
  if (base != 0 && (base < 2 || base > 36))
    return m.raise_error("ValueError", "int() base must be >= 2 and <= 36, or 0", c.node, c.module);
  switch (parse_whole(text, static_cast<int>(base), n)) {
    case Parsed::number:
      return Value::integer(n);
    case Parsed::no_number:
      return m.raise_error("ValueError", "int() of '" + text + "'", c.node, c.module);
    case Parsed::too_large:
      break;
  }
  return m.unknown("an integer out of range");
}

Answer to_int(Call& c) {
  if (!c.count()) return c.complete ? Answer(Value::integer(0)) : std::nullopt;
  const Value& v = c.arguments[0];
  Machine& m = c.machine;
  if (const Text* t = v.as<Text>()) return whole_of_text(c, t->text);
  if (c.count() > 1) return std::nullopt;
  if (v.is_integral()) return Value::integer(v.number());
  if (v.is_real()) {
    const double d = v.as_real();
    if (std::isnan(d)) return m.raise_error("ValueError", "int() of nan", c.node, c.module);
    if (std::isinf(d)) return m.raise_error("OverflowError", "int() of infinity", c.node, c.module);
    return std::abs(d) < largest_whole ? Answer(Value::integer(static_cast<std::int64_t>(d))) : std::nullopt;
  }
  if (v.is_none() || v.as<List>() || v.as<Tuple>() || v.as<Dict>() || v.as<Set>())
    return m.raise_error("TypeError", "int() of " + m.repr(v), c.node, c.module);
  if (const Instance* i = v.as<Instance>(); i && i->klass->is_enum) return m.attribute(v, "value");
  return v.is_unknown() ? Answer(v) : std::nullopt;
}

/// Whether Python's float() takes the text as strtod does.
bool is_decimal_number(std::string_view t) {
  if (t.starts_with('-') || t.starts_with('+')) t.remove_prefix(1);
  const std::string lower = to_lower(std::string(t));
  if (lower == "inf" || lower == "infinity" || lower == "nan") return true;
  return !lower.empty() && lower.find_first_not_of("0123456789.e+-") == std::string::npos;
}

Answer to_float(Call& c) {
  if (!c.count()) return Value::real(0);
  const Value& v = c.arguments[0];
  if (v.is_number()) return Value::real(v.as_real());
  if (const Text* t = v.as<Text>()) {
    if (!is_ascii(t->text)) return std::nullopt;
    std::string plain(trim(t->text));
    const auto digit = [&](std::size_t i) { return i < plain.size() && plain[i] >= '0' && plain[i] <= '9'; };
    for (std::size_t i = plain.find('_'); i != std::string::npos; i = plain.find('_', i)) {
      if (i == 0 || !digit(i - 1) || !digit(i + 1)) break;  // then it is no number
      plain.erase(i, 1);
    }
    char* end = nullptr;
    const double d = std::strtod(plain.c_str(), &end);
    if (is_decimal_number(plain) && *end == '\0') return Value::real(d);
    return c.machine.raise_error("ValueError", "float() of '" + t->text + "'", c.node, c.module);
  }
  if (v.is_none() || v.as<List>() || v.as<Tuple>() || v.as<Dict>())
    return c.machine.raise_error("TypeError", "float() of " + c.machine.repr(v), c.node, c.module);
  return v.is_unknown() ? Answer(v) : std::nullopt;
}

Answer absolute(Call& c) {
  if (c.count() != 1) return std::nullopt;
  if (c.arguments[0].is_integral() && c.arguments[0].number() != INT64_MIN)
    return Value::integer(std::abs(c.arguments[0].number()));
  if (c.arguments[0].is_real()) return Value::real(std::abs(c.arguments[0].as_real()));
  return std::nullopt;
}

Answer round(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_number() || !c.keywords.empty()) return std::nullopt;
  if (c.arguments[0].is_integral()) return Value::integer(c.arguments[0].number());
  const double d = std::nearbyint(c.arguments[0].as_real());
  return std::abs(d) < largest_whole ? Answer(Value::integer(static_cast<std::int64_t>(d))) : std::nullopt;
}

template <double (*function)(double)>
Answer real_function(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_number()) return std::nullopt;
  const double x = c.arguments[0].as_real(), y = function(x);
  if (std::isfinite(x) && !std::isfinite(y))
    return c.machine.raise_error(std::isinf(y) && y > 0 ? "OverflowError" : "ValueError", "math domain error",
                                 c.node, c.module);
  return Value::real(y);
}

template <bool up>
Answer whole(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_number()) return std::nullopt;
  if (c.arguments[0].is_integral()) return Value::integer(c.arguments[0].number());
  const double d = c.arguments[0].as_real();
  if (!(std::abs(d) < largest_whole)) return std::nullopt;
  return Value::integer(static_cast<std::int64_t>(up ? std::ceil(d) : std::floor(d)));
}

template <bool common>
Answer divisor(Call& c) {
  std::int64_t out = common ? 0 : 1;
  for (const Value& v : c.arguments) {
    if (!v.is_integral() || v.number() == INT64_MIN) return std::nullopt;
    const std::int64_t n = std::abs(v.number());
    if (common)
      out = std::gcd(out, n);
    else if (out == 0 || n == 0)
      out = 0;
    else if (__builtin_mul_overflow(out / std::gcd(out, n), n, &out))
      return std::nullopt;
  }
  return Value::integer(out);
}

Answer bit_length(Call& c) {
  if (!c.self.is_integral()) return std::nullopt;
  const std::int64_t n = c.self.number();
  std::uint64_t size = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  int bits = 0;
  for (; size; size >>= 1) ++bits;
  return Value::integer(bits);
}
}  // namespace

void add_numbers(Natives& n) {
  n.function("builtins", "int", to_int);
  n.function("builtins", "float", to_float);
  n.function("builtins", "abs", absolute);
  n.function("builtins", "round", round);
  n.function("math", "ceil", whole<true>);
  n.function("math", "floor", whole<false>);
  n.function("math", "gcd", divisor<true>);
  n.function("math", "lcm", divisor<false>);
  n.function("math", "sqrt", real_function<std::sqrt>);
  n.function("math", "log2", real_function<std::log2>);
  n.function("math", "log", real_function<std::log>);
  n.function("math", "exp", real_function<std::exp>);
  n.function("math", "log2.__get__", [](Call&) -> Answer { return std::nullopt; });
  n.method("int", "bit_length", bit_length);
}

}  // namespace cutelab::reading::machine::python_models
