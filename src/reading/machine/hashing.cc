#include <algorithm>

#include "reading/machine/containers.h"
#include "reading/machine/interpreter.h"

// What may be a key, and dictionaries of collections held against each other.
namespace cutelab::reading::machine {

/// Whether Python takes the value as a key. A set may be a frozenset.
Machine::Truth has_hash(Machine& m, const Value& key, int depth) {
  using Truth = Machine::Truth;
  if (const List* list = key.as<List>()) return list->view_of ? Truth::unknown : Truth::no;
  if (key.as<Dict>()) return Truth::no;
  if (key.as<Set>() || key.as<Slice>() || depth > 8) return Truth::unknown;
  if (const Tuple* tuple = key.as<Tuple>()) {
    Truth all = Truth::yes;
    for (const Value& item : tuple->items) {
      const Truth one = item.object() ? has_hash(m, item, depth + 1) : Truth::yes;
      if (one == Truth::no) return one;
      if (one == Truth::unknown) all = one;
    }
    return all;
  }
  const Instance* instance = key.as<Instance>();
  if (!instance || instance->klass->is_enum || instance->klass->module >= Library::first) return Truth::yes;
  const Symbol equality = m.symbol("__eq__"), hash = m.symbol("__hash__");
  for (Class* c : instance->klass->line) {
    if (const Value* own = c->attributes.find(hash)) return own->is_none() ? Truth::no : Truth::yes;
    if (c->attributes.find(equality)) return Truth::no;
    if (c->has_fields && !c->has_no_equality && !c->is_frozen) return Truth::unknown;  // unsafe_hash=True
  }
  return m.may_have_more(key) ? Truth::unknown : Truth::yes;
}

bool Machine::refuses_key(const Value& key, source::Node at, int module) {
  const Object* object = key.object();
  if (!object || object->type == Type::text || object->type == Type::unknown || current_launch_) return false;
  const Truth hash = has_hash(*this, key);
  if (hash == Truth::unknown) ++uncertain_;
  if (hash != Truth::no) return false;
  raise_error("TypeError", "unhashable: " + repr(key), at, module);
  return true;
}

/// OrderedDict counts the order; a Counter's missing counts are zero.
Machine::Truth Machine::equal_forms(const Dict& a, const Dict& b) {
  const bool counting = a.form == Dict::Form::counting;
  const auto zero = [&](const auto& item) { return truth(item.second) != Truth::yes; };
  if (counting && (b.form != a.form || std::any_of(a.items.begin(), a.items.end(), zero) ||
                   std::any_of(b.items.begin(), b.items.end(), zero)))
    return Truth::unknown;
  if (a.items.size() != b.items.size()) return Truth::no;
  Truth all = Truth::yes;
  for (const auto& [key, value] : a.items) {
    const std::pair<Value, Value>* other = nullptr;
    for (std::size_t i = 0; i < b.items.size() && !other; ++i)
      if (equal(key, b.items[i].first) == Truth::yes) other = &b.items[i];
    const Truth one = other ? equal(value, other->second) : Truth::no;
    if (one == Truth::no) return one;
    if (one == Truth::unknown) all = one;
  }
  for (std::size_t i = 0; i < a.items.size() && !counting; ++i)
    if (equal(a.items[i].first, b.items[i].first) != Truth::yes) return Truth::no;
  return all;
}

/// + - | & of two Counters: what is left of counts over zero.
Value Machine::combined_counters(std::string_view op, const Dict& a, const Dict& b) {
  if (op != "+" && op != "-" && op != "|" && op != "&") return {};
  if (a.open || b.open) return unknown("what a Counter holds is not known");
  Dict* out = make<Dict>();
  out->form = Dict::Form::counting;
  const auto count_in = [&](const Dict& dict, const Value& key) -> std::optional<Value> {
    for (const auto& [own, value] : dict.items)
      if (equal(own, key) == Truth::yes) return value;
    return std::nullopt;
  };
  const auto put_count = [&](const Value& key, const Value& x, const Value& y) {
    if (!x.is_integral() || !y.is_integral()) return false;
    const std::int64_t n = x.number(), k = y.number();
    const std::int64_t count = op == "+"   ? n + k
                               : op == "-" ? n - k
                               : op == "|" ? std::max(n, k)
                                           : std::min(n, k);
    if (count > 0) out->items.emplace_back(key, Value::integer(count));
    return true;
  };
  bool known = true;
  for (const auto& [key, value] : a.items)
    known = known && put_count(key, value, count_in(b, key).value_or(Value::integer(0)));
  for (const auto& [key, value] : b.items)
    if (!count_in(a, key)) known = known && put_count(key, Value::integer(0), value);
  return known ? Value(out) : unknown("counts that are not known");
}

}  // namespace cutelab::reading::machine
