#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "reading/machine/unicode.h"
#include "reading/models/python_models.h"

// Methods of str and what spells a value.
namespace cutelab::reading::machine::python_models {
namespace {

const std::string* self_text(const Call& c) { return c.self.as<Text>() ? &c.self.as<Text>()->text : nullptr; }
const std::string* argument_text(const Call& c, std::size_t i) {
  return i < c.count() && c.arguments[i].as<Text>() ? &c.arguments[i].as<Text>()->text : nullptr;
}
Value integer_of(std::size_t n) { return Value::integer(static_cast<std::int64_t>(n)); }

template <int (*change)(int)>
Answer changed(Call& c) {
  std::string out = *self_text(c);
  if (!is_ascii(out)) return std::nullopt;
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char ch) { return static_cast<char>(change(ch)); });
  return c.machine.text(std::move(out));
}

constexpr std::string_view spaces = " \t\n\r\v\f\x1c\x1d\x1e\x1f";

template <bool front, bool back>
Answer strip(Call& c) {
  const std::string& s = *self_text(c);
  const bool own = c.count() > 0 && !c.arguments[0].is_none();
  const std::string* set = argument_text(c, 0);
  if (c.count() > 1 || (own && !set) || (set && !is_ascii(*set)) || (!set && !is_ascii(s)))
    return std::nullopt;
  const std::string_view any = set ? std::string_view(*set) : spaces;
  const auto begin = front ? s.find_first_not_of(any) : 0;
  if (begin == std::string::npos) return c.machine.text("");
  const auto last = back ? s.find_last_not_of(any) : s.size() - 1;
  if (last == std::string::npos) return c.machine.text("");
  return c.machine.text(s.substr(begin, last - begin + 1));
}

Answer split_text(Call& c) {
  std::vector<Value> out;
  const std::string& s = *self_text(c);
  const Value by = c.get(0, "sep", Value::none()), most = c.get(1, "maxsplit", Value::integer(-1));
  const Text* separator = by.as<Text>();
  if ((!separator && !by.is_none()) || !most.is_integral() || (!separator && !is_ascii(s)))
    return std::nullopt;
  if (separator && separator->text.empty())
    return c.machine.raise_error("ValueError", "empty separator", c.node, c.module);
  std::int64_t left = most.number() < 0 ? INT64_MAX : most.number();
  std::size_t at = 0;
  if (separator) {
    for (;; --left) {
      const auto next = left > 0 ? s.find(separator->text, at) : std::string::npos;
      out.push_back(c.machine.text(s.substr(at, next == std::string::npos ? next : next - at)));
      if (next == std::string::npos) break;
      at = next + separator->text.size();
    }
  } else {
    for (; (at = s.find_first_not_of(spaces, at)) != std::string::npos; --left) {
      auto end = left > 0 ? s.find_first_of(spaces, at) : std::string::npos;
      if (left <= 0) end = s.find_last_not_of(spaces) + 1;
      out.push_back(c.machine.text(s.substr(at, end == std::string::npos ? end : end - at)));
      if (end == std::string::npos || left <= 0) break;
      at = end;
    }
  }
  return c.machine.list(std::move(out));
}

Answer join_texts(Call& c) {
  const auto items = c.count() == 1 ? c.machine.items_in_order(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  std::string out;
  bool known = true;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Text* t = (*items)[i].as<Text>();
    known = known && t;
    if (t) out += (i ? *self_text(c) : "") + t->text;
    if ((*items)[i].is_number() || (*items)[i].is_none())
      return c.machine.raise_error("TypeError", "join of what is no text", c.node, c.module);
  }
  return known ? Answer(c.machine.text(std::move(out))) : std::nullopt;
}

