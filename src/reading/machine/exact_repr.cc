#include <algorithm>
#include <cmath>

#include "reading/machine/interpreter.h"
#include "reading/machine/texts.h"
#include "reading/machine/unicode.h"

// repr(), format() and the operator % on texts, where they are known to the letter.
namespace cutelab::reading::machine {
namespace {
constexpr int deepest = 64;
constexpr std::size_t longest = 1u << 20;  ///< bytes of a text

}  // namespace

std::optional<std::string> Machine::exact_repr(const Value& v, int depth) {
  if (!v.object()) return v.bound() ? std::optional(repr(v)) : std::nullopt;
  if (const Text* t = v.as<Text>()) return is_ascii(t->text) ? std::optional(quoted(t->text)) : std::nullopt;
  const Tuple* tuple = v.as<Tuple>();
  const List* list = v.as<List>();
  const Dict* dict = v.as<Dict>();
  const Set* set = v.as<Set>();
  if (const Instance* i = v.as<Instance>())
    if (Function* f = interpreter_->class_attribute(i->klass, symbol("__repr__")).as<Function>()) {
      const Value said = interpreter_->call_function(f, &v, {}, {}, {}, f->module);
      return said.as<Text>() ? std::optional(said.as<Text>()->text) : std::nullopt;
    }
  if (v.as<LayoutObject>()) return depth == 0 ? std::optional(repr(v)) : std::nullopt;
  if ((!tuple && !list && !dict && !set) || depth > deepest) return std::nullopt;
  if (list && list->view_of) return std::nullopt;
  if (tuple && tuple->of) return repr_of_named(*tuple, depth);
  if ((list && list->open) || (dict && (dict->open || dict->form != Dict::Form::plain)) ||
      (set && (set->open || set->items.size() > 1)) || (tuple && !tuple->names.empty()))
    return std::nullopt;
  if (std::find(spelling_.begin(), spelling_.end(), v.object()) != spelling_.end())
    return tuple ? "(...)" : list ? "[...]" : "{...}";
  if (set && set->items.empty()) return "set()";
  spelling_.push_back(v.object());
  const auto out = exact_items(v, depth);
  spelling_.pop_back();
  return out;
}

std::optional<std::string> Machine::exact_items(const Value& v, int depth) {
  const Tuple* tuple = v.as<Tuple>();
  const List* list = v.as<List>();
  std::string out = tuple ? "(" : list ? "[" : "{";
  const auto add = [&](const Value& item) {
    const auto one = exact_repr(item, depth + 1);
    if (one) out += *one;
    return one && out.size() < longest;
  };
  bool first = true;
  const auto comma = [&] {
    if (!first) out += ", ";
    first = false;
  };
  if (const Dict* dict = v.as<Dict>()) {
    for (const auto& [key, value] : dict->items) {
      comma();
      if (!add(key)) return std::nullopt;
      out += ": ";
      if (!add(value)) return std::nullopt;
    }
    return out + "}";
  }
  const auto& items = tuple ? tuple->items : list ? list->items : v.as<Set>()->items;
  for (const Value& item : items) {
    comma();
    if (!add(item)) return std::nullopt;
  }
  if (tuple && items.size() == 1) out += ",";
  return out + (tuple ? ")" : list ? "]" : "}");
}

std::optional<std::string> Machine::format(const Value& v, const std::string& specification) {
  if (v.is_unknown()) return std::nullopt;
  if (interpreter_->own_method(v, "__format__")) {
    const Value made = by_special(v, "__format__", {text(specification)});
    return made.as<Text>() ? std::optional(made.as<Text>()->text) : std::nullopt;
  }
  if (specification.empty()) return exact_str(v);
  const auto spec = parse_format(specification);
  const auto has = [&](std::string_view types) {
    return spec && spec->type && types.find(spec->type) != std::string_view::npos;
  };
  if ((v.is_real() && has("bcdoxXs")) || (v.is_integral() && has("s")) ||
      (v.as<Text>() && has("bcdoxXeEfFgG%"))) {
    raise_error("ValueError", "Unknown format code '" + std::string(1, spec->type) + "'");
    return std::nullopt;
  }
  if (v.is_number() || v.as<Text>()) {
    if (!spec) return std::nullopt;
    if (v.is_integral()) return format_integer(v.number(), *spec);
    return v.is_real() ? format_real(v.as_real(), *spec) : format_string(v.as<Text>()->text, *spec);
  }
  if (v.is_none() || v.as<Tuple>() || v.as<List>() || v.as<Dict>() || v.as<Set>())
    raise_error("TypeError", "unsupported format string '" + specification + "'");
  return std::nullopt;
}

namespace {
/// One `%…` of a template.
struct Conversion {
  FormatSpec spec;
  std::optional<std::string> key;
  bool star_width = false, star_precision = false, left = false;
};

/// Takes the conversion at the front of `rest`, behind its `%`; nullopt: it is none.
std::optional<Conversion> take_conversion(std::string_view& rest) {
  Conversion out;
  const auto next = [&] { return rest.empty() ? '\0' : rest.front(); };
  if (next() == '(') {
    const auto end = rest.find(')');
    if (end == std::string_view::npos) return std::nullopt;
    out.key = std::string(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
  }
  for (; std::string_view("-+ #0").find(next()) != std::string_view::npos && next(); rest.remove_prefix(1)) {
    out.left = out.left || next() == '-';
    if (next() == '+' || (next() == ' ' && out.spec.sign == '-')) out.spec.sign = next();
    out.spec.alternate = out.spec.alternate || next() == '#';
    out.spec.zero = out.spec.zero || next() == '0';
  }
  const auto number = [&](bool& star) {
    int n = 0;
    if (next() == '*') {
      star = true;
      rest.remove_prefix(1);
      return n;
    }
    for (; next() >= '0' && next() <= '9'; rest.remove_prefix(1))
      n = std::min(n * 10 + (next() - '0'), 100'000);
    return n;
  };
  out.spec.width = number(out.star_width);
  if (next() == '.') {
    rest.remove_prefix(1);
    out.spec.precision = number(out.star_precision);
  }
  while (std::string_view("hlL").find(next()) != std::string_view::npos && next()) rest.remove_prefix(1);
  out.spec.type = next();
  if (!rest.empty()) rest.remove_prefix(1);
  if (out.spec.width > 65'536 || out.spec.precision > 65'536) return std::nullopt;
  return out;
}
}  // namespace

/// One value by its conversion; nullopt: not known, or an error is under way.
std::optional<std::string> Machine::converted(const Value& value, FormatSpec spec) {
  if (value.is_unknown() || !value.bound()) return std::nullopt;
  const char type = spec.type;
  if (type == 's' || type == 'r') {
    auto text = type == 's' ? exact_str(value) : exact_repr(value);
    if (!text) return std::nullopt;
    FormatSpec plain;
    plain.width = spec.width;
    plain.precision = spec.precision;
    plain.align = spec.align ? spec.align : '>';
    return format_string(*text, plain);
  }
  const bool whole = type == 'd' || type == 'i' || type == 'u',
             real = std::string_view("eEfFgG").find(type) != std::string_view::npos;
  const bool based = type == 'x' || type == 'X' || type == 'o';
  if (type == 'c' && (value.is_real() || (value.as<Text>() && length_of(value.as<Text>()->text) != 1))) {
    raise_error("TypeError", "%c requires int or char");
    return std::nullopt;
  }
  if (based && value.is_real()) {
    raise_error("TypeError", "%x format: an integer is required");
    return std::nullopt;
  }
  if (!whole && !real && !based) return std::nullopt;
  if (value.as<Text>() || value.is_none() || value.as<Tuple>() || value.as<List>() || value.as<Dict>()) {
    raise_error("TypeError", std::string("%") + type + " of " + repr(value));
    return std::nullopt;
  }
  if (!value.is_number() || (spec.precision >= 0 && !real)) return std::nullopt;
  if (real) return format_real(value.as_real(), spec);
  if (whole) spec.type = 'd';
  if (value.is_integral()) return format_integer(value.number(), spec);
  if (based || !(std::abs(value.as_real()) < 9e18)) return std::nullopt;
  return format_integer(static_cast<std::int64_t>(value.as_real()), spec);
}

std::optional<std::string> Machine::percent_format(const std::string& text, const Value& values) {
  const Tuple* several = values.as<Tuple>();
  const bool mapping = values.as<Dict>() != nullptr;
  std::size_t used = 0;
  const auto next_value = [&]() -> Value {
    if (!several)
      return used++ == 0 ? values : raise_error("TypeError", "not enough arguments for format string");
    if (used < several->items.size()) return several->items[used++];
    return raise_error("TypeError", "not enough arguments for format string");
  };
  std::optional<std::string> out = std::string();
  for (std::string_view rest = text; !rest.empty();) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '%' || rest.starts_with('%')) {
      if (c == '%') rest.remove_prefix(1);
      if (out) *out += c;
      continue;
    }
    auto one = take_conversion(rest);
    if (!one) return std::nullopt;
    for (auto [star, place] :
         {std::pair(one->star_width, &one->spec.width), {one->star_precision, &one->spec.precision}}) {
      const Value n = star ? next_value() : Value();
      if (star && (raising_ || !n.is_integral() || n.number() < 0 || n.number() > 65'536))
        return std::nullopt;
      if (star) *place = static_cast<int>(n.number());
    }
    if (one->left) {
      one->spec.align = '<';
      one->spec.zero = false;
    }
    Value value;
    if (one->key) {
      if (!mapping) return std::nullopt;
      value = subscript(values, this->text(*one->key));
      used = 1;
    } else {
      value = next_value();
    }
    if (raising_) return std::nullopt;
    const auto told = converted(value, one->spec);
    if (raising_) return std::nullopt;
    if (told && out)
      *out += *told;
    else
      out = std::nullopt;
  }
  const bool left = several ? used < several->items.size() : used == 0 && !mapping;
  if (left && !values.is_unknown() && !values.as<List>() && !values.as<Record>() && !values.as<Instance>())
    raise_error("TypeError", "not all arguments converted during string formatting");
  return raising_ || (left && !several && !mapping) ? std::nullopt : out;
}

}  // namespace cutelab::reading::machine
