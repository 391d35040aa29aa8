#include "layout/polynomial.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cutelab::layout {
namespace {

// Larger results are replaced by `overflow`: nobody reads them, and hostile input could make them grow
// without end.
constexpr std::size_t max_terms = 64;
constexpr std::size_t max_factors = 32;

bool same_factors(const Term& a, const Term& b) { return a.factors == b.factors; }

bool factors_less(const Term& a, const Term& b) {
  return std::lexicographical_compare(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
                                      [](const Factor& x, const Factor& y) { return x.name < y.name; });
}

std::string term_text(const Term& term) {
  std::string out;
  if (term.factors.empty() || term.coefficient != 1)
    out = term.coefficient == -1 && !term.factors.empty() ? "-" : fmt::format("{}", term.coefficient);
  for (const Factor& factor : term.factors) {
    if (!out.empty() && out != "-") out += "*";
    out += factor.name;
  }
  return out;
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  out.overflowed = a.overflowed || b.overflowed;
  for (const Term& x : a.terms)
    for (const Term& y : b.terms) {
      Term term;
      out.overflowed |= __builtin_mul_overflow(x.coefficient, y.coefficient, &term.coefficient);
      term.factors = x.factors;
      term.factors.insert(term.factors.end(), y.factors.begin(), y.factors.end());
      std::sort(term.factors.begin(), term.factors.end());
      out.overflowed |= term.factors.size() > max_factors || out.terms.size() > max_terms;
      if (out.overflowed) return out;
      out.add(std::move(term));
    }
  return out;
}

std::int64_t term_divisibility(const Term& term) {
  std::int64_t d = term.coefficient == INT64_MIN ? 1 : std::abs(term.coefficient);
  for (const Factor& factor : term.factors)
    if (__builtin_mul_overflow(d, factor.divisibility, &d)) return 1;
  return d;
}

}  // namespace

void Polynomial::add(Term term) {
  if (term.coefficient == 0) return;
  const auto at = std::lower_bound(terms.begin(), terms.end(), term, factors_less);
  if (at != terms.end() && same_factors(*at, term)) {
    overflowed |= __builtin_add_overflow(at->coefficient, term.coefficient, &at->coefficient);
    if (at->coefficient == 0) terms.erase(at);
  } else {
    terms.insert(at, std::move(term));
  }
}

std::string Polynomial::text() const {
  std::string out;
  // The constant reads best last: "M*K+3".
  for (const bool constant : {false, true})
    for (const Term& term : terms) {
      if (term.factors.empty() != constant) continue;
      const std::string t = term_text(term);
      out += out.empty() || t[0] == '-' ? t : "+" + t;
    }
  return out;
}

Polynomial polynomial_of(const Int& a) {
  if (!a.known()) return *a.symbolic_;
  Polynomial p;
  p.add(Term{a.value(), {}});
  return p;
}

Int from_polynomial(Polynomial polynomial, Basis basis) {
  if (polynomial.overflowed) return Int::overflow();
  Int out;
  if (polynomial.terms.empty()) return out;
  if (polynomial.terms.size() == 1 && polynomial.terms[0].factors.empty()) {
    out.value_ = polynomial.terms[0].coefficient;
  } else {
    out.symbolic_ = new Polynomial(std::move(polynomial));
  }
  out.basis_ = basis;
  return out;
}

void Int::retain() const { symbolic_->references.fetch_add(1, std::memory_order_relaxed); }
void Int::release() const {
  if (symbolic_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete symbolic_;
}

Int Int::symbol(const std::string& name, std::int64_t divisibility) {
  Polynomial p;
  divisibility = std::max<std::int64_t>(divisibility, 1);
  p.add(Term{1, {Factor{name, divisibility, divisibility, false, {}}}});
  return from_polynomial(std::move(p));
}

Int Int::overflow() {
  Polynomial p;
  p.add(Term{1, {Factor{"overflow", 1, 0, true, {}}}});
  return from_polynomial(std::move(p));
}

bool Int::symbolic_equal(const Int& a, const Int& b) {
  if (a.known() != b.known() || a.basis_ != b.basis_) return false;
  const auto& x = a.symbolic_->terms;
  const auto& y = b.symbolic_->terms;
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].coefficient != y[i].coefficient || !same_factors(x[i], y[i])) return false;
    for (const Factor& factor : x[i].factors)
      if (factor.incomparable) return false;
  }
  return true;
}

