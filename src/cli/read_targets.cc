#include "cli/read_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cutelab::cli {
namespace {

bool is_source(const std::string& path) {
  return path.ends_with(".py") || path.ends_with(".cu") || path.ends_with(".cuh");
}

class Expand {
 public:
  Expand(const FileSource& files, const ResolveName& resolve) : files_(files), resolve_(resolve) {}

  ReadTargets all(const std::vector<std::string>& words) {
    for (const std::string& word : words) one(word);
    return std::move(out_);
  }

 private:
  void one(const std::string& word) {
    const auto status = files_.status(word);
    if (status && status->is_directory) return folder(word);
    if (status) return add(word);
    // Only what does not exist may be a name; a path that cannot be opened says why.
    if (status.error().wrong != missing_) return out_.errors.push_back(status.error());
    auto path = resolve_(word, out_.notes);
    if (path) return add(*path);
    Error error = path.error();
    if (word.find('/') != std::string::npos || is_source(word))
      error.wrong = "there is no such file, and as a name: " + error.wrong;
    out_.errors.push_back(std::move(error));
  }

  void folder(const std::string& word) {
    std::vector<std::string> unreadable;
    const auto listed = files_.list(word, &unreadable);
    if (!listed) return out_.errors.push_back(listed.error());
    for (const std::string& path : unreadable)
      out_.notes.push_back(fmt::format("folder {} cannot be read and is passed over", path));
    const std::size_t before = out_.paths.size();
    for (const std::string& path : *listed)
      if (is_source(path)) add(path);
    if (out_.paths.size() == before)
      out_.errors.push_back(Error{ErrorKind::input, "read " + word,
                                  "the folder holds no .py, .cu or .cuh file", word,
                                  "name a folder with kernel sources"});
  }

  void add(const std::string& path) {
    if (seen_.insert(path).second) out_.paths.push_back(path);
  }

  const FileSource& files_;
  const ResolveName& resolve_;
  const std::string missing_ = "No such file or directory";
  std::set<std::string> seen_;
  ReadTargets out_;
};

}  // namespace

ReadTargets read_targets(const std::vector<std::string>& words, const FileSource& files,
                         const ResolveName& resolve) {
  return Expand(files, resolve).all(words);
}

}  // namespace cutelab::cli
