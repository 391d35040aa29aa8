#include <algorithm>
#include <cmath>
#include <numeric>

#include "reading/models/python_models.h"

// The rest of math: whole numbers, and functions of reals that give the same bits everywhere.
namespace cutelab::reading::machine::python_models {
namespace {
bool all_integral(const Call& c) {
  for (const Value& v : c.arguments)
    if (!v.is_integral()) return false;
  return c.complete && c.keywords.empty();
}

Answer negative_refused(Call& c) {
  return c.machine.raise_error("ValueError", "not defined for negative values", c.node, c.module);
}

Answer isqrt(Call& c) {
  if (c.count() != 1 || !all_integral(c)) return std::nullopt;
  const std::int64_t n = c.arguments[0].number();
  if (n < 0) return negative_refused(c);
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<long double>(n)));
  while (root > 0 && root > n / root) --root;
  while (root + 1 <= n / (root + 1)) ++root;
  return Value::integer(root);
}

/// n (n - 1) … (n - k + 1); nullopt: it is too large.
std::optional<std::int64_t> falling(std::int64_t n, std::int64_t k) {
  std::int64_t out = 1;
  for (std::int64_t i = 0; i < k && out != 0; ++i)
    if (__builtin_mul_overflow(out, n - i, &out)) return std::nullopt;
  return out;
}

Answer factorial(Call& c) {
  if (c.count() != 1 || !all_integral(c)) return std::nullopt;
  const std::int64_t n = c.arguments[0].number();
  if (n < 0) return negative_refused(c);
  const auto out = n > 30 ? std::nullopt : falling(n, n);
  return out ? Answer(Value::integer(*out)) : std::nullopt;
}

Answer permutations(Call& c) {
  const bool all = c.count() == 1 || (c.count() == 2 && c.arguments[1].is_none());
  if (!c.count() || c.count() > 2 || !c.arguments[0].is_integral() || !(all || c.arguments[1].is_integral()))
    return std::nullopt;
  const std::int64_t n = c.arguments[0].number(), k = all ? n : c.arguments[1].number();
  if (n < 0 || k < 0) return negative_refused(c);
  const auto out = k > n ? std::optional<std::int64_t>(0) : k > 64 ? std::nullopt : falling(n, k);
  return out ? Answer(Value::integer(*out)) : std::nullopt;
}

Answer combinations(Call& c) {
  if (c.count() != 2 || !all_integral(c)) return std::nullopt;
  const std::int64_t n = c.arguments[0].number();
  std::int64_t k = c.arguments[1].number();
  if (n < 0 || k < 0) return negative_refused(c);
  if (k > n) return Value::integer(0);
  k = std::min(k, n - k);
  if (k > 64) return std::nullopt;
  std::int64_t out = 1;
  for (std::int64_t i = 1; i <= k; ++i) {
    if (__builtin_mul_overflow(out, n - k + i, &out)) return std::nullopt;
    out /= i;
  }
  return Value::integer(out);
}

Answer power_of_reals(Call& c) {
  if (c.count() != 2 || !c.arguments[0].is_number() || !c.arguments[1].is_number()) return std::nullopt;
  const double out = std::pow(c.arguments[0].as_real(), c.arguments[1].as_real());
  return std::isfinite(out) ? Answer(Value::real(out)) : std::nullopt;
}

Answer truncated(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_number()) return std::nullopt;
  if (c.arguments[0].is_integral()) return Value::integer(c.arguments[0].number());
  const double d = std::trunc(c.arguments[0].as_real());
  return std::abs(d) < 9e18 ? Answer(Value::integer(static_cast<std::int64_t>(d))) : std::nullopt;
}

/// Of whole numbers, where no step rounds.
Answer fsum(Call& c) {
  const auto items = c.count() == 1 ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  double out = 0, size = 0;
  for (const Value& v : *items) {
    if (!v.is_number() || v.as_real() * 1024 != std::floor(v.as_real() * 1024)) return std::nullopt;
    out += v.as_real();
    size += std::abs(v.as_real());
  }
  return size < 1e12 ? Answer(Value::real(out)) : std::nullopt;
}

/// Positive, else an error is under way; nullopt: no number.
std::optional<double> positive(Call& c, const Value& v) {
  if (!v.is_number()) return std::nullopt;
  if (v.as_real() > 0) return v.as_real();
  c.machine.raise_error("ValueError", "math domain error", c.node, c.module);
  return std::nullopt;
}

Answer logarithm(Call& c) {
  if (!c.count() || c.count() > 2) return std::nullopt;
  const auto x = positive(c, c.arguments[0]);
  if (!x || c.count() == 1)
    return c.machine.raising() ? Value() : x ? Answer(Value::real(std::log(*x))) : std::nullopt;
  const auto base = positive(c, c.arguments[1]);
  if (!base) return c.machine.raising() ? Answer(Value()) : std::nullopt;
  if (*base == 1) return c.machine.raise_error("ZeroDivisionError", "division by zero", c.node, c.module);
  return Value::real(std::log(*x) / std::log(*base));
}

Answer logarithm_to_ten(Call& c) {
  const auto x = c.count() == 1 ? positive(c, c.arguments[0]) : std::nullopt;
  return c.machine.raising() ? Answer(Value()) : x ? Answer(Value::real(std::log10(*x))) : std::nullopt;
}

