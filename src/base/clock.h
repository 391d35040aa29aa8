#pragma once
#include <cstdint>
#include <string>

namespace cutelab {

/// Time behind an interface so that tests decide what time it is.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ns() const = 0;  ///< monotonic
  virtual std::string utc_now() const = 0;  ///< "2026-01-31T12:00:00Z"
};

class SystemClock final : public Clock {
 public:
  std::int64_t now_ns() const override;
  std::string utc_now() const override;
};

}  // namespace cutelab
