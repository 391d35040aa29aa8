#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cutelab {

std::string_view trim(std::string_view s);
std::vector<std::string_view> split(std::string_view s, char separator);
/// The pieces are views: a text that is gone at the end of the line has none.
template <class Gone>
requires std::is_same_v<Gone, std::string> std::vector<std::string_view> split(Gone&& text, char separator)
= delete;
std::string join(const std::vector<std::string>& parts, std::string_view separator);
bool starts_with_ignoring_case(std::string_view s, std::string_view prefix);
std::string to_lower(std::string_view s);
std::string replace_all(std::string s, std::string_view from, std::string_view to);

/// Whole-string decimal or 0x integer; nothing else.
std::optional<long long> parse_integer(std::string_view s);

/// Least number of single-character inserts, deletes, replacements and swaps of neighbours (optimal string
/// alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word` if it is near enough to be a typo (distance ≤ max(1, |word|/3)); for "did
/// you mean".
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// 214016 -> "214,016".
std::string with_thousands(long long n);

/// 214016 -> "209.0 KiB"; below 1024 "17 B".
std::string human_bytes(long long bytes);

/// Lines as editors count them: a newline at the end of the text begins no further line.
int line_count(std::string_view text);

bool is_utf8(std::string_view bytes);  ///< well-formed: no overlong form, no surrogate

/// Terminal columns that UTF-8 text takes (combining marks 0, East Asian wide 2). Invalid bytes count 1 each.
std::size_t display_width(std::string_view utf8);

/// How many bytes at the front are sure to be plain ASCII text, \n and \t included: they are printable as
/// they are. Told in blocks of 64, so there may be more.
std::size_t plain_prefix(std::string_view bytes);

/// Valid UTF-8: invalid bytes, control characters other than \n and \t, and marks that reorder text become
/// U+FFFD each, so that text from a file can neither drive the terminal nor read otherwise than it is.
std::string printable(std::string_view bytes);

}  // namespace cutelab
