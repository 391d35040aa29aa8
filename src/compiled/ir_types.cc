#include "compiled/ir_types.h"

#include <charconv>

#include "base/text.h"

namespace cutelab::compiled::ir {
namespace {

/// Calls `visit(at)` for each character outside brackets and strings; stops when it says false.
template <class Visit>
void each_outside(std::string_view text, const Visit& visit) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      continue;
    }
    if (c == '(' || c == '<' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}' || (c == '>' && (i == 0 || text[i - 1] != '-'))) {
      --depth;
    } else if (depth == 0 && !visit(i)) {
      return;
    }
  }
}

std::vector<std::string_view> unwrapped(std::string_view list) {
  list = trim(list);
  if (!list.empty() && list.front() == '(') {
    const std::string_view inside = bracketed(list);
    if (inside.size() + 2 == list.size()) return parts_of(inside);
  }
  return parts_of(list);
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Signature signature_of(const Operation& operation) {
  const std::string_view header = operation.header;
  std::size_t colon = std::string_view::npos;
  each_outside(header, [&](std::size_t at) {
    if (header[at] == ':' && (at == 0 || header[at - 1] == ' ') && header.substr(at + 1, 1) == " ")
      colon = at;
    return true;
  });
  Signature signature;
  if (colon == std::string_view::npos) return signature;
  const std::string_view types = header.substr(colon + 2);
  std::size_t split = std::string_view::npos;
  std::size_t width = 0;
  each_outside(types, [&](std::size_t at) {
    for (const std::string_view arrow : {"-> ", "to "})
      if (types.substr(at, arrow.size()) == arrow && at > 0 && types[at - 1] == ' ') {
        split = at;
        width = arrow.size();
        return false;
      }
    return true;
  });
  signature.inputs = unwrapped(types.substr(0, split));
  if (split != std::string_view::npos) signature.results = unwrapped(types.substr(split + width));
  return signature;
}

std::string_view resolved(const Module& module, std::string_view type) {
  for (int i = 0; i < 8 && !type.empty() && (type.front() == '!' || type.front() == '#'); ++i) {
    const auto alias = module.aliases.find(type);
    if (alias == module.aliases.end()) break;
    type = alias->second;
  }
  return type;
}

std::string_view bracketed(std::string_view text) {
  const std::size_t open = text.find_first_of("<([");
  if (open == std::string_view::npos) return {};
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
    } else if (c == '(' || c == '<' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}' || (c == '>' && text[i - 1] != '-')) && --depth == 0) {
      return text.substr(open + 1, i - open - 1);
    }
  }
  return {};
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  each_outside(text, [&](std::size_t at) {
    if (text[at] == ',') {
      parts.push_back(trim(text.substr(begin, at - begin)));
      begin = at + 1;
    }
    return true;
  });
  const std::string_view last = trim(text.substr(begin));
  if (!last.empty() || !parts.empty()) parts.push_back(last);
  return parts;
}

std::string_view attribute(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t after = at + name.size();
    const bool whole = at == 0 || std::string_view(" {<(,[").find(text[at - 1]) != std::string_view::npos;
    if (!whole || text.substr(after, 3) != " = ") continue;
    const std::string_view rest = text.substr(after + 3);
    std::size_t end = rest.size();
    int depth = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const char c = rest[i];
      if (c == '"') {
        for (++i; i < rest.size() && rest[i] != '"'; ++i)
          if (rest[i] == '\\') ++i;
        continue;
      }
      if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
      const bool closes = c == ')' || c == ']' || c == '}' || c == '>';
      if ((depth == 0 && (c == ',' || c == ' ' || closes))) {
        end = i;
        break;
      }
      if (closes) --depth;
    }
    return rest.substr(0, end);
  }
  return {};
}

std::string_view quoted(std::string_view text) {
  const std::size_t open = text.find('"');
  if (open == std::string_view::npos) return {};
  const std::size_t close = text.find('"', open + 1);
  return close == std::string_view::npos ? std::string_view{} : text.substr(open + 1, close - open - 1);
}

std::optional<std::int64_t> constant(const Module& module, Id value) {
  const Operation* maker = module.maker(value);
  if (maker == nullptr || maker->name != "arith.constant") return std::nullopt;
  const std::string_view text = trim(maker->header.substr(0, maker->header.find(" :")));
  if (text == "true") return 1;
  if (text == "false") return 0;
  return integer(text);
}

int bits_of(std::string_view element) {
  if (element == "tf32") return 32;
  const std::size_t first = element.find_first_of("0123456789");
  if (first == std::string_view::npos) return 0;
  std::size_t last = first;
  while (last < element.size() && element[last] >= '0' && element[last] <= '9') ++last;
  return static_cast<int>(integer(element.substr(first, last - first)).value_or(0));
}

std::optional<Memory> memory_of(std::string_view type) {
  if (!type.starts_with("!cute.memref<") && !type.starts_with("!cute.ptr<")) return std::nullopt;
  Memory memory;
  const auto parts = parts_of(bracketed(type));
  if (parts.size() < 2) return std::nullopt;
  memory.element = parts[0];
  memory.space = parts[1];
  for (std::size_t i = 2; i < parts.size(); ++i) {
    if (parts[i].find("align<") == 0)
      memory.alignment = integer(bracketed(parts[i])).value_or(0);
    else if (parts[i].find("S<") == 0)
      memory.swizzle = parts[i];
    else if (parts[i].find('"') == 0)
      memory.layout = quoted(parts[i]);
  }
  return memory;
}

}  // namespace cutelab::compiled::ir
