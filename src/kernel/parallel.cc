#include "kernel/parallel.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace cutelab::kernel {

void for_each_share(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& work) {
  const std::int64_t processors = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  const std::int64_t shares = std::min(count, processors);
  std::vector<std::thread> threads;
  for (std::int64_t share = 1; share < shares; ++share)
    threads.emplace_back(work, count * share / shares, count * (share + 1) / shares);
  if (shares > 0) work(0, count / shares);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace cutelab::kernel
