#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace cutelab {

/// A child process to run: argv without a shell, its working folder, variables set on top of the parent's.
struct ProcessSpec {
  std::vector<std::string> argv;             ///< argv[0] is looked up on PATH unless it holds a '/'
  std::string folder;                        ///< working folder; empty = the parent's
  std::map<std::string, std::string> extra;  ///< variables added to or replacing the inherited ones
  double limit_seconds = 0;                  ///< killed (its whole process group) after this; 0 = no limit
  /// Files and folders of this run alone: removed if this program ends, however, before the child does.
  std::vector<std::string> scratch = {};
  /// Of each stream so much is kept, what follows is read and dropped; 0 = all.
  std::size_t most_output_bytes = 0;
};

struct ProcessResult {
  int exit_code = -1;  ///< valid when signal == 0
  int signal = 0;      ///< the signal that ended it, 0 = it exited
  bool timed_out = false;
  std::string out;
  std::string err;
  bool succeeded() const { return signal == 0 && exit_code == 0; }
};

/// Runs the child to its end and collects both streams. Should this program end first, by whatever signal,
/// the child's process group is ended too. Error (kind unavailable): the program cannot be started.
Result<ProcessResult> run_process(const ProcessSpec& spec);

/// A program to become after a fork, held ready: words, variables and pointers are in memory before it. A
/// child forked while other threads run may not allocate (an allocator's lock stays held there for ever).
class Start {
 public:
  explicit Start(const ProcessSpec& spec);
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
  /// Becomes the program in its folder; returns errno where that fails.
  int become() const;

 private:
  const ProcessSpec& spec_;
  std::vector<std::string> variables_;  ///< "NAME=value"
  std::vector<char*> argv_;
  std::vector<char*> environment_;
};

/// A command that removes files and folders, held ready: a process without memory of its own to take can
/// become it.
class Removal {
 public:
  explicit Removal(const std::vector<std::string>& paths);
  /// Becomes `rm`; returns at once where there is nothing to remove.
  void become() const;

 private:
  std::vector<std::string> words_;
  std::vector<char*> argv_;
};

/// First executable `name` in the folders of $PATH; empty if there is none. A name with '/' is taken as it
/// is.
std::string find_program(const Environment& environment, const std::string& name);

/// argv as a shell line that can be pasted: words with other than [A-Za-z0-9_@%+=:,./-] are quoted.
std::string shell_line(const std::vector<std::string>& argv);

}  // namespace cutelab
