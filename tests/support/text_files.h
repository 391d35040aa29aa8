#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/file_source.h"

namespace cutelab {

/// Files that exist only in the test: path i holds text i.
class TextFiles final : public FileSource {
 public:
  TextFiles(const std::vector<std::string>& paths, const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < paths.size(); ++i) files_[paths[i]] = texts.at(i);
  }
  Result<std::string> read(const std::string& path, std::uint64_t) const override {
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second;
    return Error{ErrorKind::input, "read " + path, "no such file", path, ""};
  }
  Result<FileStatus> status(const std::string& path) const override {
    const auto inside = files_.lower_bound(path + "/");
    if (inside != files_.end() && inside->first.starts_with(path + "/")) return FileStatus{0, 0, true};
    const auto found = files_.find(path);
    if (found == files_.end()) return Error{ErrorKind::input, "stat " + path, "no such file", path, ""};
    return FileStatus{found->second.size(), 0, false};
  }
  Result<std::vector<std::string>> list(const std::string&, std::vector<std::string>*) const override {
    return std::vector<std::string>();
  }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace cutelab
