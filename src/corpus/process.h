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

/// The machine's own programs. Nothing waits for ever: the child reads from /dev/null, git is told not to ask
/// for a password and to give up on a server that sends less than 1000 bytes a second for a minute, and after
/// `limit_seconds` the child is killed with all that it started.
class SystemProcesses final : public ProcessRunner {
 public:
  explicit SystemProcesses(double limit_seconds = 1800) : limit_seconds_(limit_seconds) {}
  Result<ProcessResult> run(const std::vector<std::string>& words) const override {
    return run_process(ProcessSpec{words,
                                   "",
                                   {{"GIT_TERMINAL_PROMPT", "0"},
                                    {"GIT_HTTP_LOW_SPEED_LIMIT", "1000"},
                                    {"GIT_HTTP_LOW_SPEED_TIME", "60"}},
                                   limit_seconds_});
  }

 private:
  double limit_seconds_;
};

}  // namespace cutelab::corpus
