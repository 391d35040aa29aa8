#include "base/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace cutelab {

std::string_view trim(std::string_view s) {
  const auto first = s.find_first_not_of(" \t\r\n\f\v");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r\n\f\v") - first + 1);
}

std::vector<std::string_view> split(std::string_view s, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const auto end = s.find(separator, begin);
    parts.push_back(s.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string to_lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = lower(c);
  return out;
}

bool starts_with_ignoring_case(std::string_view s, std::string_view prefix) {
  return s.size() >= prefix.size() && to_lower(s.substr(0, prefix.size())) == to_lower(prefix);
}

std::string replace_all(std::string s, std::string_view from, std::string_view to) {
  if (from.empty()) return s;
  for (std::size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size())
    s.replace(at, from.size(), to);
  return s;
}

std::optional<long long> parse_integer(std::string_view s) {
  bool negative = false;
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    negative = s[0] == '-';
    s.remove_prefix(1);
  }
  int base = 10;
  if (s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
    base = 16;
    s.remove_prefix(2);
  }
  if (s.empty() || s[0] == '-') return std::nullopt;
  long long value = 0;
  const auto [end, code] = std::from_chars(s.data(), s.data() + s.size(), value, base);
  if (code != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return negative ? -value : value;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(to_lower(word), to_lower(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

int line_count(std::string_view text) {
  const auto newlines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  return newlines + (text.empty() || text.back() == '\n' ? 0 : 1);
}

std::string with_thousands(long long n) {
  std::string digits = fmt::format("{}", n);
  const std::size_t first = n < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string human_bytes(long long bytes) {
  static constexpr std::array<const char*, 4> units = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024 && bytes > -1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while ((value >= 1024 || value <= -1024) && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

namespace {

/// Length of the well-formed UTF-8 sequence at the front of `s`, with its code point; 0 if there is none.
std::size_t decode(std::string_view s, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    code = lead;
    return 1;
  }
  const std::size_t length = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || s.size() < length) return 0;
  code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3Fu);
  }
  static constexpr std::array<std::uint32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return 0;
  return length;
}

bool is_wide(std::uint32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1F64F) || (c >= 0x1F900 && c <= 0x1F9FF) ||
         (c >= 0x20000 && c <= 0x3FFFD);
}

bool is_zero_width(std::uint32_t c) {
  return (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F) ||
         c == 0xFEFF;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    std::uint32_t code = 0;
    const std::size_t length = decode(bytes, code);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  while (!utf8.empty()) {
    std::uint32_t code = 0;
    const std::size_t length = std::max<std::size_t>(1, decode(utf8, code));
    width += is_zero_width(code) ? 0 : is_wide(code) ? 2 : 1;
    utf8.remove_prefix(length);
  }
  return width;
}

std::size_t plain_prefix(std::string_view bytes) {
  constexpr std::size_t block = 64;
  std::size_t at = 0;
  for (; at + block <= bytes.size(); at += block) {
    const char* begin = bytes.data() + at;
    unsigned char odd = 0;
    for (std::size_t i = 0; i < block; ++i) {  // a loop that compilers vectorise
      const auto c = static_cast<unsigned char>(begin[i]);
      const unsigned char high = c >= 0x7F, low = c < 0x20, newline = c == '\n', tab = c == '\t';
      odd = static_cast<unsigned char>(odd | high | (low & ~(newline | tab)));
    }
    if (odd) break;
  }
  return at;
}

/// Appends the character at the front as it may be written; how many bytes it takes.
static std::size_t append_printable(std::string_view bytes, std::string& out) {
  std::uint32_t code = 0;
  const std::size_t length = decode(bytes, code);
  const bool control = (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code < 0xA0);
  // Marks that reorder what follows: a line would read otherwise than it is (Trojan Source,
  // CVE-2021-42574).
  const bool reorders = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  if (length == 0 || control || reorders)
    out += "\uFFFD";
  else
    out += bytes.substr(0, length);
  return std::max<std::size_t>(1, length);
}

std::string printable(std::string_view bytes) {
  constexpr std::size_t stretch = 64;  // one character at a time until the next block
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t plain = plain_prefix(bytes);
    out += bytes.substr(0, plain);
    bytes.remove_prefix(plain);
    for (std::size_t done = 0; done < stretch && !bytes.empty();) {
      const std::size_t length = append_printable(bytes, out);
      bytes.remove_prefix(length);
      done += length;
    }
  }
  return out;
}

}  // namespace cutelab
