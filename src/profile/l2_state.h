#pragma once
#include <cstddef>

#include "base/result.h"
#include "device/device.h"

namespace cutelab::profile {

/// What L2 holds when a measured launch starts.
enum class L2State {
  cold,   ///< unrelated lines, clean: swept by reading a buffer four times its size
  dirty,  ///< unrelated lines, modified: swept by writing; their write-back falls into the timed region
  warm    ///< what the launch before left
};
const char* text_of(L2State state);

/// Fills L2 with lines of a buffer of its own; the buffer lives as long as the session.
class CacheSetter {
 public:
  static Result<CacheSetter> make(device::Session& session);
  /// Enqueues what brings L2 into `state`; nothing for a warm one, which only a launch can make.
  Status set(L2State state) const;

 private:
  CacheSetter(device::Session& session, device::Address buffer, std::size_t bytes)
      : session_(&session), buffer_(buffer), bytes_(bytes) {}
  device::Session* session_;
  device::Address buffer_;
  std::size_t bytes_;
};

}  // namespace cutelab::profile
