#include "source/python/parser.h"

namespace cutelab::source::python {

std::optional<std::vector<Made>> Parser::parse() {
  nodes_.reserve(text_.size() / 5 + 16);
  token_ = lexer_.at_line_start();
  while (!failed_ && !is(Tok::end)) statement();
  flush();
  if (failed_ || lexer_.depth() != 0) return std::nullopt;
  const auto end = static_cast<std::uint32_t>(text_.size());
  const auto size = static_cast<std::uint32_t>(nodes_.size());
  std::uint32_t begin = end;
  if (!nodes_.empty()) {  // the first child begins where the earliest of its leaves does
    begin = nodes_.front().begin;
    for (std::uint32_t top = size; top > 0; top -= nodes_[top - 1].size) begin = nodes_[top - 1].begin;
  }
  nodes_.push_back({begin, end, size + 1, Shape::module, Field::no_field});
  return std::move(nodes_);
}

void Parser::advance_line() {
  if (failed_) return;
  flush();
  token_ = lexer_.at_line_start();
}

void Parser::fail() {
  failed_ = true;
  token_ = {Tok::end, token_.begin, token_.begin};
  lexer_.extras().clear();
}

/// The token behind the current one.
Tok Parser::peek() const {
  Lexer ahead = lexer_;
  return ahead.next().kind;
}

bool Parser::is_single(Mark mark, Shape shape) const {
  return nodes_.size() == mark.index + 1 && nodes_.back().shape == shape;
}

Parser::Snapshot Parser::snapshot() const {
  return {nodes_.size(), token_, last_end_, depth_, splats_, lexer_};
}

void Parser::restore(const Snapshot& saved) {
  nodes_.resize(saved.nodes);
  token_ = saved.token;
  last_end_ = saved.last_end;
  depth_ = saved.depth;
  splats_ = saved.splats;
  lexer_ = saved.lexer;
  failed_ = false;
}

}  // namespace cutelab::source::python