template <bool begin>
Answer affix(Call& c) {
  if (c.count() > 1) return affix_within(c, begin);
  if (c.count() != 1) return std::nullopt;
  std::vector<Value> candidates = c.arguments;
  if (c.arguments[0].as<Tuple>()) candidates = c.arguments[0].as<Tuple>()->items;
  for (const Value& v : candidates) {
    const Text* t = v.as<Text>();
    if (!t) return std::nullopt;
    if (begin ? self_text(c)->starts_with(t->text) : self_text(c)->ends_with(t->text))
      return Value::boolean(true);
  }
  return Value::boolean(false);
}

Answer replace_text(Call& c) {
  if (c.count() == 3) return replace_some(c);
  const std::string *from = argument_text(c, 0), *to = argument_text(c, 1);
  if (!from || !to || from->empty() || c.count() != 2) return std::nullopt;
  constexpr std::size_t most = 1 << 20;  // bytes of the result
  const std::string& self = *self_text(c);
  if (self.size() / from->size() * to->size() > most) return std::nullopt;
  return c.machine.text(replace_all(self, *from, *to));
}

Answer is_digits(Call& c) {
  const std::string& s = *self_text(c);
  if (!is_ascii(s)) return std::nullopt;
  return Value::boolean(!s.empty() &&
                        std::all_of(s.begin(), s.end(), [](char ch) { return ch >= '0' && ch <= '9'; }));
}

/// The value that a replacement field names: "", "2" or "name"; unbound: not known, or an error is under way.
Value field_value(Call& c, const std::string& name, std::size_t& next) {
  Machine& m = c.machine;
  if (name.find_first_of(".[") != std::string::npos || !c.complete) return {};
  if (name.empty() || name.find_first_not_of("0123456789") == std::string::npos) {
    const std::size_t at = name.empty() ? next++ : std::strtoul(name.c_str(), nullptr, 10);
    if (at < c.count()) return c.arguments[at];
    return m.raise_error("IndexError", "Replacement index out of range", c.node, c.module);
  }
  for (const auto& [key, value] : c.keywords)
    if (m.name_of(key) == name) return value;
  return m.raise_error("KeyError", name, c.node, c.module);
}

/// One `{…}`, without its braces.
std::optional<std::string> replaced(Call& c, const std::string& field, std::size_t& next) {
  if (field.find('{') != std::string::npos) return std::nullopt;
  const auto colon = field.find(':');
  std::string name = field.substr(0, colon);
  const auto mark = name.find('!');
  const std::string conversion = mark == std::string::npos ? "" : name.substr(mark + 1);
  name = name.substr(0, mark);
  Value value = field_value(c, name, next);
  if (!value.bound() || (!conversion.empty() && conversion != "r" && conversion != "s")) return std::nullopt;
  if (!conversion.empty()) {
    auto text = conversion == "r" ? c.machine.exact_repr(value) : c.machine.exact_str(value);
    if (!text) return std::nullopt;
    value = c.machine.text(std::move(*text));
  }
  return c.machine.format(value, colon == std::string::npos ? "" : field.substr(colon + 1));
}

Answer format_text(Call& c) {
  std::optional<std::string> out = std::string();
  const std::string& s = *self_text(c);
  std::size_t next = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool brace = s[i] == '{' || s[i] == '}';
    if (!brace || (i + 1 < s.size() && s[i + 1] == s[i])) {
      if (out) *out += s[i];
      i += brace ? 1 : 0;
      continue;
    }
    const auto end = s[i] == '{' ? s.find('}', i) : std::string::npos;
    if (end == std::string::npos)
      return c.machine.raise_error("ValueError", "Single '{' or '}' in a format string", c.node, c.module);
    const auto one = replaced(c, s.substr(i + 1, end - i - 1), next);
    if (c.machine.raising()) return Value();
    if (one && out)
      *out += *one;
    else
      out = std::nullopt;
    i = end;
  }
  return out ? Answer(c.machine.text(std::move(*out))) : std::nullopt;
}

