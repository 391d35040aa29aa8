#include <algorithm>
#include <cctype>

#include "reading/machine/unicode.h"
#include "reading/models/arguments.h"
#include "reading/models/python_models.h"

// More methods of str. Those that count characters answer for ASCII alone.
namespace cutelab::reading::machine::python_models {
namespace {
const std::string* plain_self(const Call& c) {
  const Text* text = c.self.as<Text>();
  return text && is_ascii(text->text) ? &text->text : nullptr;
}
const std::string* plain_argument(const Call& c, std::size_t i) {
  const Text* text = i < c.count() ? c.arguments[i].as<Text>() : nullptr;
  return text && is_ascii(text->text) ? &text->text : nullptr;
}
Value place(std::size_t n) { return Value::integer(static_cast<std::int64_t>(n)); }

/// What begin and end of a call leave of a text; nullopt: not known.
struct Window {
  std::size_t begin = 0, end = 0;
  bool empty = false;  ///< it begins behind the end: not even "" is found
};
std::optional<Window> window_of(const Call& c, std::size_t size, std::size_t first) {
  const auto n = static_cast<std::int64_t>(size);
  const auto bound = [&](std::size_t i, std::int64_t otherwise) -> std::optional<std::int64_t> {
    if (i >= c.count() || c.arguments[i].is_none()) return otherwise;
    if (!c.arguments[i].is_integral()) return std::nullopt;
    const std::int64_t at = c.arguments[i].number();
    return at < 0 ? std::max<std::int64_t>(at + n, 0) : at;
  };
  const auto begin = bound(first, 0), end = bound(first + 1, n);
  if (!begin || !end || c.count() > first + 2 || !c.keywords.empty() || !c.complete) return std::nullopt;
  const std::int64_t last = std::min(*end, n);
  return Window{static_cast<std::size_t>(std::min(*begin, n)), static_cast<std::size_t>(last), *begin > last};
}

/// find, rfind: where `what` is in a part of the text.
template <bool backwards>
Answer found_within(Call& c) {
  const std::string *self = plain_self(c), *what = plain_argument(c, 0);
  const auto window = self && what ? window_of(c, self->size(), 1) : std::nullopt;
  if (!window) return std::nullopt;
  if (window->empty) return Value::integer(-1);
  const std::string_view part = std::string_view(*self).substr(window->begin, window->end - window->begin);
  const auto at = backwards ? part.rfind(*what) : part.find(*what);
  return at == std::string_view::npos ? Value::integer(-1) : place(at + window->begin);
}

Answer rindex(Call& c) {
  const Answer found = found_within<true>(c);
  if (!found || found->number() >= 0) return found;
  return c.machine.raise_error("ValueError", "substring not found", c.node, c.module);
}

template <bool backwards>
Answer partition(Call& c) {
  const Text *self = c.self.as<Text>(), *by = c.count() == 1 ? c.arguments[0].as<Text>() : nullptr;
  if (!self || !by) return std::nullopt;
  Machine& m = c.machine;
  if (by->text.empty()) return m.raise_error("ValueError", "empty separator", c.node, c.module);
  const auto at = backwards ? self->text.rfind(by->text) : self->text.find(by->text);
  if (at == std::string::npos)
    return backwards ? m.tuple({m.text(""), m.text(""), c.self}) : m.tuple({c.self, m.text(""), m.text("")});
  return m.tuple(
      {m.text(self->text.substr(0, at)), c.arguments[0], m.text(self->text.substr(at + by->text.size()))});
}

Answer rsplit(Call& c) {
  const std::string* self = plain_self(c);
  const Value by = c.get(0, "sep", Value::none()), most = c.get(1, "maxsplit", Value::integer(-1));
  const Text* separator = by.as<Text>();
  if (!self || !separator || separator->text.empty() || !most.is_integral()) return std::nullopt;
  std::vector<Value> out;
  std::string rest = *self;
  for (std::int64_t left = most.number() < 0 ? INT64_MAX : most.number(); left > 0; --left) {
    const auto at = rest.rfind(separator->text);
    if (at == std::string::npos) break;
    out.push_back(c.machine.text(rest.substr(at + separator->text.size())));
    rest.resize(at);
  }
  out.push_back(c.machine.text(rest));
  std::reverse(out.begin(), out.end());
  return c.machine.list(std::move(out));
}

/// Of plain lines: other line ends than \n, \r\n and \r are not told apart here.
Answer splitlines(Call& c) {
  const std::string* self = plain_self(c);
  const auto keep = c.machine.truth(c.get(0, "keepends", Value::boolean(false)));
  if (!self || keep != Machine::Truth::no || self->find_first_of("\v\f\x1c\x1d\x1e") != std::string::npos)
    return std::nullopt;
  std::vector<Value> out;
  for (std::size_t at = 0; at < self->size();) {
    const auto end = self->find_first_of("\r\n", at);
    out.push_back(c.machine.text(self->substr(at, end == std::string::npos ? end : end - at)));
    if (end == std::string::npos) break;
    at = end + ((*self)[end] == '\r' && end + 1 < self->size() && (*self)[end + 1] == '\n' ? 2 : 1);
  }
  return c.machine.list(std::move(out));
}

constexpr std::int64_t widest = 1 << 16;

Answer zfill(Call& c) {
  const std::string* self = plain_self(c);
  if (!self || c.count() != 1 || !c.arguments[0].is_integral() || c.arguments[0].number() > widest)
    return std::nullopt;
  const auto width = static_cast<std::size_t>(std::max<std::int64_t>(c.arguments[0].number(), 0));
  if (self->size() >= width) return c.self;
  const std::size_t sign = !self->empty() && ((*self)[0] == '+' || (*self)[0] == '-') ? 1 : 0;
  return c.machine.text(self->substr(0, sign) + std::string(width - self->size(), '0') + self->substr(sign));
}

/// ljust (-1), center (0), rjust (1)
template <int side>
Answer justified(Call& c) {
  const std::string *self = plain_self(c), *fill = c.count() == 2 ? plain_argument(c, 1) : nullptr;
  if (!self || !c.count() || c.count() > 2 || (c.count() == 2 && (!fill || fill->size() != 1)) ||
      !c.arguments[0].is_integral() || c.arguments[0].number() > widest)
    return std::nullopt;
  const auto width = static_cast<std::size_t>(std::max<std::int64_t>(c.arguments[0].number(), 0));
  if (self->size() >= width) return c.self;
  const std::size_t pad = width - self->size();
  const std::size_t left = side < 0 ? 0 : side > 0 ? pad : pad / 2 + (pad & width & 1);
  const char with = fill ? (*fill)[0] : ' ';
  return c.machine.text(std::string(left, with) + *self + std::string(pad - left, with));
}

template <bool begin>
Answer without_affix(Call& c) {
  const Text *self = c.self.as<Text>(), *affix = c.count() == 1 ? c.arguments[0].as<Text>() : nullptr;
  if (!self || !affix) return std::nullopt;
  const std::string &whole = self->text, &part = affix->text;
  if (begin) return whole.starts_with(part) ? c.machine.text(whole.substr(part.size())) : c.self;
  return whole.ends_with(part) ? c.machine.text(whole.substr(0, whole.size() - part.size())) : c.self;
}

template <int (*question)(int)>
Answer all_are(Call& c) {
  const std::string* self = plain_self(c);
  if (!self || c.count()) return std::nullopt;
  return Value::boolean(!self->empty() && std::all_of(self->begin(), self->end(),
                                                      [](unsigned char ch) { return question(ch) != 0; }));
}

/// islower, isupper: one letter at least, and none of the other case.
template <bool lower>
Answer is_of_case(Call& c) {
  const std::string* self = plain_self(c);
  if (!self || c.count()) return std::nullopt;
  const auto is = [](bool low) {
    return [low](unsigned char ch) { return (low ? std::islower(ch) : std::isupper(ch)) != 0; };
  };
  return Value::boolean(std::any_of(self->begin(), self->end(), is(lower)) &&
                        std::none_of(self->begin(), self->end(), is(!lower)));
}

enum class Cased { capitalized, title, swapped };
template <Cased how>
Answer in_case(Call& c) {
  const std::string* self = plain_self(c);
  if (!self || c.count()) return std::nullopt;
  std::string out = *self;
  bool inside = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto ch = static_cast<unsigned char>(out[i]);
    const bool upper = how == Cased::swapped       ? std::islower(ch) != 0
                       : how == Cased::capitalized ? i == 0
                                                   : !inside;
    out[i] = static_cast<char>(upper ? std::toupper(ch) : std::tolower(ch));
    inside = std::isalpha(ch) != 0;
  }
  return c.machine.text(std::move(out));
}

Answer is_ascii_text(Call& c) {
  return c.self.as<Text>() ? Answer(Value::boolean(is_ascii(c.self.as<Text>()->text))) : std::nullopt;
}

Answer is_identifier(Call& c) {
  const std::string* self = plain_self(c);
  if (!self) return std::nullopt;
  const bool begins = !self->empty() && std::isdigit(static_cast<unsigned char>((*self)[0])) == 0;
  return Value::boolean(begins && std::all_of(self->begin(), self->end(), [](unsigned char ch) {
                          return ch == '_' || std::isalnum(ch) != 0;
                        }));
}
}  // namespace

