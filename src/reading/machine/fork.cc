#include "reading/machine/fork.h"

#include <map>

namespace cutelab::reading::machine {

void Machine::Interpreter::remember(Slots* slots, Symbol name, const Value& old) {
  if (!journals_.empty() && slots->born < journals_.back()->serial)
    journals_.back()->writes.push_back({slots, name, old});
}

void Machine::Interpreter::remember(List* list) {
  if (journals_.empty() || list->born >= journals_.back()->serial) return;
  for (const auto& saved : journals_.back()->lists)
    if (saved.container == list) return;
  journals_.back()->lists.push_back({list, list->items});
}

void Machine::Interpreter::remember(Dict* dict) {
  if (journals_.empty() || dict->born >= journals_.back()->serial) return;
  for (const auto& saved : journals_.back()->dicts)
    if (saved.container == dict) return;
  journals_.back()->dicts.push_back({dict, dict->items});
}

void Machine::Interpreter::take(const Outcome& outcome) {
  for (const Write& w : outcome.writes) m.set(*w.slots, w.name, w.value);
  for (const auto& saved : outcome.lists) m.mutable_items(saved.container) = saved.items;
  for (const auto& saved : outcome.dicts) m.mutable_items(saved.container) = saved.items;
}

void Machine::Interpreter::merge(const Outcome& a, const Outcome& b, const std::string& condition) {
  std::map<std::pair<const Slots*, Symbol>, Value> in_b;
  for (const Write& w : b.writes) in_b.emplace(std::pair(w.slots, w.name), w.value);
  for (const Write& w : a.writes) {
    const auto there = in_b.find({w.slots, w.name});
    m.set(*w.slots, w.name,
          join(w.value, there != in_b.end() ? there->second : w.slots->at(w.name), condition));
    if (there != in_b.end()) in_b.erase(there);
  }
  for (const Write& w : b.writes)
    if (in_b.count({w.slots, w.name})) m.set(*w.slots, w.name, join(w.slots->at(w.name), w.value, condition));
  // Containers: what both branches did is kept only where it is the same length; otherwise the longer one, as
  // code that adds an item on a branch means it to be there.
  const auto longer = [](auto& container, const auto& items) {
    if (items.size() > container.size()) container = items;
  };
  for (const auto* outcome : {&a, &b}) {
    for (const auto& saved : outcome->lists) longer(m.mutable_items(saved.container), saved.items);
    for (const auto& saved : outcome->dicts) longer(m.mutable_items(saved.container), saved.items);
  }
}

Value Machine::Interpreter::join(const Value& a, const Value& b, const std::string& condition) {
  if (!a.bound()) return b;
  if (!b.bound() || a.same(b)) return a;
  if (a.is_unknown()) return a;
  if (b.is_unknown()) return b;
  if (m.equal(a, b) == Truth::yes) return a;
  const auto tuple_a = a.as<Tuple>(), tuple_b = b.as<Tuple>();
  if (tuple_a && tuple_b && tuple_a->items.size() == tuple_b->items.size()) {
    std::vector<Value> items;
    for (std::size_t i = 0; i < tuple_a->items.size(); ++i)
      items.push_back(join(tuple_a->items[i], tuple_b->items[i], condition));
    return m.tuple(std::move(items));
  }
  std::string path;
  const auto record_a = a.as<Record>(), record_b = b.as<Record>();
  if (record_a && record_b && record_a->path == record_b->path) path = record_a->path;
  return m.unknown("depends on a condition that is not known", condition, path);
}

}  // namespace cutelab::reading::machine
