#include "corpus/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace cutelab::corpus {
namespace {

constexpr int exec_failed = 127;

struct Pipe {
  int ends[2] = {-1, -1};
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void close_end(int i) {
    if (ends[i] >= 0) close(ends[i]);
    ends[i] = -1;
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
};

[[noreturn]] void become(const std::vector<std::string>& words, const Pipe& out, const Pipe& err) {
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(out.ends[1], STDOUT_FILENO);
  dup2(err.ends[1], STDERR_FILENO);
  setenv("GIT_TERMINAL_PROMPT", "0", 1);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(exec_failed);
}

/// Reads both pipes until the child has closed them.
void drain(Pipe& out, Pipe& err, ProcessResult& result) {
  std::array<pollfd, 2> fds{{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
  std::array<std::string*, 2> texts{&result.out, &result.err};
  std::array<char, 4096> buffer{};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || !fds[i].revents) continue;
      const ssize_t got = read(fds[i].fd, buffer.data(), buffer.size());
      if (got > 0)
        texts[i]->append(buffer.data(), static_cast<std::size_t>(got));
      else if (got == 0 || errno != EINTR)
        fds[i].fd = -1;
    }
  }
}

Error cannot(const std::string& program, const std::string& wrong) {
  return Error{ErrorKind::unavailable, "run " + program, wrong, "",
               fmt::format("install {} and see that it is in PATH", program)};
}

}  // namespace

Result<ProcessResult> SystemProcesses::run(const std::vector<std::string>& words) const {
  Pipe out, err;
  if (!out.open() || !err.open()) return cannot(words[0], std::strerror(errno));
  const pid_t child = fork();
  if (child < 0) return cannot(words[0], std::strerror(errno));
  if (child == 0) become(words, out, err);
  out.close_end(1);
  err.close_end(1);
  ProcessResult result;
  drain(out, err, result);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.exit_code == exec_failed && result.out.empty() && result.err.empty())
    return cannot(words[0], "the program is not installed");
  return result;
}

}  // namespace cutelab::corpus
