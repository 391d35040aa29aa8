#include "cli/host_expression.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include "base/text.h"
#include "cli/host_values.h"

namespace cutelab::cli {
namespace {

using HostKind = HostValue::Kind;

struct HostToken {
  enum class Kind { end, number, name, text, letter, sign };
  Kind kind = Kind::end;
  std::string text;
};

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Names of templates whose arguments may stand in an expression; after any other `<` is a comparison.
bool takes_template_arguments(const std::string& name) {
  const auto last = name.rfind(':');
  const std::string bare = last == std::string::npos ? name : name.substr(last + 1);
  for (const char* known : {"Int", "C", "static_cast", "reinterpret_cast", "const_cast", "integral_constant",
                            "Shape", "Stride", "Layout"})
    if (bare == known) return true;
  return false;
}

class HostParser {
 public:
  HostParser(std::string text, const HostScope& scope) : text_(std::move(text)), scope_(scope) { next(); }

  HostValue all() {
    HostValue value = choice();
    return now_.kind == HostToken::Kind::end ? value : HostValue();
  }

 private:
  void next();
  bool is(const char* sign) const { return now_.kind == HostToken::Kind::sign && now_.text == sign; }
  bool take(const char* sign) {
    if (!is(sign)) return false;
    next();
    return true;
  }
  HostValue choice();
  HostValue binary(int least);
  HostValue unary();
  HostValue postfix();
  HostValue primary();
  HostValue named();
  HostValue cast_or_parenthesis();
  std::string template_arguments();
  std::vector<HostValue> arguments(const char* closing);
  HostValue called(const std::string& name, const std::string& given, const std::vector<HostValue>& values);
  HostValue member(const HostValue& of, const std::string& name);
  HostValue converted(const std::string& type, HostValue value) const;

  std::string text_;
  const HostScope& scope_;
  std::size_t at_ = 0, begin_ = 0;
  int depth_ = 0;
  HostToken now_;
};

void HostParser::next() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  begin_ = at_;
  now_ = {};
  if (at_ >= text_.size()) return;
  const char c = text_[at_];
  const auto take_while = [&](auto holds) {
    while (at_ < text_.size() && holds(text_[at_])) ++at_;
    return text_.substr(begin_, at_ - begin_);
  };
  if (starts_name(c) || (c == ':' && text_.compare(at_, 2, "::") == 0)) {
    while (at_ < text_.size() && (in_name(text_[at_]) || text_.compare(at_, 2, "::") == 0))
      at_ += text_[at_] == ':' ? 2 : 1;
    now_ = {HostToken::Kind::name, text_.substr(begin_, at_ - begin_)};
  } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
    now_ = {HostToken::Kind::number, take_while([](char d) { return in_name(d) || d == '.' || d == '\''; })};
  } else if (c == '"' || c == '\'') {
    std::string inside;
    for (++at_; at_ < text_.size() && text_[at_] != c; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      inside += text_[at_];
    }
    at_ = std::min(at_ + 1, text_.size());
    now_ = {c == '"' ? HostToken::Kind::text : HostToken::Kind::letter, inside};
  } else {
    static const std::vector<std::string> two = {"==", "!=", "<=", ">=", "&&", "||", "->", "<<", ">>"};
    const std::string pair = text_.substr(at_, 2);
    const bool both = std::find(two.begin(), two.end(), pair) != two.end();
    at_ += both ? 2 : 1;
    now_ = {HostToken::Kind::sign, both ? pair : std::string(1, c)};
  }
}

HostValue HostParser::choice() {
  if (++depth_ > 64) return {};
  HostValue condition = binary(0);
  if (take("?")) {
    HostValue yes = choice();
    if (!take(":")) return {};
    HostValue no = choice();
    --depth_;
    // `argc > 1 ? atoi(argv[1]) : 5120`: the default's value, and where it may come from.
    if (!condition.known() && yes.argv >= 0) {
      HostValue chosen = scope_.given(yes.argv) ? yes : no;
      chosen.argv = yes.argv;
      return chosen;
    }
    return condition.is(HostKind::integer) ? (condition.integer != 0 ? yes : no) : HostValue();
  }
  --depth_;
  return condition;
}

int binding_of(const std::string& sign) {
  static const std::map<std::string, int> all = {{"||", 1}, {"&&", 2}, {"==", 4}, {"!=", 4}, {"<", 5},
                                                 {">", 5},  {"<=", 5}, {">=", 5}, {"<<", 6}, {">>", 6},
                                                 {"+", 7},  {"-", 7},  {"*", 8},  {"/", 8},  {"%", 8}};
  const auto it = all.find(sign);
  return it == all.end() ? -1 : it->second;
}

