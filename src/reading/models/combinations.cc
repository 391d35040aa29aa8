#include <algorithm>

#include "reading/models/python_models.h"

// itertools: iterators that take a step when they are asked, and those that know all their items at once.
namespace cutelab::reading::machine::python_models {
namespace {
constexpr int took = static_cast<int>(Machine::Step::item), over = static_cast<int>(Machine::Step::end),
              open_step = static_cast<int>(Machine::Step::unknown);

void move_to(Machine& m, Iterator& it, std::int64_t at) {
  m.set(it.state, m.symbol("at"), Value::integer(at));
}

Value kept(Machine& m, const Iterator& it, std::string_view name) {
  const Value* found = it.state.find(m.symbol(name));
  return found ? *found : Value();
}

int next_of(Machine& m, Iterator& it, std::size_t source, Value& item) {
  return static_cast<int>(m.next(it.sources[source].as<Iterator>(), item));
}

/// The argument as an iterator; null: what it holds is not known, or an error is under way.
Iterator* walked(Call& c, const Value& v) {
  if (!v.is_number() && !v.is_none()) return c.machine.iterator(v);
  c.machine.raise_error("TypeError", c.machine.repr(v) + " is not iterable", c.node, c.module);
  return nullptr;
}

Iterator* stepping(Call& c, Iterator::Stepper step, std::vector<Value> sources) {
  Iterator* out = c.machine.make<Iterator>(Iterator::Form::modelled);
  out->node = c.node;
  out->module = c.module;
  out->step = step;
  out->sources = std::move(sources);
  return out;
}

/// Over one argument, by a function where there is one.
Answer stepping_over(Call& c, Iterator::Stepper step, const Value& source, const Value& function = {}) {
  Iterator* from = source.bound() && c.complete ? walked(c, source) : nullptr;
  if (!from) return std::nullopt;
  Iterator* out = stepping(c, step, {from});
  out->function = function;
  return Value(out);
}

// --- step by step

int step_of_count(Machine& m, Iterator& it, std::int64_t at, Value& item) {
  item = m.arithmetic("+", it.sources[0], m.arithmetic("*", Value::integer(at), it.sources[1]));
  move_to(m, it, at + 1);
  return took;
}

Answer count(Call& c) {
  const Value start = c.get(0, "start", Value::integer(0)), step = c.get(1, "step", Value::integer(1));
  if (!start.is_integral() || !step.is_integral()) return std::nullopt;
  return Value(stepping(c, step_of_count, {start, step}));
}

int step_of_cycle(Machine& m, Iterator& it, std::int64_t at, Value& item) {
  const auto& items = it.sources[0].as<Tuple>()->items;
  if (items.empty()) return over;
  item = items[static_cast<std::size_t>(at)];
  move_to(m, it, (at + 1) % static_cast<std::int64_t>(items.size()));
  return took;
}

/// Of a container: an iterator would be asked item by item.
Answer cycle(Call& c) {
  const auto items = c.count() == 1 && !c.arguments[0].as<Iterator>()
                         ? c.machine.items_in_order(c.arguments[0])
                         : std::nullopt;
  return items ? Answer(Value(stepping(c, step_of_cycle, {c.machine.tuple(*items)}))) : std::nullopt;
}

int step_of_repeat(Machine& m, Iterator& it, std::int64_t at, Value& item) {
  if (it.count >= 0 && at >= it.count) return over;
  item = it.sources[0];
  move_to(m, it, at + 1);
  return took;
}

Answer repeat(Call& c) {
  const Value what = c.get(0, "object"), times = c.get(1, "times");
  if (!what.bound() || (times.bound() && !times.is_integral())) return std::nullopt;
  Iterator* it = stepping(c, step_of_repeat, {what});
  it->count = times.bound() ? std::max<std::int64_t>(times.number(), 0) : -1;
  return Value(it);
}

/// sources: the iterator, where it stops (None: nowhere), the step.
int step_of_slice(Machine& m, Iterator& it, std::int64_t at, Value& item) {
  const Value stop = it.sources[1], due = kept(m, it, "next");
  const std::int64_t next = due.bound() ? due.number() : it.count;
  for (; at < next; ++at)
    if (const int step = next_of(m, it, 0, item); step != took) return step;
  move_to(m, it, at);
  if (stop.is_integral() && at >= stop.number()) return over;
  const int step = next_of(m, it, 0, item);
  if (step != took) return step;
  move_to(m, it, at + 1);
  std::int64_t then = next + it.sources[2].number();
  if (stop.is_integral()) then = std::min(then, stop.number());
  m.set(it.state, m.symbol("next"), Value::integer(then));
  return took;
}

Answer islice(Call& c) {
  if (c.count() < 2 || c.count() > 4 || !c.complete) return std::nullopt;
  const bool one = c.count() == 2;
  Value begin = one ? Value::integer(0) : c.arguments[1], stop = one ? c.arguments[1] : c.arguments[2],
        step = c.count() == 4 ? c.arguments[3] : Value::integer(1);
  if (begin.is_none()) begin = Value::integer(0);
  if (step.is_none()) step = Value::integer(1);
  if (!begin.is_integral() || !(stop.is_integral() || stop.is_none()) || !step.is_integral())
    return std::nullopt;
  if (begin.number() < 0 || step.number() < 1 || (stop.is_integral() && stop.number() < 0))
    return c.machine.raise_error("ValueError", "islice() of a negative index", c.node, c.module);
  Iterator* from = walked(c, c.arguments[0]);
  if (!from) return std::nullopt;
  Iterator* it = stepping(c, step_of_slice, {from, stop, step});
  it->count = stop.is_integral() ? std::min(begin.number(), stop.number()) : begin.number();
  return Value(it);
}

/// What the function says of an item; unknown where an error is under way.
Machine::Truth asked_of(Machine& m, const Iterator& it, const Value& item) {
  const Value said = it.function.is_none() ? item : m.call(it.function, {item}, {}, it.node, it.module);
  return m.raising() ? Machine::Truth::unknown : m.truth(said);
}

int step_of_takewhile(Machine& m, Iterator& it, std::int64_t, Value& item) {
  const int step = next_of(m, it, 0, item);
  if (step != took) return step;
  const auto holds = asked_of(m, it, item);
  return holds == Machine::Truth::yes ? took : holds == Machine::Truth::no ? over : open_step;
}

int step_of_dropwhile(Machine& m, Iterator& it, std::int64_t at, Value& item) {
  for (;;) {
    const int step = next_of(m, it, 0, item);
    if (step != took || at > 0) return step;
    const auto holds = asked_of(m, it, item);
    if (holds == Machine::Truth::unknown) return open_step;
    if (holds == Machine::Truth::yes) continue;
    move_to(m, it, 1);
    return took;
  }
}

int step_of_filterfalse(Machine& m, Iterator& it, std::int64_t, Value& item) {
  for (;;) {
    const int step = next_of(m, it, 0, item);
    if (step != took) return step;
    const auto holds = asked_of(m, it, item);
    if (holds == Machine::Truth::unknown) return open_step;
    if (holds == Machine::Truth::no) return took;
  }
}

template <Iterator::Stepper step>
Answer by_function(Call& c) {
  return c.count() == 2 ? stepping_over(c, step, c.arguments[1], c.arguments[0]) : std::nullopt;
}

int step_of_starmap(Machine& m, Iterator& it, std::int64_t, Value& item) {
  Value row;
  const int step = next_of(m, it, 0, row);
  if (step != took) return step;
  const auto items = m.items_in_order(row);
  if (!items) return open_step;
  item = m.call(it.function, *items, {}, it.node, it.module);
  return took;
}

int step_of_compress(Machine& m, Iterator& it, std::int64_t, Value& item) {
  for (;;) {
    Value keep;
    if (const int step = next_of(m, it, 0, item); step != took) return step;
    if (const int step = next_of(m, it, 1, keep); step != took) return step;
    const auto holds = m.truth(keep);
    if (holds == Machine::Truth::unknown) return open_step;
    if (holds == Machine::Truth::yes) return took;
  }
}

Answer compress(Call& c) {
  const Value data = c.get(0, "data"), selectors = c.get(1, "selectors");
  if (!data.bound() || !selectors.bound()) return std::nullopt;
  Iterator *from = walked(c, data), *by = from ? walked(c, selectors) : nullptr;
  return by ? Answer(Value(stepping(c, step_of_compress, {from, by}))) : std::nullopt;
}

int step_of_longest(Machine& m, Iterator& it, std::int64_t, Value& item) {
  std::vector<Value> row;
  bool any = false;
  for (std::size_t i = 0; i < it.sources.size(); ++i) {
    Value one;
    const int step = next_of(m, it, i, one);
    if (step != took && step != over) return step;
    any = any || step == took;
    row.push_back(step == took ? one : it.function);
  }
  item = m.tuple(std::move(row));
  return any ? took : over;
}

Answer zip_longest(Call& c) {
  std::vector<Value> sources;
  if (!c.complete) return std::nullopt;
  for (const Value& a : c.arguments) {
    Iterator* from = walked(c, a);
    if (!from) return std::nullopt;
    sources.emplace_back(from);
  }
  Iterator* it = stepping(c, step_of_longest, std::move(sources));
  it->function = c.get(-1, "fillvalue", Value::none());
  return Value(it);
}

int step_of_pairwise(Machine& m, Iterator& it, std::int64_t, Value& item) {
  Value before = kept(m, it, "held"), after;
  if (!before.bound())
    if (const int step = next_of(m, it, 0, before); step != took) return step;
  const int step = next_of(m, it, 0, after);
  if (step != took) return step;
  m.set(it.state, m.symbol("held"), after);
  item = m.tuple({before, after});
  return took;
}

Answer pairwise(Call& c) { return stepping_over(c, step_of_pairwise, c.get(0, "iterable")); }

/// sources: the iterator, and the first total where one is given.
int step_of_accumulate(Machine& m, Iterator& it, std::int64_t at, Value& item) {
  const Value total = kept(m, it, "held");
  if (at == 0 && it.sources.size() > 1) {
    item = it.sources[1];
  } else {
    Value more;
    if (const int step = next_of(m, it, 0, more); step != took) return step;
    item = !total.bound()          ? more
           : it.function.is_none() ? m.arithmetic("+", total, more)
                                   : m.call(it.function, {total, more}, {}, it.node, it.module);
    if (m.raising()) return open_step;
  }
  m.set(it.state, m.symbol("held"), item);
  move_to(m, it, at + 1);
  return took;
}

Answer accumulate(Call& c) {
  const Value function = c.get(1, "func", Value::none()), first = c.get(-1, "initial", Value::none());
  const Answer out = stepping_over(c, step_of_accumulate, c.get(0, "iterable"), function);
  if (out && out->as<Iterator>() && !first.is_none()) out->as<Iterator>()->sources.push_back(first);
  return out;
}

int step_of_batches(Machine& m, Iterator& it, std::int64_t, Value& item) {
  std::vector<Value> row;
  while (static_cast<std::int64_t>(row.size()) < it.count) {
    Value one;
    const int step = next_of(m, it, 0, one);
    if (step == over) break;
    if (step != took) return step;
    row.push_back(one);
  }
  if (row.empty()) return over;
  item = m.tuple(std::move(row));
  return took;
}

Answer batched(Call& c) {
  const Value n = c.get(1, "n");
  if (!n.is_integral() || n.number() < 1 || c.get(-1, "strict").bound()) return std::nullopt;
  const Answer out = stepping_over(c, step_of_batches, c.get(0, "iterable"));
  if (out && out->as<Iterator>()) out->as<Iterator>()->count = n.number();
  return out;
}

/// A group is over when the next one is asked for. sources: the items, what walks the groups; count: which.
int step_of_group(Machine& m, Iterator& it, std::int64_t at, Value& item) {
  const Value current = kept(m, *it.sources[1].as<Iterator>(), "at");
  if (!current.is_integral()) return current.is_none() ? over : open_step;
  const auto& items = it.sources[0].as<Tuple>()->items;
  if (current.number() != it.count || at >= static_cast<std::int64_t>(items.size())) return over;
  item = items[static_cast<std::size_t>(at)];
  move_to(m, it, at + 1);
  return took;
}

/// sources: tuples of a key and its items.
int step_of_groupby(Machine& m, Iterator& it, std::int64_t at, Value& item) {
  const auto& groups = it.sources[0].as<Tuple>()->items;
  if (at >= static_cast<std::int64_t>(groups.size())) return over;
  const auto& group = groups[static_cast<std::size_t>(at)].as<Tuple>()->items;
  move_to(m, it, at + 1);
  Iterator* inside = m.make<Iterator>(Iterator::Form::modelled);
  inside->node = it.node;
  inside->module = it.module;
  inside->step = step_of_group;
  inside->sources = {group[1], &it};
  inside->count = at + 1;
  item = m.tuple({group[0], inside});
  return took;
}

Answer groupby(Call& c) {
  Machine& m = c.machine;
  const Value source = c.get(0, "iterable"), key = c.get(1, "key", Value::none());
  const auto items = source.as<Iterator>() || !c.complete ? std::nullopt : m.items_in_order(source);
  if (!items) return std::nullopt;
  std::vector<Value> groups, held;
  Value of;
  const auto close = [&] {
    if (!held.empty()) groups.push_back(m.tuple({of, m.tuple(std::exchange(held, {}))}));
  };
  for (const Value& item : *items) {
    const Value one = key.is_none() ? item : m.call(key, {item}, {}, c.node, c.module);
    if (m.raising()) return Value();
    const auto same = held.empty() ? Machine::Truth::no : m.equal(of, one);
    if (same == Machine::Truth::unknown) return std::nullopt;
    if (same == Machine::Truth::no) {
      close();
      of = one;
    }
    held.push_back(item);
  }
  close();
  return Value(stepping(c, step_of_groupby, {m.tuple(std::move(groups))}));
}
}  // namespace

void add_combinations(Natives& n) {
  n.function("itertools", "count", count);
  n.function("itertools", "cycle", cycle);
  n.function("itertools", "repeat", repeat);
  n.function("itertools", "islice", islice);
  n.function("itertools", "takewhile", by_function<step_of_takewhile>);
  n.function("itertools", "dropwhile", by_function<step_of_dropwhile>);
  n.function("itertools", "filterfalse", by_function<step_of_filterfalse>);
  n.function("itertools", "starmap", by_function<step_of_starmap>);
  n.function("itertools", "compress", compress);
  n.function("itertools", "zip_longest", zip_longest);
  n.function("itertools", "pairwise", pairwise);
  n.function("itertools", "accumulate", accumulate);
  n.function("itertools", "batched", batched);
  n.function("itertools", "groupby", groupby);
  add_choices(n);
}

}  // namespace cutelab::reading::machine::python_models
