#include <algorithm>

#include "evidence/reading.h"
#include "reading/facts/context.h"

// A formula that calls functions of the program: what those give, so that no factor hides in them.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr std::uint32_t most_nodes = 120;  ///< of an expression that is looked through
constexpr std::size_t most_helpers = 3;

/// The one expression that a function returns; none where it returns in several places, or nothing.
Node only_return(const source::PythonFunction& function) {
  Node out;
  for (std::uint32_t i = function.body.index(); i < function.body.end_index(); ++i) {
    const Node n = function.body.tree()->at(i);
    if (n.is(NodeKind::function_definition) || n.is(NodeKind::lambda)) return {};
    if (!n.is(NodeKind::return_statement)) continue;
    if (out || !n.first()) return {};
    out = n.first();
  }
  return out;
}

std::string on_one_line(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : text.substr(0, most)) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ' && out.back() != '(')
      out += ' ';
  }
  return out;
}

bool is_arithmetic(Node n) {
  return n.is(NodeKind::binary_operator) || n.is(NodeKind::conditional_expression) ||
         n.is(NodeKind::parenthesized_expression);
}
}  // namespace

std::string helpers_of_formula(FactContext& context, Node expression) {
  std::string out;
  std::size_t told = 0;
  const std::uint32_t end = std::min(expression.end_index(), expression.index() + most_nodes);
  for (std::uint32_t i = expression.index(); i < end && told < most_helpers; ++i) {
    const Node n = expression.tree()->at(i);
    int m = 0, f = -1;
    if (!n.is(NodeKind::call) || !context.evaluator.callee_function(0, n, &m, &f)) continue;
    const Node returned = only_return(context.program.module(m).functions()[static_cast<std::size_t>(f)]);
    const Abstract value = context.evaluator.value_of(0, n);
    const bool part = !(n == expression);  // the number of the whole stands beside the formula
    const bool formula = is_arithmetic(returned);
    if (!formula && !(part && value.is(Abstract::Kind::integer))) continue;
    ++told;
    out += (told == 1 ? ", where " : ", ") + on_one_line(n.text(), 60);
    if (formula) out += " = " + on_one_line(returned.text(), 120);
    if (part && value.is(Abstract::Kind::integer)) out += " = " + std::to_string(value.number);
  }
  return out;
}

}  // namespace cutelab::reading
