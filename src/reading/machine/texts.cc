#include "reading/machine/texts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "reading/machine/interpreter.h"
#include "reading/machine/unicode.h"

// Texts to the letter: literals, repr(), str(), f-strings.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

std::string real_text(double d) {
  if (std::isinf(d)) return d > 0 ? "inf" : "-inf";
  if (std::isnan(d)) return "nan";
  char buffer[64];
  const double size = std::abs(d);
  const bool exponent = size != 0 && (size < 1e-4 || size >= 1e16);
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, d,
                                 exponent ? std::chars_format::scientific : std::chars_format::fixed)
                       .ptr;
  std::string out(buffer, end);
  if (!exponent && out.find('.') == std::string::npos) out += ".0";
  return out;
}

std::string quoted(std::string_view text) {
  const bool single = text.find('\'') != std::string_view::npos,
             twofold = text.find('"') != std::string_view::npos;
  const char quote = single && !twofold ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      constexpr std::string_view digits = "0123456789abcdef";
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + quote;
}

namespace {
/// The number that `count` hexadecimal digits say.
std::optional<std::uint32_t> hexadecimal(std::string_view digits, std::size_t count) {
  std::uint32_t out = 0;
  if (digits.size() < count) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + count, out, 16);
  return error == std::errc() && end == digits.data() + count ? std::optional(out) : std::nullopt;
}

/// One escape sequence at the front of `rest`, taken off.
std::optional<std::string> escape(std::string_view& rest) {
  const char c = rest.size() > 1 ? rest[1] : '\0';
  const auto take = [&](std::size_t n, std::string said) {
    rest.remove_prefix(n);
    return said;
  };
  constexpr std::string_view names = "abfnrtv\\'\"", values = "\a\b\f\n\r\t\v\\'\"";
  if (const auto at = names.find(c); c && at != std::string_view::npos)
    return take(2, std::string(1, values[at]));
  if (c == '\n') return take(2, "");
  if (c == '\r') return take(rest.size() > 2 && rest[2] == '\n' ? 3 : 2, "");
  if (c == 'N') return std::nullopt;
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits > 0) {
    const auto point = hexadecimal(rest.substr(2), digits);
    if (!point || (*point >= 0xD800 && *point < 0xE000) || *point > 0x10FFFF) return std::nullopt;
    return take(2 + digits, encoded(*point));
  }
  if (c >= '0' && c <= '7') {
    std::uint32_t point = 0;
    std::size_t n = 1;
    for (; n < 4 && n < rest.size() && rest[n] >= '0' && rest[n] <= '7'; ++n)
      point = point * 8 + static_cast<std::uint32_t>(rest[n] - '0');
    return take(n, encoded(point));
  }
  return take(1, "\\");  // no escape: the backslash stays
}
}  // namespace

std::optional<std::string> unescaped(std::string_view written, bool raw) {
  if (raw || written.find('\\') == std::string_view::npos) return std::string(written);
  std::string out;
  while (!written.empty()) {
    if (written.front() != '\\') {
      out += written.front();
      written.remove_prefix(1);
      continue;
    }
    const auto one = escape(written);
    if (!one) return std::nullopt;
    out += *one;
  }
  return out;
}

/// The text of one literal with its interpolations put in; nullopt when one is not known.
std::optional<std::string> Machine::Interpreter::string_part(Node n, Scope* s) {
  std::optional<std::string> out = std::string();
  if (n.is(NodeKind::concatenated_string)) {
    for (const Node part : n.children()) {
      const auto one = string_part(part, s);
      if (!one || !out)
        out = std::nullopt;
      else
        *out += *one;
    }
    return out;
  }
  const std::string_view text = n.text();
  const std::string_view prefix = text.substr(0, std::min(text.find_first_of("'\""), text.size()));
  const bool raw = prefix.find_first_of("rR") != std::string_view::npos;
  const bool format = prefix.find_first_of("fF") != std::string_view::npos;
  if (prefix.find_first_of("bB") != std::string_view::npos) return std::nullopt;
  for (const Node part : n.children()) {
    std::optional<std::string> one = std::string();
    if (part.is(NodeKind::interpolation)) {
      one = interpolated(part, s);
    } else if (part.is(NodeKind::string_content)) {
      one = unescaped(part.text(), raw);
      if (format && one)
        for (const char* brace : {"{", "}"}) *one = doubled_once(*one, brace[0]);
    }
    if (m.raising_) return std::nullopt;
    if (!one || !out)
      out = std::nullopt;
    else
      *out += *one;
  }
  return out;
}

