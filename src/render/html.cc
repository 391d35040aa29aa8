#include "render/html.h"

#include "base/text.h"

namespace cutelab::render {
namespace {

bool is_plain(std::string_view text) {
  for (const char c : text)
    if (c < 0x20 || c > 0x7E || c == '&' || c == '<' || c == '>' || c == '"' || c == '\'') return false;
  return true;
}

}  // namespace

std::string html_escape(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string element(std::string_view tag, const Attributes& attributes, std::string_view content) {
  std::string out = "<" + std::string(tag);
  for (const auto& [name, value] : attributes)
    out.append(" ").append(name).append("=\"").append(html_escape(value)).append("\"");
  return out.append(">").append(content).append("</").append(tag).append(">");
}

std::string text_element(std::string_view tag, const Attributes& attributes, std::string_view text) {
  return element(tag, attributes, html_escape(text));
}

}  // namespace cutelab::render
