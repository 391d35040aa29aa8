#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "reading/evaluator/abstract.h"

namespace cutelab::reading {

/// What folding knows of nodes in frames: a dense table with open addressing. A reading asks it hundreds of
/// thousands of times; the nodes of one frame lie beside each other in it.
class FoldingMemo {
 public:
  struct Key {
    const Frame* frame = nullptr;
    const source::Tree* tree = nullptr;
    std::uint32_t node = 0;
    bool operator==(const Key&) const = default;
  };
  enum class State : std::uint8_t { empty, evaluating, known };
  struct Slot {
    Key key;
    State state = State::empty;
    /// Of a known one; of an empty one, if any, what was answered where no other evaluation was under way,
    /// though it was cut short.
    const Abstract* answer = nullptr;
  };

  std::size_t size() const { return slots_.size(); }
  /// The slot of that key, made if missing. It moves when size() changes.
  Slot& operator[](const Key& key) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = place_of(key);
    if (!slot.key.tree) {
      slot.key = key;
      ++used_;
    }
    return slot;
  }

 private:
  static constexpr std::size_t first_size = 256;

  Slot& place_of(const Key& key) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15u;
    const std::uint64_t frame = reinterpret_cast<std::uintptr_t>(key.frame) * odd >> 32;
    std::size_t at = (frame + key.node) & (slots_.size() - 1);
    while (slots_[at].key.tree && !(slots_[at].key == key)) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old = std::exchange(slots_, {});
    slots_.resize(old.empty() ? first_size : 2 * old.size());
    for (const Slot& slot : old)
      if (slot.key.tree) place_of(slot.key) = slot;
  }

  std::vector<Slot> slots_;  ///< a power of two of them; no tree = free
  std::size_t used_ = 0;
};

}  // namespace cutelab::reading