/// `{{` in an f-string is one brace.
std::string Machine::Interpreter::doubled_once(const std::string& text, char brace) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == brace && i + 1 < text.size() && text[i + 1] == brace) ++i;
  }
  return out;
}

std::optional<std::string> Machine::Interpreter::interpolated(Node part, Scope* s) {
  const Node inner = part.child(Field::expression_field);
  Value value = expression(inner, s);
  if (m.raising_ || value.is_unknown()) return std::nullopt;
  const std::string_view text = part.text();
  const std::uint32_t begin = part.span().begin;
  std::string_view after = text.substr(inner.span().end - begin);
  Node spec;
  for (const Node c : part.children())
    if (c.is(NodeKind::format_specifier)) spec = c;
  if (spec) after = text.substr(inner.span().end - begin, spec.span().begin - inner.span().end);
  const auto mark = after.find('!');
  const char conversion = mark == std::string_view::npos || mark + 1 >= after.size() ? '\0' : after[mark + 1];
  if (after.find('=') != std::string_view::npos) return std::nullopt;  // f"{x=}": its spaces count
  if (conversion == 'a') return std::nullopt;
  if (conversion != '\0') {
    auto converted = conversion == 'r' ? m.exact_repr(value) : m.exact_str(value);
    if (!converted) return std::nullopt;
    value = m.text(std::move(*converted));
  }
  if (!spec) return m.format(value, "");
  std::string specification;
  std::uint32_t at = spec.span().begin;
  const std::string_view whole = part.tree()->text();
  for (const Node c : spec.children()) {
    if (c.span().begin < at) continue;
    const auto one = interpolated(c, s);
    if (!one) return std::nullopt;
    specification += std::string(whole.substr(at, c.span().begin - at)) + *one;
    at = c.span().end;
  }
  specification += whole.substr(at, spec.span().end - at);
  if (specification.starts_with(':')) specification.erase(0, 1);
  return m.format(value, specification);
}

std::optional<std::string> Machine::exact_str(const Value& v) {
  if (const Text* t = v.as<Text>()) return t->text;
  if (const Record* r = v.as<Record>()) {
    if (r->kind == "Path") return exact_str(field(r, "text"));
    if (r->kind == "exception") return text_of_exception(*r);
    const Value name = field(r, "name");
    return name.as<Text>() ? std::optional(name.as<Text>()->text) : std::nullopt;
  }
  if (const External* e = v.as<External>())
    return e->path.starts_with("cutlass.") ? std::optional(std::string(e->leaf())) : std::nullopt;
  if (v.as<LayoutObject>()) return repr(v);
  if (const Instance* i = v.as<Instance>()) {
    if (Function* f = interpreter_->class_attribute(i->klass, symbol("__str__")).as<Function>()) {
      const Value said = interpreter_->call_function(f, &v, {}, {}, {}, f->module);
      return said.as<Text>() ? std::optional(said.as<Text>()->text) : std::nullopt;
    }
    if (i->klass->is_enum) {
      const External* base = i->klass->bases.empty() ? nullptr : i->klass->bases[0].as<External>();
      const Value* name = i->attributes.find(symbol("name"));
      const bool plain = i->klass->bases.size() == 1 && base && base->leaf() == "Enum" && name;
      return plain ? std::optional(i->klass->name + "." + str(*name)) : std::nullopt;
    }
  }
  return exact_repr(v);
}

std::optional<std::string> Machine::text_of_exception(const Record& r) {
  const Tuple* given = field(&r, "args").as<Tuple>();
  if (!given) return std::nullopt;
  if (given->items.empty()) return std::string();
  if (given->items.size() > 1) return exact_repr(field(&r, "args"));
  return r.path == "builtins.KeyError" ? exact_repr(given->items[0]) : exact_str(given->items[0]);
}

}  // namespace cutelab::reading::machine
