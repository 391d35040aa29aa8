#include "base/file_source.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "base/file_walk.h"
#include "base/text.h"

namespace cutelab {
namespace fs = std::filesystem;
namespace {

Error input_error(const std::string& path, std::string wrong, std::string remedy) {
  return Error{ErrorKind::input, "open " + path, std::move(wrong), path, std::move(remedy)};
}

Error errno_error(const std::string& path, int code) {
  const char* remedy = code == ENOENT   ? "check the spelling; `cutelab select WORDS` finds examples by name"
                       : code == EACCES ? "give yourself read permission"
                       : code == ELOOP  ? "the symbolic links go in a circle; name the real file"
                                        : "check the path";
  return input_error(path, std::strerror(code), remedy);
}

Error write_error(const std::string& path, std::string wrong, std::string remedy) {
  return Error{ErrorKind::input, "write " + path, std::move(wrong), path, std::move(remedy)};
}

/// The file that a symbolic link leads to, whether it exists yet or not; a link still if links go in a
/// circle.
std::string behind_links(fs::path path) {
  constexpr int most_links = 40;  // as Linux allows in one path
  std::error_code code;
  for (int i = 0; i < most_links && fs::is_symlink(path, code); ++i)
    path = path.parent_path() / fs::read_symlink(path, code);  // an absolute target replaces the folder
  return path.string();
}

/// /dev/stdout, /dev/null or a pipe of the shell: a rename would replace it, so the text goes through it.
Status write_through(const std::string& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary);
  out << content;
  out.flush();
  if (!out) return write_error(path, std::strerror(errno), "check what stands behind it");
  return {};
}

struct Walk {
  std::vector<std::string> files;
  std::size_t most_entries = 0;
  std::size_t entries = 0;
  std::vector<std::string>* unreadable = nullptr;
  std::set<std::pair<dev_t, ino_t>> seen = {};

  void folder(const fs::path& path) {
    struct stat st {};
    if (stat(path.c_str(), &st) != 0 || !seen.insert({st.st_dev, st.st_ino}).second) return;
    std::error_code code;
    fs::directory_iterator it(path, code);
    if (code) {
      if (unreadable) unreadable->push_back(path.string());
      return;
    }
    for (; it != fs::directory_iterator(); it.increment(code)) {
      if (code || ++entries > most_entries) return;
      entry(*it);
    }
  }

  void entry(const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    std::error_code code;
    const auto status = entry.status(code);
    if (code) return;  // a link that leads nowhere
    if (fs::is_directory(status)) {
      if (name[0] != '.' && name != "__pycache__") folder(entry.path());
    } else if (fs::is_regular_file(status)) {
      files.push_back(entry.path().string());
    }
  }
};

}  // namespace

Result<std::string> DiskFileSource::read(const std::string& path, std::uint64_t limit_bytes) const {
  auto st = status(path);
  if (!st) return st.error();
  if (st->is_directory) return input_error(path, "is a folder, not a file", "name a file in it");
  if (st->bytes > limit_bytes)
    return input_error(
        path,
        fmt::format("has {}; at most {} are read", human_bytes(static_cast<long long>(st->bytes)),
                    human_bytes(static_cast<long long>(limit_bytes))),
        "name a kernel source, not data");
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return errno_error(path, errno);
  std::string content(st->bytes, '\0');
  const std::size_t got = std::fread(content.data(), 1, content.size(), file.get());
  if (std::ferror(file.get())) return errno_error(path, errno);
  content.resize(got);
  return content;
}

Result<FileStatus> DiskFileSource::status(const std::string& path) const {
  struct stat st {};
  if (stat(path.c_str(), &st) != 0) return errno_error(path, errno);
  if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
    return input_error(path, "is neither a file nor a folder", "name a regular file");
  return FileStatus{static_cast<std::uint64_t>(st.st_size),
                    static_cast<std::int64_t>(st.st_mtim.tv_sec) * 1'000'000'000 + st.st_mtim.tv_nsec,
                    S_ISDIR(st.st_mode)};
}

