#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cutelab {

struct FileStatus {
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  ///< since the epoch
  bool is_directory = false;
};

/// Reading files, behind an interface so that tests can fake a tree and count what was touched.
class FileSource {
 public:
  virtual ~FileSource() = default;
  /// Whole content. Errors (kind input): missing, a folder, unreadable, larger than `limit_bytes`.
  virtual Result<std::string> read(const std::string& path, std::uint64_t limit_bytes) const = 0;
  virtual Result<FileStatus> status(const std::string& path) const = 0;
  /// All regular files below `folder`, sorted, as paths that start with `folder`. Hidden folders (".git") are
  /// passed over; a link is followed once, so link loops end. Unreadable folders are reported in `unreadable`
  /// and passed over.
  virtual Result<std::vector<std::string>> list(const std::string& folder,
                                                std::vector<std::string>* unreadable) const = 0;
};

/// The machine's own files.
class DiskFileSource final : public FileSource {
 public:
  Result<std::string> read(const std::string& path, std::uint64_t limit_bytes) const override;
  Result<FileStatus> status(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& folder,
                                        std::vector<std::string>* unreadable) const override;
};

/// Writes `content` beside `path` and renames it there: readers see the old or the new file, never a torn
/// one. Permissions and symbolic links stay, the file behind them is replaced; pipes are written into.
Status write_file_atomically(const std::string& path, const std::string& content);

/// Whether write_file_atomically() could write there, as far as that can be told without writing: it is no
/// folder, and the nearest folder on the way that exists can be written. Errors: as that function's.
Status check_can_write(const std::string& path);

/// A source larger than this is refused: no kernel is, and a mistaken argument (a log, a model) is.
inline constexpr std::uint64_t max_source_bytes = 16u << 20;

/// A source text fit for reading: exists, at most max_source_bytes, not empty, no NUL byte. Invalid UTF-8 is
/// kept.
Result<std::string> read_source(const FileSource& files, const std::string& path);

}  // namespace cutelab
