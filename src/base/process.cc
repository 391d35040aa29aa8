#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/text.h"

namespace cutelab {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void close_write() { shut(write_end); }
  ~Pipe() {
    shut(read_end);
    shut(write_end);
  }
  static void shut(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
};

Error start_error(const ProcessSpec& spec, int code) {
  return Error{ErrorKind::unavailable, "run " + shell_line(spec.argv), std::strerror(code), spec.folder,
               "check that the program is installed (`cutelab doctor`)"};
}

/// The child after fork: nothing here allocates or returns.
[[noreturn]] void become(const Start& start, const Pipe& out, const Pipe& err, const Pipe& failure) {
  setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(out.write_end, STDOUT_FILENO);
  dup2(err.write_end, STDERR_FILENO);
  const int code = start.become();
  const ssize_t told = write(failure.write_end, &code, sizeof code);
  _exit(told == sizeof code ? 127 : 126);
}

/// Reads both streams until they close or the time is over; false on timeout.
bool collect(Pipe& out, Pipe& err, ProcessResult& result, double limit_seconds, std::size_t most_bytes) {
  const auto end = SteadyClock::now() + std::chrono::duration<double>(limit_seconds);
  std::array<pollfd, 2> watched = {pollfd{out.read_end, POLLIN, 0}, pollfd{err.read_end, POLLIN, 0}};
  std::array<std::string*, 2> texts = {&result.out, &result.err};
  std::array<char, 65536> buffer{};
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    int wait_ms = -1;
    if (limit_seconds > 0) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - SteadyClock::now()).count();
      if (left <= 0) return false;
      wait_ms = static_cast<int>(left) + 1;
    }
    if (poll(watched.data(), watched.size(), wait_ms) < 0 && errno != EINTR) return true;
    for (std::size_t i = 0; i < watched.size(); ++i) {
      if (watched[i].fd < 0 || watched[i].revents == 0) continue;
      const ssize_t got = read(watched[i].fd, buffer.data(), buffer.size());
      if (got > 0 && (most_bytes == 0 || texts[i]->size() < most_bytes))
        texts[i]->append(buffer.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) watched[i].fd = -1;
    }
  }
  return true;
}

/// The watcher after fork: waits for a word that the child has ended. Where `alive` closes without it, the
/// program is gone; then its group gets a second to tidy up and is killed.
[[noreturn]] void watch(int alive, pid_t child, const Removal& removal) {
  constexpr int looks = 50;
  constexpr useconds_t between_looks_us = 20'000;
  setpgid(0, 0);  // what the terminal sends goes to the program; this stays until the program is gone
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) signal(signal_number, SIG_IGN);
  const auto kept = static_cast<unsigned>(alive);
  if (kept > 0) close_range(0, kept - 1, 0);  // pipes of other runs would stay open as long as this
  close_range(kept + 1, ~0U, 0);
  char word = 0;
  ssize_t got = 0;
  while ((got = read(alive, &word, 1)) < 0 && errno == EINTR) {
  }
  if (got == 1) _exit(0);
  kill(-child, SIGTERM);
  for (int i = 0; i < looks && kill(-child, 0) == 0; ++i) usleep(between_looks_us);
  kill(-child, SIGKILL);
  removal.become();
  _exit(0);
}

/// The process that outlives this one. None (its start failed): the child runs unwatched.
class Watcher {
 public:
  Watcher(pid_t child, const Removal& removal) {
    if (!alive_.open()) return;
    id_ = fork();
    if (id_ == 0) {
      alive_.close_write();
      watch(alive_.read_end, child, removal);
    }
  }
  /// The child has ended.
  ~Watcher() {
    if (id_ <= 0) return;
    const char word = 0;
    if (write(alive_.write_end, &word, 1) != 1) kill(id_, SIGKILL);
    while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  Pipe alive_;
  pid_t id_ = -1;
};

}  // namespace

Start::Start(const ProcessSpec& spec) : spec_(spec) {
  for (const std::string& word : spec.argv) argv_.push_back(const_cast<char*>(word.c_str()));
  argv_.push_back(nullptr);
  for (char** inherited = environ; inherited != nullptr && *inherited != nullptr; ++inherited) {
    const std::string_view variable = *inherited;
    if (!spec.extra.contains(std::string(variable.substr(0, variable.find('=')))))
      variables_.emplace_back(variable);
  }
  for (const auto& [name, value] : spec.extra) variables_.push_back(name + "=" + value);
  for (std::string& variable : variables_) environment_.push_back(variable.data());
  environment_.push_back(nullptr);
}

int Start::become() const {
  if (!spec_.folder.empty() && chdir(spec_.folder.c_str()) != 0) return errno;
  environ = const_cast<char**>(environment_.data());  // its PATH is the one that is searched
  execvp(argv_[0], argv_.data());
  return errno;
}

Removal::Removal(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  words_ = {"/bin/rm", "-rf", "--"};
  words_.insert(words_.end(), paths.begin(), paths.end());
  for (std::string& word : words_) argv_.push_back(word.data());
  argv_.push_back(nullptr);
}

void Removal::become() const {
  if (!argv_.empty()) execv(argv_[0], argv_.data());
}

Result<ProcessResult> run_process(const ProcessSpec& spec) {
  Pipe out, err, failure;
  if (spec.argv.empty() || !out.open() || !err.open() || !failure.open())
    return start_error(spec, errno ? errno : EINVAL);
  const Removal removal(spec.scratch);
  const Start start(spec);
  const pid_t child = fork();
  if (child < 0) return start_error(spec, errno);
  if (child == 0) become(start, out, err, failure);
  setpgid(child, child);  // the child does it too: whichever comes first
  const Watcher watcher(child, removal);
  out.close_write();
  err.close_write();
  failure.close_write();
  ProcessResult result;
  result.timed_out = !collect(out, err, result, spec.limit_seconds, spec.most_output_bytes);
  if (result.timed_out) kill(-child, SIGKILL);
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  int code = 0;
  if (read(failure.read_end, &code, sizeof code) == sizeof code) return start_error(spec, code);
  if (WIFSIGNALED(state)) result.signal = WTERMSIG(state);
  if (WIFEXITED(state)) result.exit_code = WEXITSTATUS(state);
  return result;
}

std::string find_program(const Environment& environment, const std::string& name) {
  const auto runnable = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
  if (name.find('/') != std::string::npos) return runnable(name) ? name : "";
  const std::string path = environment.get("PATH").value_or("");
  for (const auto folder : split(path, ':')) {
    const std::string candidate = (folder.empty() ? "." : std::string(folder)) + "/" + name;
    if (runnable(candidate)) return candidate;
  }
  return "";
}

std::string shell_line(const std::vector<std::string>& argv) {
  static constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  std::vector<std::string> words;
  for (const std::string& word : argv) {
    const bool bare = !word.empty() && word.find_first_not_of(plain) == std::string::npos;
    words.push_back(bare ? word : "'" + replace_all(word, "'", "'\\''") + "'");
  }
  return join(words, " ");
}

}  // namespace cutelab
