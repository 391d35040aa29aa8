#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text_table.h"
#include "reading/machine/value.h"

namespace cutelab::reading::machine {

/// Interned names: a text's number, and the text of a number. A dense table with open addressing, asked for
/// hundreds of thousands of names in a reading.
class Names {
 public:
  Symbol symbol(std::string_view text) {
    const auto hash = static_cast<std::uint32_t>(hash_of(text));
    if (2 * (texts_.size() + 1) > slots_.size()) grow();
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].symbol != none; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].hash == hash && slots_[at].text == text) return slots_[at].symbol;
    slots_[at] = {hash, static_cast<Symbol>(texts_.size()), texts_.emplace_back(text)};
    return slots_[at].symbol;
  }
  const std::string& text(Symbol symbol) const { return texts_[symbol]; }  ///< stays where it is

 private:
  static constexpr Symbol none = 0xFFFFFFFFu;
  static constexpr std::size_t first_size = 1024;
  struct Slot {
    std::uint32_t hash = 0;
    Symbol symbol = none;
    std::string_view text;
  };
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, {});
    slots_.resize(old.empty() ? first_size : 2 * old.size());
    for (const Slot& slot : old) {
      if (slot.symbol == none) continue;
      std::size_t at = slot.hash & (slots_.size() - 1);
      while (slots_[at].symbol != none) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }
  std::vector<Slot> slots_;  ///< a power of two of them
  std::deque<std::string> texts_;
};

/// The symbol of each node's text that was asked for, by node.
class NodeSymbols {
 public:
  static constexpr Symbol not_asked_for = 0xFFFFFFFFu;
  Symbol* of(const source::Tree& tree) {
    auto& table = tables_[&tree];
    if (table.empty()) table.resize(tree.size(), not_asked_for);
    return table.data();
  }

 private:
  std::unordered_map<const source::Tree*, std::vector<Symbol>> tables_;
};

}  // namespace cutelab::reading::machine
