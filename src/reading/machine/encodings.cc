#include <cctype>
#include <string>

#include "base/text.h"
#include "reading/machine/texts.h"

// The encoding of a source (Python Language Reference, "Encoding declarations").
namespace cutelab::reading::machine {
namespace {
constexpr std::string_view mark = "\xEF\xBB\xBF";  // of the order of bytes

/// "latin-1" of "# -*- coding: latin-1 -*-"; empty: the line declares none.
std::string declared_in(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t\f");
  if (begin == std::string_view::npos || line[begin] != '#') return {};
  for (auto at = line.find("coding", begin); at != std::string_view::npos; at = line.find("coding", at + 1)) {
    std::string_view rest = line.substr(at + 6);
    if (rest.empty() || (rest[0] != ':' && rest[0] != '=')) continue;
    rest.remove_prefix(1);
    while (rest.starts_with(' ') || rest.starts_with('\t')) rest.remove_prefix(1);
    std::string out;
    for (const char c : rest) {
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') break;
      out += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (!out.empty()) return out;
  }
  return {};
}
}  // namespace

bool is_unicode(std::string_view bytes) { return is_utf8(bytes); }

bool is_unicode_source(std::string_view source) {
  if (source.starts_with(mark)) return true;
  for (int line = 0; line < 2 && !source.empty(); ++line) {
    const auto end = source.find('\n');
    const std::string_view text = source.substr(0, end);
    if (const std::string declared = declared_in(text); !declared.empty())
      return declared.starts_with("utf-8") || declared == "utf8" || declared == "ascii";
    const auto begin = text.find_first_not_of(" \t\f\r");
    if (begin != std::string_view::npos && text[begin] != '#') return true;  // a statement ends the search
    source = end == std::string_view::npos ? std::string_view() : source.substr(end + 1);
  }
  return true;
}

}  // namespace cutelab::reading::machine
