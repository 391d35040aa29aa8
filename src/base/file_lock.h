#pragma once
#include <memory>
#include <string>

#include "base/result.h"

namespace cutelab {

/// Holds an exclusive lock on a file of that name for as long as it lives; waits for another holder.
class FileLock {
 public:
  /// Creates the folder and the file. Error (kind input): they cannot be created or locked.
  static Result<FileLock> take(const std::string& path);
  FileLock(FileLock&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  FileLock& operator=(FileLock&&) = delete;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace cutelab
