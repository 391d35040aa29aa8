#pragma once
#include <cstdint>

namespace cutelab {

/// A place in a source text: byte offsets [begin, end) and the 1-based first and last line, 1-based first
/// column (bytes).
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t line = 0;      ///< first line, 1-based; 0 = no place
  std::uint32_t end_line = 0;  ///< last line, inclusive
  std::uint32_t column = 0;    ///< 1-based byte column of the first byte

  bool known() const { return line != 0; }
  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace cutelab
