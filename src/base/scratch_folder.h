#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace cutelab {

/// A temporary folder of its own, removed with all that is in it. Name it in ProcessSpec::scratch, so that it
/// goes too where this program is killed while a child uses it.
class ScratchFolder {
 public:
  /// `what`: "capture" gives <temporary folder>/cutelab-capture-XXXXXX. Where none can be made path() is
  /// empty.
  explicit ScratchFolder(const std::string& what) {
    std::string name = (std::filesystem::temp_directory_path() / ("cutelab-" + what + "-XXXXXX")).string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cutelab