Result<std::vector<std::string>> DiskFileSource::list(const std::string& folder,
                                                      std::vector<std::string>* unreadable) const {
  return list_files(folder, unreadable);
}

Result<std::vector<std::string>> list_files(const std::string& folder, std::vector<std::string>* unreadable,
                                            std::size_t most_entries) {
  auto st = DiskFileSource().status(folder);
  if (!st) return st.error();
  if (!st->is_directory) return input_error(folder, "is a file, not a folder", "name the folder it lies in");
  if (access(folder.c_str(), R_OK | X_OK) != 0) return errno_error(folder, errno);
  Walk walk;
  walk.most_entries = most_entries;
  walk.unreadable = unreadable;
  walk.folder(folder);
  if (walk.entries > most_entries)
    return input_error(folder,
                       fmt::format("holds more than {} files and folders",
                                   with_thousands(static_cast<long long>(most_entries))),
                       "name the folder of the sources in it");
  std::sort(walk.files.begin(), walk.files.end());
  return std::move(walk.files);
}

Status write_file_atomically(const std::string& asked, const std::string& content) {
  std::error_code code;
  struct stat st {};
  if (stat(asked.c_str(), &st) == 0) {
    if (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)) return write_through(asked, content);
    if (S_ISDIR(st.st_mode)) return write_error(asked, "it is a folder", "name a file in it");
    if (!S_ISREG(st.st_mode)) return write_error(asked, "it is no file", "name a regular file");
  }
  const std::string path = behind_links(asked);
  if (fs::is_symlink(path, code))
    return write_error(asked, "the symbolic links go in a circle", "name the real file");
  const fs::path target(path);
  code.clear();
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), code);
  if (code) return write_error(path, code.message(), "check the permissions of the folders on the way");
  const std::string part = fmt::format("{}.{}.part", path, getpid());
  {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out << content;
    out.flush();
    if (!out) {
      const Error error = write_error(path, std::strerror(errno), "check the folder and free space");
      std::remove(part.c_str());
      return error;
    }
  }
  if (S_ISREG(st.st_mode)) chmod(part.c_str(), st.st_mode & 07777);  // the file keeps its permissions
  if (std::rename(part.c_str(), path.c_str()) != 0) {
    const Error error = write_error(path, std::strerror(errno), "check the folder's permissions");
    std::remove(part.c_str());
    return error;
  }
  return {};
}

Status check_can_write(const std::string& asked) {
  struct stat st {};
  if (stat(asked.c_str(), &st) == 0) {
    if (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)) return {};
    if (S_ISDIR(st.st_mode)) return write_error(asked, "it is a folder", "name a file in it");
    if (!S_ISREG(st.st_mode)) return write_error(asked, "it is no file", "name a regular file");
  }
  std::error_code code;
  const fs::path whole = fs::absolute(behind_links(asked), code);
  if (code) return write_error(asked, code.message(), "name another file");
  for (fs::path folder = whole.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (stat(folder.c_str(), &st) == 0) {
      if (!S_ISDIR(st.st_mode))
        return write_error(asked, folder.string() + " is no folder", "name a file in a folder");
      if (access(folder.c_str(), W_OK | X_OK) == 0) return {};
      return write_error(asked, std::strerror(errno), "check the permissions of " + folder.string());
    }
    if (errno != ENOENT) return write_error(asked, std::strerror(errno), "check the folders on the way");
    if (folder == folder.parent_path()) break;
  }
  return {};
}

Result<std::string> read_source(const FileSource& files, const std::string& path) {
  auto text = files.read(path, max_source_bytes);
  if (!text) return text.error();
  if (trim(*text).empty())
    return input_error(path, "the file is empty", "name a CuTe DSL or CUDA C++ source");
  const auto nul = text->find('\0');
  if (nul != std::string::npos)
    return input_error(path, fmt::format("is a binary file (NUL byte at offset {})", nul),
                       "name a CuTe DSL (.py) or CUDA C++ (.cu, .cuh, .h, .hpp) source");
  return text;
}

}  // namespace cutelab
