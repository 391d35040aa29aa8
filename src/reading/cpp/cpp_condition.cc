#include <array>
#include <cctype>

#include "base/text.h"
#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_expand.h"

/// The arithmetic of `#if`: as C++ has it, with names that no file defines unknown.
namespace cutelab::reading {
namespace {
constexpr int deepest_condition = 60;

struct Operator {
  std::string_view text;
  int binds;
};
constexpr std::array<Operator, 18> condition_operators = {{{"||", 1},
                                                           {"&&", 2},
                                                           {"==", 6},
                                                           {"!=", 6},
                                                           {"<=", 7},
                                                           {">=", 7},
                                                           {"<<", 8},
                                                           {">>", 8},
                                                           {"|", 3},
                                                           {"^", 4},
                                                           {"&", 5},
                                                           {"<", 7},
                                                           {">", 7},
                                                           {"+", 9},
                                                           {"-", 9},
                                                           {"*", 10},
                                                           {"/", 10},
                                                           {"%", 10}}};

class Condition {
 public:
  explicit Condition(std::string_view text) : text_(text) {}
  std::optional<long long> whole() {
    const auto out = chosen();
    skip();
    return bad_ || at_ < text_.size() ? std::nullopt : out;
  }

 private:
  using Value = std::optional<long long>;
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(std::string_view what) {
    skip();
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }

  Value chosen() {
    const Value condition = joined(1);
    if (!take("?")) return condition;
    const Value then = chosen();
    if (!take(":")) bad_ = true;
    const Value otherwise = chosen();
    if (!condition) return std::nullopt;
    return *condition ? then : otherwise;
  }

  const Operator* next_operator() {
    skip();
    for (const Operator& one : condition_operators)
      if (text_.substr(at_).starts_with(one.text)) return &one;
    return nullptr;
  }

  static Value applied(std::string_view op, Value a, Value b) {
    if (op == "&&") {
      if ((a && !*a) || (b && !*b)) return 0;
      return a && b ? Value(1) : std::nullopt;
    }
    if (op == "||") {
      if ((a && *a) || (b && *b)) return 1;
      return a && b ? Value(0) : std::nullopt;
    }
    if (!a || !b) return std::nullopt;
    CppValue left = CppValue::of(std::int64_t{*a}), right = CppValue::of(std::int64_t{*b});
    left.held = right.held = CppHeld::signed_long;
    return cpp_arithmetic(op, left, right).integer();
  }

  Value joined(int binds) {
    if (++depth_ > deepest_condition) bad_ = true;
    Value left = single();
    while (!bad_) {
      const Operator* op = next_operator();
      if (!op || op->binds < binds) break;
      at_ += op->text.size();
      left = applied(op->text, left, joined(op->binds + 1));
    }
    --depth_;
    return left;
  }

  Value single() {
    if (++depth_ > deepest_condition) bad_ = true;
    Value out;
    skip();
    if (bad_ || at_ >= text_.size()) {
      bad_ = true;
    } else if (take("(")) {
      out = chosen();
      if (!take(")")) bad_ = true;
    } else if (take("!")) {
      out = single();
      if (out) out = *out == 0;
    } else if (text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '~') {
      const std::string op(1, text_[at_++]);
      out = single();
      if (out) out = cpp_unary(op, CppValue::of(std::int64_t{*out})).integer();
    } else {
      out = word();
    }
    --depth_;
    return out;
  }

  Value word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '\''))
      ++at_;
    if (at_ == begin) bad_ = true;
    const std::string_view found = text_.substr(begin, at_ - begin);
    if (found == "true") return 1;
    if (found == "false") return 0;
    if (found.empty() || !std::isdigit(static_cast<unsigned char>(found[0]))) {
      if (take("(")) bad_ = true;  // __has_include(…)
      return std::nullopt;
    }
    return cpp_literal(found).integer();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool bad_ = false;
};
}  // namespace

std::optional<long long> cpp_condition(std::string_view text) { return Condition(text).whole(); }

}  // namespace cutelab::reading