Answer find_text(Call& c) {
  const std::string* what = argument_text(c, 0);
  if (c.count() > 1) return find_within(c);
  if (!what) return std::nullopt;
  const auto at = self_text(c)->find(*what);
  return at == std::string::npos ? Value::integer(-1) : integer_of(length_of(self_text(c)->substr(0, at)));
}

Answer index_in_text(Call& c) {
  const Answer found = find_text(c);
  if (!found || found->number() >= 0) return found;
  return c.machine.raise_error("ValueError", "substring not found", c.node, c.module);
}

Answer count_in_text(Call& c) {
  const std::string* what = argument_text(c, 0);
  if (c.count() > 1) return count_within(c);
  if (!what || what->empty()) return std::nullopt;
  std::size_t n = 0;
  for (auto at = self_text(c)->find(*what); at != std::string::npos; ++n)
    at = self_text(c)->find(*what, at + what->size());
  return integer_of(n);
}

template <bool exact>
Answer spelled(Call& c) {
  if (!c.count() && !exact) return c.machine.text("");
  if (c.count() != 1) return std::nullopt;
  if (c.arguments[0].is_unknown()) return c.arguments[0];
  auto text = exact ? c.machine.exact_repr(c.arguments[0]) : c.machine.exact_str(c.arguments[0]);
  if (c.machine.raising()) return Value();
  return text ? Answer(c.machine.text(std::move(*text))) : std::nullopt;
}

Answer format_value(Call& c) {
  const std::string* spec = argument_text(c, 1);
  if (!c.count() || (c.count() > 1 && !spec)) return std::nullopt;
  auto text = c.machine.format(c.arguments[0], spec ? *spec : "");
  if (c.machine.raising()) return Value();
  return text ? Answer(c.machine.text(std::move(*text))) : std::nullopt;
}

template <char type>
Answer in_base(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_integral()) return std::nullopt;
  auto text = c.machine.format(Value::integer(c.arguments[0].number()), std::string("#") + type);
  return text ? Answer(c.machine.text(std::move(*text))) : std::nullopt;
}

Answer ordinal(Call& c) {
  const std::string* text = c.count() == 1 ? argument_text(c, 0) : nullptr;
  if (!text) return std::nullopt;
  if (length_of(*text) != 1)
    return c.machine.raise_error("TypeError", "ord() expected a character", c.node, c.module);
  return integer_of(code_point(*text));
}

Answer character(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_integral()) return std::nullopt;
  const auto n = c.arguments[0].number();
  if (n < 0 || n > 0x10FFFF)
    return c.machine.raise_error("ValueError", "chr() arg not in range(0x110000)", c.node, c.module);
  if (n >= 0xD800 && n < 0xE000) return std::nullopt;
  return c.machine.text(encoded(static_cast<std::uint32_t>(n)));
}
}  // namespace

void add_text_methods(Natives& n) {
  n.method("str", "lower", changed<std::tolower>);
  n.method("str", "upper", changed<std::toupper>);
  n.method("str", "strip", strip<true, true>);
  n.method("str", "lstrip", strip<true, false>);
  n.method("str", "rstrip", strip<false, true>);
  n.method("str", "split", split_text);
  n.method("str", "join", join_texts);
  n.method("str", "startswith", affix<true>);
  n.method("str", "endswith", affix<false>);
  n.method("str", "replace", replace_text);
  n.method("str", "isdigit", is_digits);
  n.method("str", "format", format_text);
  n.method("str", "find", find_text);
  n.method("str", "index", index_in_text);
  n.method("str", "count", count_in_text);
  n.function("builtins", "str", spelled<false>);
  n.function("builtins", "repr", spelled<true>);
  n.function("builtins", "format", format_value);
  n.function("builtins", "hex", in_base<'x'>);
  n.function("builtins", "oct", in_base<'o'>);
  n.function("builtins", "bin", in_base<'b'>);
  n.function("builtins", "ord", ordinal);
  n.function("builtins", "chr", character);
}

}  // namespace cutelab::reading::machine::python_models
