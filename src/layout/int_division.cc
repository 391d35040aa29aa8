#include <fmt/format.h>

#include <algorithm>

#include "layout/polynomial.h"

namespace cutelab::layout {
namespace {

// An operation without a closed form becomes an unknown that is named after itself.
Int opaque(const char* format, const Int& a, const Int& b, std::int64_t divisibility, std::int64_t least) {
  constexpr std::size_t longest = 160;
  const std::string name = fmt::format(fmt::runtime(format), a.text(), b.text());
  if (name.size() > longest) return Int::overflow();
  std::vector<std::string> depends_on = a.symbols();
  for (std::string& s : b.symbols()) depends_on.push_back(std::move(s));
  if (std::find(depends_on.begin(), depends_on.end(), "overflow") != depends_on.end()) return Int::overflow();
  std::sort(depends_on.begin(), depends_on.end());
  depends_on.erase(std::unique(depends_on.begin(), depends_on.end()), depends_on.end());
  Polynomial p;
  p.add(
      Term{1, {Factor{name, std::max<std::int64_t>(divisibility, 1), least, false, std::move(depends_on)}}});
  return from_polynomial(std::move(p));
}

// term / divisor when the coefficient and the factors divide; nullopt otherwise.
std::optional<Term> term_quotient(const Term& term, const Term& divisor) {
  if (divisor.coefficient == 0 || term.coefficient % divisor.coefficient != 0) return std::nullopt;
  Term out{term.coefficient / divisor.coefficient, {}};
  auto d = divisor.factors.begin();
  for (const Factor& factor : term.factors) {
    if (d != divisor.factors.end() && *d == factor && !factor.incomparable)
      ++d;
    else
      out.factors.push_back(factor);
  }
  if (d != divisor.factors.end()) return std::nullopt;
  return out;
}

bool coefficients_divide(const Int& a, std::int64_t b) {
  for (const Term& term : terms_of(a))
    if (term.coefficient % b != 0) return false;
  return true;
}

std::optional<Int> polynomial_quotient(const Int& a, const Int& b) {
  if (!a.known() && b.known() && b.value() > 1 && !coefficients_divide(a, b.value())) return std::nullopt;
  const Polynomial divisor = polynomial_of(b);
  if (divisor.terms.size() != 1 || divisor.terms[0].coefficient == -1) return std::nullopt;
  Polynomial out;
  for (const Term& term : polynomial_of(a).terms) {
    auto q = term_quotient(term, divisor.terms[0]);
    if (!q) return std::nullopt;
    out.add(std::move(*q));
  }
  return from_polynomial(std::move(out));
}

// As compare_symbolic, for the common case of positive terms; nullopt: the general way decides.
std::optional<std::optional<std::strong_ordering>> compare_with_number(const Int& a, std::int64_t b) {
  const auto least = a.lower_bound();
  if (!least) return std::nullopt;
  if (least->value() > b) return std::strong_ordering::greater;
  // No term is negative: it has no upper bound.
  return std::optional<std::strong_ordering>();
}

bool both_known(const Int& a, const Int& b) { return a.known() && b.known(); }

}  // namespace

std::optional<std::strong_ordering> compare_symbolic(const Int& a, const Int& b) {
  if (both_known(a, b)) return a.value() <=> b.value();
  if (!a.known() && b.known() && a.plain() && b.plain())
    if (const auto order = compare_with_number(a, b.value())) return *order;
  if (a.scale() == b.scale()) return std::strong_ordering::equal;
  const Int difference = a.scale() - b.scale();
  const auto decide = [](const Int& d) {
    const auto bound = d.lower_bound();
    return bound && bound->value() > 0;
  };
  if (decide(difference)) return std::strong_ordering::greater;
  if (decide(-difference)) return std::strong_ordering::less;
  return std::nullopt;
}

std::optional<Int> exact_div_symbolic(const Int& a, const Int& b) {
  if (b.is_zero()) return std::nullopt;
  if (a.is_zero()) return Int(0);
  if (both_known(a, b)) {
    if (b.value() == -1) return -a;
    if (a.value() % b.value() != 0) return std::nullopt;
    return Int(a.value() / b.value()).with_basis(a.basis());
  }
  if (auto q = polynomial_quotient(a, b)) return q->with_basis(a.basis());
  if (b.known() && b.value() > 0 && a.divisibility() % b.value() == 0)
    return opaque("{}/{}", a.scale(), b, a.divisibility() / b.value(), 1).with_basis(a.basis());
  return std::nullopt;
}

std::optional<bool> multiple_of_symbolic(const Int& a, const Int& b) {
  if (b.is_zero()) return std::nullopt;
  if (both_known(a, b)) return b.value() == -1 || a.value() % b.value() == 0;
  if (exact_div(a, b)) return true;
  // A known positive number below every value of b is not a multiple of it.
  if (a.known() && a.value() > 0 && compare(a, b) == std::strong_ordering::less) return false;
  return std::nullopt;
}

Int ceil_div_symbolic(const Int& a, const Int& b) {
  if (auto q = exact_div(a, b)) return *q;
  if (both_known(a, b)) {
    if (b.is_zero()) return Int::overflow();
    std::int64_t rounded = 0;
    if (__builtin_sub_overflow(b.value(), 1, &rounded) ||
        __builtin_add_overflow(a.value(), rounded, &rounded))
      return Int::overflow();
    return Int(rounded / b.value()).with_basis(a.basis());
  }
  const auto order = compare(a, b);
  const auto least = b.lower_bound();
  const bool within = (order && *order <= 0) || (a.known() && least && a.value() <= least->value());
  if (signum(a) > 0 && within) return Int(1).with_basis(a.basis());
  return opaque("ceil_div({},{})", a.scale(), b, 1, 1).with_basis(a.basis());
}

Int floor_div(const Int& a, const Int& b) {
  if (auto q = exact_div(a, b)) return *q;
  if (both_known(a, b)) return b.is_zero() ? Int::overflow() : Int(a.value() / b.value());
  const auto order = compare(a, b);
  if (signum(a) > 0 && order && *order < 0) return 0;
  return opaque("({}/{})", a, b, 1, 0);
}

Int mod(const Int& a, const Int& b) {
  if (exact_div(a, b)) return 0;
  if (both_known(a, b)) return b.is_zero() ? Int::overflow() : Int(a.value() % b.value());
  const auto order = compare(a, b);
  if (signum(a) > 0 && order && *order < 0) return a;
  return opaque("({}%{})", a, b, 1, 0);
}

Int min(const Int& a, const Int& b) {
  if (const auto order = compare(a, b)) return *order <= 0 ? a : b;
  return opaque("min({},{})", a, b, 1, 1);
}

Int max(const Int& a, const Int& b) {
  if (const auto order = compare(a, b)) return *order >= 0 ? a : b;
  return opaque("max({},{})", a, b, 1, 1);
}

int signum(const Int& a) {
  if (!a.known()) {
    const auto bound = (-a.scale()).lower_bound();
    return bound && bound->value() > 0 ? -1 : 1;
  }
  return (a.value() > 0) - (a.value() < 0);
}

Int abs(const Int& a) { return signum(a) < 0 ? -a : a; }

}  // namespace cutelab::layout
