#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "layout/int.h"

namespace cutelab::layout {

/// One unknown: a symbol the user named, or an operation that has no closed form ("ceil_div(M,128)").
struct Factor {
  std::string name;
  std::int64_t divisibility = 1;
  std::int64_t least = 1;               ///< smallest possible value: its divisibility, or 0 for a remainder
  bool incomparable = false;            ///< `overflow`: never equal to anything, itself included
  std::vector<std::string> depends_on;  ///< the named symbols below an operation; empty for a symbol itself
  friend bool operator==(const Factor&, const Factor&) = default;
  friend auto operator<=>(const Factor& a, const Factor& b) { return a.name <=> b.name; }
};

/// coefficient × product of factors (sorted by name).
struct Term {
  std::int64_t coefficient = 0;
  std::vector<Factor> factors;
};

/// A sum of terms with different factors, sorted by their factors; the constant term, if any, has none.
/// Immutable once shared.
class Polynomial {
 public:
  Polynomial() = default;
  Polynomial(const Polynomial& other) : terms(other.terms), overflowed(other.overflowed) {}
  Polynomial(Polynomial&& other) noexcept : terms(std::move(other.terms)), overflowed(other.overflowed) {}
  Polynomial& operator=(Polynomial other) noexcept {
    terms.swap(other.terms);
    overflowed = other.overflowed;
    return *this;
  }

  /// Adds the term, merging it with one of the same factors.
  void add(Term term);
  std::string text() const;

  std::vector<Term> terms;
  bool overflowed = false;
  mutable std::atomic<int> references{1};
};

Polynomial polynomial_of(const Int& a);
/// Pre: !a.known().
const std::vector<Term>& terms_of(const Int& a);
/// A known Int when the polynomial is constant.
Int from_polynomial(Polynomial polynomial, Basis basis = {});

}  // namespace cutelab::layout
