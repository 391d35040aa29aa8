#include "render/paint.h"

#include <fmt/format.h>

#include <array>

namespace cutelab::render {

std::string Paint::operator()(Style style, std::string_view text) const {
  // SGR codes of the sixteen basic colours, which every terminal theme keeps readable.
  static constexpr std::array<const char*, 8> codes = {"", "1;36", "1", "2", "32", "33", "31", "2;36"};
  if (!on_ || style == Style::plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", codes.at(static_cast<std::size_t>(style)), text);
}

bool wants_colour(bool out_is_terminal, std::string_view no_color, std::string_view term) {
  return out_is_terminal && no_color.empty() && term != "dumb";
}

}  // namespace cutelab::render
