#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace cutelab {

Result<FileLock> FileLock::take(const std::string& path) {
  std::error_code code;
  const std::filesystem::path target(path);
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), code);
  const auto failed = [&](int number) {
    return Error{ErrorKind::input, "lock " + path, std::strerror(number), path,
                 "check the folder's permissions"};
  };
  if (code) return failed(code.value());
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return failed(errno);
  while (flock(descriptor, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const Error error = failed(errno);
    close(descriptor);
    return error;
  }
  return FileLock(descriptor);
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);  // closing gives the lock back
}

}  // namespace cutelab
