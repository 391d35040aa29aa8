#include "corpus/registry.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "corpus/json_file.h"

namespace cutelab::corpus {
namespace {

constexpr int format = 1;
constexpr CorpusKind kinds[] = {CorpusKind::checkout, CorpusKind::folder, CorpusKind::git, CorpusKind::pypi,
                                CorpusKind::python};

Error damaged(const std::string& path, const std::string& wrong) {
  return Error{ErrorKind::input, "read the list of corpora", wrong, path,
               "repair the file or move it away; it was left as it is"};
}

}  // namespace

const char* name_of(CorpusKind kind) {
  switch (kind) {
    case CorpusKind::checkout:
      return "checkout";
    case CorpusKind::folder:
      return "folder";
    case CorpusKind::git:
      return "git";
    case CorpusKind::pypi:
      return "pypi";
    case CorpusKind::python:
      return "python";
  }
  return "?";
}

Result<Registry> Registry::load(const FileSource& files, const std::string& config_home) {
  Registry registry;
  const std::string file = path(config_home);
  if (!files.status(file)) return registry;
  auto text = files.read(file, 16u << 20);
  if (!text) return text.error();
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("corpora") || !json["corpora"].is_array())
    return damaged(file, "it is not a list of corpora");
  if (const auto it = json.find("format"); it == json.end() || *it != format)
    return damaged(file, "it was written by another version of the program");
  for (const auto& j : json["corpora"]) {
    if (!j.is_object() || string_of(j, "name").empty() || string_of(j, "root").empty())
      return damaged(file, "an entry has no name or no root");
    RegisteredCorpus c{string_of(j, "name"), CorpusKind::folder,      string_of(j, "source"),
                       string_of(j, "root"), string_of(j, "version"), string_of(j, "added")};
    for (const CorpusKind kind : kinds)
      if (string_of(j, "kind") == name_of(kind)) c.kind = kind;
    registry.corpora_.push_back(std::move(c));
  }
  return registry;
}

Status Registry::save(const std::string& config_home) const {
  nlohmann::ordered_json json{{"format", format}, {"corpora", nlohmann::ordered_json::array()}};
  for (const RegisteredCorpus& c : corpora_)
    json["corpora"].push_back({{"name", c.name},
                               {"kind", name_of(c.kind)},
                               {"source", c.source},
                               {"root", c.root},
                               {"version", c.version},
                               {"added", c.added}});
  try {
    return write_file_atomically(path(config_home), json.dump(2) + "\n");
  } catch (const nlohmann::json::type_error&) {  // thrown for bytes that are not UTF-8
    return Error{ErrorKind::input, "keep the list of corpora", "a name or path in it is not valid UTF-8",
                 path(config_home), "rename the folder, or add it through a link with a plain name"};
  }
}

const RegisteredCorpus* Registry::find(std::string_view name) const {
  const auto it =
      std::find_if(corpora_.begin(), corpora_.end(), [&](const auto& c) { return c.name == name; });
  return it == corpora_.end() ? nullptr : &*it;
}

void Registry::put(RegisteredCorpus corpus) {
  for (RegisteredCorpus& c : corpora_)
    if (c.name == corpus.name) {
      c = std::move(corpus);
      return;
    }
  corpora_.push_back(std::move(corpus));
}

bool Registry::remove(std::string_view name) {
  return std::erase_if(corpora_, [&](const auto& c) { return c.name == name; }) > 0;
}

}  // namespace cutelab::corpus
