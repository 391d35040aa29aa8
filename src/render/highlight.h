#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace cutelab::render {

enum class SourceLanguage { python, cpp };

/// The text as HTML, one string per line (without line ends), with light syntax colouring: <i class="…">
/// around tokens of the classes k keyword, s string, c comment, n number, d decorator or directive, f the
/// name a def or class gives. Post-conditions:
///   1. As many strings as the text has lines; a final line end starts no further line.
///   2. With tags removed and entities decoded, each string is printable() of its line; \r\n ends a line as
///   \n does.
///   3. Every tag is closed on its own line, whatever the text holds (unfinished strings and comments too).
///   4. Time is linear in the length of the text.
std::vector<std::string> highlight(std::string_view text, SourceLanguage language);

}  // namespace cutelab::render
