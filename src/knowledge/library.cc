#include "knowledge/library.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"

namespace cutelab::knowledge {
namespace {

bool is_entry_file(const std::string& path, const std::string& folder) {
  const std::string below = path.substr(folder.size());
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.ends_with(".md") && name != "README.md" && below.find("/devlog/") == std::string::npos;
}

/// NAME.new.md, NAME.new-2.md: a newer draft that waits beside an edited entry.
bool is_waiting_draft(const std::string& path) {
  const auto mark = path.rfind(".new");
  return mark != std::string::npos && (path.substr(mark) == ".new.md" || path.substr(mark, 5) == ".new-");
}

Problem of_error(const Error& error, const std::string& path) {
  const auto colon = error.where.rfind(':');
  const auto line = colon == std::string::npos ? std::nullopt : parse_integer(error.where.substr(colon + 1));
  return {Problem::Severity::error, path, line ? static_cast<int>(*line) : 1, error.wrong, error.remedy};
}

void load_one(Library& library, const std::string& path, const FileSource& files) {
  auto text = files.read(path, max_entry_bytes);
  if (!text) {
    library.problems.push_back(of_error(text.error(), path));
    return;
  }
  library.texts[path] = *text;
  if (is_waiting_draft(path)) {
    library.problems.push_back({Problem::Severity::warning, path, 1,
                                "a newer draft waits beside an edited entry",
                                "merge what you want of it and remove the file"});
    return;
  }
  auto entry = parse_entry(*text, path);
  if (entry)
    library.entries.push_back(std::move(*entry));
  else
    library.problems.push_back(of_error(entry.error(), path));
}

std::vector<std::string_view> lines_of(const std::string& text) {
  auto lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// Lines (from 1) whose text without indentation is `wanted`.
std::vector<int> places_of(const std::string& wanted, const std::vector<std::string_view>& lines) {
  std::vector<int> places;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (trim(lines[i]) == wanted) places.push_back(static_cast<int>(i) + 1);
  return places;
}

void move_to(EvidenceLine& line, int to) {
  line.end_line = to + std::max(0, line.end_line - line.line);
  line.line = to;
}

}  // namespace

std::string Problem::text() const {
  std::string out =
      fmt::format("{}:{}: {}: {}", path, line, severity == Severity::error ? "error" : "warning", what);
  return remedy.empty() ? out : out + " (" + remedy + ")";
}

const Entry* Library::find(const std::string& id) const {
  for (const Entry& entry : entries)
    if (entry.id == id) return &entry;
  return nullptr;
}

int Library::drafts() const {
  return static_cast<int>(std::count_if(entries.begin(), entries.end(), [](auto& e) { return e.draft; }));
}

Result<Library> load_library(const std::string& folder, const FileSource& files) {
  Library library;
  library.folder = folder;
  while (library.folder.size() > 1 && library.folder.back() == '/') library.folder.pop_back();
  if (!files.status(folder)) return library;
  std::vector<std::string> unreadable;
  auto paths = files.list(library.folder, &unreadable);
  if (!paths) return paths.error();
  for (const std::string& path : unreadable)
    library.problems.push_back(
        {Problem::Severity::error, path, 0, "the folder cannot be read", "check its permissions"});
  for (const std::string& path : *paths)
    if (is_entry_file(path, library.folder)) load_one(library, path, files);
  return library;
}

Followed follow(const EvidenceLine& line, const std::vector<std::string>& roots, const FileSource& files) {
  Followed out{Followed::State::missing, line};
  for (const std::string& root : roots) {
    auto text = files.read(root.empty() ? line.path : root + "/" + line.path, max_source_bytes);
    if (!text) continue;
    const std::string revision = sha256(*text).substr(0, 16);
    const auto lines = lines_of(*text);
    const auto inside = [&](int number) { return number >= 1 && number <= static_cast<int>(lines.size()); };
    const bool there =
        inside(line.line) && inside(line.end_line) &&
        (line.text.empty() || trim(lines[static_cast<std::size_t>(line.line) - 1]) == line.text);
    out.now.revision = revision;
    if (there && line.revision == revision) {
      out.state = Followed::State::current;
    } else if (there && (!line.text.empty() || line.revision.empty())) {
      out.state = Followed::State::moved;  // the file changed around it
    } else {
      const auto places = line.text.empty() ? std::vector<int>{} : places_of(line.text, lines);
      out.state = places.empty()       ? Followed::State::stale
                  : places.size() == 1 ? Followed::State::moved
                                       : Followed::State::ambiguous;
      if (places.size() == 1) move_to(out.now, places[0]);
    }
    return out;
  }
  return out;
}

}  // namespace cutelab::knowledge
