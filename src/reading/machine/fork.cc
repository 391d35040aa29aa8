#include "reading/machine/fork.h"

#include <algorithm>
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

void Machine::Interpreter::remember(Set* set) {
  if (journals_.empty() || set->born >= journals_.back()->serial) return;
  for (const auto& saved : journals_.back()->sets)
    if (saved.container == set) return;
  journals_.back()->sets.push_back({set, set->items});
}

/// A side of a branch returned: what it changed elsewhere is known to be perhaps so once the function ends.
void Machine::Interpreter::left_maybe(Scope* s, const Outcome& left) {
  left_maybe(s, left.result);
  if (m.current_launch_) return;
  Outcome kept = left;
  std::erase_if(kept.writes, [&](const Write& w) { return w.slots == &s->names; });
  if (kept.writes.empty() && kept.lists.empty() && kept.dicts.empty() && kept.sets.empty()) return;
  at_return_[s].push_back(std::move(kept));
}

/// The other side of it: what it changed is perhaps not so once the function has ended.
void Machine::Interpreter::take_after_return(Scope* s, const Outcome& other) {
  if (m.current_launch_) return take(other);
  Journal journal;
  journal.serial = ++m.fork_serial_;
  journals_.push_back(&journal);
  take(other);
  journals_.pop_back();
  keep_after_return(s, journal);
}

void Machine::Interpreter::keep_after_return(Scope* s, Journal& journal) {
  Journal kept = journal;
  pass_on(journal);
  std::erase_if(kept.writes, [&](const Write& w) { return w.slots == &s->names; });
  after_return_[s].push_back(std::move(kept));
}

void Machine::Interpreter::take(const Outcome& outcome) {
  for (const Write& w : outcome.writes) m.set(*w.slots, w.name, w.value);
  for (const auto& saved : outcome.lists) contents(saved.container) = saved.items;
  for (const auto& saved : outcome.dicts) contents(saved.container) = saved.items;
  for (const auto& saved : outcome.sets) contents(saved.container) = saved.items;
}

/// What a name gives where a branch does not write it: an attribute may be the class's, an iterator that was
/// not asked stands at its begin.
Value Machine::Interpreter::without_write(Slots* slots, Symbol name) {
  const Value held = slots->at(name);
  if (held.bound()) return held;
  if (slots->of) {
    const Value of_class = class_attribute(slots->of, name);
    return of_class.as<Function>() ? Value() : of_class;
  }
  if (slots->is_of_library) return m.unknown("what the library has there", m.name_of(name));
  return name == m.symbol("at") && slots->is_of_iterator ? Value::integer(0) : held;
}

void Machine::Interpreter::merge(const Outcome& a, const Outcome& b, const std::string& condition) {
  std::map<std::pair<const Slots*, Symbol>, Value> in_b;
  for (const Write& w : b.writes) in_b.emplace(std::pair(w.slots, w.name), w.value);
  for (const Write& w : a.writes) {
    const auto there = in_b.find({w.slots, w.name});
    m.set(*w.slots, w.name,
          join(w.value, there != in_b.end() ? there->second : without_write(w.slots, w.name), condition));
    if (there != in_b.end()) in_b.erase(there);
  }
  for (const Write& w : b.writes)
    if (in_b.count({w.slots, w.name}))
      m.set(*w.slots, w.name, join(without_write(w.slots, w.name), w.value, condition));
  merge_lists(a, b, condition);
  merge_dicts(a, b, condition);
  // Whether a set that a branch changed holds a value is not known: a member that is not known says so.
  for (const Outcome* outcome : {&a, &b})
    for (const auto& saved : outcome->sets) {
      auto& items = contents(saved.container);
      const bool said = saved.container->open && !items.empty() && items.back().is_unknown();
      saved.container->open = true;
      if (said) continue;
      items.push_back(m.unknown("only on a branch whose condition is not known", condition));
    }
}

namespace {
/// What a container holds after a branch: as the branch left it, else as it is.
template <class Saved, class T>
auto after(const std::vector<Saved>& changed, const T* container) {
  for (const Saved& saved : changed)
    if (saved.container == container) return saved.items;
  return container->items;
}
}  // namespace

