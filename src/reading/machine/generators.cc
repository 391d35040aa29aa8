#include <algorithm>

#include "reading/machine/fork.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

/// A generator expression: its first iterable is looked at where it stands, all else at each step.
Value Machine::Interpreter::generator_expression(Node n, Scope* s) {
  const Node body = n.child(Field::body_field);
  Iterator* made = m.make<Iterator>(Iterator::Form::expression);
  made->node = n;
  made->module = s->module;
  made->of_library = s->lazy;
  for (const Node c : n.children())
    if (!(c == body)) made->clauses.push_back(c);
  made->scope = inner_scope(s);
  if (made->clauses.empty()) return unknown_at("a comprehension over values not known", n);
  const Value first = expression(made->clauses.front().child(Field::right_field), s);
  if (m.raising_) return {};
  Iterator* outermost = iterated(first, n, s->module);
  if (m.raising_) return {};
  if (!outermost) {
    any_times(made->clauses, body, made->scope);
    return unknown_at("a comprehension over values not known", n);
  }
  made->sources = {outermost};
  return made;
}

namespace {
std::string place_of(std::int64_t level) { return "level " + std::to_string(level); }
}  // namespace

/// The names of a comprehension.
Scope* Machine::Interpreter::inner_scope(Scope* s) {
  Scope* inner = new_scope();
  inner->module = s->module;
  inner->function = s->function;
  inner->parent = s;
  inner->is_jit = s->is_jit;
  inner->activation = s->activation;
  inner->lazy = false;
  return inner;
}

Machine::Step Machine::Interpreter::step_of_expression(Iterator* it, Value& item) {
  library_depth += it->of_library ? 1 : 0;
  const Step step = next_of_expression(it, item);
  library_depth -= it->of_library ? 1 : 0;
  return m.raising_ ? Step::raised : step;
}

/// One level for each `for`: the innermost that has an item left gives the next.
Machine::Step Machine::Interpreter::next_of_expression(Iterator* it, Value& item) {
  const Symbol depth = m.symbol("depth");
  std::vector<std::size_t> loops;
  for (std::size_t i = 0; i < it->clauses.size(); ++i)
    if (!it->clauses[i].is(NodeKind::if_clause)) loops.push_back(i);
  const Value* known = it->state.find(depth);
  if (known && !known->is_int()) return Step::unknown;
  auto level = static_cast<std::size_t>(known ? known->number() : 0);
  while (!stopped_) {
    const Value* walked =
        level == 0 ? &it->sources[0] : it->state.find(m.symbol(place_of(static_cast<std::int64_t>(level))));
    Iterator* over = walked ? walked->as<Iterator>() : nullptr;
    const Step step = over ? next(over, item) : Step::unknown;
    if (step == Step::end && level > 0) {
      m.set(it->state, depth, Value::integer(static_cast<std::int64_t>(--level)));
      continue;
    }
    if (step != Step::item) return step;
    bind(it->clauses[loops[level]].child(Field::left_field), item, it->scope);
    const std::size_t further = level + 1 < loops.size() ? loops[level + 1] : it->clauses.size();
    const Truth kept = all_hold(it, loops[level] + 1, further);
    if (m.raising_) return Step::raised;
    if (kept == Truth::unknown) return Step::unknown;
    if (kept == Truth::no) continue;
    if (further == it->clauses.size()) {
      item = expression(it->node.child(Field::body_field), it->scope);
      return m.raising_ ? Step::raised : Step::item;
    }
    Iterator* inner = iterated(expression(it->clauses[further].child(Field::right_field), it->scope),
                               it->clauses[further], it->module);
    if (!inner || m.raising_) return m.raising_ ? Step::raised : Step::unknown;
    ++level;
    m.set(it->state, m.symbol(place_of(static_cast<std::int64_t>(level))), inner);
    m.set(it->state, depth, Value::integer(static_cast<std::int64_t>(level)));
  }
  return Step::unknown;
}

/// Whether the conditions among the clauses [begin, end) hold.
Machine::Truth Machine::Interpreter::all_hold(Iterator* it, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const Value condition = expression(it->clauses[i].children().all().front(), it->scope);
    const Truth truth = m.raising_ ? Truth::unknown : m.truth(condition);
    if (truth != Truth::yes) return truth;
  }
  return Truth::yes;
}