HostValue HostParser::binary(int least) {
  HostValue left = unary();
  while (now_.kind == HostToken::Kind::sign) {
    const std::string sign = now_.text;
    const int binding = binding_of(sign);
    if (binding < 0 || binding <= least) break;
    next();
    left = joined_values(sign, left, binary(binding));
  }
  return left;
}

HostValue HostParser::unary() {
  if (++depth_ > 64) return {};
  HostValue value;
  if (take("-")) {
    value = unary();
    value.integer = value.is(HostKind::integer) ? -value.integer : value.integer;
    value.real = -value.real;
    if (!value.is(HostKind::integer) && !value.is(HostKind::real)) value = {};
  } else if (take("!")) {
    value = unary();
    value = value.is(HostKind::integer) ? HostValue::of_integer(value.integer == 0) : HostValue();
  } else if (take("&")) {
    const std::string name = now_.kind == HostToken::Kind::name ? now_.text : "";
    value = postfix();
    if (!value.is(HostKind::memory)) value = {};
    if (!value.known() && !name.empty()) value.kind = HostKind::address;
    value.text = name;
  } else if (take("+")) {
    value = unary();
  } else if (take("*")) {
    unary();
  } else {
    value = postfix();
  }
  --depth_;
  return value;
}

std::vector<HostValue> HostParser::arguments(const char* closing) {
  std::vector<HostValue> values;
  while (!is(closing) && now_.kind != HostToken::Kind::end) {
    values.push_back(choice());
    if (!take(",")) break;
  }
  if (!take(closing)) at_ = text_.size(), now_ = {HostToken::Kind::sign, "?"};  // not followed: all() refuses
  return values;
}

HostValue HostParser::postfix() {
  HostValue value = primary();
  for (;;) {
    if (take(".") || take("->")) {
      const std::string name = now_.text;
      next();
      if (take("(")) arguments(")");
      value = member(value, name);
    } else if (take("[")) {
      const HostValue index = choice();
      take("]");
      const bool argument = value.is(HostKind::argument) && index.is(HostKind::integer);
      const bool first = value.is(HostKind::memory) && index.is(HostKind::integer) && index.integer == 0;
      if (argument)
        value.argv = static_cast<int>(index.integer);
      else if (!first)
        value = {};
    } else if (take("(")) {
      arguments(")");
      value = {};
    } else {
      return value;
    }
  }
}

HostValue HostParser::member(const HostValue& of, const std::string& name) {
  if (!of.is(HostKind::memory)) return {};
  if (name == "data" || name == "get" || name == "begin" || name == "device_data") return of;
  if (name != "size") return {};
  const std::int64_t elements = scope_.elements_of(of.memory);
  return elements < 0 ? HostValue() : HostValue::of_integer(elements);
}

HostValue number_of(std::string text) {
  std::erase(text, '\'');
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  char* end = nullptr;
  if (!hexadecimal && text.find_first_of(".eEfF") != std::string::npos)
    return HostValue::of_real(std::strtod(text.c_str(), &end));
  return HostValue::of_integer(std::strtoll(text.c_str(), &end, 0));
}

HostValue HostParser::cast_or_parenthesis() {
  const std::size_t begin = begin_, close = text_.find(')', begin);
  std::string inside = close == std::string::npos ? "" : text_.substr(begin, close - begin);
  const bool pointer = inside.find('*') != std::string::npos;
  std::erase(inside, '*');
  const std::string type = scope_.resolved_type(std::string(trim(inside)));
  const bool plain = host_element_bytes(type) > 0 || bare_type(type) == "void";
  if (plain && !scope_.variable(std::string(trim(inside))).known()) {
    at_ = close + 1;
    next();
    HostValue value = unary();
    return pointer ? value : converted(type, value);
  }
  HostValue value = choice();
  return take(")") ? value : HostValue();
}

HostValue HostParser::primary() {
  const HostToken token = now_;
  if (token.kind == HostToken::Kind::name) return named();
  if (take("(")) return cast_or_parenthesis();
  next();
  if (token.kind == HostToken::Kind::number) return number_of(token.text);
  HostValue value;
  if (token.kind == HostToken::Kind::text) value.kind = HostKind::text, value.text = token.text;
  if (token.kind == HostToken::Kind::letter && token.text.size() == 1)
    value.kind = HostKind::word, value.integer = token.text[0];
  return value;
}

