#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "knowledge/entry.h"

namespace cutelab::knowledge {
namespace {

Error entry_error(const std::string& path, int line, const std::string& wrong, const std::string& remedy) {
  return Error{ErrorKind::input, "read the knowledge entry " + path, wrong, fmt::format("{}:{}", path, line),
               remedy};
}

std::string stem_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.size() > 3 && name.ends_with(".md") ? name.substr(0, name.size() - 3) : name;
}

int line_of_bad_utf8(const std::string& text) {
  int number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    std::string_view bare = line;
    if (!bare.empty() && bare.back() == '\r') bare.remove_suffix(1);
    if (printable(bare) != bare) return number;
  }
  return 0;
}

class FrontMatterReader {
 public:
  explicit FrontMatterReader(Entry& entry) : entry_(entry) {}

  Status read(const Yaml& yaml) {
    if (!yaml.is_map()) return wrong(2, "the front matter is no map", "id: my-pattern");
    for (const auto& [key, value] : yaml.members) {
      entry_.lines[key] = value.line;
      if (auto status = member(key, value); !status) return status;
    }
    for (const char* needed : {"id", "title", "kind", "scope", "metrics", "signature", "evidence"})
      if (!entry_.lines.count(needed))
        return wrong(1, fmt::format("the front matter lacks '{}'", needed),
                     "docs/knowledge.md says what each member means");
    return {};
  }

 private:
  Error wrong(int line, const std::string& what, const std::string& remedy) const {
    return entry_error(entry_.path, line, what, remedy);
  }

  Status text(const Yaml& value, std::string& out, const char* key) const {
    if (!value.is_scalar() || trim(value.scalar).empty())
      return wrong(value.line, fmt::format("'{}' is no text", key), "");
    out = std::string(trim(value.scalar));
    return {};
  }

  Status texts(const Yaml& value, std::vector<std::string>& out, const char* key) const {
    if (value.kind == Yaml::Kind::null) return {};
    if (!value.is_list())
      return wrong(value.line, fmt::format("'{}' is no list", key), fmt::format("{}: [one, two]", key));
    for (const Yaml& item : value.items) {
      std::string one;
      if (auto status = text(item, one, key); !status) return status;
      out.push_back(std::move(one));
    }
    return {};
  }

  Status choice(const Yaml& value, const char* key, const std::vector<std::string>& allowed,
                std::string& out) const {
    if (auto status = text(value, out, key); !status) return status;
    if (std::find(allowed.begin(), allowed.end(), out) != allowed.end()) return {};
    return wrong(value.line, fmt::format("{} is '{}'", key, printable(out)),
                 fmt::format("{} is one of: {}", key, join(allowed, ", ")));
  }

  Status read_id(const Yaml& value) {
    if (auto status = text(value, entry_.id, "id"); !status) return status;
    if (!is_kebab(entry_.id))
      return wrong(value.line, fmt::format("the id '{}' is not kebab-case", printable(entry_.id)),
                   fmt::format("id: {}", to_kebab(entry_.id)));
    if (entry_.id != stem_of(entry_.path))
      return wrong(value.line, fmt::format("the id '{}' is not the file's name", entry_.id),
                   fmt::format("rename the file to {}.md or the id to {}", entry_.id, stem_of(entry_.path)));
    return {};
  }

  Status read_kind(const Yaml& value) {
    std::string kind;
    if (auto status = choice(value, "kind", {"pattern", "anti-pattern"}, kind); !status) return status;
    entry_.kind = kind == "pattern" ? EntryKind::pattern : EntryKind::anti_pattern;
    return {};
  }

  Status read_evidence(const Yaml& value) {
    if (!value.is_list())
      return wrong(value.line, "'evidence' is no list", "evidence:\n  - at: FILE:LINE@REVISION");
    for (const Yaml& item : value.items) {
      const Yaml* at = item.is_map() ? item.find("at") : &item;
      const auto place = at && at->is_scalar() ? parse_place(at->scalar) : std::nullopt;
      if (!place)
        return wrong(item.line, "an evidence place is not PATH:LINE[-END][@REVISION] below the project",
                     "at: examples/cute_dsl/tma_copy.py:120@0123456789abcdef");
      EvidenceLine line = *place;
      line.at_line = at->line;
      for (const auto& [key, member] : item.members) {
        if (key == "line")
          line.text = std::string(trim(member.scalar));
        else if (key == "says")
          line.says = std::string(trim(member.scalar));
        else if (key != "at")
          return wrong(member.line, fmt::format("unknown member '{}' of an evidence line", printable(key)),
                       "members: at, line, says");
      }
      entry_.evidence.push_back(std::move(line));
    }
    return {};
  }

  Status read_seen(const Yaml& value) {
    if (!value.is_map()) return wrong(value.line, "'seen' is no map", "seen: {cute-dsl: 4.8.1}");
    for (const auto& [language, versions] : value.members)
      if (auto status = text(versions, entry_.seen[language], "seen"); !status) return status;
    return {};
  }

  Status read_signature(const Yaml& value) {
    auto signature = parse_signature(value, entry_.path);
    if (!signature) return signature.error();
    entry_.signature = std::move(*signature);
    return {};
  }

  Status read_status(const Yaml& value) {
    std::string status;
    if (auto bad = choice(value, "status", {"draft", "reviewed"}, status); !bad) return bad;
    entry_.draft = status == "draft";
    return {};
  }

  Status member(const std::string& key, const Yaml& value) {
    if (key == "id") return read_id(value);
    if (key == "kind") return read_kind(value);
    if (key == "title") return text(value, entry_.title, "title");
    if (key == "scope")
      return choice(value, "scope", {"shared", "cute-dsl", "cute-cpp", "cutile-dsl"}, entry_.scope);
    if (key == "status") return read_status(value);
    if (key == "refines") return text(value, entry_.refines, "refines");
    if (key == "triggers") return texts(value, entry_.triggers, "triggers");
    if (key == "metrics") return texts(value, entry_.metrics, "metrics");
    if (key == "runs") return texts(value, entry_.runs, "runs");
    if (key == "seen") return read_seen(value);
    if (key == "signature") return read_signature(value);
    if (key == "evidence") return read_evidence(value);
    if (key == "drafted") return {};  // the stamp of `extract`; see draft.h
    const std::vector<std::string> keys = {"id",        "kind",     "title",   "scope", "status",
                                           "refines",   "triggers", "metrics", "runs",  "seen",
                                           "signature", "evidence", "drafted"};
    const auto near = nearest(key, keys);
    return wrong(value.line, fmt::format("unknown member '{}' in the front matter", printable(key)),
                 near ? fmt::format("did you mean '{}'?", *near) : "members: " + join(keys, ", "));
  }

  Entry& entry_;
};

}  // namespace

Result<Entry> parse_entry(const std::string& text, const std::string& path) {
  if (const int line = line_of_bad_utf8(text))
    return entry_error(path, line, "text that is not UTF-8, or a control character",
                       "save the file as UTF-8");
  auto parts = split_front_matter(text, path);
  if (!parts) return parts.error();
  if (!parts->has_value())
    return entry_error(path, 1, "no front matter", "begin the file with `---`, the members, `---`");
  auto yaml = parse_yaml((*parts)->yaml, path, (*parts)->first_line);
  if (!yaml) return yaml.error();
  Entry entry;
  entry.path = path;
  if (auto status = FrontMatterReader(entry).read(*yaml); !status) return status.error();
  entry.sections = split_sections((*parts)->body, (*parts)->body_line);
  return entry;
}

}  // namespace cutelab::knowledge
