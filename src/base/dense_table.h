#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cutelab {

/// A table that only grows. Its entries lie one after the other in the order they came; an index with open
/// addressing and the hashes in it finds them, so that asking for what is not there, the most frequent
/// question to tables of names, reads one place in memory. `View` is what a key is asked for by.
template <class Key, class View, class T, class Hash, class Equal>
class DenseTable {
 public:
  /// Null: not there. Stays where it is until the next entry is made.
  const T* find(const View& key) const {
    if (slots_.empty()) return nullptr;
    const auto hash = static_cast<std::uint32_t>(Hash()(key));
    for (std::size_t at = first(hash); slots_[at].entry != none; at = next(at))
      if (slots_[at].hash == hash && Equal()(entries_[slots_[at].entry].first, key))
        return &entries_[slots_[at].entry].second;
    return nullptr;
  }

  /// The entry of that key, made if missing.
  T& operator[](const View& key) {
    if (const T* known = find(key)) return const_cast<T&>(*known);
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    place({static_cast<std::uint32_t>(Hash()(key)), static_cast<std::uint32_t>(entries_.size())});
    return entries_.emplace_back(Key(key), T()).second;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  static constexpr std::size_t first_size = 16;
  struct Slot {
    std::uint32_t hash = 0, entry = none;
  };
  std::size_t first(std::uint32_t hash) const { return hash & (slots_.size() - 1); }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void place(Slot slot) {
    std::size_t at = first(slot.hash);
    while (slots_[at].entry != none) at = next(at);
    slots_[at] = slot;
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, {});
    slots_.resize(old.empty() ? first_size : 2 * old.size());
    for (const Slot& slot : old)
      if (slot.entry != none) place(slot);
  }
  std::vector<Slot> slots_;  ///< a power of two of them
  std::vector<std::pair<Key, T>> entries_;
};

}  // namespace cutelab
