#include "capture/recipe.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_document.h"
#include "base/text.h"
#include "capture/program.h"
#include "capture/recipe_check.h"

namespace cutelab::capture {
namespace {
using RecipeJson = nlohmann::json;

Error wrong_recipe(const std::string& path, const std::string& wrong) {
  return Error{ErrorKind::input, "read a recipe", wrong, path, "docs/recipes.md says how one is written"};
}

/// A list of texts; `wrong` says where it is something else.
std::vector<std::string> texts(const RecipeJson& object, const char* name, std::string& wrong) {
  std::vector<std::string> found;
  const auto it = object.find(name);
  if (it == object.end()) return found;
  if (!it->is_array()) {
    wrong = fmt::format("`{}` wants a list of texts", name);
    return found;
  }
  for (std::size_t i = 0; i < it->size(); ++i) {
    if (!(*it)[i].is_string()) wrong = fmt::format("`{}[{}]` is no text", name, i);
    if (!wrong.empty()) return found;
    found.push_back((*it)[i].get<std::string>());
  }
  return found;
}

std::string text(const RecipeJson& object, const char* name) {
  const auto it = object.find(name);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::string wrong_schema(const RecipeJson& document) {
  if (!document.is_object()) return "it is JSON, but no object";
  if (text(document, "schema") != "cutelab.recipe")
    return "its `schema` is not cutelab.recipe: this is no recipe";
  const auto version = document.find("schema_version");
  if (version == document.end()) return "`schema_version` is missing; this program reads version 1";
  if (*version != 1)
    return fmt::format("`schema_version` is {}; this program reads version 1", printable(version->dump()));
  return "";
}

/// What is wrong with an entry; `kernel` is filled.
std::string take_entry(const RecipeJson& entry, RecipeKernel& kernel) {
  if (!entry.is_object()) return "it is no object";
  kernel.name = text(entry, "name");
  if (kernel.name.empty())
    return entry.contains("name") ? "`name` is no text, or empty" : "`name` is missing";
  std::string wrong;
  kernel.archs = texts(entry, "archs", wrong);
  if (!wrong.empty()) return wrong;
  if (kernel.archs.empty()) return entry.contains("archs") ? "`archs` is empty" : "`archs` is missing";
  for (const std::string& arch : kernel.archs)
    if (!is_architecture(arch))
      return fmt::format("`archs`: '{}' is no architecture, as sm_90a is", printable(arch));
  if (!entry.contains("run")) return "`run` is missing";
  for (const auto& [member, value] : entry.items())
    if (member != "name" && member != "archs" && member != "run" && member != "set")
      return fmt::format("no member '{}' belongs there; known ones: name, archs, run, set",
                         printable(member));
  kernel.entry = entry.dump(-1, ' ', false, RecipeJson::error_handler_t::replace);
  return fault_of_values(entry);
}

}  // namespace

Result<Recipe> read_recipe(const FileSource& files, const std::string& path) {
  auto content = files.read(path, max_source_bytes);
  if (!content) return content.error();
  auto parsed = json_document<RecipeJson>(*content, wrong_recipe(path, ""));
  if (!parsed) return parsed.error();
  const RecipeJson& document = *parsed;
  if (std::string wrong = wrong_schema(document); !wrong.empty()) return wrong_recipe(path, wrong);
  Recipe recipe;
  std::string wrong;
  recipe.parts = texts(document, "parts", wrong);
  const auto beside = std::filesystem::absolute(path).parent_path();
  if (wrong.empty())
    for (const std::string& folder : texts(document, "folders", wrong))
      recipe.folders.push_back((beside / folder).lexically_normal().string());
  if (wrong.empty() && (!document.contains("kernels") || !document["kernels"].is_array()))
    wrong = document.contains("kernels") ? "`kernels` wants a list of entries" : "`kernels` is missing";
  if (!wrong.empty()) return wrong_recipe(path, wrong);
  std::set<std::string> names;
  for (const RecipeJson& entry : document["kernels"]) {
    RecipeKernel kernel;
    wrong = take_entry(entry, kernel);
    const std::string called = kernel.name.empty() ? "" : fmt::format(" ('{}')", printable(kernel.name));
    if (!wrong.empty())
      return wrong_recipe(
          path, fmt::format("entry {} of `kernels`{}: {}", recipe.kernels.size() + 1, called, wrong));
    if (!names.insert(kernel.name).second)
      return wrong_recipe(path, fmt::format("two entries are called '{}'", printable(kernel.name)));
    recipe.kernels.push_back(std::move(kernel));
  }
  if (recipe.kernels.empty()) return wrong_recipe(path, "`kernels` holds no entry");
  return recipe;
}

}  // namespace cutelab::capture
