#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "base/text_table.h"
#include "source/python_module.h"

namespace cutelab::source {

/// What several programs read one after the other have in common: where module names lead, and the modules
/// that they import, each parsed once. Files are taken to stay as they are meanwhile.
class SharedModules {
 public:
  /// Path of the module `dotted` (no leading dots) below the folder `root`; empty = there is none.
  std::string below(const FileSource& files, const std::string& root, std::string_view dotted);
  /// What names lead to from a list of folders, the first that has a module answers: names already looked up.
  using Answers = TextTable<std::string>;
  Answers& answers_of(const std::vector<std::string>& roots) { return answers_[roots]; }
  bool is_file(const FileSource& files, const std::string& path);
  /// The module of that path and text, if it was imported before; else null.
  std::shared_ptr<const PythonModule> known(const std::string& path, const std::string& text) const;
  /// Null: the file cannot be read as a source.
  std::shared_ptr<const PythonModule> module(const FileSource& files, const std::string& path,
                                             Extent extent = Extent::whole);

 private:
  bool is_folder(const FileSource& files, const std::string& path);
  std::map<std::vector<std::string>, Answers> answers_;
  TextTable<bool> is_file_, is_folder_;
  TextTable<std::shared_ptr<const PythonModule>> modules_;
};

/// A Python source and the local modules it imports, loaded when first asked for. Looked for, in order:
/// beside the file (or up the dots of a relative import), in the folders the file adds to sys.path, in the
/// folders above it up to the corpus root, in extra roots.
class Program {
 public:
  struct Options {
    std::string corpus_root;               ///< last folder to look in on the way up; empty = six levels up
    std::vector<std::string> extra_roots;  ///< e.g. folders that hold the DSL's own package
    std::shared_ptr<SharedModules> shared = nullptr;  ///< null = nothing to share
    /// How much of the module at a path is wanted; null = all of each. Not for modules that are shared.
    Extent (*extent)(const std::string& path) = nullptr;
  };
  Program(const FileSource& files, Options options) : files_(files), options_(std::move(options)) {
    if (!options_.shared) options_.shared = std::make_shared<SharedModules>();
  }

  /// Module 0. Errors as read_source.
  Status open(const std::string& path);
  /// Module 0 from a text already read.
  void open(const std::string& path, std::string text);

  const PythonModule& module(int index) const { return *modules_[static_cast<std::size_t>(index)]; }
  int size() const { return static_cast<int>(modules_.size()); }

  /// Path of the module `name` (dots as written) that module `from` imports; empty = not a local module.
  const std::string& find(int from, std::string_view name) { return found(from, name).path; }
  /// Loads it; -1 = not found, unreadable, or the limit of local modules is reached.
  int import(int from, std::string_view name);
  /// Loads the Python file at that path; -1 as import.
  int load(const std::string& path);
  /// Folders that the module adds to sys.path.
  std::vector<std::string> path_edits(const PythonModule& module) const;

 private:
  struct Found {
    std::string path;
    bool asked_for = false;  ///< whether it was loaded, with or without success
    int module = -1;
  };
  Found& found(int from, std::string_view name);
  std::string search(int from, std::string_view name);
  void add(std::shared_ptr<const PythonModule> module);
  struct Roots {
    std::vector<std::string> folders;
    SharedModules::Answers* answers = nullptr;
  };
  const Roots& roots_of(int from);
  std::vector<std::string> folders_of(int from) const;
  const FileSource& files_;
  Options options_;
  std::vector<std::shared_ptr<const PythonModule>> modules_;
  std::vector<std::string> normal_paths_;  // of the modules
  TextTable<int> module_by_path_;
  std::vector<TextTable<Found>> found_;  // by the importing module
  std::map<int, Roots> roots_;
};

}  // namespace cutelab::source
