#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace cutelab::corpus {

struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal number if a signal ended it
  std::string out;
  std::string err;
};

/// Running other programs, behind an interface so that tests can stand in for git, pip and the network.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  /// `words[0]` is looked up in PATH; no shell. Errors (kind unavailable): no such program.
  virtual Result<ProcessResult> run(const std::vector<std::string>& words) const = 0;
};

/// The machine's own programs. The child reads from /dev/null, so that nothing waits for a password.
class SystemProcesses final : public ProcessRunner {
 public:
  Result<ProcessResult> run(const std::vector<std::string>& words) const override;
};

}  // namespace cutelab::corpus
