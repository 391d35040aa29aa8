#include "corpus/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "corpus/json_file.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

bool exists_below(const CorpusView& corpus, const std::string& path) {
  const std::string full = corpus.example_root.empty() ? path : corpus.example_root + "/" + path;
  const auto& files = corpus.index.files;
  const auto first_from = [&](const std::string& prefix) {
    return std::lower_bound(files.begin(), files.end(), prefix,
                            [](const FileFacts& f, const std::string& p) { return f.path < p; });
  };
  const auto file = first_from(full), below = first_from(full + "/");
  return (file != files.end() && file->path == full) ||
         (below != files.end() && below->path.starts_with(full + "/"));
}

}  // namespace

Result<ExampleHistory> ExampleHistory::load(const FileSource& files, const std::string& data_folder) {
  ExampleHistory h;
  auto json = load_data_file(files, data_folder + "/example_history.json");
  if (!json) return json.error();
  h.releases_ = string_list(*json, "releases");
  for (const auto& [name, spans] : json->at("files").items())
    for (const auto& span : spans)
      h.files_[name].push_back({span.at(0), span.at(1), span.at(2).get<std::vector<std::string>>()});
  auto layouts = load_data_file(files, data_folder + "/example_layouts.json");
  if (!layouts) return layouts.error();
  for (const auto& e : layouts->at("epochs"))
    h.epochs_.push_back(
        {string_of(e, "id"), string_of(e, "releases"), string_list(e, "has"), string_list(e, "lacks")});
  for (const auto& r : layouts->at("renames"))
    h.renames_.push_back(
        {string_of(r, "old"), string_list(r, "new"), string_of(r, "since"), string_of(r, "note")});
  for (const auto& f : layouts->at("families"))
    h.families_.emplace_back(string_of(f, "old"), string_of(f, "new"));
  return h;
}

const std::vector<ExampleHistory::Span>* ExampleHistory::spans(std::string_view basename) const {
  const auto it = files_.find(basename);
  return it == files_.end() ? nullptr : &it->second;
}

std::vector<std::string> ExampleHistory::folder_names(std::string_view path) const {
  std::string text(folder_of_path(path));
  const std::string padded = "/" + text + "/";
  for (const auto& [old_name, new_name] : families_) {
    if (padded.find("/" + old_name + "/") != std::string::npos) text += "/" + new_name;
    if (padded.find("/" + new_name + "/") != std::string::npos) text += "/" + old_name;
  }
  std::vector<std::string> words;  // whole folder names: "cute_ext" must not look like "cute"
  for (const std::string_view part : split(text, '/')) words.push_back(to_lower(part));
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::string ExampleHistory::when(std::string_view basename) const {
  const auto* all = spans(basename);
  if (!all) return "";
  std::vector<std::string> parts;
  for (const Span& span : *all)
    parts.push_back(span.first == span.last
                        ? fmt::format("in {} as {}", span.first, join(span.paths, ", "))
                        : fmt::format("in {} to {} as {}", span.first, span.last, join(span.paths, ", ")));
  return join(parts, "; ");
}

const LayoutEpoch* ExampleHistory::epoch_of(const CorpusView& corpus) const {
  if (corpus.example_root.empty()) return nullptr;
  for (const LayoutEpoch& epoch : epochs_) {
    const auto there = [&](const std::string& path) { return exists_below(corpus, path); };
    if (std::all_of(epoch.has.begin(), epoch.has.end(), there) &&
        std::none_of(epoch.lacks.begin(), epoch.lacks.end(), there))
      return &epoch;
  }
  return nullptr;
}

}  // namespace cutelab::corpus
