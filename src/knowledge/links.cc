#include "knowledge/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/text.h"

namespace cutelab::knowledge {
namespace {

/// `line` with the inside of `code` spans blanked.
std::string without_code(std::string_view line) {
  std::string out(line);
  bool code = false;
  for (char& c : out) {
    if (c == '`')
      code = !code;
    else if (code)
      c = ' ';
  }
  return out;
}

bool has_scheme(const std::string& target) {
  const auto colon = target.find(':');
  return colon != std::string::npos &&
         std::all_of(target.begin(), target.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](unsigned char c) { return std::isalpha(c) != 0; });
}

bool has_anchor(const std::string& markdown, const std::string& anchor) {
  for (const std::string_view line : split(markdown, '\n')) {
    const auto text = line.find_first_not_of('#');
    if (text != std::string_view::npos && text > 0 && line[text] == ' ' &&
        anchor_of(trim(line.substr(text))) == anchor)
      return true;
  }
  return false;
}

/// Whether `path`, made plain, lies below one of the roots (or, without roots, below the folder it starts
/// in).
bool is_inside(const std::string& path, std::vector<std::string> roots, const std::string& folder) {
  roots.push_back(folder);
  const std::string plain = std::filesystem::path(path).lexically_normal().string();
  for (const std::string& root : roots) {
    const std::string base = std::filesystem::path(root.empty() ? "." : root).lexically_normal().string();
    if (base == "." ? (plain[0] != '/' && plain.rfind("..", 0) != 0) : plain.rfind(base, 0) == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<Link> links_of(const std::string& markdown) {
  std::vector<Link> links;
  bool fenced = false;
  int number = 0;
  for (const std::string_view raw : split(markdown, '\n')) {
    ++number;
    if (trim(raw).rfind("```", 0) == 0) fenced = !fenced;
    if (fenced) continue;
    const std::string line = without_code(raw);
    for (auto at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
      const auto end = line.find(')', at);
      if (end == std::string::npos) break;
      const std::string inside(trim(std::string_view(line).substr(at + 2, end - at - 2)));
      links.push_back({inside.substr(0, inside.find(' ')), number});
    }
  }
  return links;
}

std::string anchor_of(std::string_view heading) {
  std::string out;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (c == ' ' || c == '-')
      out += '-';
    else if (std::isalnum(u) || u >= 0x80 || c == '_')
      out += static_cast<char>(std::tolower(u));
  }
  return out;
}

std::vector<Problem> check_links(const std::string& path, const std::string& text,
                                 const std::vector<std::string>& roots, const Library& library,
                                 const FileSource& files) {
  std::vector<Problem> problems;
  const auto wrong = [&](int line, std::string what) {
    problems.push_back(
        {Problem::Severity::error, path, line, std::move(what), "name a file relative to this one"});
  };
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const Link& link : links_of(text)) {
    if (link.target.empty() || has_scheme(link.target)) continue;
    const auto hash = link.target.find('#');
    const std::string file = link.target.substr(0, hash);
    const std::string target =
        file.empty() ? path : std::filesystem::path(folder + file).lexically_normal().string();
    if (!file.empty() && (file[0] == '/' || !is_inside(target, roots, library.folder))) {
      wrong(link.line, fmt::format("the link {} leads outside the project", printable(link.target)));
    } else if (!files.status(target)) {
      wrong(link.line, fmt::format("the link {} leads nowhere", printable(link.target)));
    } else if (hash != std::string::npos && target.ends_with(".md")) {
      const auto known = library.texts.find(target);
      auto other = known != library.texts.end() ? Result<std::string>(known->second)
                                                : files.read(target, max_entry_bytes);
      if (other && !has_anchor(*other, link.target.substr(hash + 1)))
        wrong(link.line,
              fmt::format("{} has no heading '{}'", target, printable(link.target.substr(hash + 1))));
    }
  }
  return problems;
}

}  // namespace cutelab::knowledge
