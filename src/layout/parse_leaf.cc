#include "layout/parse_leaf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "layout/parse.h"

namespace cutelab::layout {
namespace {
bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
}  // namespace

void LeafParser::skip() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
}

char LeafParser::peek() {
  skip();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool LeafParser::accept(std::string_view token) {
  skip();
  if (text_.substr(at_, token.size()) != token) return false;
  at_ += token.size();
  return true;
}

Status LeafParser::expect(std::string_view token) {
  if (accept(token)) return {};
  return unexpected(fmt::format("`{}`", token));
}

std::string_view LeafParser::name_here() {
  skip();
  std::size_t end = at_;
  while (end < text_.size() && is_name_char(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

Error LeafParser::error(std::size_t at, std::string wrong, std::string remedy) const {
  constexpr std::size_t before = 60;
  constexpr std::size_t after = 20;
  const std::size_t from = at > before ? at - before : 0;
  const std::string left = printable(replace_all(std::string(text_.substr(from, at - from)), "\n", " "));
  const std::string right =
      at < text_.size() ? printable(replace_all(std::string(text_.substr(at, after)), "\n", " ")) : "";
  return Error{ErrorKind::input, "read layout expression", std::move(wrong),
               fmt::format("character {}\n    {}{}\n    {}^", at + 1, left, right,
                           std::string(display_width(left), ' ')),
               std::move(remedy)};
}

Error LeafParser::unexpected(const std::string& wanted) {
  skip();
  if (at_ >= text_.size())
    return error(at_, fmt::format("the expression ends where {} should stand", wanted), "");
  return error(at_, fmt::format("{} should stand here", wanted), "");
}

Error LeafParser::placed(std::size_t at, const Error& inner) const {
  Error out = error(at, inner.wrong, inner.remedy);
  if (!inner.asked.empty()) out.asked = inner.asked;
  return out;
}

bool LeafParser::is_leaf_function(std::string_view name) { return name == "min" || name == "max"; }

Result<Int> LeafParser::leaf_sum() {
  auto sum = leaf_product();
  while (sum && (peek() == '+' || peek() == '-')) {
    const bool minus = text_[at_++] == '-';
    auto next = leaf_product();
    if (!next) return next;
    sum = minus ? *sum - *next : *sum + *next;
  }
  return sum;
}

Result<Int> LeafParser::leaf_product() {
  auto product = leaf_with_basis();
  while (product && peek() == '*') {
    ++at_;
    skip();
    const std::size_t place = at_;
    auto next = leaf_with_basis();
    if (!next) return next;
    if (!product->plain() && !next->plain()) return error(place, "a product of two basis elements", "");
    product = *product * *next;
  }
  return product;
}

Result<Int> LeafParser::leaf_with_basis() {
  auto leaf = leaf_atom();
  if (!leaf || peek() != '@') return leaf;
  std::vector<int> path;
  while (accept("@")) {
    const std::size_t place = at_;
    auto index = integer();
    if (!index) return index.error();
    if (*index < 0 || *index > Basis::max_index || path.size() >= Basis::max_depth)
      return error(
          place, fmt::format("a basis has at most {} indices of 0 to {}", Basis::max_depth, Basis::max_index),
          "");
    path.push_back(static_cast<int>(*index));
  }
  Basis basis;
  while (!path.empty()) {
    basis = basis.then(path.back());
    path.pop_back();
  }
  return leaf->with_basis(basis);
}

Result<Int> LeafParser::leaf_atom() {
  const char c = peek();
  if (c == '-') {
    ++at_;
    if (++depth_ > max_expression_depth) return error(at_, "too many signs", "");
    auto inner = leaf_atom();
    --depth_;
    if (!inner) return inner;
    return -*inner;
  }
  if (c == '?') return unknown_size();
  if (is_digit(c) || (c == '_' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
    if (c == '_') ++at_;
    auto n = integer();
    if (!n) return n.error();
    return Int(*n);
  }
  if (!std::isalpha(static_cast<unsigned char>(c)) && c != '_')
    return unexpected("a number, a symbol or `(`");
  return named();
}

Result<Int> LeafParser::named() {
  const std::size_t start = at_;
  const std::string name(name_here());
  at_ += name.size();
  if (name == "E" && accept("<")) return basis_element();
  if (peek() == '(') return leaf_function(name);
  auto divisibility = divisibility_here();
  if (!divisibility) return divisibility.error();
  return symbol(start, name, *divisibility);
}

Result<Int> LeafParser::basis_element() {
  Basis basis;
  while (peek() != '>') {
    skip();
    const std::size_t place = at_;
    auto index = integer();
    if (!index) return index.error();
    if (*index < 0 || *index > Basis::max_index || basis.depth() == Basis::max_depth)
      return error(
          place, fmt::format("a basis has at most {} indices of 0 to {}", Basis::max_depth, Basis::max_index),
          "");
    basis = basis.then(static_cast<int>(*index));
    if (peek() != '>')
      if (auto status = expect(","); !status) return status.error();
  }
  ++at_;
  return Int(1).with_basis(basis);
}

Result<Int> LeafParser::leaf_function(const std::string& name) {
  ++at_;
  if (++depth_ > max_expression_depth) return error(at_, "nested too deeply", "");
  auto a = leaf_sum();
  if (!a) return a;
  if (auto status = expect(","); !status) return status.error();
  auto b = leaf_sum();
  if (!b) return b;
  if (auto status = expect(")"); !status) return status.error();
  --depth_;
  return name == "min" ? min(*a, *b) : max(*a, *b);
}

Result<Int> LeafParser::unknown_size() {
  const std::size_t start = at_++;
  std::string name = "?";
  while (at_ < text_.size() && is_digit(text_[at_])) name += text_[at_++];
  if (name == "?") name += std::to_string(unknowns_++);
  auto divisibility = divisibility_here();
  if (!divisibility) return divisibility.error();
  return symbol(start, name, *divisibility);
}

Result<std::int64_t> LeafParser::divisibility_here() {
  if (at_ >= text_.size() || text_[at_] != '{') return std::int64_t{0};
  ++at_;
  const std::string_view width = name_here();
  if (width == "i64" || width == "i32") at_ += width.size();
  std::int64_t divisibility = 0;
  if (accept("div")) {
    if (auto status = expect("="); !status) return status.error();
    skip();
    const std::size_t place = at_;
    auto n = integer();
    if (!n) return n;
    if (*n < 1) return error(place, "a divisibility is at least 1", "");
    divisibility = *n;
  }
  if (auto status = expect("}"); !status) return status.error();
  return divisibility;
}

Result<Int> LeafParser::symbol(std::size_t start, const std::string& name, std::int64_t divisibility) {
  const auto [it, fresh] = symbols_.emplace(name, std::max<std::int64_t>(divisibility, 1));
  if (!fresh && divisibility != 0 && it->second != divisibility)
    return error(start, fmt::format("{} had the divisibility {} before", name, it->second), "");
  return Int::symbol(name, it->second);
}

bool LeafParser::numbers(std::size_t& at, int depth, TupleBuilder& build) const {
  constexpr int deepest = 8;
  constexpr std::size_t most_digits = 18;
  const auto here = [&] { return at < text_.size() ? text_[at] : '\0'; };
  if (depth > deepest) return false;
  const auto open = build.open();
  int modes = 0;
  do {
    ++at;  // the parenthesis or the comma
    while (here() == ' ') ++at;
    if (here() == '(') {
      if (!numbers(at, depth + 1, build)) return false;
    } else {
      std::int64_t value = 0;
      const std::size_t first = at;
      for (; is_digit(here()); ++at) {
        if (at - first == most_digits) return false;
        value = 10 * value + (text_[at] - '0');
      }
      if (at == first) return false;
      build.leaf(value);
    }
    ++modes;
    while (here() == ' ') ++at;
  } while (here() == ',');
  if (here() != ')') return false;
  ++at;
  build.close(open, modes);
  return true;
}

bool LeafParser::numbers_tuple(IntTuple& out) {
  TupleBuilder build;
  std::size_t at = at_;
  if (!numbers(at, 0, build)) return false;
  at_ = at;
  out = build.take();
  return true;
}

Result<std::int64_t> LeafParser::integer() {
  skip();
  const std::size_t start = at_;
  std::size_t end = at_;
  if (end < text_.size() && text_[end] == '-') ++end;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  const auto n = parse_integer(text_.substr(start, end - start));
  if (end == start) return unexpected("a number");
  if (!n) return error(start, "not a number of 64 bits", "");
  at_ = end;
  return static_cast<std::int64_t>(*n);
}

}  // namespace cutelab::layout
