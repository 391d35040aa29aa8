#include "evidence/json_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace cutelab::evidence {
namespace {

constexpr std::uint64_t every(unsigned char byte) { return 0x0101010101010101u * byte; }

/// High bit of each byte that is zero (and maybe of bytes above a zero one).
constexpr std::uint64_t zeros(std::uint64_t bytes) { return (bytes - every(1)) & ~bytes & every(0x80); }

/// How many bytes at the front stand in a JSON text as they are: ASCII without controls, quote and backslash.
/// Eight are told at a time.
std::size_t plain_ascii(std::string_view s) {
  std::size_t at = 0;
  for (std::uint64_t bytes = 0; at + sizeof bytes <= s.size(); at += sizeof bytes) {
    std::memcpy(&bytes, s.data() + at, sizeof bytes);
    const std::uint64_t below_space = (bytes - every(0x20)) & ~bytes & every(0x80);
    if ((bytes & every(0x80)) | below_space | zeros(bytes ^ every('"')) | zeros(bytes ^ every('\\'))) break;
  }
  for (; at < s.size(); ++at) {
    const auto byte = static_cast<unsigned char>(s[at]);
    if (byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\') break;
  }
  return at;
}

/// A new line with its indentation, the comma before it included or not. As many bytes as `copied` may be
/// read from its begin.
constexpr std::size_t copied = 64;
std::string_view new_line(bool comma, std::size_t depth) {
  static constexpr std::string_view longest =
      ",\n                                                                ";
  static_assert(longest.size() > copied);
  return depth < (longest.size() - 2) / 2 ? longest.substr(comma ? 0 : 1, 2 * depth + (comma ? 2 : 1))
                                          : std::string_view();
}

void escape(char c, std::string& out) {
  static constexpr char digits[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += "\\u00";
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 0xF];
  }
}

}  // namespace

void JsonText::begin(char bracket) {
  before_value();
  out_ += bracket;
  ++depth_;
  empty_ = true;
}

void JsonText::end(char bracket) {
  --depth_;
  if (!empty_) line(false);
  out_ += bracket;
  empty_ = false;
}

void JsonText::line(bool comma) {
  const std::string_view whole = new_line(comma, depth_);
  if (!whole.empty()) {
    out_ += whole;
    return;
  }
  out_ += comma ? ",\n" : "\n";
  out_.append(2 * depth_, ' ');
}

void JsonText::before_item() {
  if (depth_ > 0) line(!empty_);
  empty_ = false;
}

void JsonText::before_value() {
  if (!after_key_) before_item();
  after_key_ = false;
}

void JsonText::key(std::string_view name) {
  const std::string_view line = depth_ > 0 ? new_line(!empty_, depth_) : std::string_view();
  char text[copied + 64];
  if (line.empty() || line.size() + name.size() + 4 > sizeof text) {
    before_item();
    out_ += '"';
    out_ += name;
    out_ += "\": ";
  } else {                                   // nearly always: as one piece
    std::memcpy(text, line.data(), copied);  // of a fixed length: a few moves
    char* end = text + line.size();
    *end++ = '"';
    end = std::copy(name.begin(), name.end(), end);
    std::memcpy(end, "\": ", 3);
    out_.append(text, static_cast<std::size_t>(end + 3 - text));
    empty_ = false;
  }
  after_key_ = true;
}

void JsonText::data_key(std::string_view name) {
  before_item();
  quoted(name);
  out_ += ": ";
  after_key_ = true;
}

void JsonText::null() {
  before_value();
  out_ += "null";
}

void JsonText::value(bool b) {
  before_value();
  out_ += b ? "true" : "false";
}

void JsonText::value(std::int64_t n) {
  before_value();
  char digits[24];
  const auto [end, code] = std::to_chars(digits, digits + sizeof digits, n);
  out_.append(digits, end);
}

void JsonText::value(double d) {
  before_value();
  out_ += nlohmann::json(d).dump();
}

void JsonText::value(std::string_view s) {
  before_value();
  quoted(s);
}

void JsonText::quoted(std::string_view s) {
  char text[128];
  if (s.size() + 2 <= sizeof text && plain_ascii(s) == s.size()) {  // nearly always: as one piece
    text[0] = '"';
    std::copy(s.begin(), s.end(), text + 1);
    text[s.size() + 1] = '"';
    out_.append(text, s.size() + 2);
    return;
  }
  const std::size_t begin = out_.size();
  bool checked = false;
  out_ += '"';
  for (std::string_view rest = s;;) {
    const std::size_t plain = plain_ascii(rest);
    out_ += rest.substr(0, plain);
    rest.remove_prefix(plain);
    if (rest.empty()) break;
    if (static_cast<unsigned char>(rest.front()) < 0x80) {
      escape(rest.front(), out_);
    } else {
      if (!checked && !is_utf8(rest)) {  // the JSON library knows which bytes to replace
        out_.resize(begin);
        out_ += nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        return;
      }
      checked = true;
      out_ += rest.front();
    }
    rest.remove_prefix(1);
  }
  out_ += '"';
}

}  // namespace cutelab::evidence
