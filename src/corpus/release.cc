#include "corpus/release.h"

#include <fmt/format.h>

namespace cutelab::corpus {

std::string Release::text() const { return fmt::format("{}.{}.{}", major, minor, patch); }

std::optional<Release> parse_release(std::string_view text) {
  if (!text.empty() && text[0] == 'v') text.remove_prefix(1);
  int parts[3] = {0, 0, 0};
  int count = 0;
  while (count < 3 && !text.empty() && text[0] >= '0' && text[0] <= '9') {
    int value = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9' && value < 100000) {
      value = value * 10 + (text[0] - '0');
      text.remove_prefix(1);
    }
    parts[count++] = value;
    if (text.empty() || text[0] != '.') break;
    text.remove_prefix(1);
  }
  if (count < 2) return std::nullopt;
  return Release{parts[0], parts[1], parts[2]};
}

}  // namespace cutelab::corpus
