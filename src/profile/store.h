#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "evidence/run.h"

struct sqlite3;

namespace cutelab::profile {

class Statement;

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

/// What a cached choice of configuration depends on.
struct TunedKey {
  std::string kernel;
  std::string version;
  std::string device;       ///< "NVIDIA H200"
  std::string driver;       ///< "580.159.04"
  std::string compiler;     ///< "nvcc 13.0.88, CUTLASS 4.2.0"
  std::string source_hash;  ///< of the package's sources, whatever the configuration
  std::string problem;      ///< Params::text()
  std::string l2;           ///< cache state of the measurement
};

/// The configuration that was found best, and how.
struct Tuned {
  std::map<std::string, std::int64_t> values;
  double duration_us = 0;
  int candidates = 0;  ///< legal ones that were timed
  int rejected = 0;    ///< by the plan
  int failed = 0;      ///< did not compile, wrong result, faulted
  std::string time_utc;
};

/// One point of a sweep as it stands.
struct SweepPoint {
  int number = 0;
  std::string problem;  ///< Params::text()
  bool done = false;
  std::int64_t run = 0;  ///< 0 = none yet
};

/// Runs with their provenance, sweeps and tuned configurations in one SQLite file. Write-ahead log: readers
/// never wait, writers wait for each other up to ten seconds, and a process killed in the middle of a write
/// leaves the file as it was before that write.
class Store {
 public:
  /// Opens or makes the file and its folder; a file of an older program is brought up to date. Errors (kind
  /// input): not writable, not a store, made by a newer program.
  static Result<Store> open(const std::string& path);
  Store(Store&&) noexcept = default;
  Store& operator=(Store&&) noexcept = default;

  const std::string& path() const { return path_; }
  Result<std::int64_t> add(const evidence::Run& run);
  Result<std::vector<StoredRun>> list(const RunFilter& filter) const;  ///< newest first
  /// Runs of the same kernel and version in the same configuration for the same architecture, one of each
  /// compiler and source: the newest; newest first.
  Result<std::vector<StoredRun>> compiled_alike(const evidence::Run& run) const;
  Result<StoredRun> get(std::int64_t id) const;  ///< error (kind input) if there is none

  /// Adds the run unless the very same one is there; true = it was added.
  Result<bool> add_if_new(const evidence::Run& run);
  /// Runs and tuned configurations of another store that are not here yet; gives how many runs came.
  Result<int> merge(const Store& other);
  /// Removes all but the newest `keep` runs of each kernel, version, profile, device and configuration, and
  /// gives the space back. `dry` = only count. Gives how many (would) go.
  Result<int> collect(int keep, bool dry);

  /// The unfinished sweep of that key, or a new one with these problems. `again` = always a new one.
  /// Points that a process claimed and did not finish are open again: the caller holds the sweep's lock.
  Result<std::int64_t> begin_sweep(const std::string& key, const std::string& command,
                                   const std::vector<std::string>& problems, const std::string& time_utc,
                                   bool again);
  /// The next open point, claimed for the caller; none = all are taken. Safe among processes.
  Result<std::optional<SweepPoint>> claim_point(std::int64_t sweep);
  /// Keeps the run and marks the point done, in one step.
  Result<std::int64_t> finish_point(std::int64_t sweep, int point, const evidence::Run& run);
  Result<std::vector<SweepPoint>> points(std::int64_t sweep) const;

  Status keep_tuned(const TunedKey& key, const Tuned& tuned);
  Result<std::optional<Tuned>> find_tuned(const TunedKey& key) const;

 private:
  Store() = default;
  struct Closer {
    void operator()(sqlite3* db) const;
  };
  Status execute(const char* sql) const;
  Status prepare_schema() const;
  Status upgrade() const;
  Status merge_tuned(const Store& other);
  Result<std::vector<StoredRun>> rows_of(Statement& select) const;
  Error error(const std::string& asked) const;
  std::string path_;
  std::unique_ptr<sqlite3, Closer> db_;
};

}  // namespace cutelab::profile
