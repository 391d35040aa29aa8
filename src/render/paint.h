#pragma once
#include <string>
#include <string_view>

namespace cutelab::render {

/// What a piece of terminal text means; the colours follow from that alone.
enum class Style {
  plain,
  heading,  ///< section titles
  strong,   ///< names and numbers that matter
  faint,    ///< supporting text
  good,     ///< present, passed
  warn,     ///< undetermined, needs attention
  bad,      ///< absent where expected, failed
  place     ///< file:line
};

/// Colours text for a terminal, or leaves it alone. Text that comes from a file must go through printable()
/// first.
class Paint {
 public:
  /// Off: every call returns its text unchanged.
  explicit Paint(bool on = false) : on_(on) {}
  std::string operator()(Style style, std::string_view text) const;
  bool on() const { return on_; }

 private:
  bool on_;
};

/// Whether to colour: only on a terminal, never with NO_COLOR set (https://no-color.org) or TERM=dumb.
bool wants_colour(bool out_is_terminal, std::string_view no_color, std::string_view term);

}  // namespace cutelab::render
