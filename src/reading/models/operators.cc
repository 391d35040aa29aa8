#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "reading/models/models.h"

namespace cutelab::reading::models {
using Kind = Abstract::Kind;
using source::Field;
using source::Node;
namespace {

Abstract unknown_of(const Abstract& a, const Abstract& b, Node at) {
  const Abstract& cause = !a.known() ? a : b;
  std::vector<std::string> depends = cause.depends_on;
  if (!a.known() && !b.known()) depends.insert(depends.end(), b.depends_on.begin(), b.depends_on.end());
  if (depends.empty()) depends.push_back(std::string(at.text().substr(0, 80)));
  return Abstract::unknown(cause.known() ? "needs evaluation: arithmetic on " +
                                               (cause.path.empty() ? std::string("a value") : cause.path)
                                         : cause.text,
                           std::move(depends), at);
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

Abstract power(std::int64_t base, std::int64_t exponent, Node at) {
  std::int64_t out = 1;
  if (exponent < 0 || exponent > 64) return Abstract::unknown("power out of range", {}, at);
  for (std::int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(out, base, &out)) return Abstract::unknown("integer too large", {}, at);
  return Abstract::integer(out);
}

Abstract integers(std::string_view op, std::int64_t a, std::int64_t b, Node at) {
  std::int64_t out = 0;
  if (op == "+" && !__builtin_add_overflow(a, b, &out)) return Abstract::integer(out);
  if (op == "-" && !__builtin_sub_overflow(a, b, &out)) return Abstract::integer(out);
  if (op == "*" && !__builtin_mul_overflow(a, b, &out)) return Abstract::integer(out);
  const bool divides = b != 0 && !(b == -1 && a == INT64_MIN);
  if (op == "//" && divides) return Abstract::integer(floor_divide(a, b));
  if (op == "%" && divides) return Abstract::integer(a - floor_divide(a, b) * b);
  if (op == "/" && b != 0) return Abstract::of_real(static_cast<double>(a) / static_cast<double>(b));
  if (op == "&") return Abstract::integer(a & b);
  if (op == "|") return Abstract::integer(a | b);
  if (op == "^") return Abstract::integer(a ^ b);
  if (op == "**") return power(a, b, at);
  if (op == "<<" && b >= 0 && b < 62 && a >= 0 && a <= (INT64_MAX >> b)) return Abstract::integer(a << b);
  if (op == ">>" && b >= 0 && b < 63) return Abstract::integer(a >> b);
  return Abstract::unknown("no value: " + std::string(op), {std::string(at.text().substr(0, 80))}, at);
}

Abstract reals(std::string_view op, double a, double b, Node at) {
  if (op == "+") return Abstract::of_real(a + b);
  if (op == "-") return Abstract::of_real(a - b);
  if (op == "*") return Abstract::of_real(a * b);
  if (op == "/" && b != 0) return Abstract::of_real(a / b);
  return Abstract::unknown("needs evaluation: " + std::string(op), {}, at);
}

double as_real(const Abstract& a) { return a.is(Kind::real) ? a.real : static_cast<double>(a.number); }

constexpr std::size_t most_items = 4096;
}  // namespace

Abstract arithmetic(std::string_view op, const Abstract& a, const Abstract& b, Node at) {
  if (a.is_number() && b.is_number()) return integers(op, a.number, b.number, at);
  if ((a.is_number() || a.is(Kind::real)) && (b.is_number() || b.is(Kind::real)))
    return reals(op, as_real(a), as_real(b), at);
  if (op == "+" && a.is(Kind::tuple) && b.is(Kind::tuple) && a.items.size() + b.items.size() < most_items) {
    Abstract out = a;
    out.items.insert(out.items.end(), b.items.begin(), b.items.end());
    return out;
  }
  if (op == "+" && a.is(Kind::text) && b.is(Kind::text)) return Abstract::of_text(a.text + b.text);
  if (op == "*" && a.is(Kind::tuple) && b.is_number() && b.number >= 0 &&
      a.items.size() * static_cast<std::size_t>(std::min<std::int64_t>(b.number, most_items)) < most_items) {
    Abstract out = Abstract::tuple({});
    for (std::int64_t i = 0; i < b.number; ++i)
      out.items.insert(out.items.end(), a.items.begin(), a.items.end());
    return out;
  }
  return unknown_of(a, b, at);
}

namespace {
std::string_view last_name(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

/// An object that a look-up gave, or an attribute of an object of the library: it may well be None.
bool may_be_none(const Abstract& a) {
  if (!a.is(Kind::object) || !a.made_at.is(source::Kind::call)) return false;
  const std::string_view leaf = last_name(a.path);
  if (leaf == "getattr" || leaf == "get" || leaf == "getenv" || leaf == "pop") return true;
  const std::string_view made_by = last_name(a.made_at.child(source::Field::function_field).text());
  return !leaf.empty() && leaf.back() != ']' && a.path.find(made_by) + made_by.size() < a.path.size() &&
         leaf != made_by && a.path.find(std::string(made_by) + ".") != std::string::npos;
}

std::optional<bool> identical(const Abstract& a, const Abstract& b) {
  if (!a.known() || !b.known()) return std::nullopt;
  if ((a.is(Kind::none) && may_be_none(b)) || (b.is(Kind::none) && may_be_none(a))) return std::nullopt;
  if (a.is(Kind::none) || b.is(Kind::none)) return a.kind == b.kind;
  const bool opaque =
      a.is(Kind::object) || b.is(Kind::object) || a.is(Kind::instance) || b.is(Kind::instance);
  if (same(a, b)) return true;
  if (opaque) return std::nullopt;
  if (a.is(Kind::tuple) && b.is(Kind::tuple)) {
    if (a.items.size() != b.items.size()) return false;
    for (std::size_t i = 0; i < a.items.size(); ++i) {
      const auto one = identical(a.items[i], b.items[i]);
      if (!one || !*one) return one;
    }
    return true;
  }
  if (a.is(Kind::name) != b.is(Kind::name)) return std::nullopt;
  return false;
}

std::optional<bool> ordered(std::string_view op, const Abstract& a, const Abstract& b) {
  const bool numbers = (a.is_number() || a.is(Kind::real)) && (b.is_number() || b.is(Kind::real));
  if (!numbers) return std::nullopt;
  const double x = as_real(a), y = as_real(b);
  if (op == "<") return x < y;
  if (op == ">") return x > y;
  if (op == "<=") return x <= y;
  if (op == ">=") return x >= y;
  return std::nullopt;
}

std::optional<bool> contained(const Abstract& a, const Abstract& b) {
  if (!b.is(Kind::tuple)) return std::nullopt;
  bool undecided = false;
  for (const Abstract& item : b.items) {
    const auto one = identical(a, item);
    if (one && *one) return true;
    undecided = undecided || !one;
  }
  return undecided ? std::nullopt : std::optional<bool>(false);
}
}  // namespace

Abstract compare(std::string_view op, const Abstract& a, const Abstract& b, Node at) {
  std::optional<bool> out;
  if (op == "==" || op == "is") out = identical(a, b);
  if (op == "!=" || op == "is not") {
    out = identical(a, b);
    if (out) out = !*out;
  }
  if (op == "in") out = contained(a, b);
  if (op == "not in") {
    out = contained(a, b);
    if (out) out = !*out;
  }
  if (!out) out = ordered(op, a, b);
  return out ? Abstract::boolean(*out) : unknown_of(a, b, at);
}

Abstract sliced(const Abstract& tuple, Node slice) {
  const std::string_view text = slice.text();
  const auto colon = text.find(':');
  const auto size = static_cast<std::int64_t>(tuple.items.size());
  const auto bound = [&](std::string_view part, std::int64_t otherwise) -> std::optional<std::int64_t> {
    if (trim(part).empty()) return otherwise;
    auto value = parse_integer(trim(part));
    if (!value) return std::nullopt;
    return std::clamp<std::int64_t>(*value < 0 ? *value + size : *value, 0, size);
  };
  const auto begin = bound(text.substr(0, colon), 0);
  const auto end = colon == std::string_view::npos ? std::nullopt : bound(text.substr(colon + 1), size);
  if (!begin || !end) return Abstract::unknown("needs evaluation: slice", {}, slice);
  Abstract out = Abstract::tuple({});
  for (auto i = *begin; i < *end; ++i) out.items.push_back(tuple.items[static_cast<std::size_t>(i)]);
  return out;
}

Abstract slot(const Abstract& value, int slot, const std::string& name, Node at) {
  const auto index = static_cast<std::size_t>(slot);
  if (value.is(Kind::tuple)) {
    if (index < value.items.size()) return value.items[index];
    return Abstract::unknown("unpacks more than there is", {name}, at);
  }
  Abstract out =
      Abstract::unknown(value.known() ? "needs evaluation: unpacking" : value.text, value.depends_on, at);
  if (value.is(Kind::object) || value.is(Kind::name)) out = Abstract::object("", value.module, value.made_at);
  out.frame = value.frame;
  if (!value.path.empty()) out.path = value.path + "[" + std::to_string(slot) + "]";
  if (!value.known()) {
    std::vector<Abstract> alternatives;
    for (const Abstract& item : value.items)
      if (item.is(Kind::tuple) && index < item.items.size()) alternatives.push_back(item.items[index]);
    if (!alternatives.empty() && alternatives.size() == value.items.size()) {
      out.items = alternatives;
      if (alternatives.front().known() && std::all_of(alternatives.begin(), alternatives.end(),
                                                      [&](auto& x) { return same(x, alternatives.front()); }))
        return alternatives.front();
      for (const Abstract& x : alternatives)
        if (!x.path.empty()) out.path = x.path;
    }
    if (out.depends_on.empty()) out.depends_on.push_back(name);
  }
  return out;
}

namespace {
std::optional<Abstract> integer_list(std::string_view text) {
  std::vector<Abstract> items;
  for (const auto part : split(text, ',')) {
    if (trim(part).empty()) continue;
    const auto n = parse_integer(trim(part));
    if (!n) return std::nullopt;
    items.push_back(Abstract::integer(*n));
  }
  return Abstract::tuple(std::move(items));
}
}  // namespace

Abstract converted(const Abstract& text, Node type) {
  const std::string_view name = type.text();
  if (name == "str") return text;
  if (name == "int")
    if (const auto n = parse_integer(trim(text.text))) return Abstract::integer(*n);
  if (name.find("comma") != std::string_view::npos || name.find("ints") != std::string_view::npos)
    if (auto list = integer_list(text.text)) return *list;
  return Abstract::unknown("needs evaluation: flag type " + std::string(name), {}, type);
}

Abstract from_text(const std::string& text) {
  const std::string_view t = trim(text);
  if (const auto n = parse_integer(t)) return Abstract::integer(*n);
  if (t == "true" || t == "True") return Abstract::boolean(true);
  if (t == "false" || t == "False") return Abstract::boolean(false);
  if (t == "none" || t == "None") return Abstract::none();
  std::string inner(t);
  if (inner.size() > 1 && (inner.front() == '(' || inner.front() == '['))
    inner = inner.substr(1, inner.size() - 2);
  std::string commas = inner;
  std::replace(commas.begin(), commas.end(), 'x', ',');
  if (commas.find(',') != std::string::npos)
    if (auto list = integer_list(commas)) return *list;
  if (bits_of_type(inner)) return Abstract::name("cutlass." + inner);
  return Abstract::of_text(std::string(t));
}

}  // namespace cutelab::reading::models
