#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Python's texts are code points; ours are kept as UTF-8.
namespace cutelab::reading::machine {

inline bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

inline bool begins_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Code points of a text.
inline std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_code_point));
}

/// Its code points, each as its bytes.
inline std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    while (end < text.size() && !begins_code_point(text[end])) ++end;
    out.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return out;
}

/// A code point as UTF-8; empty: there is none of that number.
inline std::string encoded(std::uint32_t point) {
  const auto rest = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xC0 | (point >> 6)), rest(0)};
  if (point < 0x10000) return {static_cast<char>(0xE0 | (point >> 12)), rest(6), rest(0)};
  if (point < 0x110000) return {static_cast<char>(0xF0 | (point >> 18)), rest(12), rest(6), rest(0)};
  return {};
}

/// The number of a single code point.
inline std::uint32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  std::uint32_t out = first & (0xFFu >> (character.size() + 1));
  for (const char c : character.substr(1)) out = out << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return out;
}

}  // namespace cutelab::reading::machine
