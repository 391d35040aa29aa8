#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace cutelab::testing {

/// Threads that hold the allocator's locks most of the time.
class BusyAllocators {
 public:
  BusyAllocators() {
    for (std::size_t kind = 0; kind < threads_.size(); ++kind)
      threads_[kind] = std::thread([this, kind] {
        // Small blocks of many sizes, freed all at once: each round has to fetch new ones from the lists that
        // all threads share.
        for (std::size_t round = kind; !over_; ++round) {
          std::vector<std::unique_ptr<char[]>> held;
          for (std::size_t i = 0; i < 3000; ++i)
            held.push_back(std::make_unique<char[]>(16 + (i * 24 + round) % 2048));
        }
      });
  }
  ~BusyAllocators() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::array<std::thread, 3> threads_;
};

}  // namespace cutelab::testing