/// Item by item; an item that only one branch has is there, with a value that is not known.
void Machine::Interpreter::merge_lists(const Outcome& a, const Outcome& b, const std::string& condition) {
  for (const Outcome* outcome : {&a, &b})
    for (const auto& saved : outcome->lists) {
      List* list = saved.container;
      const auto left = after(a.lists, list), right = after(b.lists, list);
      list->open = list->open || left.size() != right.size();
      std::vector<Value> joined;
      for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i)
        joined.push_back(i < left.size() && i < right.size()
                             ? join(left[i], right[i], condition)
                             : aliased(m.unknown("only on a branch whose condition is not known", condition),
                                       {i < left.size() ? left[i] : right[i]}));
      contents(list) = std::move(joined);
    }
}

void Machine::Interpreter::merge_dicts(const Outcome& a, const Outcome& b, const std::string& condition) {
  for (const Outcome* outcome : {&a, &b})
    for (const auto& saved : outcome->dicts) {
      Dict* dict = saved.container;
      auto joined = after(a.dicts, dict);
      const auto right = after(b.dicts, dict);
      const auto same_key = [&](const auto& items, const Value& key) {
        return std::find_if(items.begin(), items.end(), [&](const auto& item) {
          return item.first.same(key) || m.equal(item.first, key) == Truth::yes;
        });
      };
      const Value one_sided = m.unknown("only on a branch whose condition is not known", condition);
      for (auto& [key, value] : joined) {
        const auto other = same_key(right, key);
        dict->open = dict->open || other == right.end();
        value = other == right.end() ? aliased(one_sided, {value}) : join(value, other->second, condition);
      }
      for (const auto& [key, value] : right)
        if (same_key(joined, key) == joined.end()) {
          dict->open = true;
          joined.emplace_back(key, aliased(one_sided, {value}));
        }
      contents(dict) = std::move(joined);
    }
}

namespace {
/// Records that say no more than their fields do: which of two it is matters only where those differ.
bool describes(std::string_view kind) { return kind == "MmaOp"; }
}  // namespace

/// One description for two: what both say, and what only one does or each differently is not known.
Value Machine::Interpreter::join_fields(const Record* a, const Record* b, const std::string& condition) {
  const auto family = [](const Record* r) { return r->path.substr(0, r->path.rfind('.')); };
  Record* out = m.record(a->kind, a->path == b->path       ? a->path
                                  : family(a) == family(b) ? family(a)
                                                           : std::string());
  for (const Record* one : {a, b})
    for (const auto& [name, value] : one->fields.items()) {
      const Value *in_a = a->fields.find(name), *in_b = b->fields.find(name);
      m.set_field(out, m.name_of(name),
                  in_a && in_b ? join(*in_a, *in_b, condition)
                               : m.unknown("depends on a condition that is not known", condition));
    }
  return out;
}

Value Machine::Interpreter::join(const Value& a, const Value& b, const std::string& condition) {
  if (!a.bound()) return b;
  if (!b.bound() || a.same(b)) return a;
  if (a.is_unknown()) return aliased(a, {b});
  if (b.is_unknown()) return aliased(b, {a});
  if (m.equal(a, b) == Truth::yes) return a;
  const auto tuple_a = a.as<Tuple>(), tuple_b = b.as<Tuple>();
  if (tuple_a && tuple_b && tuple_a->items.size() == tuple_b->items.size()) {
    std::vector<Value> items;
    for (std::size_t i = 0; i < tuple_a->items.size(); ++i)
      items.push_back(join(tuple_a->items[i], tuple_b->items[i], condition));
    Tuple* joined = m.make<Tuple>(std::move(items));
    if (tuple_a->names == tuple_b->names && tuple_a->of == tuple_b->of) {
      joined->names = tuple_a->names;
      joined->of = tuple_a->of;
    }
    return joined;
  }
  std::string path;
  const auto record_a = a.as<Record>(), record_b = b.as<Record>();
  if (record_a && record_b && record_a->path == record_b->path) path = record_a->path;
  if (record_a && record_b && record_a->kind == record_b->kind && describes(record_a->kind))
    return join_fields(record_a, record_b, condition);
  return aliased(m.unknown("depends on a condition that is not known", condition, path), {a, b});
}

}  // namespace cutelab::reading::machine
