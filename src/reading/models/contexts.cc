#include "reading/models/arguments.h"
#include "reading/models/python_models.h"

// contextlib's managers as Records of their names, and threads, which run where they are started.
namespace cutelab::reading::machine::python_models {
namespace {

Answer manager(Call& c, const char* kind, Value held) {
  if (!c.complete) return std::nullopt;
  return Value(record_of(c, kind, {{"value", held}}));
}

Answer suppress(Call& c) { return manager(c, "suppress", c.machine.tuple(c.arguments)); }
Answer nullcontext(Call& c) { return manager(c, "nullcontext", c.get(0, "enter_result", Value::none())); }
Answer closing(Call& c) { return c.count() == 1 ? manager(c, "closing", c.arguments[0]) : std::nullopt; }
Answer exit_stack(Call& c) { return manager(c, "ExitStack", c.machine.list({})); }

List* entries(Call& c) { return c.machine.field(c.self.as<Record>(), "value").as<List>(); }

/// stack.callback(function, *arguments, **names)
Answer stack_callback(Call& c) {
  Machine& m = c.machine;
  List* held = entries(c);
  if (!held || !c.count() || !c.complete) return std::nullopt;
  Dict* named = m.make<Dict>();
  for (const auto& [name, value] : c.keywords) named->items.emplace_back(m.text(m.name_of(name)), value);
  m.mutable_items(held).push_back(m.tuple(
      {m.text("callback"), c.arguments[0], m.tuple({c.arguments.begin() + 1, c.arguments.end()}), named}));
  return c.arguments[0];
}

/// stack.enter_context(manager): of one that is an object with methods; of others nothing is known.
Answer stack_enter(Call& c) {
  Machine& m = c.machine;
  List* held = entries(c);
  if (!held || c.count() != 1) return std::nullopt;
  const Value& manager_of = c.arguments[0];
  if (const Record* own = record_if(manager_of, "nullcontext")) return m.field(own, "value");
  if (!manager_of.as<Instance>()) {
    if (manager_of.as<Iterator>() || manager_of.as<Record>())
      m.abandon("a context manager in an ExitStack is not followed", m.repr(manager_of), c.module, c.node);
    return std::nullopt;
  }
  const Value exit = m.attribute(manager_of, "__exit__", c.node, c.module);
  if (!exit.as<Method>()) return std::nullopt;
  const Value entered = m.by_special(manager_of, "__enter__");
  if (m.raising()) return Value();
  m.mutable_items(held).push_back(m.tuple({m.text("exit"), exit}));
  return entered.bound() ? Answer(entered) : std::nullopt;
}

Answer stack_push(Call& c) {
  Machine& m = c.machine;
  List* held = entries(c);
  if (!held || c.count() != 1) return std::nullopt;
  const bool object = c.arguments[0].as<Instance>();
  const Value exit = object ? m.attribute(c.arguments[0], "__exit__", c.node, c.module) : c.arguments[0];
  m.mutable_items(held).push_back(m.tuple({m.text("exit"), exit}));
  return c.arguments[0];
}

Answer stack_close(Call& c) {
  c.machine.leave_stack(c.self.as<Record>(), c.node, c.module);
  return c.machine.raising() ? Value() : Value::none();
}

Answer stack_pop_all(Call& c) {
  Machine& m = c.machine;
  List* held = entries(c);
  if (!held) return std::nullopt;
  Record* out = m.record("ExitStack", "contextlib.ExitStack", &c);
  m.set_field(out, "value", m.list(held->items));
  m.mutable_items(held).clear();
  return Value(out);
}

Answer thread(Call& c) {
  if (!c.complete) return std::nullopt;
  Machine& m = c.machine;
  return Value(record_of(c, "Thread",
                         {{"target", c.get(1, "target", Value::none())},
                          {"arguments", c.get(3, "args", m.tuple({}))},
                          {"keywords", c.get(4, "kwargs", m.make<Dict>())}}));
}

/// An error in a thread is printed; the program goes on.
Answer thread_start(Call& c) {
  Machine& m = c.machine;
  const Record* self = c.self.as<Record>();
  const Value target = m.field(self, "target");
  const auto arguments = m.items(m.field(self, "arguments"));
  const Dict* named = m.field(self, "keywords").as<Dict>();
  if (target.is_none()) return Value::none();
  if (!arguments || !named) {
    m.abandon("what a thread is given is not known", "threading.Thread", c.module, c.node);
    return Value::none();
  }
  std::vector<std::pair<Symbol, Value>> keywords;
  for (const auto& [name, value] : named->items)
    if (const Text* text = name.as<Text>()) keywords.emplace_back(m.symbol(text->text), value);
  m.call(target, *arguments, std::move(keywords), c.node, c.module);
  m.drop_error();
  return Value::none();
}
}  // namespace

void add_contexts(Natives& n) {
  n.function("contextlib", "suppress", suppress);
  n.function("contextlib", "nullcontext", nullcontext);
  n.function("contextlib", "closing", closing);
  n.function("contextlib", "ExitStack", exit_stack);
  n.method("ExitStack", "callback", stack_callback);
  n.method("ExitStack", "enter_context", stack_enter);
  n.method("ExitStack", "push", stack_push);
  n.method("ExitStack", "close", stack_close);
  n.method("ExitStack", "pop_all", stack_pop_all);
  n.function("threading", "Thread", thread);
  n.method("Thread", "start", thread_start);
  for (const char* name : {"join", "setDaemon", "setName"}) n.method("Thread", name, answer_nothing);
}

}  // namespace cutelab::reading::machine::python_models