Int Int::operator-() const { return Int(-1) * *this; }

Int Int::add(const Int& a, const Int& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  std::int64_t sum = 0;
  if (a.known() && b.known() && !__builtin_add_overflow(a.value_, b.value_, &sum))
    return Int(sum).with_basis(a.basis_);
  Polynomial p = polynomial_of(a);
  if (!a.known() || !b.known())
    for (const Term& term : polynomial_of(b).terms) p.add(term);
  else
    p.overflowed = true;
  p.overflowed |= p.terms.size() > max_terms;
  return from_polynomial(std::move(p), a.basis_);
}

namespace {
Int scaled_by(const Int& symbolic, std::int64_t factor, Basis basis) {
  if (factor == 0) return Int();
  Polynomial p = polynomial_of(symbolic);
  for (Term& term : p.terms)
    p.overflowed |= __builtin_mul_overflow(term.coefficient, factor, &term.coefficient);
  return from_polynomial(std::move(p), basis);
}
}  // namespace

Int Int::multiply(const Int& a, const Int& b) {
  const Basis basis = a.basis_.empty() ? b.basis_ : a.basis_;
  std::int64_t value = 0;
  if (a.known() && b.known()) {
    if (__builtin_mul_overflow(a.value_, b.value_, &value)) return Int::overflow();
    Int out(value);
    if (value != 0 || !basis.empty()) out.basis_ = basis;
    return out;
  }
  if (a.known() || b.known()) return scaled_by(a.known() ? b : a, a.known() ? a.value_ : b.value_, basis);
  return from_polynomial(product(polynomial_of(a), polynomial_of(b)), basis);
}

Int Int::basis_element(Basis basis, Int scale) {
  scale.basis_ = basis;
  return scale;
}

Int Int::scale() const { return with_basis(Basis{}); }

Int Int::with_basis(Basis basis) const {
  Int out = *this;
  out.basis_ = basis;
  return out;
}

std::int64_t Int::divisibility() const {
  if (known()) return value_ == INT64_MIN ? 1 : std::abs(value_);
  std::int64_t d = 0;
  for (const Term& term : symbolic_->terms) d = std::gcd(d, term_divisibility(term));
  return d;
}

std::optional<Int> Int::lower_bound() const {
  if (known()) return *this;
  Int bound = 0;
  for (const Term& term : symbolic_->terms) {
    if (term.coefficient < 0 && !term.factors.empty()) return std::nullopt;
    Int least = term.coefficient;
    for (const Factor& factor : term.factors) least = least * Int(factor.least);
    bound = bound + least;
  }
  if (!bound.known()) return std::nullopt;
  return bound;
}

std::vector<std::string> Int::symbols() const {
  std::vector<std::string> names;
  if (known()) return names;
  for (const Term& term : symbolic_->terms)
    for (const Factor& factor : term.factors) {
      if (factor.depends_on.empty()) names.push_back(factor.name);
      names.insert(names.end(), factor.depends_on.begin(), factor.depends_on.end());
    }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string Int::text() const {
  std::string out = known() ? fmt::format("{}", value_) : symbolic_->text();
  if (!known() && !basis_.empty() && symbolic_->terms.size() > 1) out = "(" + out + ")";
  for (int i = basis_.depth(); i-- > 0;) out += fmt::format("@{}", basis_[i]);
  return out;
}

}  // namespace cutelab::layout
