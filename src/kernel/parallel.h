#pragma once
#include <cstdint>
#include <functional>

namespace cutelab::kernel {

/// Splits [0, count) into one contiguous share per processor and runs `work(begin, end)` on all of them at
/// once; returns when every share is done. Shares are disjoint: `work` may write what belongs to its own.
void for_each_share(std::int64_t count,
                    const std::function<void(std::int64_t begin, std::int64_t end)>& work);

}  // namespace cutelab::kernel
