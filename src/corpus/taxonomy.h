#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"

namespace cutelab::corpus {

/// A kind of kernel (data/categories.json).
struct Category {
  std::string id;
  std::string title;
  std::vector<std::vector<std::string>> words;  ///< each a sequence that may stand in a file or folder name
  std::vector<std::string> folders;             ///< folder names that say so by themselves
  std::vector<std::string> excluding;           ///< words that rule it out
  bool need_folder = false;                     ///< words count only below one of `folders`
};

/// What someone wants to learn (data/goals.json).
struct Goal {
  std::string id;
  std::string title;
  std::string question;
  std::vector<std::string> categories;  ///< best first
  std::vector<std::string> patterns;
  std::vector<std::string> constructs;
  std::vector<std::string> name_words;
  std::vector<std::string> aliases;
  bool small_first = false;  ///< shorter examples teach it better
};

/// One step of a learning path: example names per generation folder ("hopper"), and for every generation
/// under "".
struct PathStep {
  std::string teaches;
  std::map<std::string, std::vector<std::string>> names;
  std::map<std::string, std::string> packages;  ///< kernels of this repository by generation: "dense_gemm v0"
};

struct LearningPath {
  std::string id;  ///< "A"
  std::string title;
  std::vector<PathStep> steps;
};

struct Taxonomy {
  std::vector<Category> categories;
  std::vector<Goal> goals;
  std::vector<LearningPath> paths;

  static Result<Taxonomy> load(const FileSource& files, const std::string& data_folder);

  const Category* category(std::string_view id) const;
  /// By id, title or alias. Errors (kind usage) suggest the nearest and list all.
  Result<const Goal*> goal(std::string_view text) const;
  Result<const Category*> category_named(std::string_view text) const;
  Result<const LearningPath*> path(std::string_view id) const;

  /// Ids of the categories of a file, its main one first. `path` is relative to the corpus.
  std::vector<std::string> categories_of(std::string_view path) const;
};

}  // namespace cutelab::corpus
