#include <algorithm>

#include "reading/machine/containers.h"
#include "reading/models/python_models.h"

// What gives iterators: iter, next, zip, map, enumerate, filter, reversed and parts of itertools.
namespace cutelab::reading::machine::python_models {
namespace {
using Form = Iterator::Form;
using Step = Machine::Step;

/// The argument as an iterator; null: what it holds is not known, or an error is under way.
Iterator* iterated(Call& c, const Value& v) {
  if (v.is_number() || v.is_none()) {
    c.machine.raise_error("TypeError", c.machine.repr(v) + " is not iterable", c.node, c.module);
    return nullptr;
  }
  return c.machine.iterator(v);
}

Iterator* made(Call& c, Form form) {
  Iterator* out = c.machine.make<Iterator>(form);
  out->node = c.node;
  out->module = c.module;
  return out;
}

/// An iterator over the arguments from `first` on.
Answer over_arguments(Call& c, Form form, std::size_t first, Iterator** out = nullptr) {
  if (!c.complete) return std::nullopt;
  Iterator* it = made(c, form);
  for (std::size_t i = first; i < c.count(); ++i) {
    Iterator* source = iterated(c, c.arguments[i]);
    if (!source && first > 0 && !c.machine.raising()) c.machine.call_any_times(c.arguments[0]);
    if (!source) return std::nullopt;
    it->sources.emplace_back(source);
  }
  if (first > 0) it->function = c.arguments[0];
  if (out) *out = it;
  return Value(it);
}

Answer iter(Call& c) {
  if (c.count() != 1) return std::nullopt;
  Iterator* it = iterated(c, c.arguments[0]);
  return it ? Answer(Value(it)) : std::nullopt;
}

Answer next(Call& c) {
  if (c.count() < 1 || c.count() > 2) return std::nullopt;
  Machine& m = c.machine;
  Value item;
  Iterator* it = c.arguments[0].as<Iterator>();
  if (!it && c.arguments[0].as<Instance>()) {
    const Value method = m.attribute(c.arguments[0], "__next__", c.node, c.module);
    return method.as<Method>() && c.count() == 1 ? Answer(m.call(method, {}, {}, c.node, c.module))
                                                 : std::nullopt;
  }
  if (!it) {
    const Value& v = c.arguments[0];
    if (v.as<List>() || v.as<Tuple>() || v.as<Text>() || v.as<Dict>() || v.as<Set>() || v.as<Range>() ||
        v.is_number() || v.is_none())
      return m.raise_error("TypeError", m.repr(v) + " is not an iterator", c.node, c.module);
    return std::nullopt;
  }
  switch (m.next(it, item)) {
    case Step::item:
      return item;
    case Step::end:
      if (c.count() > 1) return c.arguments[1];
      return m.raise_error("StopIteration", "", c.node, c.module);
    case Step::raised:
      return Value();
    case Step::unknown:
      break;
  }
  return m.unknown("the next item is not known");
}

Answer enumerate(Call& c) {
  const Value start = c.get(1, "start", Value::integer(0));
  if (c.count() < 1 || !start.is_integral()) return std::nullopt;
  Iterator* source = iterated(c, c.arguments[0]);
  if (!source) return std::nullopt;
  Iterator* it = made(c, Form::enumerated);
  it->count = start.number();
  it->sources = {source};
  return Value(it);
}

Answer zip(Call& c) {
  Iterator* it = nullptr;
  const Value strict = c.get(-1, "strict", Value::boolean(false));
  if (c.machine.truth(strict) == Machine::Truth::unknown) return std::nullopt;
  const Answer out = over_arguments(c, Form::zipped, 0, &it);
  if (it) it->strict = c.machine.truth(strict) == Machine::Truth::yes;
  return out;
}

Answer map(Call& c) { return c.count() > 1 ? over_arguments(c, Form::mapped, 1) : std::nullopt; }
Answer filter(Call& c) { return c.count() == 2 ? over_arguments(c, Form::filtered, 1) : std::nullopt; }
/// Something that cannot be walked is an error only where its turn comes.
Answer chain(Call& c) {
  for (const Value& v : c.arguments)
    if (v.is_number() || v.is_none()) return std::nullopt;
  return over_arguments(c, Form::chained, 0);
}

Answer chain_of(Call& c) {
  const auto all = c.count() == 1 ? c.machine.items_in_order(c.arguments[0]) : std::nullopt;
  if (!all) return std::nullopt;
  Call several{c.machine, c.path, {}, *all, {}, c.node, c.module};
  return chain(several);
}

Answer reversed(Call& c) {
  if (c.count() != 1) return std::nullopt;
  const Value& v = c.arguments[0];
  Machine& m = c.machine;
  if (const List* l = v.as<List>(); l && l->open) return std::nullopt;
  if (v.as<Iterator>() || v.as<Set>() || v.is_number() || v.is_none())
    return m.raise_error("TypeError", m.repr(v) + " is not reversible", c.node, c.module);
  if (v.as<Instance>()) return std::nullopt;
  Iterator* it = made(c, Form::reversed);
  if (v.as<List>() || v.as<Tuple>()) {
    it->sources = {v};
  } else {
    auto items = m.items(v);
    if (!items) return std::nullopt;
    it->sources = {m.tuple(std::move(*items))};
  }
  const List* list = it->sources[0].as<List>();
  it->count = static_cast<std::int64_t>(list ? list->items.size() : it->sources[0].as<Tuple>()->items.size());
  return Value(it);
}

/// An iterator over items that are there already.
Answer over_items(Call& c, std::vector<Value> items) {
  Iterator* it = made(c, Form::walk);
  it->sources = {c.machine.tuple(std::move(items))};
  return Value(it);
}

Answer product_of(Call& c) {
  std::vector<std::vector<Value>> rows{{}};
  const Value repeat = c.get(-1, "repeat", Value::integer(1));
  if (!repeat.is_integral() || repeat.number() < 0 || !c.complete) return std::nullopt;
  std::vector<Value> pools;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(repeat.number(), 64); ++i)
    pools.insert(pools.end(), c.arguments.begin(), c.arguments.end());
  for (const Value& a : pools) {
    const auto items = c.machine.items_in_order(a);
    if (!items) return std::nullopt;
    std::vector<std::vector<Value>> next_rows;
    for (const auto& row : rows)
      for (const Value& v : *items) {
        next_rows.push_back(row);
        next_rows.back().push_back(v);
      }
    if (next_rows.size() > 65'536) return c.machine.limit("a product of more than 65536 rows");
    rows = std::move(next_rows);
  }
  std::vector<Value> out;
  for (auto& row : rows) out.push_back(c.machine.tuple(std::move(row)));
  return over_items(c, std::move(out));
}

template <bool every>
Answer quantifier(Call& c) {
  Machine& m = c.machine;
  if (c.count() != 1) return std::nullopt;
  const Value& v = c.arguments[0];
  if (const Set* s = v.as<Set>(); s && !s->open) {
    Call listed{m, c.path, {}, {m.tuple(s->items)}, {}, c.node, c.module};
    return quantifier<every>(listed);
  }
  Iterator* it = iterated(c, v);
  bool undecided = false;
  Value item;
  for (Step step = it ? m.next(it, item) : Step::unknown; step != Step::end; step = m.next(it, item)) {
    if (step == Step::raised) return Value();
    if (step == Step::unknown) return std::nullopt;
    const auto t = m.truth(item);
    if (t == (every ? Machine::Truth::no : Machine::Truth::yes)) {
      if (undecided) m.lose(it);  // it may have ended before
      return Value::boolean(!every);
    }
    undecided = undecided || t == Machine::Truth::unknown;
  }
  return undecided ? std::nullopt : Answer(Value::boolean(every));
}

Answer iterator_next(Call& c) {
  Call asked{c.machine, c.path, {}, {c.self}, {}, c.node, c.module};
  return c.count() == 0 ? next(asked) : std::nullopt;
}

/// generator.send: what it does then is not followed.
Answer lose_iterator(Call& c) {
  c.machine.lose(c.self.as<Iterator>());
  return std::nullopt;
}

/// Whether a generator's body may take an error that comes out of its `yield`, or do something before it
/// ends.
bool may_handle(const Iterator& it) {
  const Function* f = it.function.as<Function>();
  if (!f) return true;
  for (std::uint32_t i = f->node.index(); i < f->node.end_index(); ++i) {
    const source::Node n = f->node.tree()->at(i);
    if (n.is(source::Kind::try_statement) || n.is(source::Kind::with_statement)) return true;
  }
  return false;
}

/// generator.close, throw
template <bool closes>
Answer end_generator(Call& c) {
  Machine& m = c.machine;
  Iterator* it = c.self.as<Iterator>();
  if (it->form != Iterator::Form::called) return lose_iterator(c);
  const bool started = it->state.find(m.symbol("items")) != nullptr;
  if (started && may_handle(*it) && !m.current_launch()) {
    m.abandon("an error that comes into a generator is not followed", {}, c.module, c.node);
    return Value::none();
  }
  m.set(it->state, m.symbol("at"), Value::none());
  if (closes) return Value::none();
  const Value error = c.count() ? c.arguments[0] : Value();
  if (error.as<Record>() || error.as<Instance>()) {
    m.take_up_error(error);
    return Value();
  }
  if (const External* type = error.as<External>(); type && type->path.starts_with("builtins."))
    return m.raise_error(type->leaf(), "", c.node, c.module);
  return std::nullopt;
}
}  // namespace

void add_iteration(Natives& n) {
  n.function("builtins", "iter", iter);
  n.function("builtins", "next", next);
  n.function("builtins", "enumerate", enumerate);
  n.function("builtins", "zip", zip);
  n.function("builtins", "map", map);
  n.function("builtins", "filter", filter);
  n.function("builtins", "reversed", reversed);
  n.function("builtins", "all", quantifier<true>);
  n.function("builtins", "any", quantifier<false>);
  n.function("itertools", "product", product_of);
  n.function("itertools", "chain", chain);
  n.function("itertools", "chain.from_iterable", chain_of);
  n.method("iterator", "__next__", iterator_next);
  n.method("iterator", "__iter__", [](Call& c) -> Answer { return c.self; });
  n.method("iterator", "send", lose_iterator);
  n.method("iterator", "throw", end_generator<false>);
  n.method("iterator", "close", end_generator<true>);
}

}  // namespace cutelab::reading::machine::python_models
