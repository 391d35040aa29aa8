#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace cutelab::layout {

class Polynomial;
struct Term;

/// Which mode of a coordinate a stride counts in: E<1,0> is {1, 0}. Empty for an ordinary integer. Printed
/// innermost first, as CuTe prints it: 2@0@1 is twice the basis element E<1,0>.
class Basis {
 public:
  static constexpr int max_depth = 7;
  static constexpr int max_index = 255;
  constexpr Basis() = default;
  constexpr bool empty() const { return packed_ == 0; }
  constexpr int depth() const { return static_cast<int>(packed_ & 0xFF); }
  constexpr int operator[](int i) const { return static_cast<int>((packed_ >> (8 * (i + 1))) & 0xFF); }
  /// Pre: depth() < max_depth, 0 <= index <= max_index.
  constexpr Basis then(int index) const {
    Basis longer;
    longer.packed_ = (packed_ + 1) | (static_cast<std::uint64_t>(index) << (8 * (depth() + 1)));
    return longer;
  }
  friend constexpr bool operator==(Basis, Basis) = default;
  friend constexpr auto operator<=>(Basis, Basis) = default;

 private:
  std::uint64_t packed_ = 0;  // byte 0: depth; bytes 1…7: the indices
};

/// A leaf of an IntTuple: a 64-bit integer, or a symbolic positive integer (a polynomial over named symbols),
/// times a basis element.
///
/// A symbol stands for an unknown integer >= 1 that is a multiple of its divisibility. Arithmetic is exact: a
/// result that leaves 64 bits becomes the symbol `overflow`, which equals nothing, so that no operation goes
/// on with a wrong number.
class Int {
 public:
  constexpr Int(std::int64_t value = 0) : value_(value) {}  // NOLINT: implicit on purpose
  static Int symbol(const std::string& name, std::int64_t divisibility = 1);
  static Int overflow();
  static Int basis_element(Basis basis, Int scale = 1);

  Int(const Int& other) : value_(other.value_), symbolic_(other.symbolic_), basis_(other.basis_) {
    if (symbolic_) retain();
  }
  Int(Int&& other) noexcept : value_(other.value_), symbolic_(other.symbolic_), basis_(other.basis_) {
    other.symbolic_ = nullptr;
  }
  Int& operator=(Int other) noexcept {
    std::swap(value_, other.value_);
    std::swap(symbolic_, other.symbolic_);
    std::swap(basis_, other.basis_);
    return *this;
  }
  ~Int() {
    if (symbolic_) release();
  }

  bool known() const { return symbolic_ == nullptr; }
  std::int64_t value() const { return value_; }  ///< pre: known()
  Basis basis() const { return basis_; }
  bool plain() const { return basis_.empty(); }
  /// The scale without its basis element.
  Int scale() const;
  Int with_basis(Basis basis) const;

  bool is(std::int64_t v) const { return known() && basis_.empty() && value_ == v; }
  bool is_zero() const { return known() && value_ == 0; }

  /// The largest integer known to divide this one; |value| when known (0 for 0).
  std::int64_t divisibility() const;
  /// The least value it can have; nullopt when unbounded below (a difference of symbols).
  std::optional<Int> lower_bound() const;
  /// Names of the symbols it depends on, sorted, each once.
  std::vector<std::string> symbols() const;
  /// "8", "M", "128*K", "ceil_div(M,128)", "2@0@1".
  std::string text() const;

  Int operator-() const;
  friend Int operator+(const Int& a, const Int& b) {
    std::int64_t sum = 0;
    if (a.ordinary(b) && !__builtin_add_overflow(a.value_, b.value_, &sum)) return Int(sum);
    return add(a, b);
  }
  friend Int operator-(const Int& a, const Int& b) { return a + -b; }
  /// Pre: at most one of them has a basis.
  friend Int operator*(const Int& a, const Int& b) {
    std::int64_t product = 0;
    if (a.ordinary(b) && !__builtin_mul_overflow(a.value_, b.value_, &product)) return Int(product);
    return multiply(a, b);
  }
  /// Both are known integers without basis elements: the common case, decided without a call.
  bool ordinary(const Int& other) const { return known() && other.known() && plain() && other.plain(); }
  /// Provably equal. Two different symbols are not.
  friend bool operator==(const Int& a, const Int& b) {
    if (a.known() && b.known()) return a.value_ == b.value_ && a.basis_ == b.basis_;
    return symbolic_equal(a, b);
  }

 private:
  friend class Polynomial;
  friend Int from_polynomial(Polynomial polynomial, Basis basis);
  friend Polynomial polynomial_of(const Int& a);
  friend const std::vector<Term>& terms_of(const Int& a);
  static bool symbolic_equal(const Int& a, const Int& b);
  static Int add(const Int& a, const Int& b);
  static Int multiply(const Int& a, const Int& b);
  void retain() const;
  void release() const;

  std::int64_t value_ = 0;
  const Polynomial* symbolic_ = nullptr;  // owned, counted; set = the value is this polynomial
  Basis basis_;
};

/// a ⋚ b if that is provable for every value of the symbols.
std::optional<std::strong_ordering> compare_symbolic(const Int& a, const Int& b);
inline std::optional<std::strong_ordering> compare(const Int& a, const Int& b) {
  if (a.known() && b.known()) return a.value() <=> b.value();
  return compare_symbolic(a, b);
}

/// Is a a multiple of b? nullopt if it depends on the symbols. Pre: b is not 0.
std::optional<bool> multiple_of_symbolic(const Int& a, const Int& b);
inline std::optional<bool> multiple_of(const Int& a, const Int& b) {
  if (a.known() && b.known() && b.value() > 0) return a.value() % b.value() == 0;
  return multiple_of_symbolic(a, b);
}

/// a / b when a is provably a multiple of b, else nullopt.
std::optional<Int> exact_div_symbolic(const Int& a, const Int& b);
inline std::optional<Int> exact_div(const Int& a, const Int& b) {
  if (!a.ordinary(b) || b.value() <= 0) return exact_div_symbolic(a, b);
  if (a.value() % b.value() != 0) return std::nullopt;
  return Int(a.value() / b.value());
}

/// Rounded up (a + b - 1) / b as CuTe defines it for b > 0, rounding toward zero for negative numerators.
/// Symbolic when it must be.
Int ceil_div_symbolic(const Int& a, const Int& b);
inline Int ceil_div(const Int& a, const Int& b) {
  std::int64_t rounded = 0;
  if (a.ordinary(b) && b.value() > 0 && !__builtin_add_overflow(a.value(), b.value() - 1, &rounded))
    return Int(rounded / b.value());
  return ceil_div_symbolic(a, b);
}
Int floor_div(const Int& a, const Int& b);  ///< C++ division (toward zero)
Int mod(const Int& a, const Int& b);        ///< C++ remainder
Int min(const Int& a, const Int& b);
Int max(const Int& a, const Int& b);
Int abs(const Int& a);     ///< symbols are positive
int signum(const Int& a);  ///< -1, 0, 1; 1 for symbolic values

}  // namespace cutelab::layout
