#include "reading/models/python_models.h"

// Methods of sets that are operators as well, and those that change the set in place.
namespace cutelab::reading::machine::python_models {
namespace {
/// A set of what can be walked; unbound: not known, or an error is under way.
Value as_set(Call& c, const Value& v) {
  if (v.as<Set>()) return v.as<Set>()->open ? Value() : v;
  if (!v.as<Tuple>() && !v.as<List>() && !v.as<Dict>() && !v.as<Range>() && !v.as<Text>()) return {};
  const Value made = c.machine.call(c.machine.external("builtins.set"), {v}, {}, c.node, c.module);
  return made.as<Set>() && !made.as<Set>()->open ? made : Value();
}

constexpr const char* operators[] = {"|", "&", "-", "^"};

/// The set and each argument by an operator, one after the other; unbound as above.
template <int op>
Value folded(Call& c) {
  Value out = c.self.as<Set>() && !c.self.as<Set>()->open && c.complete ? c.self : Value();
  for (const Value& more : c.arguments) {
    const Value other = out.bound() ? as_set(c, more) : Value();
    out = other.bound() ? c.machine.arithmetic(operators[op], out, other) : Value();
  }
  return out.as<Set>() ? out : Value();
}

template <int op>
Answer combined(Call& c) {
  const Value out = folded<op>(c);
  if (c.machine.raising()) return Value();
  if (!out.bound()) return std::nullopt;
  Set* copy = c.machine.make<Set>();
  copy->items = out.as<Set>()->items;
  copy->open = out.as<Set>()->open;
  copy->frozen = c.self.as<Set>() && c.self.as<Set>()->frozen;
  return Value(copy);
}

template <int op>
Answer combined_in_place(Call& c) {
  const Value out = folded<op>(c);
  if (c.machine.raising()) return Value();
  if (!out.bound() || out.as<Set>()->open) return std::nullopt;
  const std::vector<Value> items = out.as<Set>()->items;
  c.machine.mutable_items(c.self.as<Set>()) = items;
  return Value::none();
}

/// issubset, issuperset
template <bool smaller>
Answer held_against(Call& c) {
  const Value other = c.count() == 1 ? as_set(c, c.arguments[0]) : Value();
  if (c.machine.raising()) return Value();
  if (!other.bound()) return std::nullopt;
  const Value out = c.machine.compare(smaller ? "<=" : ">=", c.self, other);
  return out.is_bool() ? Answer(out) : std::nullopt;
}

Answer is_disjoint(Call& c) {
  const Value common = c.count() == 1 ? folded<1>(c) : Value();
  if (c.machine.raising()) return Value();
  const auto filled = common.bound() ? c.machine.truth(common) : Machine::Truth::unknown;
  return filled == Machine::Truth::unknown ? std::nullopt
                                           : Answer(Value::boolean(filled == Machine::Truth::no));
}
}  // namespace

void add_set_methods(Natives& n) {
  n.method("set", "union", combined<0>);
  n.method("set", "intersection", combined<1>);
  n.method("set", "difference", combined<2>);
  n.method("set", "symmetric_difference", combined<3>);
  n.method("set", "intersection_update", combined_in_place<1>);
  n.method("set", "difference_update", combined_in_place<2>);
  n.method("set", "symmetric_difference_update", combined_in_place<3>);
  n.method("set", "issubset", held_against<true>);
  n.method("set", "issuperset", held_against<false>);
  n.method("set", "isdisjoint", is_disjoint);
}

}  // namespace cutelab::reading::machine::python_models
