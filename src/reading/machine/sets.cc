#include <algorithm>

#include "reading/machine/containers.h"
#include "reading/machine/interpreter.h"

// Sets and dicts compared and put together; `is`.
namespace cutelab::reading::machine {

Machine::Truth Machine::identical(const Value& a, const Value& b) {
  if (a.is_unknown() || b.is_unknown()) return equal(a, b);
  if (a.same(b)) return Truth::yes;
  if (a.kind() != b.kind()) return Truth::no;
  const auto own = [](const Value& v) {
    return v.as<List>() || v.as<Dict>() || v.as<Set>() || v.as<Iterator>() || v.as<Function>() ||
           (v.as<Instance>() && !v.as<Instance>()->klass->is_enum);
  };
  if (own(a) || own(b)) return Truth::no;
  // Whether two equal numbers or texts are one object is Python's own affair.
  const Truth equals = equal(a, b);
  const bool shared = a.is_real() || a.as<Tuple>();
  return equals == Truth::yes && shared ? Truth::unknown : equals;
}

Machine::Truth Machine::within(const Set& a, const Set& b) {
  Truth all = Truth::yes;
  for (const Value& item : a.items) {
    Truth there = Truth::no;
    for (const Value& other : b.items) {
      const Truth one = equal(item, other);
      if (one == Truth::yes) there = one;
      if (one == Truth::unknown && there == Truth::no) there = one;
    }
    if (there == Truth::no) return there;
    if (there == Truth::unknown) all = there;
  }
  return all;
}

std::optional<Machine::Truth> Machine::equal_sets(const Value& a, const Value& b) {
  const Set *sa = a.as<Set>(), *sb = b.as<Set>();
  const Dict *da = a.as<Dict>(), *db = b.as<Dict>();
  if (sa && sb) {
    if (sa->open || sb->open) return Truth::unknown;
    return sa->items.size() != sb->items.size() ? Truth::no : within(*sa, *sb);
  }
  const Range *ra = a.as<Range>(), *rb = b.as<Range>();
  if (ra && rb) {
    const auto one = items(a), other = items(b);
    return one && other ? equal(tuple(*one), tuple(*other)) : Truth::unknown;
  }
  if (!da || !db) return std::nullopt;
  if (da->open || db->open) return Truth::unknown;
  if (da->items.size() != db->items.size()) return Truth::no;
  Truth all = Truth::yes;
  for (const auto& [key, value] : da->items) {
    Truth there = Truth::no;
    for (const auto& [other_key, other] : db->items) {
      const Truth one = equal(key, other_key);
      if (one == Truth::unknown) there = one;
      if (one != Truth::yes) continue;
      there = equal(value, other);
      break;
    }
    if (there == Truth::no) return there;
    if (there == Truth::unknown) all = there;
  }
  return all;
}

Value Machine::compare_sets(std::string_view op, const Set& a, const Set& b) {
  if (a.open || b.open) return unknown("a comparison that is not decided");
  const bool less = op == "<" || op == "<=";
  const Set &small = less ? a : b, &large = less ? b : a;
  const bool proper = op == "<" || op == ">";
  if (small.items.size() > large.items.size() || (proper && small.items.size() == large.items.size()))
    return Value::boolean(false);
  const Truth truth = within(small, large);
  return truth == Truth::unknown ? unknown("a comparison that is not decided") : Value::boolean(truth == Truth::yes);
}

/// Unbound: no operation of sets.
Value Machine::combined_sets(std::string_view op, const Set& a, const Set& b) {
  if (op != "|" && op != "&" && op != "-" && op != "^") return {};
  if (a.open || b.open) return unknown("what a set holds is not known");
  SetFiller out(*this);
  const auto take = [&](const Set& from, const Set& other, bool those_in) {
    for (const Value& item : from.items) {
      const Set one = [&] {
        Set set;
        set.items = {item};
        return set;
      }();
      const Truth there = within(one, other);
      if (there == Truth::unknown) out.set()->open = true;
      if ((there == Truth::yes) == those_in) out.put(item);
    }
  };
  if (op == "|") {
    for (const Set* from : {&a, &b})
      for (const Value& item : from->items) out.put(item);
  } else {
    take(a, b, op == "&");
    if (op == "^") take(b, a, false);
  }
  return out.set();
}

Value Machine::merged_dicts(const Dict& a, const Dict& b) {
  if (a.open || b.open) return unknown("what a dict holds is not known");
  DictFiller out(*this);
  for (const Dict* from : {&a, &b})
    for (const auto& [key, value] : from->items) out.put(key, value);
  return out.dict();
}

/// `a in b`, which uses the iterator up to the item.
Value Machine::contained(std::string_view op, const Value& a, Iterator* b) {
  Value item;
  for (;;) {
    const Step step = next(b, item);
    if (step == Step::raised) return {};
    const Truth same = step == Step::item ? equal(item, a) : Truth::no;
    if (step == Step::unknown || same == Truth::unknown) {
      lose(b);
      return unknown("what a container holds is not known");
    }
    if (step == Step::end || same == Truth::yes) return Value::boolean((same == Truth::yes) == (op == "in"));
  }
}

}  // namespace cutelab::reading::machine
