#include "evidence/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace cutelab::evidence {
namespace {

/// Bytes that stand in a JSON text as they are: ASCII without controls, quote and backslash.
bool plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/// Only bytes of ASCII need escapes here; the others need a check, which is the JSON library's.
bool is_ascii(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
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
  if (!empty_) {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
  out_ += bracket;
  empty_ = false;
}

void JsonText::before_item() {
  if (!empty_) out_ += ',';
  if (depth_ > 0) {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
  empty_ = false;
}

void JsonText::before_value() {
  if (!after_key_) before_item();
  after_key_ = false;
}

void JsonText::key(std::string_view name) {
  before_item();
  out_ += '"';
  out_ += name;
  out_ += "\": ";
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
  if (!is_ascii(s)) {
    out_ += nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  out_ += '"';
  while (!s.empty()) {
    const auto special = std::find_if_not(s.begin(), s.end(), plain);
    const auto length = static_cast<std::size_t>(special - s.begin());
    out_.append(s.data(), length);
    s.remove_prefix(length);
    if (s.empty()) break;
    escape(s.front(), out_);
    s.remove_prefix(1);
  }
  out_ += '"';
}

}  // namespace cutelab::evidence