/// The body of a comprehension that is not followed; only what it calls changes anything.
void Machine::Interpreter::any_times(const std::vector<Node>& clauses, Node body, Scope* s) {
  bool calls = false;
  const auto look = [&](Node in) {
    for (std::uint32_t i = in.index(); i < in.end_index() && !calls; ++i)
      calls = in.tree()->at(i).is(NodeKind::call) || in.tree()->at(i).is(NodeKind::named_expression);
  };
  look(body);
  for (const Node clause : clauses) look(clause);
  if (!calls) return;
  const auto once = [&] {
    for (const Node clause : clauses) {
      if (clause.is(NodeKind::if_clause)) {
        expression(clause.children().all().front(), s);
        if (m.raising_) return;
        continue;
      }
      if (!(clause == clauses.front())) expression(clause.child(Field::right_field), s);
      if (m.raising_) return;
      bind(clause.child(Field::left_field), m.unknown("item of a comprehension that is not followed"), s);
    }
    if (!body.is(NodeKind::pair)) {
      expression(body, s);
      return;
    }
    expression(body.child(Field::key_field), s);
    if (!m.raising_) expression(body.child(Field::value_field), s);
  };
  run_any_times_each_way(once, "a comprehension that is not followed");
}

void Machine::call_any_times(const Value& function) {
  if (!function.as<Function>() && !function.as<Method>()) return;
  const auto once = [&] { interpreter_->call(function, {unknown("an item that is not known")}, {}, {}, 0); };
  interpreter_->run_any_times_each_way(once, "a call for each of many items");
}

/// The steps of an iterator that are not followed may have effects.
void Machine::Interpreter::unfollowed(Iterator* it) {
  using Form = Iterator::Form;
  if (it->form == Form::mapped || it->form == Form::filtered) m.call_any_times(it->function);
  if (it->form == Form::asked) {
    Function* f = own_method(it->sources[0], "__next__");
    const Value self = it->sources[0];
    if (f)
      run_any_times_each_way([&] { call_function(f, &self, {}, {}, {}, f->module); },
                             "an iterator of the program");
  }
  if (it->form != Form::walk && it->form != Form::reversed && it->form != Form::called)
    for (const Value& source : it->sources)
      if (Iterator* inner = source.as<Iterator>()) m.lose(inner);
  if (it->form == Form::called && !m.current_launch_) gather(it, false);
  if (it->form == Form::expression) any_times(it->clauses, it->node.child(Field::body_field), it->scope);
}

/// What `for` and unpacking walk; null: not known, or an error is under way.
Iterator* Machine::Interpreter::iterated(const Value& v, Node at, int module) {
  if (!m.raising_) must_be_iterable(v, at, module);
  return m.raising_ ? nullptr : m.iterator(v);
}

void Machine::Interpreter::must_be_iterable(const Value& v, Node at, int module) {
  if (v.is_number() || v.is_none() || v.as<Function>())
    m.raise_error("TypeError", m.repr(v) + " is not iterable", at, module);
}

/// What a generator gives is gathered and becomes its list.
Value Machine::Interpreter::yield(Node n, Scope* s) {
  const auto parts = n.children().all();
  Scope* of = s;
  while (of->parent && !of->running) of = of->parent;
  const Value given = parts.empty() ? Value::none() : expression(parts.front(), s);
  if (m.raising_) return {};
  if (of->managed) return give_way(of, given);
  if (n.text().substr(5).find_first_not_of(" \t") == std::string_view::npos ||
      !n.text().substr(n.text().find_first_not_of(" \t", 5)).starts_with("from ")) {
    of->yields.push_back(given);
    return m.unknown("what is sent to a generator");
  }
  const auto items = m.items_in_order(given);
  if (m.raising_) return {};
  if (items)
    of->yields.insert(of->yields.end(), items->begin(), items->end());
  else
    yields_may_differ(of, of->yields.size());
  return m.unknown("what a generator returns");
}

/// Whether calling a function makes a generator: it holds a `yield` of its own.
bool Machine::Interpreter::is_generator(const Function* f) {
  if (f->index < 0) return false;
  auto& known = generators_[f->node.tree()];
  const auto [place, fresh] = known.try_emplace(f->node.index(), false);
  if (!fresh) return place->second;
  const Node body = f->node.child(Field::body_field);
  for (std::uint32_t i = body.index(); i < body.end_index();) {
    const Node n = f->node.tree()->at(i);
    if (n.is(NodeKind::function_definition) || n.is(NodeKind::lambda) || n.is(NodeKind::class_definition)) {
      i = n.end_index();
      continue;
    }
    if (n.is(NodeKind::yield)) return place->second = true;
    ++i;
  }
  return false;
}

/// A generator: its function, entered, runs when the first item is asked for.
Value Machine::Interpreter::generator_call(Function* f, Scope* s, Node at, int module) {
  Iterator* made = m.make<Iterator>(Iterator::Form::called);
  made->function = f;
  made->scope = s;
  made->node = at;
  made->module = module;
  return made;
}

