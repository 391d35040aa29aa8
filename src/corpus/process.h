#pragma once
#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"

namespace cutelab::corpus {

/// Running other programs, behind an interface so that tests can stand in for git, pip and the network.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  /// `words[0]` is looked up in PATH; no shell. Errors (kind unavailable): no such program.
  virtual Result<ProcessResult> run(const std::vector<std::string>& words) const = 0;
};

/// The machine's own programs. The child reads from /dev/null and git is told not to ask, so that nothing
/// waits for a password.
class SystemProcesses final : public ProcessRunner {
 public:
  Result<ProcessResult> run(const std::vector<std::string>& words) const override {
    return run_process(ProcessSpec{words, "", {{"GIT_TERMINAL_PROMPT", "0"}}, 0});
  }
};

}  // namespace cutelab::corpus
