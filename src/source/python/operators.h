#pragma once
#include <array>

#include "source/python/shapes.h"
#include "source/python/tokens.h"

namespace cutelab::source::python {

/// Binding strengths, weakest first: Python's order. tree-sitter's grammar lets `^` bind closer than `&`.
namespace strength {
inline constexpr int none = 0, disjunction = 1, conjunction = 2, negation = 3, comparison = 4, bit_or = 5,
                     bit_xor = 6, bit_and = 7, shift = 8, sum = 9, product = 10, sign = 11, power = 12;
}

struct Operator {
  std::uint8_t strength;  ///< 0 = not a binary operator
  Shape shape;            ///< of the operator token
};

constexpr std::array<Operator, 256> binary_operators() {
  std::array<Operator, 256> table = {};
  const auto set = [&](Tok token, int s, Shape shape) {
    table[static_cast<std::size_t>(token)] = {static_cast<std::uint8_t>(s), shape};
  };
  set(Tok::k_or, strength::disjunction, Shape::op_k_or);
  set(Tok::k_and, strength::conjunction, Shape::op_k_and);
  set(Tok::less, strength::comparison, Shape::op_less);
  set(Tok::less_equal, strength::comparison, Shape::op_less_equal);
  set(Tok::equal, strength::comparison, Shape::op_equal);
  set(Tok::not_equal, strength::comparison, Shape::op_not_equal);
  set(Tok::greater_equal, strength::comparison, Shape::op_greater_equal);
  set(Tok::greater, strength::comparison, Shape::op_greater);
  set(Tok::k_in, strength::comparison, Shape::op_k_in);
  set(Tok::k_not, strength::comparison, Shape::op_not_in);
  set(Tok::k_is, strength::comparison, Shape::op_k_is);
  set(Tok::pipe, strength::bit_or, Shape::op_pipe);
  set(Tok::ampersand, strength::bit_and, Shape::op_ampersand);
  set(Tok::caret, strength::bit_xor, Shape::op_caret);
  set(Tok::shift_left, strength::shift, Shape::op_shift_left);
  set(Tok::shift_right, strength::shift, Shape::op_shift_right);
  set(Tok::plus, strength::sum, Shape::op_plus);
  set(Tok::minus, strength::sum, Shape::op_minus);
  set(Tok::star, strength::product, Shape::op_star);
  set(Tok::at, strength::product, Shape::op_at);
  set(Tok::slash, strength::product, Shape::op_slash);
  set(Tok::percent, strength::product, Shape::op_percent);
  set(Tok::double_slash, strength::product, Shape::op_double_slash);
  set(Tok::power, strength::power, Shape::op_power);
  return table;
}
inline constexpr auto binary_operator_of = binary_operators();

}  // namespace cutelab::source::python