std::string HostParser::template_arguments() {
  int depth = 0;
  const std::size_t begin = begin_ + 1;
  for (std::size_t i = begin_; i < text_.size(); ++i) {
    depth += text_[i] == '<' ? 1 : text_[i] == '>' ? -1 : 0;
    if (depth != 0) continue;
    at_ = i + 1;
    next();
    return text_.substr(begin, i - begin);
  }
  return "";
}

HostValue HostParser::named() {
  const std::string name = now_.text;
  next();
  std::string given;
  if (is("<") && takes_template_arguments(name)) given = template_arguments();
  if (name == "sizeof" && is("(")) {
    const std::size_t close = text_.find(')', at_);
    const std::string type = close == std::string::npos ? "" : text_.substr(at_, close - at_);
    at_ = std::min(close, text_.size() - 1) + 1;
    next();
    const int bytes = host_element_bytes(scope_.resolved_type(type));
    return bytes > 0 ? HostValue::of_integer(bytes) : HostValue();
  }
  if (take("(")) return called(name, given, arguments(")"));
  if (take("{")) return called(name, given, arguments("}"));
  if (name == "true" || name == "false") return HostValue::of_integer(name == "true");
  return scope_.variable(name);
}

HostValue HostParser::converted(const std::string& type, HostValue value) const {
  if (is_real_type(type) && is_whole_number(value)) {
    HostValue made = HostValue::of_real(static_cast<double>(value.integer));
    made.argv = value.argv;
    return made;
  }
  if (!is_real_type(type) && value.is(HostKind::real) && host_element_bytes(type) > 0)
    return HostValue::of_integer(static_cast<std::int64_t>(value.real));
  return value;
}

/// atoi and its like: the argument's text as a number.
HostValue number_of_argument(const HostValue& argument, const HostScope& scope, bool real) {
  HostValue value;
  if (const auto text = scope.given(argument.argv)) {
    const auto whole = parse_integer(*text);
    if (real)
      value = HostValue::of_real(std::strtod(text->c_str(), nullptr));
    else if (whole)
      value = HostValue::of_integer(*whole);
  }
  value.argv = argument.argv;
  return value;
}

HostValue HostParser::called(const std::string& name, const std::string& given,
                             const std::vector<HostValue>& values) {
  const auto last = name.rfind(':');
  const std::string bare = last == std::string::npos ? name : name.substr(last + 1);
  if (bare == "Int" || bare == "C") {
    const HostValue size = evaluate_host(given, scope_);
    return size.is(HostKind::integer) ? HostValue::of_integer(size.integer, true) : HostValue();
  }
  if (bare.size() > 1 && bare[0] == '_' && values.empty())
    if (const auto size = parse_integer(bare.substr(1))) return HostValue::of_integer(*size, true);
  for (const char* tuple : {"make_shape", "make_stride", "make_coord", "make_tuple"})
    if (bare == tuple) return tuple_of(values);
  if (bare == "make_layout") return layout_of(values);
  if (values.size() == 1 && values[0].is(HostKind::argument))
    for (const char* parser : {"atoi", "stoi", "atol", "stol", "atoll", "stoll", "atof", "stof", "stod"})
      if (bare == parser)
        return number_of_argument(values[0], scope_, bare.back() == 'f' || bare.back() == 'd');
  if (bare == "raw_pointer_cast" || bare == "reinterpret_cast" || bare == "const_cast")
    return values.size() == 1 ? values[0] : HostValue();
  if (bare == "size" && values.size() == 1 &&
      (values[0].is(HostKind::tuple) || values[0].is(HostKind::layout))) {
    std::int64_t product = 1;
    for (const HostLeaf& leaf : values[0].shape) product *= leaf.value;
    return HostValue::of_integer(product);
  }
  if (bare == "ceil_div" && values.size() == 2 && is_whole_number(values[0]) && is_whole_number(values[1]) &&
      values[1].integer > 0)
    return HostValue::of_integer((values[0].integer + values[1].integer - 1) / values[1].integer);
  const std::string type = scope_.resolved_type(bare == "static_cast" ? given : name);
  return values.size() == 1 && host_element_bytes(type) > 0 ? converted(type, values[0]) : HostValue();
}

}  // namespace

HostValue evaluate_host(std::string_view text, const HostScope& scope) {
  if (text.size() > (1u << 16)) return {};
  return HostParser(without_comments(text), scope).all();
}

}  // namespace cutelab::cli
