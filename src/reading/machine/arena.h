#pragma once
#include <memory_resource>
#include <new>
#include <utility>
#include <vector>

#include "reading/machine/value.h"

namespace cutelab::reading::machine {

/// Objects that all live as long as the machine, laid one after the other: tens of thousands, none freed
/// before the rest.
class Arena {
 public:
  Arena() = default;
  ~Arena() {
    for (Object* object : objects_) object->~Object();
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  template <class T, class... A>
  T* make(A&&... arguments) {
    T* out = new (memory_.allocate(sizeof(T), alignof(T))) T(std::forward<A>(arguments)...);
    objects_.push_back(out);
    return out;
  }

 private:
  static constexpr std::size_t first_piece = 1u << 14;
  std::pmr::monotonic_buffer_resource memory_{first_piece};
  std::vector<Object*> objects_;
};

}  // namespace cutelab::reading::machine
