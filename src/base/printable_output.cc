#include "base/printable_output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"

namespace cutelab {
namespace {

constexpr std::size_t flush_bytes = 1u << 16;
constexpr std::size_t direct_bytes = 1u << 12;  ///< worth a write of its own
constexpr std::size_t stretch = 128;            ///< after plain text: an odd character and what follows
constexpr std::size_t longest_sequence = 32;    ///< of the program's own escape sequences
constexpr std::string_view erase_line = "\r\x1b[K";

/// Length of the program's own escape sequence at the front of `s`; 0 if there is none.
std::size_t own_sequence(std::string_view s) {
  if (s.starts_with(erase_line)) return erase_line.size();
  if (!s.starts_with("\x1b[")) return 0;
  const auto end = s.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && end < longest_sequence && s[end] == 'm' ? end + 1 : 0;
}

/// How much of `s` can be written now: an escape sequence or a character at its end may lack its rest.
std::size_t whole_part(std::string_view s) {
  const std::size_t near_end = s.size() < longest_sequence ? 0 : s.size() - longest_sequence;
  const auto escape = s.find_first_of("\r\x1b", near_end);
  if (escape != std::string_view::npos && s.find_first_of("mK\n", escape) == std::string_view::npos)
    return escape;
  std::size_t at = s.size();
  for (std::size_t back = 1; back <= 3 && back <= s.size(); ++back) {
    const auto byte = static_cast<unsigned char>(s[s.size() - back]);
    if (byte < 0x80) break;
    if (byte < 0xC0) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    if (length > back) at = s.size() - back;
    break;
  }
  return at;
}

}  // namespace

std::string printable_output(std::string_view text, bool terminal) {
  if (!terminal) return printable(text);
  std::string out;
  while (!text.empty()) {
    auto next = text.find_first_of("\r\x1b");
    if (next == 0) {
      const std::size_t own = own_sequence(text);
      out += own ? std::string(text.substr(0, own)) : printable(text.substr(0, 1));
      text.remove_prefix(own ? own : 1);
      continue;
    }
    if (next == std::string_view::npos) next = text.size();
    out += printable(text.substr(0, next));
    text.remove_prefix(next);
  }
  return out;
}

void PrintableOutput::write_up_to(std::size_t end) {
  const std::string text = printable_output(std::string_view(pending_).substr(0, end), terminal_);
  pending_.erase(0, end);
  write(text);
}

void PrintableOutput::write(std::string_view text) {
  for (std::size_t done = 0; done < text.size() && failed_with_ == 0;) {
    const ssize_t count = ::write(descriptor_, text.data() + done, text.size() - done);
    if (count >= 0)
      done += static_cast<std::size_t>(count);
    else if (errno != EINTR)
      failed_with_ = errno;
  }
}

void PrintableOutput::finish() { write_up_to(pending_.size()); }

int PrintableOutput::sync() {
  write_up_to(whole_part(pending_));
  return failed_with_ ? -1 : 0;
}

PrintableOutput::int_type PrintableOutput::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableOutput::xsputn(const char* text, std::streamsize count) {
  // In pieces, so that tens of megabytes at once are not held a second time; plain text is not held at all.
  for (std::string_view rest(text, static_cast<std::size_t>(count)); !rest.empty();) {
    std::size_t room = pending_.size() < flush_bytes ? flush_bytes - pending_.size() : flush_bytes;
    if (rest.size() >= direct_bytes) {
      if (!pending_.empty()) sync();
      const std::size_t plain = pending_.empty() ? plain_prefix(rest) : 0;
      if (plain >= direct_bytes) {
        write(rest.substr(0, plain));
        rest.remove_prefix(plain);
        room = stretch;
      }
    }
    pending_.append(rest.substr(0, room));
    rest.remove_prefix(std::min(room, rest.size()));
    if (pending_.size() >= flush_bytes) sync();
  }
  return failed_with_ ? 0 : count;
}

}  // namespace cutelab