Answer find_within(Call& c) { return found_within<false>(c); }

Answer affix_within(Call& c, bool begin) {
  const std::string* self = plain_self(c);
  const auto window = self ? window_of(c, self->size(), 1) : std::nullopt;
  const Tuple* several = c.count() ? c.arguments[0].as<Tuple>() : nullptr;
  const std::vector<Value> all =
      several ? several->items : std::vector<Value>{c.count() ? c.arguments[0] : Value()};
  if (!window) return std::nullopt;
  const std::string_view part =
      window->empty ? std::string_view()
                    : std::string_view(*self).substr(window->begin, window->end - window->begin);
  bool any = false;
  for (const Value& v : all) {
    const Text* affix = v.as<Text>();
    if (!affix || !is_ascii(affix->text)) return std::nullopt;
    any = any || (!window->empty && (begin ? part.starts_with(affix->text) : part.ends_with(affix->text)));
  }
  return Value::boolean(any);
}

Answer count_within(Call& c) {
  const std::string *self = plain_self(c), *what = plain_argument(c, 0);
  const auto window = self && what && !what->empty() ? window_of(c, self->size(), 1) : std::nullopt;
  if (!window) return std::nullopt;
  const std::string_view part =
      window->empty ? std::string_view()
                    : std::string_view(*self).substr(window->begin, window->end - window->begin);
  std::size_t n = 0;
  for (auto at = part.find(*what); at != std::string_view::npos; ++n)
    at = part.find(*what, at + what->size());
  return place(n);
}

