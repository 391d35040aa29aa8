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
#include <fstream>
#include <memory>
#include <string>

namespace cutelab::capture {
namespace {

struct Row {
  pid_t id = 0;
  pid_t parent = 0;
  char state = 'Z';
  std::uint64_t resident_bytes = 0;
};

/// One line of /proc/<id>/stat: "id (name) state parent …", resident pages as the 24th word (proc(5)). The
/// name may hold anything, so the words are counted from the last ')'.
bool parse_stat(const char* text, Row& row) {
  const char* after_name = std::strrchr(text, ')');
  if (after_name == nullptr) return false;
  int parent = 0;
  long resident_pages = 0;
  const int read =
      std::sscanf(after_name + 1,
                  " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                  "%*s %ld",
                  &row.state, &parent, &resident_pages);
  row.parent = parent;
  row.resident_bytes = static_cast<std::uint64_t>(std::max(0L, resident_pages)) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return read == 3;
}

bool read_stat(const char* id, Row& row) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%.20s/stat", id);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 1024> text{};
  const ssize_t got = read(file, text.data(), text.size() - 1);
  close(file);
  row.id = std::atoi(id);
  return got > 0 && parse_stat(text.data(), row);
}

std::vector<Row> all_processes() {
  std::vector<Row> rows;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (!folder) return rows;
  while (const dirent* entry = readdir(folder.get())) {
    Row row;
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && read_stat(entry->d_name, row))
      rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<Descendant> descendants_of(pid_t root) {
  const std::vector<Row> rows = all_processes();
  std::vector<pid_t> family = {root};
  std::vector<Descendant> found;
  for (std::size_t next = 0; next < family.size(); ++next) {
    for (const Row& row : rows) {
      if (row.parent != family[next] || row.id == root) continue;
      family.push_back(row.id);
      if (row.state != 'Z' && row.state != 'X') found.push_back({row.id, row.resident_bytes});
    }
  }
  return found;
}

std::uint64_t proportional_bytes(const std::vector<Descendant>& processes) {
  std::uint64_t sum = 0;
  for (const Descendant& process : processes) {
    std::ifstream rollup("/proc/" + std::to_string(process.id) + "/smaps_rollup");
    std::uint64_t kibibytes = 0;
    bool told = false;
    for (std::string line; !told && std::getline(rollup, line);)
      told = std::sscanf(line.c_str(), "Pss: %lu kB", &kibibytes) == 1;
    // Without the kernel's word: what it holds now, nothing where it has ended since it was listed.
    Row now;
    if (!told && read_stat(std::to_string(process.id).c_str(), now) && now.state != 'Z' && now.state != 'X')
      kibibytes = now.resident_bytes >> 10;
    sum += kibibytes << 10;
  }
  return sum;
}

int kill_descendants() {
  int first_look = -1;
  for (int round = 0; round < 1000; ++round) {
    const std::vector<Descendant> running = descendants_of(getpid());
    if (first_look < 0) first_look = static_cast<int>(running.size());
    // Stopped ones cannot start new ones while the others are being killed.
    for (const Descendant& process : running) kill(process.id, SIGSTOP);
    for (const Descendant& process : running) kill(process.id, SIGKILL);
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (running.empty()) break;
    usleep(2000);
  }
  return std::max(0, first_look);
}

}  // namespace cutelab::capture
