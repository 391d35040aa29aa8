#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "evidence/run.h"

struct sqlite3;

namespace cutelab::profile {

struct StoredRun {
  std::int64_t id = 0;
  evidence::Run run;
};

/// Which runs; an empty member means any.
struct RunFilter {
  std::string kernel;
  std::string device;
  int most = 50;  ///< the newest so many
};

/// Runs with their provenance in one SQLite file. Write-ahead log: readers never wait, writers wait for each
/// other up to ten seconds, and a process killed in the middle of a write leaves the file as it was before
/// that write.
class Store {
 public:
  /// Opens or makes the file and its folder. Errors (kind input): not writable, not a store, made by a newer
  /// program.
  static Result<Store> open(const std::string& path);
  Store(Store&&) noexcept = default;
  Store& operator=(Store&&) noexcept = default;

  Result<std::int64_t> add(const evidence::Run& run);
  Result<std::vector<StoredRun>> list(const RunFilter& filter) const;  ///< newest first
  Result<StoredRun> get(std::int64_t id) const;  ///< error (kind input) if there is none

 private:
  Store() = default;
  struct Closer {
    void operator()(sqlite3* db) const;
  };
  Status execute(const char* sql) const;
  Status prepare_schema() const;
  Error error(const std::string& asked) const;
  std::string path_;
  std::unique_ptr<sqlite3, Closer> db_;
};

}  // namespace cutelab::profile
