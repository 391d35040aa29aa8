#include "source/python/parser.h"

namespace cutelab::source::python {

/// The targets of a `for`, up to its `in`.
void Parser::target_list(Field field) {
  const Mark mark = start();
  bool list = false;
  target();
  while (is(Tok::comma)) {
    list = true;
    advance();
    if (is(Tok::k_in)) break;
    target();
  }
  if (list) close(Shape::pattern_list, mark);
  set_field(field);
}

void Parser::target() {
  if (is(Tok::star)) {
    splat_name();
    if (!failed_) nodes_.back().shape = Shape::list_splat_pattern;
    return;
  }
  primary();
  if (failed_ || !to_pattern(static_cast<std::uint32_t>(nodes_.size()) - 1)) fail();
}

/// Reads the node that ends at `index` as an assignment target: a tuple becomes a tuple_pattern, and so on
/// down. False when it cannot be one.
bool Parser::to_pattern(std::uint32_t index) {
  const Shape top = nodes_[index].shape;
  if (top == Shape::identifier || top == Shape::attribute || top == Shape::subscript) return true;
  std::vector<std::uint32_t> pending = {index};
  while (!pending.empty()) {
    const std::uint32_t at = pending.back();
    pending.pop_back();
    Made& node = nodes_[at];
    switch (node.shape) {
      case Shape::identifier:
      case Shape::attribute:
      case Shape::subscript:
      case Shape::comment:
      case Shape::line_continuation:
        continue;
      case Shape::list_splat:
        node.shape = Shape::list_splat_pattern;
        if (node.size != 2 || nodes_[at - 1].shape != Shape::identifier) return false;
        continue;
      case Shape::tuple:
      case Shape::parenthesized_expression:
        node.shape = Shape::tuple_pattern;
        break;
      case Shape::list:
        node.shape = Shape::list_pattern;
        break;
      default:
        return false;
    }
    for (std::uint32_t below = at; below > at + 1 - node.size; below -= nodes_[below - 1].size)
      pending.push_back(below - 1);
  }
  return true;
}

/// The same for all nodes made since `mark`.
bool Parser::to_patterns(Mark mark) {
  for (auto top = static_cast<std::uint32_t>(nodes_.size()); top > mark.index; top -= nodes_[top - 1].size)
    if (!to_pattern(top - 1)) return false;
  return true;
}

}  // namespace cutelab::source::python
