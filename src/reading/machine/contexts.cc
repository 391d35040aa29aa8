#include <algorithm>
#include <array>
#include <utility>

#include "reading/machine/fork.h"

// `with`: what its managers do before and after the body, and with an error that ends it.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

/// What the one `yield` of a @contextmanager gives way to.
struct Managed {
  std::function<Flow(const Value&)> body;
  bool ran = false;
  Flow flow = Flow::normal;
  Value result;
};

Flow Machine::Interpreter::with_statement(Node n, Scope* s) {
  std::vector<Node> items;
  const Node body = n.child(Field::body_field);
  for (const Node clause : n.children()) {
    if (clause == body) break;
    for (const Node item : clause.children())
      if (item.is(NodeKind::with_item)) items.push_back(item);
  }
  return with_items(items, 0, body, s);
}

Flow Machine::Interpreter::with_items(const std::vector<Node>& items, std::size_t at, Node body, Scope* s) {
  if (at == items.size()) return block(body, s);
  const Node value = items[at].child(Field::value_field);
  const bool named = value.is(NodeKind::as_pattern);
  const Value manager = expression(named ? value.children().all().front() : value, s);
  if (m.raising_) return Flow::raised;
  const auto inner = [&](const Value& entered) {
    if (named) bind(value.child(Field::alias_field), entered, s);
    return m.raising_ ? Flow::raised : with_items(items, at + 1, body, s);
  };
  return managed(manager, inner, items[at], s);
}

namespace {
/// Managers of libraries that let errors pass.
bool lets_errors_pass(std::string_view path) {
  static constexpr std::array<std::string_view, 13> prefixes = {
      "torch.", "cutlass.", "cuda.", "builtins.open", "warnings.",           "threading.", "tempfile.",
      "numpy.", "nvtx.",    "io.",   "pathlib.",      "contextlib.redirect", "triton."};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return path.starts_with(p); });
}
}  // namespace

Flow Machine::Interpreter::managed(const Value& manager, const ManagedBody& body, Node at, Scope* s) {
  Function *enter = own_method(manager, "__enter__"), *exit = own_method(manager, "__exit__");
  const bool own = enter && exit && enter->module < Library::first && exit->module < Library::first;
  if (own) return by_methods(manager, enter, exit, body, at, s);
  Iterator* generator = manager.as<Iterator>();
  if (generator && generator->form == Iterator::Form::called && !generator->state.find(m.symbol("items")))
    return by_generator(generator, body, at);
  if (Record* record = manager.as<Record>(); record && record->path.starts_with("contextlib."))
    return by_record(record, body, at, s);
  const Unknown* u = manager.as<Unknown>();
  const Record* record = manager.as<Record>();
  if (m.current_launch_ || library_depth > 0 ||
      lets_errors_pass(u        ? u->path
                       : record ? record->path
                                : std::string()))
    return body(manager);
  give_away(manager);
  const auto as_it_is = [](Flow ended) { return ended; };
  const Flow flow =
      taking_errors([&] { return body(manager); }, as_it_is, [] { return Flow::normal; }, at, s);
  lose_escaped("");
  if (flow != Flow::raised || ends_process()) return flow;
  m.abandon("whether a context manager takes the error is not known: " + m.exception_text(),
            std::string(at.text().substr(0, 80)), s->module, at);
  return Flow::normal;
}

/// The body of a manager and what that does after it; where the body may end with an error that is not
/// known, `taken` says what the manager makes of it.
Flow Machine::Interpreter::taking_errors(const std::function<Flow()>& body,
                                         const std::function<Flow(Flow)>& after,
                                         const std::function<Flow()>& taken, Node at, Scope* s) {
  if (m.current_launch_ || library_depth > 0) return after(body());
  Journal journal;
  journal.serial = ++m.fork_serial_;
  journals_.push_back(&journal);
  const std::size_t uncertain = m.uncertain_;
  const std::size_t failed = failed_.size();
  ++try_depth_;
  Flow flow = body();
  journals_.pop_back();
  if (m.uncertain_ == uncertain || stopped_) {
    pass_on(journal);
    flow = after(flow);
  } else {
    const Value error = m.exception_;
    const auto known = [&](Flow ended) {
      if (ended == Flow::raised) m.take_up_error(error);
      return after(ended);
    };
    const auto handler = [&] {
      m.raising_ = false;
      return taken();
    };
    flow = perhaps_failed(journal, flow, failed, known, handler,
                          "the with at line " + std::to_string(at.line()), s);
  }
  if (--try_depth_ == 0) failed_.clear();
  return flow;
}

/// The arguments of __exit__.
std::vector<Value> Machine::Interpreter::error_details() {
  if (!m.raising_) return {Value::none(), Value::none(), Value::none()};
  const Value error = m.exception_;
  Value type;
  if (const Instance* own = error.as<Instance>()) type = own->klass;
  if (const Record* record = error.as<Record>(); record && record->kind == "exception")
    type = m.external(record->path);
  if (!type.bound()) type = m.unknown("the type of an error");
  const std::size_t uncertain = m.uncertain_;
  const Value trace = m.unknown("a traceback");
  m.uncertain_ = uncertain;  // nothing that may have failed
  return {type, error, trace};
}

