#include "base/isolated.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string_view>

namespace cutelab {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::string_view kinds = "mdlu";  // of frames: message, done, phase with a limit, without one
constexpr std::uint64_t most_frame_bytes = 256u << 20;
constexpr int threw = 70;  // exit code of a child whose work threw

void write_all(int descriptor, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t wrote = write(descriptor, bytes, count);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // the parent is gone, and with it whoever would hear
    bytes += wrote;
    count -= static_cast<std::size_t>(wrote);
  }
}

/// The parent's side: cuts the stream into frames (kind, length, text) and keeps the time of the phase.
class Listener {
 public:
  Listener(double limit_seconds, const std::function<void(std::string)>& hear)
      : limit_(limit_seconds), hear_(hear) {}

  /// What is no frame (a library in the child wrote into the pipe) is the last that is listened to.
  void take(const char* bytes, std::size_t count) {
    if (garbled_) return;
    pending_.append(bytes, count);
    constexpr std::size_t head = 1 + sizeof(std::uint64_t);
    while (pending_.size() >= head) {
      std::uint64_t length = 0;
      std::memcpy(&length, pending_.data() + 1, sizeof length);
      if (kinds.find(pending_[0]) == std::string_view::npos || length > most_frame_bytes) {
        garbled_ = true;
        return pending_.clear();
      }
      if (pending_.size() - head < length) return;
      handle(pending_[0], pending_.substr(head, length));
      pending_.erase(0, head + length);
    }
  }

  /// Milliseconds until the phase has lasted too long; -1 = no limit.
  int wait_ms() const {
    if (!limited_ || limit_ <= 0) return -1;
    const double left = limit_ - seconds();
    return left <= 0 ? 0 : static_cast<int>(left * 1000) + 1;
  }
  double seconds() const { return std::chrono::duration<double>(SteadyClock::now() - since_).count(); }
  const std::string& phase() const { return phase_; }
  bool done() const { return done_; }

 private:
  void handle(char kind, std::string text) {
    if (kind == 'm') return hear_(std::move(text));
    if (kind == 'd') {
      done_ = true;
      return;
    }
    limited_ = kind == 'l';
    phase_ = std::move(text);
    since_ = SteadyClock::now();
  }
  double limit_;
  const std::function<void(std::string)>& hear_;
  std::string pending_;
  std::string phase_;
  bool garbled_ = false;
  bool limited_ = false;
  bool done_ = false;
  SteadyClock::time_point since_ = SteadyClock::now();
};

[[noreturn]] void become(const std::function<void(const Isolated&)>& work, int descriptor, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(threw);  // it died before the line above
  signal(SIGPIPE, SIG_IGN);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // what a driver or a kernel prints is no result
  try {
    const Isolated parent_side(descriptor);
    work(parent_side);
    parent_side.done();
  } catch (const std::exception& e) {
    write_all(STDERR_FILENO, e.what(), std::strlen(e.what()));
    _exit(threw);
  }
  _exit(0);  // no destructors of the parent's objects, no flushing of its streams
}

/// Reads until the child closes its end; false when the time limit struck.
bool listen(int descriptor, Listener& listener) {
  std::array<char, 65536> buffer{};
  pollfd watched{descriptor, POLLIN, 0};
  while (true) {
    const int ready = poll(&watched, 1, listener.wait_ms());
    if (ready < 0 && errno != EINTR) return true;
    if (ready == 0 || listener.wait_ms() == 0) return false;  // one that never stops writing is over too
    if (ready < 0) continue;
    const ssize_t got = read(descriptor, buffer.data(), buffer.size());
    if (got > 0) listener.take(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return true;
  }
}

/// The state of the child once it has ended. A driver that tears down a hanging kernel takes its time; one
/// that never comes back is left behind.
int reap(pid_t child) {
  constexpr int tries = 600;
  int state = 0;
  for (int i = 0; i < tries; ++i) {
    const pid_t ended = waitpid(child, &state, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return state;
    usleep(i < 100 ? 1000 : 100'000);
  }
  return 0;
}

}  // namespace

void Isolated::write_frame(char kind, std::string_view text) const {
  const std::uint64_t length = text.size();
  std::string frame(1, kind);
  frame.append(reinterpret_cast<const char*>(&length), sizeof length).append(text);
  write_all(descriptor_, frame.data(), frame.size());
}

Result<IsolatedEnd> run_isolated(const std::function<void(const Isolated&)>& work, double limit_seconds,
                                 const std::function<void(std::string)>& hear) {
  std::array<int, 2> ends{};
  const auto failed = [] {
    return Error{ErrorKind::unavailable, "start a child process", std::strerror(errno), "",
                 "check the limits on processes and open files (`ulimit -a`)"};
  };
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return failed();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    become(work, ends[1], parent);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return failed();
  }
  Listener listener(limit_seconds, hear);
  const bool closed = listen(ends[0], listener);
  IsolatedEnd end;
  end.phase = listener.phase();
  end.phase_seconds = listener.seconds();
  if (!closed) kill(-child, SIGKILL);
  const int state = reap(child);
  close(ends[0]);
  if (!closed) {
    end.how = IsolatedEnd::How::time_limit;
  } else if (WIFSIGNALED(state) || (WIFEXITED(state) && WEXITSTATUS(state) != 0)) {
    end.how = IsolatedEnd::How::signal;
    end.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  } else if (!listener.done()) {
    end.how = IsolatedEnd::How::left;
  }
  return end;
}

}  // namespace cutelab
