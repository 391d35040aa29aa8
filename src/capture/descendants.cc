#include "capture/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cutelab::capture {
namespace {

/// The first bytes of /proc/<id>/<name>, in `text`, ended by 0; false if there is none.
template <std::size_t bytes>
bool read_of_process(pid_t id, const char* name, std::array<char, bytes>& text) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/%s", static_cast<int>(id), name);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t got = read(file, text.data(), text.size() - 1);
  close(file);
  text[static_cast<std::size_t>(std::max<ssize_t>(got, 0))] = 0;
  return got > 0;
}

/// The start of the word after this many spaces; null where the text ends before.
const char* word_after(const char* text, int spaces) {
  for (; spaces > 0 && text != nullptr; --spaces) {
    text = std::strchr(text, ' ');
    if (text != nullptr) ++text;
  }
  return text;
}

/// Proportional set size in KiB; false where the kernel does not tell it.
bool read_proportional(pid_t id, std::uint64_t& kibibytes) {
  std::array<char, 4096> text{};
  if (!read_of_process(id, "smaps_rollup", text)) return false;
  const char* line = std::strstr(text.data(), "\nPss:");
  if (line == nullptr) return false;
  kibibytes = std::strtoull(line + std::strlen("\nPss:"), nullptr, 10);
  return true;
}

}  // namespace

ProcessTable::ProcessTable(std::size_t most) {
  rows_.reserve(most);
  family_.reserve(most + 1);
  found_.reserve(most);
}

/// One line of /proc/<id>/stat: "id (name) state parent …", resident pages as the 24th word (proc(5)). The
/// name may hold anything, so the words are counted from the last ')'.
bool ProcessTable::read_stat(pid_t id, Row& row) {
  std::array<char, 1024> text{};
  if (!read_of_process(id, "stat", text)) return false;
  constexpr int words_to_resident = 22;  // from the one before the state
  const char* state = word_after(std::strrchr(text.data(), ')'), 1);
  const char* parent = word_after(state, 1);
  const char* resident = word_after(state, words_to_resident - 1);
  if (resident == nullptr) return false;
  row.id = id;
  row.state = *state;
  row.parent = static_cast<pid_t>(std::strtol(parent, nullptr, 10));
  row.resident_bytes = static_cast<std::uint64_t>(std::max(0L, std::strtol(resident, nullptr, 10))) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return true;
}

void ProcessTable::look() {
  rows_.clear();
  const int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) std::array<char, 32'768> entries{};
  ssize_t got = 0;
  while ((got = getdents64(folder, entries.data(), entries.size())) > 0) {
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      Row row;
      if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && rows_.size() < rows_.capacity() &&
          read_stat(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)), row))
        rows_.push_back(row);
    }
  }
  close(folder);
}

std::span<const Descendant> ProcessTable::below(pid_t root) {
  look();
  family_.assign(1, root);
  found_.clear();
  for (std::size_t next = 0; next < family_.size(); ++next) {
    for (const Row& row : rows_) {
      if (row.parent != family_[next] || row.id == root || family_.size() == family_.capacity()) continue;
      family_.push_back(row.id);
      if (row.state != 'Z' && row.state != 'X') found_.push_back({row.id, row.resident_bytes});
    }
  }
  return found_;
}

int ProcessTable::kill_all() {
  int first_look = -1;
  for (int round = 0; round < 1000; ++round) {
    const std::span<const Descendant> running = below(getpid());
    if (first_look < 0) first_look = static_cast<int>(running.size());
    // Stopped ones cannot start new ones while the others are being killed.
    for (const Descendant& process : running) kill(process.id, SIGSTOP);
    for (const Descendant& process : running) kill(process.id, SIGKILL);
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    // A chain of processes can pass by a look at /proc. Whoever has no child has nobody below: orphans are
    // its.
    if (ended < 0 && running.empty()) break;
    usleep(2000);
  }
  return std::max(0, first_look);
}

std::uint64_t proportional_bytes(std::span<const Descendant> processes) {
  std::uint64_t sum = 0;
  for (const Descendant& process : processes) {
    std::uint64_t kibibytes = 0;
    // Without the kernel's word: what it holds now, nothing where it has ended since it was listed.
    ProcessTable::Row now;
    if (!read_proportional(process.id, kibibytes) && ProcessTable::read_stat(process.id, now) &&
        now.state != 'Z' && now.state != 'X')
      kibibytes = now.resident_bytes >> 10;
    sum += kibibytes << 10;
  }
  return sum;
}

}  // namespace cutelab::capture
