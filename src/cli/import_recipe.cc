#include "cli/import_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "capture/recipe.h"

namespace cutelab::cli {
namespace {

constexpr std::string_view root_prefix = "$CUTELAB_ROOT/";

std::filesystem::path plain(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal();
}

}  // namespace

Result<std::optional<RecipeEntry>> recipe_entry(const std::string& word, const Context& context) {
  const auto colon = word.rfind(".json:");
  if (colon == std::string::npos) return std::optional<RecipeEntry>();
  const std::string path = word.substr(0, colon + 5), name = word.substr(colon + 6);
  auto recipe = capture::read_recipe(context.files, path);
  if (!recipe) return recipe.error();
  std::vector<std::string> names;
  for (const auto& kernel : recipe->kernels) names.push_back(kernel.name);
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end())
    return Error{ErrorKind::usage, "import " + word, "the recipe has no entry " + name, path,
                 "it has: " + join(names, ", ")};
  const auto& kernel = recipe->kernels[static_cast<std::size_t>(it - names.begin())];
  RecipeEntry entry;
  entry.name = name;
  entry.program = "src/capture/recipes/run_recipe.py";
  entry.flags = {kernel.entry};
  for (const std::string& folder : recipe->folders) {
    const auto below = plain(folder).lexically_relative(plain(context.source_root));
    const bool inside = !below.empty() && *below.begin() != "..";
    entry.flags.push_back(inside ? std::string(root_prefix) + below.string() : folder);
  }
  entry.archs = kernel.archs;
  entry.summary = fmt::format("{} of {}", name, std::filesystem::path(path).filename().string());
  entry.wants_torch = std::find(recipe->parts.begin(), recipe->parts.end(), "torch") != recipe->parts.end();
  return std::optional(std::move(entry));
}

std::string expanded_flag(const std::string& flag, const Context& context) {
  if (!flag.starts_with(root_prefix)) return flag;
  return plain(context.source_root).string() + "/" + flag.substr(root_prefix.size());
}

}  // namespace cutelab::cli
