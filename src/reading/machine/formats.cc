#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "reading/machine/texts.h"
#include "reading/machine/unicode.h"

// Python's format specifications.
namespace cutelab::reading::machine {
namespace {
constexpr int widest = 65'536;

bool is_align(std::string_view c) { return c == "<" || c == ">" || c == "^" || c == "="; }

/// Digits at the front, taken off; -1: none, or too many.
int take_number(std::string_view& text) {
  int out = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || out > widest || text.front() == '-') return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return out;
}

std::string padded(const std::string& body, std::size_t sign_size, const FormatSpec& spec, char own_align) {
  const auto length = static_cast<int>(length_of(body));
  const int missing = std::max(0, spec.width - length);
  const char align = spec.align ? spec.align : spec.zero ? '=' : own_align;
  const std::string fill = spec.zero && !spec.align ? "0" : spec.fill;
  const auto some = [&](int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += fill;
    return out;
  };
  if (align == '<') return body + some(missing);
  if (align == '^') return some(missing / 2) + body + some(missing - missing / 2);
  if (align == '=') return body.substr(0, sign_size) + some(missing) + body.substr(sign_size);
  return some(missing) + body;
}

std::string sign_of(bool negative, const FormatSpec& spec) {
  return negative ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
}

std::string grouped(const std::string& digits, char separator, std::size_t every) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % every == 0) out += separator;
    out += digits[i];
  }
  return out;
}
}  // namespace

std::optional<FormatSpec> parse_format(std::string_view text) {
  FormatSpec out;
  const auto chars = characters(text);
  if (chars.size() > 1 && is_align(chars[1])) {
    out.fill = chars[0];
    out.align = chars[1][0];
    text.remove_prefix(chars[0].size() + 1);
  } else if (!chars.empty() && is_align(chars[0])) {
    out.align = chars[0][0];
    text.remove_prefix(1);
  }
  const auto take = [&](std::string_view any) {
    const bool there = !text.empty() && any.find(text.front()) != std::string_view::npos;
    const char c = there ? text.front() : '\0';
    if (there) text.remove_prefix(1);
    return c;
  };
  if (const char sign = take("+- ")) out.sign = sign;
  out.alternate = take("#") != 0;
  if (take("0")) {
    out.zero = true;
    if (out.align) {
      out.zero = false;
      if (out.fill == " ") out.fill = "0";
    }
  }
  if (!text.empty() && text.front() >= '0' && text.front() <= '9' && (out.width = take_number(text)) < 0)
    return std::nullopt;
  out.grouping = take(",_");
  if (take(".") && (out.precision = text.empty() ? -1 : take_number(text)) < 0) return std::nullopt;
  out.type = take("bcdeEfFgGosxX%");
  return text.empty() ? std::optional(out) : std::nullopt;
}

std::optional<std::string> format_integer(std::int64_t n, const FormatSpec& spec) {
  if (spec.type != 0 && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos)
    return format_real(static_cast<double>(n), spec);
  if (spec.precision >= 0 || spec.type == 's' || (spec.grouping && spec.zero)) return std::nullopt;
  if (spec.type == 'c') {
    const std::string one = n < 0 || n > 0x10FFFF ? std::string() : encoded(static_cast<std::uint32_t>(n));
    return one.empty() ? std::nullopt : std::optional(padded(one, 0, spec, '<'));
  }
  const bool negative = n < 0;
  const std::uint64_t size = negative ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  const int base = spec.type == 'b'                       ? 2
                   : spec.type == 'o'                     ? 8
                   : spec.type == 'x' || spec.type == 'X' ? 16
                                                          : 10;
  if (spec.grouping == ',' && base != 10) return std::nullopt;
  char buffer[72];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, size, base).ptr;
  std::string digits(buffer, end);
  if (spec.type == 'X')
    std::transform(digits.begin(), digits.end(), digits.begin(),
                   [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c; });
  if (spec.grouping) digits = grouped(digits, spec.grouping, base == 10 ? 3 : 4);
  std::string sign = sign_of(negative, spec);
  if (spec.alternate && base != 10) sign += std::string("0") + spec.type;
  return padded(sign + digits, sign.size(), spec, '>');
}

std::optional<std::string> format_real(double d, const FormatSpec& spec) {
  if (spec.type == 's' || spec.type == 'd' || spec.type == 'c' || spec.type == 'b' || spec.type == 'o' ||
      spec.type == 'x' || spec.type == 'X' || spec.alternate || (spec.grouping && spec.zero))
    return std::nullopt;
  std::string sign = sign_of(std::signbit(d) && !std::isnan(d), spec), digits;
  const double size = std::abs(d);
  if (!std::isfinite(size)) {
    digits = std::isnan(d) ? "nan" : "inf";
    if (spec.zero || spec.type == '%' || spec.type == 'F' || spec.type == 'E' || spec.type == 'G')
      return std::nullopt;
  } else if (spec.type == 0) {
    if (spec.precision >= 0) return std::nullopt;
    digits = real_text(size);
  } else {
    const char type = spec.type == '%' ? 'f' : spec.type;
    const char pattern[] = {'%', '.', '*', type, '\0'};
    const int precision = spec.precision >= 0 ? spec.precision : 6;
    const double shown = spec.type == '%' ? size * 100 : size;
    const int length = std::snprintf(nullptr, 0, pattern, precision, shown);
    digits.resize(static_cast<std::size_t>(length));
    std::snprintf(digits.data(), digits.size() + 1, pattern, precision, shown);
    if (spec.type == '%') digits += "%";
  }
  if (spec.grouping) {
    const auto whole = digits.find_first_not_of("0123456789");
    digits = grouped(digits.substr(0, whole), spec.grouping, 3) +
             (whole == std::string::npos ? "" : digits.substr(whole));
  }
  return padded(sign + digits, sign.size(), spec, '>');
}

std::optional<std::string> format_string(std::string_view text, const FormatSpec& spec) {
  if ((spec.type != 0 && spec.type != 's') || spec.sign != '-' || spec.alternate || spec.grouping ||
      spec.align == '=')
    return std::nullopt;
  std::string body(text);
  if (spec.precision >= 0) {
    body.clear();
    int taken = 0;
    for (const auto c : characters(text)) {
      if (taken++ >= spec.precision) break;
      body += c;
    }
  }
  FormatSpec plain = spec;
  if (plain.zero) {  // f"{'a':05}" fills with zeros behind
    plain.zero = false;
    plain.fill = "0";
    if (!plain.align) plain.align = '<';
  }
  return padded(body, 0, plain, '<');
}

}  // namespace cutelab::reading::machine
