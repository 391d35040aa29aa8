#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "source/python_module.h"

namespace cutelab::source {

/// A Python source and the local modules it imports, loaded when first asked for. Looked for, in order:
/// beside the file (or up the dots of a relative import), in the folders the file adds to sys.path, in the
/// folders above it up to the corpus root, in extra roots.
class Program {
 public:
  struct Options {
    std::string corpus_root;               ///< last folder to look in on the way up; empty = six levels up
    std::vector<std::string> extra_roots;  ///< e.g. folders that hold the DSL's own package
  };
  Program(const FileSource& files, Options options) : files_(files), options_(std::move(options)) {}

  /// Module 0. Errors as read_source.
  Status open(const std::string& path);
  /// Module 0 from a text already read.
  void open(const std::string& path, std::string text);

  const PythonModule& module(int index) const { return *modules_[static_cast<std::size_t>(index)]; }
  int size() const { return static_cast<int>(modules_.size()); }

  /// Path of the module `name` (dots as written) that module `from` imports; empty = not a local module.
  std::string find(int from, const std::string& name);
  /// Loads it; -1 = not found, unreadable, or the limit of local modules is reached.
  int import(int from, const std::string& name);
  /// Loads the Python file at that path; -1 as import.
  int load(const std::string& path);
  /// Folders that the module adds to sys.path.
  std::vector<std::string> path_edits(const PythonModule& module) const;

 private:
  std::vector<std::string> roots_of(int from);
  std::string file_below(const std::string& root, const std::string& dotted);
  bool is_file(const std::string& path);
  const FileSource& files_;
  Options options_;
  std::vector<std::unique_ptr<PythonModule>> modules_;
  std::map<std::string, int> module_by_path_;
  std::map<std::string, std::string> found_;  // "<from>:<name>" -> path
  std::map<std::string, bool> exists_;
  std::map<int, std::vector<std::string>> roots_;
};

}  // namespace cutelab::source
