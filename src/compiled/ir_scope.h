#pragma once
#include <string_view>
#include <vector>

#include "compiled/ir_locations.h"

namespace cutelab::compiled::ir {

/// Which value a name stands for, region by region: what a region defines is gone when it ends.
class Scope {
 public:
  Scope() : slots_(1u << 10) {}

  void enter() { marks_.push_back(undo_.size()); }

  void leave() {
    const std::size_t mark = marks_.empty() ? 0 : marks_.back();
    if (!marks_.empty()) marks_.pop_back();
    for (; undo_.size() > mark; undo_.pop_back()) slots_[undo_.back().slot].value = undo_.back().before;
  }

  void define(std::string_view name, Id value) {
    if (2 * used_ >= slots_.size()) grow();
    const std::size_t slot = slot_of(name);
    if (slots_[slot].name.empty()) {
      slots_[slot].name = name;
      ++used_;
    }
    undo_.push_back({slot, slots_[slot].value});
    slots_[slot].value = value;
  }

  Id find(std::string_view name) const { return slots_[slot_of(name)].value; }

 private:
  struct Slot {
    std::string_view name;
    Id value = none;
  };
  struct Undo {
    std::size_t slot;
    Id before;
  };

  std::size_t slot_of(std::string_view name) const {
    std::size_t hash = 1469598103934665603ull;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (hash ^ (hash >> 29)) & mask;
    while (!slots_[slot].name.empty() && slots_[slot].name != name) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    std::vector<std::size_t> moved(old.size());
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (old[i].name.empty()) continue;
      moved[i] = slot_of(old[i].name);
      slots_[moved[i]] = old[i];
    }
    for (Undo& undo : undo_) undo.slot = moved[undo.slot];
  }

  std::vector<Slot> slots_;  ///< open addressing; a power of two
  std::size_t used_ = 0;
  std::vector<Undo> undo_;
  std::vector<std::size_t> marks_;
};

}  // namespace cutelab::compiled::ir
