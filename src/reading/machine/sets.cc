#include <algorithm>

#include "reading/machine/containers.h"
#include "reading/machine/interpreter.h"

// Sets and dicts compared and put together; `is`.
namespace cutelab::reading::machine {
namespace {
constexpr std::size_t most_items = 65'536;
}  // namespace

Machine::Truth Machine::identical(const Value& a, const Value& b) {
  if (a.is_unknown() || b.is_unknown()) return equal(a, b);
  if (a.same(b)) return Truth::yes;
  if (Interpreter::is_left_open(a, b)) return Truth::unknown;
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
  if (da->form == Dict::Form::counting || (da->form == Dict::Form::ordered && da->form == db->form))
    return equal_forms(*da, *db);
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
  return truth == Truth::unknown ? unknown("a comparison that is not decided")
                                 : Value::boolean(truth == Truth::yes);
}

/// Unbound: no operation of sets.
Value Machine::combined_sets(std::string_view op, const Set& a, const Set& b) {
  if (op != "|" && op != "&" && op != "-" && op != "^") return {};
  if (a.open || b.open) return unknown("what a set holds is not known");
  SetFiller out(*this);
  out.set()->frozen = a.frozen;
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
    // Of two equal members the one of the smaller set is taken, as Python does.
    if (op == "&" && b.items.size() <= a.items.size())
      take(b, a, true);
    else
      take(a, b, op == "&");
    if (op == "^") take(b, a, false);
  }
  return out.set();
}

Value Machine::merged_dicts(const Dict& a, const Dict& b) {
  if (a.open || b.open) return unknown("what a dict holds is not known");
  DictFiller out(*this);
  out.dict()->form = a.form;
  out.dict()->factory = a.factory;
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

/// `+`, `*` and `%` of tuples, lists and texts; unbound: none of them, or an error is under way.
Value Machine::of_sequences(std::string_view op, const Value& a, const Value& b) {
  const Tuple *ta = a.as<Tuple>(), *tb = b.as<Tuple>();
  const List *la = a.as<List>(), *lb = b.as<List>();
  const auto too_long = [&] {
    return limit("a sequence of more than " + std::to_string(most_items) + " items");
  };
  if ((la && la->view_of) || (lb && lb->view_of)) return unknown("arithmetic on a view of a dict");
  if ((la && la->open) || (lb && lb->open)) return unknown("how many items a list has is not known");
  if (op == "+" && ((ta && tb) || (la && lb))) {
    std::vector<Value> items = ta ? ta->items : la->items;
    const std::vector<Value>& more = tb ? tb->items : lb->items;
    if (items.size() + more.size() > most_items) return too_long();
    items.insert(items.end(), more.begin(), more.end());
    return ta ? tuple(std::move(items)) : list(std::move(items));
  }
  if (op == "*" && a.is_integral() && (tb || lb || b.as<Text>())) return arithmetic(op, b, a);
  if (op == "*" && b.is_integral() && (ta || la)) {
    const std::vector<Value>& one = ta ? ta->items : la->items;
    const auto copies = static_cast<std::size_t>(std::max<std::int64_t>(b.number(), 0));
    if (!one.empty() && copies > most_items / one.size()) return too_long();
    std::vector<Value> items;
    for (std::size_t i = 0; i < copies && !one.empty(); ++i)
      items.insert(items.end(), one.begin(), one.end());
    return ta ? tuple(std::move(items)) : list(std::move(items));
  }
  if (const Text* text_a = a.as<Text>()) {
    if (const Text* text_b = b.as<Text>(); text_b && op == "+")
      return text_a->text.size() + text_b->text.size() > most_items ? too_long()
                                                                    : text(text_a->text + text_b->text);
    if (op == "*" && b.is_integral() &&
        static_cast<std::size_t>(std::max<std::int64_t>(b.number(), 0)) <
            most_items / std::max<std::size_t>(text_a->text.size(), 1)) {
      std::string out;
      for (std::int64_t i = 0; i < b.number(); ++i) out += text_a->text;
      return text(std::move(out));
    }
    if (op == "%") {
      auto formatted = percent_format(text_a->text, b);
      if (raising_) return {};
      return formatted ? text(std::move(*formatted)) : unknown("a formatted string with values not known");
    }
  }
  return {};
}

/// Of sets and dicts; a TypeError where Python's own values have no such operation. Unbound: not told here.
Value Machine::of_containers(std::string_view op, const Value& a, const Value& b) {
  if (const Set* sa = a.as<Set>(), *sb = b.as<Set>(); sa && sb)
    if (Value made = combined_sets(op, *sa, *sb); made.bound()) return made;
  if (const Dict* da = a.as<Dict>(), *db = b.as<Dict>(); da && db) {
    if (da->form == Dict::Form::counting && db->form == da->form) return combined_counters(op, *da, *db);
    if (da->form != db->form && (da->form == Dict::Form::plain || da->form == Dict::Form::counting))
      return unknown("dictionaries of different classes put together");
    if (op == "|") return merged_dicts(*da, *db);
  }
  for (const Value* v : {&a, &b})
    if (v->is_unknown()) return unknown(v->as<Unknown>()->reason, v->as<Unknown>()->depends_on);
  const auto plain = [](const Value& v) {
    return v.is_number() || v.is_none() || v.as<Text>() || v.as<Tuple>() || v.as<List>() || v.as<Dict>() ||
           v.as<Set>();
  };
  if (!current_launch_ && plain(a) && plain(b) && !(a.is_number() && b.is_number()) &&
      !(a.as<Set>() && b.as<Set>()) && op != "@")
    if (!((a.as<Text>() || a.as<Tuple>() || a.as<List>()) && b.is_integral() && op == "*"))
      return raise_error("TypeError",
                         "unsupported operands of " + std::string(op) + ": " + repr(a) + " and " + repr(b));
  return {};
}

}  // namespace cutelab::reading::machine