Answer replace_some(Call& c) {
  const Text *self = c.self.as<Text>(), *from = c.count() == 3 ? c.arguments[0].as<Text>() : nullptr;
  const Text* to = c.count() == 3 ? c.arguments[1].as<Text>() : nullptr;
  if (!self || !from || !to || from->text.empty() || !c.arguments[2].is_integral()) return std::nullopt;
  std::string out;
  std::size_t at = 0;
  for (std::int64_t left = c.arguments[2].number() < 0 ? INT64_MAX : c.arguments[2].number(); left > 0;
       --left) {
    const auto next = self->text.find(from->text, at);
    if (next == std::string::npos || out.size() > 1u << 20) break;
    out += self->text.substr(at, next - at) + to->text;
    at = next + from->text.size();
  }
  return c.machine.text(out + self->text.substr(at));
}

void add_more_texts(Natives& n) {
  n.method("str", "rfind", found_within<true>);
  n.method("str", "rindex", rindex);
  n.method("str", "partition", partition<false>);
  n.method("str", "rpartition", partition<true>);
  n.method("str", "rsplit", rsplit);
  n.method("str", "splitlines", splitlines);
  n.method("str", "zfill", zfill);
  n.method("str", "ljust", justified<-1>);
  n.method("str", "center", justified<0>);
  n.method("str", "rjust", justified<1>);
  n.method("str", "removeprefix", without_affix<true>);
  n.method("str", "removesuffix", without_affix<false>);
  n.method("str", "isalpha", all_are<std::isalpha>);
  n.method("str", "isalnum", all_are<std::isalnum>);
  n.method("str", "isspace", all_are<std::isspace>);
  n.method("str", "isnumeric", all_are<std::isdigit>);
  n.method("str", "isdecimal", all_are<std::isdigit>);
  n.method("str", "islower", is_of_case<true>);
  n.method("str", "isupper", is_of_case<false>);
  n.method("str", "capitalize", in_case<Cased::capitalized>);
  n.method("str", "title", in_case<Cased::title>);
  n.method("str", "swapcase", in_case<Cased::swapped>);
  n.method("str", "isascii", is_ascii_text);
  n.method("str", "isidentifier", is_identifier);
}

}  // namespace cutelab::reading::machine::python_models