namespace {
/// What a mutable value holds, one level of it.
std::vector<Value> content(const Value& v) {
  std::vector<Value> out;
  if (const List* l = v.as<List>()) out = l->items;
  if (const Set* s = v.as<Set>()) out = s->items;
  if (const Dict* d = v.as<Dict>())
    for (const auto& [key, value] : d->items) out.insert(out.end(), {key, value});
  const Instance* instance = v.as<Instance>();
  if (instance && !instance->klass->is_enum)
    for (const auto& [name, value] : instance->attributes.items()) out.push_back(value);
  return out;
}
bool same_content(const std::vector<Value>& a, const std::vector<Value>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const Value& x, const Value& y) { return x.same(y); });
}
}  // namespace

/// Writes down what a generator's body can see change between its items.
void Machine::Interpreter::note_seen(Iterator* it) {
  const auto note = [&](const Value& given) {
    const Record* record = given.as<Record>();
    const Value v = record && record->kind == "deque" ? m.field(record, "items") : given;
    if (v.as<List>() || v.as<Dict>() || v.as<Set>() || v.as<Instance>()) it->seen.emplace_back(v, content(v));
  };
  for (const auto& [name, value] : it->scope->names.items()) note(value);
  const Node body = it->function.as<Function>()->node.child(Field::body_field);
  for (std::uint32_t i = body.index(); i < body.end_index(); ++i) {
    const Node n = body.tree()->at(i);
    if (!n.is(NodeKind::identifier)) continue;
    const Symbol name = symbol_of(n, it->scope->module);
    if (it->scope->names.find(name)) continue;
    for (const Scope* up = it->scope->parent; up; up = up->parent)
      if (const Value* found = up->names.find(name)) {
        note(*found);
        break;
      }
  }
  const auto within = it->seen;
  for (const auto& [value, held] : within)
    for (const Value& inner : held) note(inner);
}

/// Runs a generator function to its end. It is followed exactly where nothing else runs between its items:
/// its own effects elsewhere are known only then.
void Machine::Interpreter::gather(Iterator* it, bool at_once) {
  const Symbol items = m.symbol("items");
  if (it->state.find(items)) return;
  it->seen.clear();
  note_seen(it);
  Function* f = it->function.as<Function>();
  Scope* s = it->scope;
  s->yields.clear();
  s->yields_are_open = false;
  Value exception;
  Outcome run = branch([&] {
    run_function(f, s, it->node, it->module);
    if (m.raising_ && exception_is("StopIteration")) {
      m.raising_ = false;
      m.raise_error("RuntimeError", "generator raised StopIteration");
    }
    if (m.raising_) exception = m.exception_;
    return Flow::normal;
  });
  const bool open = s->yields_are_open;
  std::vector<Value> yields = std::move(s->yields);
  if (open) yields.resize(std::min(yields.size(), s->yields_known));
  s->yields.clear();
  Outcome own, others;
  for (const Write& w : run.writes) (w.slots == &s->names ? own : others).writes.push_back(w);
  others.lists = std::move(run.lists);
  others.dicts = std::move(run.dicts);
  others.sets = std::move(run.sets);
  const bool effects =
      !others.writes.empty() || !others.lists.empty() || !others.dicts.empty() || !others.sets.empty();
  if (effects && !(at_once && !open)) {
    merge(others, Outcome{}, "a generator's effects between its items");
    m.set(it->state, items, m.unknown("a generator that is not followed step by step", f->path));
    return;
  }
  take(own);
  take(others);
  if (effects) it->seen.clear();  // its own, and nothing runs between its items
  m.set(it->state, items, m.tuple(std::move(yields)));
  if (open) m.set(it->state, m.symbol("open"), Value::boolean(true));
  if (exception.bound()) m.set(it->state, m.symbol("exception"), exception);
}

Machine::Step Machine::Interpreter::step_of_call(Iterator* it, std::int64_t at, Value& item) {
  gather(it, false);
  const Value* items = it->state.find(m.symbol("items"));
  const Tuple* yields = items ? items->as<Tuple>() : nullptr;
  if (!yields) return Step::unknown;
  if (at > 0)
    for (const auto& [value, held] : it->seen)
      if (!same_content(content(value), held)) return Step::unknown;
  if (static_cast<std::size_t>(at) < yields->items.size()) {
    item = yields->items[static_cast<std::size_t>(at)];
    m.set(it->state, m.symbol("at"), Value::integer(at + 1));
    return Step::item;
  }
  if (it->state.find(m.symbol("open"))) return Step::unknown;
  const Value* exception = it->state.find(m.symbol("exception"));
  if (!exception) return Step::end;
  m.exception_ = *exception;
  m.raising_ = true;
  m.set(it->state, m.symbol("at"), Value::none());
  return Step::raised;
}

}  // namespace cutelab::reading::machine
