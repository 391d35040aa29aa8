#include "knowledge/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace cutelab::knowledge {

const char* name_of(EntryKind kind) { return kind == EntryKind::pattern ? "pattern" : "anti-pattern"; }

std::string EvidenceLine::place() const {
  return end_line > line ? fmt::format("{}:{}-{}", path, line, end_line) : fmt::format("{}:{}", path, line);
}

std::string EvidenceLine::full() const { return revision.empty() ? place() : place() + "@" + revision; }

const Section* Entry::section(const std::string& section_title) const {
  for (const Section& one : sections)
    if (one.title == section_title) return &one;
  return nullptr;
}

int Entry::line_of(const std::string& key) const {
  const auto it = lines.find(key);
  return it == lines.end() ? 1 : it->second;
}

bool is_kebab(std::string_view text) {
  bool word = false;
  for (const char c : text) {
    if (c == '-' && !word) return false;
    if (c != '-' && !std::islower(static_cast<unsigned char>(c)) &&
        !std::isdigit(static_cast<unsigned char>(c)))
      return false;
    word = c != '-';
  }
  return word;
}

std::string to_kebab(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 0x80)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

Result<std::optional<FrontMatter>> split_front_matter(std::string_view text, const std::string& path) {
  FrontMatter out;
  bool open = false;
  int number = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number;
    at = end + 1;
    if (number == 1) {
      if (line != "---") return std::optional<FrontMatter>{};
      open = true;
    } else if (line == "---") {
      out.body = at < text.size() ? std::string(text.substr(at)) : "";
      out.body_line = number + 1;
      return std::optional<FrontMatter>{std::move(out)};
    } else {
      out.yaml += std::string(line) + "\n";
    }
  }
  if (!open) return std::optional<FrontMatter>{};
  return Error{ErrorKind::input, "read the knowledge entry " + path, "the front matter never ends",
               fmt::format("{}:1", path), "close it with a line `---`"};
}

std::vector<Section> split_sections(std::string_view body, int body_line) {
  std::vector<Section> sections;
  bool fenced = false;
  int number = body_line - 1;
  for (const std::string_view line : split(body, '\n')) {
    ++number;
    if (trim(line).rfind("```", 0) == 0) fenced = !fenced;
    if (!fenced && line.rfind("## ", 0) == 0)
      sections.push_back({std::string(trim(line.substr(3))), number, ""});
    else if (!sections.empty())
      sections.back().body += std::string(line) + "\n";
  }
  return sections;
}

namespace {

bool stays_below(std::string_view path) {
  if (path.empty() || path[0] == '/' || path.find('\\') != std::string_view::npos) return false;
  for (const std::string_view part : split(path, '/'))
    if (part == ".." || part.empty()) return false;
  return true;
}

bool is_hex16(std::string_view text) {
  return text.size() == 16 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

std::optional<EvidenceLine> parse_place(const std::string& text) {
  EvidenceLine out;
  out.spelled = text;
  std::string_view rest = text;
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    out.revision = std::string(rest.substr(at + 1));
    if (!is_hex16(out.revision)) return std::nullopt;
    rest = rest.substr(0, at);
  }
  const auto colon = rest.rfind(':');
  if (colon == std::string_view::npos || !stays_below(rest.substr(0, colon))) return std::nullopt;
  out.path = std::string(rest.substr(0, colon));
  const auto lines = split(rest.substr(colon + 1), '-');
  const auto first = parse_integer(lines[0]);
  const auto last = lines.size() == 2 ? parse_integer(lines[1]) : first;
  if (lines.size() > 2 || !first || !last || *first < 0 || *last < *first || *last > 10'000'000)
    return std::nullopt;
  out.line = static_cast<int>(*first);
  out.end_line = static_cast<int>(*last);
  return out;
}

Result<std::string> with_region(const std::string& text, const std::string& name, const std::string& content,
                                const std::string& path) {
  const std::string open = "<!-- " + name + ": begin", close = "<!-- " + name + ": end -->";
  const auto begin = text.find(open), end = text.find(close);
  if (begin == std::string::npos && end == std::string::npos) {
    const std::string gap = text.empty() ? "" : text.back() == '\n' ? "\n" : "\n\n";
    return text + gap + open + ", written by `cutelab document` -->\n" + content + close + "\n";
  }
  const auto content_at = begin == std::string::npos ? begin : text.find("-->\n", begin);
  const auto mark = std::min(begin, end);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(mark), '\n');
  if (begin == std::string::npos || end == std::string::npos || content_at == std::string::npos ||
      content_at > end)
    return Error{ErrorKind::input, "write " + path,
                 fmt::format("the marks of the generated part '{}' are damaged", name),
                 fmt::format("{}:{}", path, line),
                 fmt::format("restore `{} -->` and `{}`, or remove both", open, close)};
  return text.substr(0, content_at + 4) + content + text.substr(end);
}

}  // namespace cutelab::knowledge
