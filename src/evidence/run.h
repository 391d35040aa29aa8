#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cutelab::evidence {

/// What a number means; one descriptor per metric (tag, name, unit, description, source counter).
struct MetricDescriptor {
  std::string tag;   ///< "duration_us"
  std::string name;  ///< "Duration (us)"
  std::string unit;  ///< "us", "%", "KB", ""
  std::string description;
  std::string source;  ///< "cuda-event", "cupti:sm__…", "cubin", "computed"
  double scale = 1;    ///< the row's value is this times what the source says: 1e-3 for ns told and us shown
};

/// A metric's value, or the reason why it has none. Exactly one of the two is set.
struct Metric {
  std::string tag;
  std::optional<double> value;
  std::string missing_because;
  friend bool operator==(const Metric&, const Metric&) = default;
};

/// Where and with what a run was made.
struct Provenance {
  std::string device;  ///< "NVIDIA H200"; empty = no device
  std::string arch;    ///< "sm_90a"
  std::string driver;
  std::string compiler;     ///< "nvcc 13.0.88"
  std::string source_hash;  ///< sha256 over the kernel's sources
  std::string tool_version;
  std::string time_utc;
  std::map<std::string, std::string> configuration;  ///< parameters and tile configuration
  std::string command;                               ///< the command line that makes the run again
  std::string code_hash;  ///< sha256 over the kernel's instructions; empty = not known (a library)
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// One profiled or checked execution, or the record of why there was none.
struct Run {
  static constexpr int schema_version = 1;
  std::string kernel;     ///< "rmsnorm"
  std::string version;    ///< "v0"
  std::string language;   ///< "cute-cpp"
  std::string prof_type;  ///< disabled, event, annotation, ncu, nsys, compiled
  Provenance provenance;
  std::vector<Metric> metrics;
  std::vector<double> samples_us;
  struct Check {
    bool made = false;
    bool passed = false;
    double relative_error = 0;  ///< ||out - ref|| / ||ref||
    double tolerance = 0;
    std::string tolerance_reason;
    std::string worst;  ///< "y[17][4095]: 1.25 against 1.24"
    std::string not_made_because;
    friend bool operator==(const Check&, const Check&) = default;
  } check;
  /// Whether the run's time can be relied on: one word and every reason for it.
  struct Trust {
    std::string verdict;  ///< "trusted", "doubtful", "rejected"; empty = nothing was timed
    std::vector<std::string> reasons;
    friend bool operator==(const Trust&, const Trust&) = default;
  } trust;
  /// How the run ended. A run that ended badly keeps what was known until then.
  struct Outcome {
    std::string kind =
        "done";          ///< done, unavailable, out-of-memory, kernel-fault, time-limit, device-lost, crashed
    std::string reason;  ///< empty when done
    friend bool operator==(const Outcome&, const Outcome&) = default;
  } outcome;
  std::vector<std::string> notes;  ///< what could not be done and why; cache state, fill, clock remarks
  friend bool operator==(const Run&, const Run&) = default;
};

enum class VerdictKind { faster, slower, same, ambiguous, impossible };
struct Verdict {
  VerdictKind kind = VerdictKind::ambiguous;
  std::string reason;
};

}  // namespace cutelab::evidence
