#include <algorithm>

#include <fmt/format.h>

#include "base/sha256.h"
#include "knowledge/draft.h"

namespace cutelab::knowledge {
namespace {

constexpr std::string_view stamp_key = "\ndrafted: ";

/// Where the stamp's value stands: begin and length; length 0 = none.
std::pair<std::size_t, std::size_t> stamp_place(const std::string& text) {
  const auto at = text.find(stamp_key);
  const auto front_end = text.find("\n---", 3);
  if (at == std::string::npos || at > front_end) return {0, 0};
  const auto begin = at + stamp_key.size();
  return {begin, std::min(text.find('\n', begin), text.size()) - begin};
}

std::string stamp_of(const std::string& text, std::size_t begin, std::size_t length) {
  return sha256(text.substr(0, begin) + text.substr(begin + length)).substr(0, 16);
}

}  // namespace

bool is_untouched_draft(const std::string& text) {
  const auto [begin, length] = stamp_place(text);
  return length != 0 && text.substr(begin, length) == stamp_of(text, begin, length);
}

std::string stamped(const std::string& text) {
  const auto [begin, length] = stamp_place(text);
  if (length == 0) return text;
  return text.substr(0, begin) + stamp_of(text, begin, length) + text.substr(begin + length);
}

PlacedDraft place_draft(const Draft& draft, const std::string& folder, const FileSource& files) {
  PlacedDraft out;
  for (int n = 0;; ++n) {
    const std::string suffix = n == 0 ? ".md" : n == 1 ? ".new.md" : fmt::format(".new-{}.md", n);
    out.path = fmt::format("{}/{}{}", folder, draft.id, suffix);
    if (n > 0) out.placement = Placement::beside;
    if (!files.status(out.path)) break;
    const auto text = files.read(out.path, max_entry_bytes);
    if (text && *text == draft.text) {
      if (n == 0) out.placement = Placement::unchanged;
      return out;  // content stays empty: nothing to write
    }
    if (text && is_untouched_draft(*text)) {
      if (n == 0) out.placement = Placement::replaced;
      break;
    }
    if (n == 0) out.kept = out.path;
  }
  out.content = draft.text;
  return out;
}

}  // namespace cutelab::knowledge
