#include "capture/supervised.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <span>
#include <vector>

#include "capture/descendants.h"

namespace cutelab::capture {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::size_t kept_output_bytes = 64u << 10;
constexpr std::size_t read_bytes = 64u << 10;
constexpr int look_ms = 50;

/// What the supervisor tells its parent, before the text of the output.
struct Report {
  Ending ending = Ending::exited;
  int exit_code = 0;
  int signal = 0;
  int start_failure = 0;  ///< errno of a program that could not be started
  double seconds = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t output_bytes = 0;
  int stragglers = 0;
};

struct Ends {
  int read_end = -1;
  int write_end = -1;
};

bool open_pipe(Ends& ends) {
  std::array<int, 2> made{};
  if (pipe2(made.data(), O_CLOEXEC) != 0) return false;
  ends = {made[0], made[1]};
  return true;
}

void limit(int resource, std::uint64_t most) {
  const rlimit both = {most, most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

/// The child after fork: becomes the program or tells why not.
[[noreturn]] void become(const Start& start, const Limits& limits, const Ends& output, const Ends& failure) {
  setsid();
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(signal_number, SIG_DFL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output.write_end, STDOUT_FILENO);
  dup2(output.write_end, STDERR_FILENO);
  const int code = start.become();
  const ssize_t told = write(failure.write_end, &code, sizeof code);
  _exit(told == sizeof code ? 127 : 126);
}

/// What the supervisor works with, made before the fork. The fork may come out of one of several threads:
/// then whatever lock of the allocator another thread held stays held in the child, so nothing after it may
/// allocate.
struct Prepared {
  explicit Prepared(const ProcessSpec& spec) : start(spec), removal(spec.scratch) {
    text.reserve(2 * kept_output_bytes + read_bytes);
  }
  Start start;
  Removal removal;
  ProcessTable table;
  std::string text;  ///< the end of the output
};

/// Everything the supervisor knows while the child runs.
class Watch {
 public:
  Watch(pid_t child, pid_t parent, int output, const Limits& limits, Prepared& prepared)
      : child_(child),
        parent_(parent),
        output_(output),
        limits_(limits),
        table_(prepared.table),
        text_(prepared.text) {}

  /// Until the child has ended or a limit is broken.
  Report until_over() {
    const auto begin = SteadyClock::now();
    bool over = false;
    while (!over) {
      drain(look_ms);
      report_.seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
      over = ended() || broken();
    }
    report_.stragglers = table_.kill_all();
    if (report_.ending != Ending::exited && report_.ending != Ending::signalled) report_.stragglers = 0;
    drain(0);
    return report_;
  }

 private:
  /// Takes what the child wrote, waiting for it at most this long.
  void drain(int wait_ms) {
    std::array<char, read_bytes> buffer{};
    pollfd watched = {output_, POLLIN, 0};
    while (poll(&watched, 1, wait_ms) > 0) {
      const ssize_t got = read(output_, buffer.data(), buffer.size());
      if (got <= 0) {
        if (wait_ms > 0)
          usleep(static_cast<useconds_t>(wait_ms) * 1000);  // closed: only its end is waited for
        return;
      }
      report_.output_bytes += static_cast<std::uint64_t>(got);
      text_.append(buffer.data(), static_cast<std::size_t>(got));
      if (text_.size() > 2 * kept_output_bytes) text_.erase(0, text_.size() - kept_output_bytes);
      if (report_.output_bytes > limits_.output_bytes) return;
      wait_ms = 0;
    }
  }

  bool ended() {
    int state = 0;
    if (waitpid(child_, &state, WNOHANG) != child_) return false;
    report_.ending = WIFSIGNALED(state) ? Ending::signalled : Ending::exited;
    report_.exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
    report_.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    return true;
  }

  bool broken() {
    const std::span<const Descendant> running = table_.below(getpid());
    std::uint64_t resident = 0;
    for (const Descendant& process : running) resident += process.resident_bytes;
    report_.peak_bytes = std::max(report_.peak_bytes, resident);
    if (report_.seconds > limits_.seconds) return breaks(Ending::time_limit);
    if (resident > limits_.memory_bytes && proportional_bytes(running) > limits_.memory_bytes)
      return breaks(Ending::memory_limit);
    if (report_.output_bytes > limits_.output_bytes) return breaks(Ending::output_limit);
    if (static_cast<int>(running.size()) > limits_.processes) return breaks(Ending::process_limit);
    return getppid() != parent_ && breaks(Ending::time_limit);  // nobody waits for the answer any more
  }

  bool breaks(Ending ending) {
    report_.ending = ending;
    return true;
  }

  pid_t child_;
  pid_t parent_;
  int output_;
  const Limits& limits_;
  ProcessTable& table_;
  std::string& text_;
  Report report_;
};

void write_all(int file, const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = write(file, next, bytes);
    if (written <= 0 && errno != EINTR) return;
    if (written <= 0) continue;
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

/// Pipes and locks of runs that other threads watch would stay open for as long as this one lasts.
void close_inherited(int answer) {
  constexpr unsigned first = STDERR_FILENO + 1;
  const auto kept = static_cast<unsigned>(answer);
  if (kept > first) close_range(first, kept - 1, 0);
  close_range(std::max(kept + 1, first), ~0U, 0);
}

/// A process between this program and the child: orphans of the child become its own, so that it can find
/// them. Signals from the terminal pass it by: it ends when the child has, or when its parent is gone.
[[noreturn]] void supervise(Prepared& prepared, const Limits& limits, pid_t parent, int answer) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  close_inherited(answer);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(signal_number, SIG_IGN);
  Report report;
  Ends output, failure;
  const bool piped = open_pipe(output) && open_pipe(failure);
  const pid_t child = piped ? fork() : -1;
  if (child == 0) become(prepared.start, limits, output, failure);
  std::string& text = prepared.text;
  if (child < 0) {
    report.start_failure = errno;
  } else {
    close(output.write_end);
    close(failure.write_end);
    report = Watch(child, parent, output.read_end, limits, prepared).until_over();
    if (text.size() > kept_output_bytes) text.erase(0, text.size() - kept_output_bytes);
    int code = 0;
    if (read(failure.read_end, &code, sizeof code) == sizeof code) report.start_failure = code;
  }
  if (getppid() != parent) prepared.removal.become();
  write_all(answer, &report, sizeof report);
  write_all(answer, text.data(), text.size());
  _exit(0);
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Error start_error(const ProcessSpec& spec, const char* wrong) {
  return Error{ErrorKind::unavailable, "run " + shell_line(spec.argv), wrong, spec.folder,
               "check that the program is installed (`cutelab doctor`)"};
}

}  // namespace

Result<Supervised> run_supervised(const ProcessSpec& spec, const Limits& limits) {
  Ends answer;
  if (spec.argv.empty() || !open_pipe(answer))
    return start_error(spec, std::strerror(spec.argv.empty() ? EINVAL : errno));
  Prepared prepared(spec);
  const pid_t here = getpid();
  const pid_t supervisor = fork();
  if (supervisor < 0) return start_error(spec, std::strerror(errno));
  if (supervisor == 0) supervise(prepared, limits, here, answer.write_end);
  close(answer.write_end);
  const std::string told = read_all(answer.read_end);
  close(answer.read_end);
  while (waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
  }
  Report report;
  if (told.size() < sizeof report) return start_error(spec, "the process that watched it was killed");
  std::memcpy(&report, told.data(), sizeof report);
  if (report.start_failure != 0) return start_error(spec, std::strerror(report.start_failure));
  Supervised done;
  done.ending = report.ending;
  done.exit_code = report.exit_code;
  done.signal = report.signal;
  done.seconds = report.seconds;
  done.peak_bytes = report.peak_bytes;
  done.output_bytes = report.output_bytes;
  done.stragglers = report.stragglers;
  done.output = told.substr(sizeof report);
  return done;
}

}  // namespace cutelab::capture
