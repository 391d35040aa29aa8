#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file_source.h"
#include "corpus/workspace.h"

namespace cutelab::corpus::test {

/// Files in memory, with the program's real data/ folder behind them. Counts what was read.
class MemoryFiles final : public FileSource {
 public:
  void put(const std::string& path, std::string text) { texts_[path] = std::move(text); }
  void remove(const std::string& path) { texts_.erase(path); }
  Result<std::string> read(const std::string& path, std::uint64_t limit) const override;
  Result<FileStatus> status(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& folder,
                                        std::vector<std::string>* unreadable) const override;
  mutable int reads = 0;

 private:
  std::map<std::string, std::string> texts_;
  DiskFileSource disk_;
};

/// A small CuTe DSL source of our own that uses what a kernel of `generation` uses ("ampere", "hopper",
/// "blackwell", "blackwell_geforce"; anything else: no kernel).
std::string kernel_text(const std::string& generation, const std::string& docstring = "");

/// A CUTLASS checkout of that release under `root`: version.h, the pinned wheel, and every example path of
/// the release (known from data/example_history.json) with a small content of our own.
void put_checkout(MemoryFiles& files, const std::string& root, const std::string& release);

/// A folder that is removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Environment whose homes lie in `folder`.
Environment environment_in(const std::string& folder, std::map<std::string, std::string> more = {});

/// The checkout of `release` opened as the only corpus.
std::unique_ptr<Workspace> open_release(MemoryFiles& files, const ScratchFolder& scratch,
                                        const std::string& release);

const Example& example(const Workspace& w, int i);
std::string data_folder();

}  // namespace cutelab::corpus::test
