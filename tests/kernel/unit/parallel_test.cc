#include "kernel/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace cutelab::kernel {
namespace {

// Post-condition of for_each_share: every index belongs to exactly one share, and all are done on return.
TEST(Parallel, EveryIndexIsDoneOnce) {
  for (const std::int64_t count : {0, 1, 2, 3, 7, 64, 1000}) {
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
    for_each_share(count, [&](std::int64_t begin, std::int64_t end) {
      EXPECT_LT(begin, end) << "no empty shares";
      for (std::int64_t i = begin; i < end; ++i) ++done[static_cast<std::size_t>(i)];
    });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace cutelab::kernel
