#include "source/python/parse.h"

#include <cstring>

namespace cutelab::source::python {
namespace {
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_trail(unsigned char c) { return (c & 0xC0) == 0x80; }

/// Bytes of the well-formed UTF-8 character at `at`; 0 when there is none.
std::size_t character_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto lead = byte(0), second = byte(1);
  const auto trails = [&](std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i)
      if (!is_trail(static_cast<unsigned char>(byte(i)))) return false;
    return true;
  };
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return trails(1) ? 2 : 0;
  if (lead >= 0xE0 && lead < 0xF0) {
    const bool overlong = lead == 0xE0 && second < 0xA0, surrogate = lead == 0xED && second >= 0xA0;
    return trails(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead < 0xF5) {
    const bool overlong = lead == 0xF0 && second < 0x90, beyond = lead == 0xF4 && second >= 0x90;
    return trails(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

/// Whether it is UTF-8 without NUL.
bool is_plain_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t eight = 0;
    if (at + 8 <= text.size()) {
      std::memcpy(&eight, text.data() + at, 8);
      constexpr std::uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
      if (((eight | (eight - ones)) & highs) == 0) {  // ASCII, and no byte is zero
        at += 8;
        continue;
      }
    }
    if (text[at] == '\0') return false;
    const std::size_t bytes = character_bytes(text, at);
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}
}  // namespace

std::optional<std::vector<Made>> parse(std::string_view text) {
  if (!is_plain_text(text)) return std::nullopt;
  const std::uint32_t begin = text.starts_with(byte_order_mark) ? 3 : 0;
  return Parser(text, begin).parse();
}

}  // namespace cutelab::source::python
