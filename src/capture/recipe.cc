#include "capture/recipe.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"

namespace cutelab::capture {
namespace {
using RecipeJson = nlohmann::json;

Error wrong_recipe(const std::string& path, const std::string& wrong) {
  return Error{ErrorKind::input, "read a recipe", wrong, path, "docs/recipes.md says how one is written"};
}

std::vector<std::string> texts(const RecipeJson& object, const char* name) {
  std::vector<std::string> found;
  if (const auto it = object.find(name); it != object.end() && it->is_array())
    for (const RecipeJson& item : *it)
      if (item.is_string()) found.push_back(item.get<std::string>());
  return found;
}

std::string text(const RecipeJson& object, const char* name) {
  const auto it = object.find(name);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

}  // namespace

Result<Recipe> read_recipe(const FileSource& files, const std::string& path) {
  auto content = files.read(path, max_source_bytes);
  if (!content) return content.error();
  const RecipeJson document = RecipeJson::parse(*content, nullptr, false);
  if (!document.is_object() || text(document, "schema") != "cutelab.recipe" ||
      !document.contains("schema_version") || document["schema_version"] != 1)
    return wrong_recipe(path, "this is no document of schema cutelab.recipe, version 1");
  Recipe recipe;
  recipe.parts = texts(document, "parts");
  const auto beside = std::filesystem::absolute(path).parent_path();
  for (const std::string& folder : texts(document, "folders"))
    recipe.folders.push_back((beside / folder).lexically_normal().string());
  std::set<std::string> names;
  for (const RecipeJson& entry : document.contains("kernels") ? document["kernels"] : RecipeJson::array()) {
    RecipeKernel kernel;
    if (entry.is_object()) {
      kernel.name = text(entry, "name");
      kernel.archs = texts(entry, "archs");
      kernel.entry = entry.dump(-1, ' ', false, RecipeJson::error_handler_t::replace);
    }
    const auto number = recipe.kernels.size() + 1;
    if (kernel.name.empty() || kernel.archs.empty() || !entry.contains("run"))
      return wrong_recipe(path, fmt::format("entry {} of `kernels` wants `name`, `archs` and `run`", number));
    if (!names.insert(kernel.name).second)
      return wrong_recipe(path, fmt::format("two entries are called '{}'", printable(kernel.name)));
    recipe.kernels.push_back(std::move(kernel));
  }
  if (recipe.kernels.empty()) return wrong_recipe(path, "`kernels` holds no entry");
  return recipe;
}

}  // namespace cutelab::capture
