#pragma once
#include <sstream>

#include "cli/verb.h"

namespace cutelab::cli {

class FixedClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return 0; }
  std::string utc_now() const override { return "2026-01-31T12:00:00Z"; }
};

/// A context whose streams a test reads.
struct FakeContext {
  std::ostringstream out;
  std::ostringstream err;
  DiskFileSource files;
  FixedClock clock;
  Environment environment;
  Context context{out, err, files, clock, environment, "cutelab", ".", false, false, 100};
};

}  // namespace cutelab::cli
