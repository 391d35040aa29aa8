#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace cutelab::reading::machine {

std::string real_text(double d);            ///< as Python's repr()
std::string quoted(std::string_view text);  ///< as Python's repr(), of printable text

bool is_unicode(std::string_view bytes);  ///< UTF-8 throughout
/// Whether a Python source is one in UTF-8: no "coding:" in its first lines says otherwise.
bool is_unicode_source(std::string_view source);

/// What a literal's characters stand for, without its quotes; nullopt: an escape by name, or no text.
std::optional<std::string> unescaped(std::string_view written, bool raw);

/// A format specification, as in f"{value:>8.3f}".
struct FormatSpec {
  std::string fill = " ";
  char align = 0;  ///< '<', '>', '^', '='; 0: the type's own
  char sign = '-';
  bool alternate = false, zero = false;
  char grouping = 0;
  int width = 0, precision = -1;
  char type = 0;
};
std::optional<FormatSpec> parse_format(std::string_view text);
/// nullopt: that specification does not go with the type, or is not modelled.
std::optional<std::string> format_integer(std::int64_t n, const FormatSpec& spec);
std::optional<std::string> format_real(double d, const FormatSpec& spec);
std::optional<std::string> format_string(std::string_view text, const FormatSpec& spec);

}  // namespace cutelab::reading::machine
