#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace cutelab::cli {

/// One entry of a recipe (docs/recipes.md) as a program to import.
struct RecipeEntry {
  std::string name;                ///< "softmax_fwd"
  std::string program;             ///< run_recipe.py, below the repository
  std::vector<std::string> flags;  ///< the entry, then folders: "$CUTELAB_ROOT/…" below the repository
  std::vector<std::string> archs;
  std::string summary;
  bool wants_torch = false;
};

/// "data/recipes/quack.json:softmax_fwd". None: the word does not name a recipe. Errors (kind input): the
/// recipe cannot be read; (kind usage) it has no such entry.
Result<std::optional<RecipeEntry>> recipe_entry(const std::string& word, const Context& context);

/// A flag with "$CUTELAB_ROOT/" replaced by the repository's folder.
std::string expanded_flag(const std::string& flag, const Context& context);

}  // namespace cutelab::cli
