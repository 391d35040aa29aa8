#include "profile/l2_state.h"

#include <algorithm>

namespace cutelab::profile {

const char* text_of(L2State state) {
  switch (state) {
    case L2State::cold:
      return "cold (clean unrelated lines)";
    case L2State::dirty:
      return "cold (dirty unrelated lines, write-back included)";
    case L2State::warm:
      return "warm";
  }
  return "?";
}

Result<CacheSetter> CacheSetter::make(device::Session& session) {
  constexpr std::size_t times_l2 = 4;
  const auto l2 = static_cast<std::size_t>(std::max<std::int64_t>(session.info().l2_bytes, 1 << 20));
  auto address = session.allocate(l2 * times_l2);
  if (!address) return address.error();
  if (auto s = session.fill(*address, 0, l2 * times_l2); !s) return s.error();
  return CacheSetter(session, *address, l2 * times_l2);
}

Status CacheSetter::set(L2State state) const {
  if (state == L2State::cold) return session_->sweep(buffer_, bytes_);
  if (state == L2State::dirty) return session_->fill(buffer_, 0, bytes_);
  return {};
}

}  // namespace cutelab::profile