Answer absolute_real(Call& c) {
  return c.count() == 1 && c.arguments[0].is_number()
             ? Answer(Value::real(std::abs(c.arguments[0].as_real())))
             : std::nullopt;
}

template <bool (*question)(double)>
Answer asked_of_real(Call& c) {
  return c.count() == 1 && c.arguments[0].is_number()
             ? Answer(Value::boolean(question(c.arguments[0].as_real())))
             : std::nullopt;
}

bool is_nan(double d) { return std::isnan(d); }
bool is_infinite(double d) { return std::isinf(d); }
bool is_finite(double d) { return std::isfinite(d); }

Answer is_close(Call& c) {
  const Value a = c.get(0, "a"), b = c.get(1, "b"), relative = c.get(-1, "rel_tol", Value::real(1e-9)),
              absolute = c.get(-1, "abs_tol", Value::real(0));
  for (const Value& v : {a, b, relative, absolute})
    if (!v.is_number()) return std::nullopt;
  const double x = a.as_real(), y = b.as_real();
  if (x == y) return Value::boolean(true);
  if (std::isinf(x) || std::isinf(y)) return Value::boolean(false);
  const double apart = std::abs(y - x), by = relative.as_real();
  return Value::boolean(apart <= std::abs(by * y) || apart <= std::abs(by * x) ||
                        apart <= absolute.as_real());
}

Answer remainder_of_reals(Call& c) {
  if (c.count() != 2 || !c.arguments[0].is_number() || !c.arguments[1].is_number()) return std::nullopt;
  const double y = c.arguments[1].as_real();
  return y == 0 ? std::nullopt : Answer(Value::real(std::fmod(c.arguments[0].as_real(), y)));
}

Answer with_sign(Call& c) {
  if (c.count() != 2 || !c.arguments[0].is_number() || !c.arguments[1].is_number()) return std::nullopt;
  return Value::real(std::copysign(c.arguments[0].as_real(), c.arguments[1].as_real()));
}

Answer ldexp(Call& c) {
  if (c.count() != 2 || !c.arguments[0].is_number() || !c.arguments[1].is_integral()) return std::nullopt;
  const auto exponent = c.arguments[1].number();
  const double out =
      std::abs(exponent) > 4096 ? INFINITY : std::ldexp(c.arguments[0].as_real(), static_cast<int>(exponent));
  return std::isfinite(out) ? Answer(Value::real(out)) : std::nullopt;
}

Answer frexp(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_number() || !std::isfinite(c.arguments[0].as_real()))
    return std::nullopt;
  int exponent = 0;
  const double fraction = std::frexp(c.arguments[0].as_real(), &exponent);
  return c.machine.tuple({Value::real(fraction), Value::integer(exponent)});
}

Answer modf(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_number() || !std::isfinite(c.arguments[0].as_real()))
    return std::nullopt;
  double whole = 0;
  const double fraction = std::modf(c.arguments[0].as_real(), &whole);
  return c.machine.tuple({Value::real(fraction), Value::real(whole)});
}

Answer bit_count(Call& c) {
  if (!c.self.is_integral() || c.self.number() == INT64_MIN) return std::nullopt;
  return Value::integer(__builtin_popcountll(static_cast<std::uint64_t>(std::abs(c.self.number()))));
}
/// real, numerator: the number; denominator: 1; imag: 0
template <int what>
std::optional<Value> part_of_whole(Machine&, const Value& self) {
  if (!self.is_integral()) return std::nullopt;
  return Value::integer(what < 0 ? self.number() : what);
}

Answer is_whole(Call& c) {
  if (c.self.is_integral()) return Value::boolean(true);
  return c.self.is_real() ? Answer(Value::boolean(std::isfinite(c.self.as_real()) &&
                                                  c.self.as_real() == std::floor(c.self.as_real())))
                          : std::nullopt;
}
}  // namespace

void add_mathematics(Natives& n) {
  n.function("math", "prod", prod);
  n.function("math", "isqrt", isqrt);
  n.function("math", "factorial", factorial);
  n.function("math", "perm", permutations);
  n.function("math", "comb", combinations);
  n.function("math", "pow", power_of_reals);
  n.function("math", "trunc", truncated);
  n.function("math", "fsum", fsum);
  n.function("math", "log", logarithm);
  n.function("math", "log10", logarithm_to_ten);
  n.function("math", "fabs", absolute_real);
  n.function("math", "isnan", asked_of_real<is_nan>);
  n.function("math", "isinf", asked_of_real<is_infinite>);
  n.function("math", "isfinite", asked_of_real<is_finite>);
  n.function("math", "isclose", is_close);
  n.function("math", "fmod", remainder_of_reals);
  n.function("math", "copysign", with_sign);
  n.function("math", "ldexp", ldexp);
  n.function("math", "frexp", frexp);
  n.function("math", "modf", modf);
  n.function("math", "nan.__get__", [](Call&) -> Answer { return Value::real(NAN); });
  n.function("math", "tau.__get__", [](Call&) -> Answer { return Value::real(2 * M_PI); });
  n.method("int", "bit_count", bit_count);
  n.method("float", "is_integer", is_whole);
  n.getter("int", "real", part_of_whole<-1>);
  n.getter("int", "numerator", part_of_whole<-1>);
  n.getter("int", "denominator", part_of_whole<1>);
  n.getter("int", "imag", part_of_whole<0>);
}

}  // namespace cutelab::reading::machine::python_models
