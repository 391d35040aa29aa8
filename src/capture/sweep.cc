#include "capture/sweep.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace cutelab::capture {

std::size_t Sweep::captured() const {
  return static_cast<std::size_t>(
      std::count_if(programs.begin(), programs.end(), [](const Swept& one) { return one.captured(); }));
}

void run_all(std::size_t count, int jobs, const std::function<void(std::size_t)>& run) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) run(i);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < jobs && static_cast<std::size_t>(i) < count; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace cutelab::capture
