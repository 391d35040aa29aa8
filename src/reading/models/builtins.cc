#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "reading/machine/containers.h"
#include "reading/machine/unicode.h"
#include "reading/models/python_models.h"

// Python's own functions.
namespace cutelab::reading::machine {
namespace python_models {

Answer answer_nothing(Call&) { return Value::none(); }
Answer first_argument(Call& c) { return c.count() ? Answer(c.arguments[0]) : std::nullopt; }

Answer len(Call& c) {
  if (c.count() != 1) return std::nullopt;
  Machine& m = c.machine;
  if (const Native native = Natives::all().find_method(
          c.arguments[0].as<Record>() ? c.arguments[0].as<Record>()->kind : std::string(), "__len__")) {
    Call inner{m, "__len__", c.arguments[0], {}, {}, c.node, c.module};
    return native(inner);
  }
  Value v = c.arguments[0];
  if (const Instance* i = v.as<Instance>(); i && i->klass->is_enum && i->klass->is_text)
    v = m.attribute(v, "value", c.node, c.module);
  const auto counted = [](std::size_t n) { return Value::integer(static_cast<std::int64_t>(n)); };
  if (const Text* t = v.as<Text>()) return counted(length_of(t->text));
  if (v.is_number() || v.is_none() || v.as<Iterator>() || v.as<Function>())
    return m.raise_error("TypeError", m.repr(v) + " has no len()", c.node, c.module);
  if (!v.as<Instance>())
    if (const auto items = m.items(v)) return counted(items->size());
  if (c.arguments[0].as<Instance>()) {
    const Value method = m.attribute(c.arguments[0], "__len__", c.node, c.module);
    if (method.as<Method>()) return m.call(method, {}, {}, c.node, c.module);
  }
  return std::nullopt;
}

template <bool least>
Answer extreme(Call& c) {
  std::vector<Value> all = c.arguments;
  if (all.size() == 1) {
    const auto items = c.machine.items(all[0]);
    if (!items) return std::nullopt;
    all = *items;
  }
  if (all.empty())
    return c.get(-1, "default").bound()
               ? Answer(c.get(-1, "default"))
               : c.machine.raise_error("ValueError", "min() or max() of nothing", c.node, c.module);
  const Value key = c.get(-1, "key");
  Value best;
  Value best_key;
  for (const Value& v : all) {
    const Value k = key.bound() ? c.machine.call(key, {v}, {}, c.node, c.module) : v;
    if (c.machine.raising()) return std::nullopt;
    if (!best.bound()) {
      best = v;
      best_key = k;
      continue;
    }
    const Value less = c.machine.compare("<", least ? k : best_key, least ? best_key : k);
    if (!less.is_bool()) return less.is_unknown() ? Answer(less) : std::nullopt;
    if (less.number()) {
      best = v;
      best_key = k;
    }
  }
  return best;
}

Answer sum(Call& c) {
  const auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  Value total = c.get(1, "start", Value::integer(0));
  for (const Value& v : *items) {
    total = c.machine.arithmetic("+", total, v);
    if (c.machine.raising()) return Value();
  }
  return total;
}

Answer prod(Call& c) {
  const auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  Value total = c.get(-1, "start", Value::integer(1));
  for (const Value& v : *items) {
    total = c.machine.arithmetic("*", total, v);
    if (c.machine.raising()) return Value();
  }
  return total;
}

Answer to_bool(Call& c) {
  if (!c.count()) return Value::boolean(false);
  if (c.count() > 1 && !c.machine.current_launch())
    return c.machine.raise_error("TypeError", "bool() takes one value", c.node, c.module);
  const auto t = c.machine.truth(c.arguments[0]);
  if (t == Machine::Truth::unknown) return c.arguments[0];
  return Value::boolean(t == Machine::Truth::yes);
}

Answer to_tuple(Call& c) {
  if (!c.count()) return c.machine.tuple({});
  auto items = c.machine.items_in_order(c.arguments[0]);
  return items                         ? Answer(c.machine.tuple(std::move(*items)))
         : c.arguments[0].is_unknown() ? Answer(c.arguments[0])
                                       : std::nullopt;
}

Answer to_list(Call& c) {
  if (!c.count()) return c.machine.list({});
  auto items = c.machine.items_in_order(c.arguments[0]);
  return items                         ? Answer(c.machine.list(std::move(*items)))
         : c.arguments[0].is_unknown() ? Answer(c.arguments[0])
                                       : std::nullopt;
}

Answer to_set(Call& c) {
  SetFiller out(c.machine);
  if (c.count()) {
    const auto items = c.machine.items(c.arguments[0]);
    if (!items) return std::nullopt;
    for (const Value& v : *items) out.put(v);
  }
  return Value(out.set());
}

Answer to_frozenset(Call& c) {
  const auto given = c.count() ? c.arguments[0].as<Set>() : nullptr;
  if (given && given->frozen) return c.arguments[0];
  const Answer made = to_set(c);
  if (Set* set = made ? made->as<Set>() : nullptr) set->frozen = true;
  return made;
}

Answer to_dict(Call& c) {
  DictFiller out(c.machine);
  if (c.count()) {
    if (const Dict* d = c.arguments[0].as<Dict>()) {
      if (d->open) return std::nullopt;
      for (const auto& [key, value] : d->items) out.put(key, value);
    } else {
      const auto pairs = c.machine.items_in_order(c.arguments[0]);
      if (!pairs) return std::nullopt;
      for (const Value& pair : *pairs) {
        const auto two = c.machine.items_in_order(pair);
        if (!two || two->size() != 2) return std::nullopt;
        out.put((*two)[0], (*two)[1]);
      }
    }
  }
  for (const auto& [name, value] : c.keywords) out.put(c.machine.text(c.machine.name_of(name)), value);
  return Value(out.dict());
}

/// What Python takes no range of.
bool is_no_bound(const Value& v) {
  return v.is_real() || v.is_none() || v.as<Text>() || v.as<List>() || v.as<Dict>();
}

Answer range(Call& c) {
  if (!c.count()) return std::nullopt;
  for (Value& v : c.arguments)  // a member of an IntEnum
    if (const Instance* i = v.as<Instance>(); i && i->klass->is_enum && i->klass->is_number)
      v = c.machine.attribute(v, "value", c.node, c.module);
  if (!c.machine.current_launch() && std::any_of(c.arguments.begin(), c.arguments.end(), is_no_bound))
    return c.machine.raise_error("TypeError", "range() of what is no integer", c.node, c.module);
  if (c.count() > 2 && c.arguments[2].is_integral() && c.arguments[2].number() == 0)
    return c.machine.raise_error("ValueError", "range() arg 3 must not be zero", c.node, c.module);
  Range* out = c.machine.make<Range>();
  if (c.count() == 1) {
    out->end = c.arguments[0];
  } else {
    out->begin = c.arguments[0];
    out->end = c.arguments[1];
    if (c.count() > 2) out->step = c.arguments[2];
  }
  return Value(out);
}

Answer ordered(Call& c) {
  auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  const Value key = c.get(-1, "key");
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& v : *items) {
    keyed.emplace_back(key.bound() && !key.is_none() ? c.machine.call(key, {v}, {}, c.node, c.module) : v, v);
    if (c.machine.raising()) return Value();
  }
  // Equal items keep their order, with reverse=True as well.
  const bool reverse = c.machine.truth(c.get(-1, "reverse", Value::boolean(false))) == Machine::Truth::yes;
  if (reverse) std::reverse(keyed.begin(), keyed.end());
  // Insertion sort: stable, and a comparison that is not decided ends it.
  for (std::size_t i = 1; i < keyed.size(); ++i)
    for (std::size_t k = i; k > 0; --k) {
      const Value less = c.machine.compare("<", keyed[k].first, keyed[k - 1].first);
      if (!less.is_bool()) return std::nullopt;
      if (!less.number()) break;
      std::swap(keyed[k], keyed[k - 1]);
    }
  std::vector<Value> out;
  for (const auto& [k, v] : keyed) out.push_back(v);
  if (reverse) std::reverse(out.begin(), out.end());
  return c.machine.list(std::move(out));
}

/// id(): a number of its own for each object; small values have none that is known.
Answer identity(Call& c) {
  const Object* object = c.count() == 1 ? c.arguments[0].object() : nullptr;
  return object && !c.arguments[0].is_unknown() ? Answer(Value::integer(c.machine.identity(object)))
                                                : std::nullopt;
}

Answer divmod(Call& c) {
  if (c.count() != 2) return std::nullopt;
  return c.machine.tuple({c.machine.arithmetic("//", c.arguments[0], c.arguments[1]),
                          c.machine.arithmetic("%", c.arguments[0], c.arguments[1])});
}

/// pow(base, exponent, modulus) of whole numbers that fit.
Answer power_modulo(Call& c) {
  for (const Value& v : c.arguments)
    if (!v.is_integral() || v.number() < 0 || v.number() > INT32_MAX) return std::nullopt;
  const std::int64_t modulus = c.arguments[2].number();
  if (modulus == 0)
    return c.machine.raise_error("ValueError", "pow() 3rd argument cannot be 0", c.node, c.module);
  std::int64_t out = 1 % modulus, base = c.arguments[0].number() % modulus;
  for (std::int64_t left = c.arguments[1].number(); left > 0; left /= 2) {
    if (left % 2 == 1) out = out * base % modulus;
    base = base * base % modulus;
  }
  return Value::integer(out);
}

Answer power(Call& c) {
  if (c.count() == 3) return power_modulo(c);
  return c.count() == 2 ? Answer(c.machine.arithmetic("**", c.arguments[0], c.arguments[1])) : std::nullopt;
}

Answer smallest(Call& c) { return extreme<true>(c); }
Answer largest(Call& c) { return extreme<false>(c); }

/// Ends the run. Only a status that is known to tell of a failure is one.
Answer exit_program(Call& c) {
  const bool failure = c.count() > 0 && c.machine.truth(c.arguments[0]) == Machine::Truth::yes;
  c.machine.raise_error(
      "SystemExit", failure ? "the program exits with " + c.machine.str(c.arguments[0]) : Machine::exit_text,
      c.node, c.module);
  return Value();
}

Answer slice_object(Call& c) {
  Slice* out = c.machine.make<Slice>();
  if (c.count() == 1) {
    out->end = c.arguments[0];
  } else if (c.count() > 1) {
    out->begin = c.arguments[0];
    out->end = c.arguments[1];
    if (c.count() > 2) out->step = c.arguments[2];
  }
  return Value(out);
}

void add_functions(Natives& n) {
  n.function("builtins", "print", answer_nothing);
  n.function("builtins", "len", len);
  n.function("builtins", "min", smallest);
  n.function("builtins", "max", largest);
  n.function("builtins", "sum", sum);
  n.function("builtins", "bool", to_bool);
  n.function("builtins", "tuple", to_tuple);
  n.function("builtins", "list", to_list);
  n.function("builtins", "set", to_set);
  n.function("builtins", "frozenset", to_frozenset);
  n.function("builtins", "dict", to_dict);
  n.function("builtins", "range", range);
  n.function("builtins", "sorted", ordered);
  n.function("builtins", "id", identity);
  n.function("builtins", "divmod", divmod);
  n.function("builtins", "pow", power);
  n.function("builtins", "slice", slice_object);
  n.function("builtins", "exit", exit_program);
  n.function("builtins", "quit", exit_program);
  n.function("sys", "exit", exit_program);
}
}  // namespace python_models

void add_builtins(Natives& n) {
  python_models::add_functions(n);
  python_models::add_type_questions(n);
  python_models::add_iteration(n);
  python_models::add_numbers(n);
  python_models::add_library(n);
  python_models::add_introspection(n);
  python_models::add_text_methods(n);
  python_models::add_container_methods(n);
  python_models::add_contexts(n);
  python_models::add_copies(n);
  python_models::add_files(n);
  python_models::add_surroundings(n);
  python_models::add_collections(n);
  python_models::add_set_methods(n);
  python_models::add_python_version(n);
  python_models::add_deques(n);
  python_models::add_combinations(n);
  python_models::add_operators(n);
  python_models::add_mathematics(n);
  python_models::add_more_texts(n);
  python_models::add_records(n);
}

}  // namespace cutelab::reading::machine
