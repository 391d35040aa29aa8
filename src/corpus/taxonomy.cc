#include "corpus/taxonomy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "corpus/json_file.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

Category category_from(const nlohmann::json& j) {
  Category c;
  c.id = string_of(j, "id");
  c.title = string_of(j, "title");
  for (const std::string& words : string_list(j, "words"))
    c.words.push_back(split_words(words, WordSplit::letters));
  c.folders = string_list(j, "folders");
  c.excluding = string_list(j, "not");
  c.need_folder = j.value("need_folder", false);
  return c;
}

Goal goal_from(const nlohmann::json& j) {
  Goal g;
  g.id = string_of(j, "id");
  g.title = string_of(j, "title");
  g.question = string_of(j, "question");
  g.categories = string_list(j, "categories");
  g.patterns = string_list(j, "patterns");
  g.constructs = string_list(j, "constructs");
  g.name_words = string_list(j, "name_words");
  g.aliases = string_list(j, "aliases");
  g.small_first = j.value("small_first", false);
  return g;
}

LearningPath path_from(const nlohmann::json& j) {
  LearningPath p{string_of(j, "id"), string_of(j, "title"), {}};
  for (const auto& step : j.at("steps")) {
    PathStep s{string_of(step, "teaches"), {}};
    if (step.contains("any")) s.names[""] = string_list(step, "any");
    if (step.contains("on"))
      for (const auto& [folder, names] : step["on"].items())
        s.names[folder] = string_list(step["on"], folder.c_str());
    p.steps.push_back(std::move(s));
  }
  return p;
}

bool has_word(const std::vector<std::string>& words, const std::vector<std::string>& any) {
  return std::any_of(any.begin(), any.end(),
                     [&](const auto& w) { return std::find(words.begin(), words.end(), w) != words.end(); });
}

std::string simplified(std::string_view text) { return join(split_words(text, WordSplit::keep_digits), " "); }

}  // namespace

Result<Taxonomy> Taxonomy::load(const FileSource& files, const std::string& folder) {
  Taxonomy t;
  auto categories = load_data_file(files, folder + "/categories.json");
  if (!categories) return categories.error();
  for (const auto& j : categories->at("categories")) t.categories.push_back(category_from(j));
  auto goals = load_data_file(files, folder + "/goals.json");
  if (!goals) return goals.error();
  for (const auto& j : goals->at("goals")) t.goals.push_back(goal_from(j));
  auto paths = load_data_file(files, folder + "/learning_paths.json");
  if (!paths) return paths.error();
  for (const auto& j : paths->at("paths")) t.paths.push_back(path_from(j));
  return t;
}

const Category* Taxonomy::category(std::string_view id) const {
  for (const Category& c : categories)
    if (c.id == id) return &c;
  return nullptr;
}

Result<const Goal*> Taxonomy::goal(std::string_view text) const {
  const std::string wanted = simplified(text);
  std::vector<std::string> ids, names;
  std::map<std::string, std::string> goal_of;  // by alias
  for (const Goal& g : goals) {
    ids.push_back(g.id);
    names.push_back(g.id);
    if (simplified(g.id) == wanted || simplified(g.title) == wanted) return &g;
    for (const std::string& alias : g.aliases) {
      names.push_back(alias);
      goal_of.emplace(alias, g.id);
      if (simplified(alias) == wanted) return &g;
    }
  }
  const auto near = nearest(text, names);
  // An alias stands in no list: it comes with the goal that it means.
  const std::string meant =
      near && goal_of.count(*near) && std::find(ids.begin(), ids.end(), *near) == ids.end()
          ? fmt::format(" (goal {})", goal_of.at(*near))
          : "";
  return Error{
      ErrorKind::usage, fmt::format("select --goal '{}'", text), "no such learning goal", "",
      (near ? fmt::format("did you mean '{}'{}? ", *near, meant) : "") + "goals: " + join(ids, ", ")};
}

Result<const Category*> Taxonomy::category_named(std::string_view text) const {
  const std::string wanted = simplified(text);
  std::vector<std::string> ids;
  for (const Category& c : categories) {
    ids.push_back(c.id);
    if (simplified(c.id) == wanted || simplified(c.title) == wanted) return &c;
  }
  for (const Category& c : categories)
    for (const auto& words : c.words)
      if (join(words, " ") == join(split_words(text, WordSplit::letters), " ")) return &c;
  const auto near = nearest(text, ids);
  return Error{ErrorKind::usage, fmt::format("select --category '{}'", text), "no such category", "",
               (near ? fmt::format("did you mean '{}'? ", *near) : "") + "categories: " + join(ids, ", ")};
}

Result<const LearningPath*> Taxonomy::path(std::string_view id) const {
  std::vector<std::string> ids;
  for (const LearningPath& p : paths) {
    ids.push_back(p.id);
    if (to_lower(p.id) == to_lower(id)) return &p;
  }
  return Error{ErrorKind::usage, fmt::format("select --path '{}'", id), "no such learning path", "",
               "paths: " + join(ids, ", ")};
}

std::vector<std::string> Taxonomy::categories_of(std::string_view path) const {
  const auto components = split(path, '/');
  std::vector<std::vector<std::string>> words;
  std::vector<std::string> all;
  for (const std::string_view part : components) {
    words.push_back(split_words(&part == &components.back() ? stem_of(part) : part, WordSplit::letters));
    all.insert(all.end(), words.back().begin(), words.back().end());
  }
  std::vector<std::pair<int, std::string>> found;
  for (const Category& c : categories) {
    const bool in_folder = std::any_of(c.folders.begin(), c.folders.end(), [&](const std::string& f) {
      return std::find(components.begin(), components.end(), f) != components.end();
    });
    if (has_word(all, c.excluding) || (c.need_folder && !in_folder)) continue;
    int weight = in_folder && !c.need_folder ? 5 : 0;
    for (const auto& sequence : c.words)
      for (std::size_t i = 0; i < words.size(); ++i)
        if (contains_sequence(words[i], sequence))  // the file's own name says more than its folder's
          weight = std::max(weight, static_cast<int>(sequence.size()) * 2 + (i + 1 == words.size() ? 3 : 0));
    if (weight > 0) found.emplace_back(weight, c.id);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> ids;
  for (auto& [weight, id] : found) ids.push_back(std::move(id));
  return ids;
}

}  // namespace cutelab::corpus
