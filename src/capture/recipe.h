#pragma once
#include <string>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"

namespace cutelab::capture {

/// One call of a package that makes kernels, and what it is compiled for.
struct RecipeKernel {
  std::string name;
  std::vector<std::string> archs;  ///< "sm_90a"; at least one
  std::string entry;               ///< the whole entry as JSON, for run_recipe.py
};

/// Kernels of a package that has no main of its own: what to call, with which arguments (docs/recipes.md).
struct Recipe {
  std::vector<std::string> parts;    ///< of set-up, needed beside the DSL
  std::vector<std::string> folders;  ///< imports are looked up there; absolute
  std::vector<RecipeKernel> kernels;
};

/// Schema `cutelab.recipe`, version 1; folders are relative to the file's own. Errors (kind input): it cannot
/// be read, is no JSON (with the place), is no such document, an entry or a member of its values is not of
/// its form (entry and member are named), two share a name.
Result<Recipe> read_recipe(const FileSource& files, const std::string& path);

}  // namespace cutelab::capture