/// Calls an __exit__ with the error under way, if any, which is dropped where it says so.
void Machine::Interpreter::call_exit(const Value& exit, Node at, int module) {
  if (m.raising_ && ends_process()) return;
  const std::vector<Value> details = error_details();
  const bool raised = m.raising_;
  const Value error = m.exception_, result = result_;
  m.raising_ = false;
  const Value says = call(exit, details, {}, {}, module);
  result_ = result;
  if (m.raising_ || !raised) return;
  const Truth taken = m.truth(says);
  if (taken == Truth::unknown && !m.raising_)
    return m.abandon("whether a context manager takes the error is not known", "__exit__", module, at);
  if (taken == Truth::no) m.take_up_error(error);
}

Flow Machine::Interpreter::by_methods(const Value& manager, Function* enter, Function* exit,
                                      const ManagedBody& body, Node at, Scope* s) {
  const Value entered = call_function(enter, &manager, {}, {}, {}, s->module);
  if (m.raising_) return Flow::raised;
  Method* bound = m.make<Method>();
  bound->self = manager;
  bound->function = exit;
  const auto after = [&](Flow ended) {
    call_exit(bound, at, s->module);
    if (m.raising_) return Flow::raised;
    return ended == Flow::raised ? Flow::normal : ended;
  };
  const auto taken = [&] {
    const Value error = m.exception_, detail = m.unknown("which error it is is not known");
    const Value says = call(bound, {detail, error, detail}, {}, {}, s->module);
    if (!m.raising_ && m.truth(says) == Truth::no) m.take_up_error(error);
    return m.raising_ ? Flow::raised : Flow::normal;
  };
  return taking_errors([&] { return body(entered); }, after, taken, at, s);
}

/// A generator function that @contextmanager marks: the body runs where it yields.
Flow Machine::Interpreter::by_generator(Iterator* manager, const ManagedBody& body, Node at) {
  Function* f = manager->function.as<Function>();
  Managed managed;
  const int outer_depth = library_depth, outer_activation = from_activation_;
  managed.body = [&](const Value& given) {
    const int depth = std::exchange(library_depth, outer_depth);
    const int activation = std::exchange(from_activation_, outer_activation);
    const Flow flow = body(given);
    library_depth = depth;
    from_activation_ = activation;
    return flow;
  };
  manager->scope->managed = &managed;
  m.set(manager->state, m.symbol("at"), Value::none());  // it is used up
  run_function(f, manager->scope, manager->node, manager->module);
  manager->scope->managed = nullptr;
  if (!m.raising_ && !managed.ran && !stopped_)
    m.raise_error("RuntimeError", "generator didn't yield", at, manager->module);
  if (m.raising_) return Flow::raised;
  result_ = managed.result;
  return managed.flow == Flow::raised ? Flow::normal : managed.flow;
}

/// A `yield` of such a generator.
Value Machine::Interpreter::give_way(Scope* generator, const Value& given) {
  Managed& managed = *generator->managed;
  if (managed.ran && open_forks_ == 0) return m.raise_error("RuntimeError", "generator didn't stop");
  managed.ran = true;
  managed.flow = managed.body(given);
  managed.result = result_;
  return m.raising_ ? Value() : Value::none();
}

/// Those of contextlib.
Flow Machine::Interpreter::by_record(Record* manager, const ManagedBody& body, Node at, Scope* s) {
  const Value held = m.field(manager, "value");
  if (manager->kind == "suppress") {
    const auto after = [&](Flow ended) {
      if (ended != Flow::raised || !caught_by(held)) return ended;
      m.raising_ = false;
      return Flow::normal;
    };
    return taking_errors([&] { return body(Value::none()); }, after, [] { return Flow::normal; }, at, s);
  }
  if (manager->kind == "nullcontext") return body(held);
  if (manager->kind == "closing") {
    const Flow flow = body(held);
    const bool raised = std::exchange(m.raising_, false);
    const Value error = m.exception_, result = result_;
    call(attribute(held, "close", at, s->module), {}, {}, at, s->module);
    result_ = result;
    if (raised && !m.raising_) m.take_up_error(error);
    return m.raising_ ? Flow::raised : flow;
  }
  const Flow flow = body(manager);
  if (manager->kind == "ExitStack") leave_stack(manager, at, s->module);
  if (m.raising_) return Flow::raised;
  return flow == Flow::raised ? Flow::normal : flow;
}

/// Runs what an ExitStack holds, the last first: ("exit", function) or ("callback", function, arguments,
/// names).
void Machine::Interpreter::leave_stack(Record* stack, Node at, int module) {
  List* held = m.field(stack, "value").as<List>();
  if (!held || held->open) return m.abandon("what an ExitStack holds is not known", "ExitStack", module, at);
  while (!held->items.empty() && !stopped_) {
    const Tuple* entry = held->items.back().as<Tuple>();
    m.mutable_items(held).pop_back();
    if (!entry || entry->items.size() < 2) continue;
    if (entry->items.size() == 2) {
      call_exit(entry->items[1], at, module);
      continue;
    }
    const bool raised = std::exchange(m.raising_, false);
    const Value error = m.exception_, result = result_;
    std::vector<std::pair<Symbol, Value>> named;
    for (const auto& [key, value] : entry->items[3].as<Dict>()->items)
      named.emplace_back(m.symbol(key.as<Text>()->text), value);
    call(entry->items[1], entry->items[2].as<Tuple>()->items, std::move(named), at, module);
    result_ = result;
    if (raised && !m.raising_) m.take_up_error(error);
  }
}

void Machine::leave_stack(Record* stack, Node at, int module) {
  interpreter_->leave_stack(stack, at, module);
}

}  // namespace cutelab::reading::machine
