#include "reading/evaluator/traced.h"

#include <algorithm>

namespace cutelab::reading {
using evidence::Tristate;
using RunValue = machine::Value;
using source::Node;
using NodeKind = source::Kind;
using Kind = Abstract::Kind;

bool TracedEvaluator::called_so(int activation, const Frame* frame) const {
  const auto& activations = machine_.trace().activations();
  for (int hops = 0; frame && frame->call && activation >= 0 && hops < 64; ++hops) {
    const machine::Activation& a = activations[static_cast<std::size_t>(activation)];
    if (!a.call) return false;
    if (!(a.call == frame->call)) return false;
    activation = a.caller;
    frame = frame->caller;
  }
  return true;
}

RunValue TracedEvaluator::seen(int module, Node node, const Frame* frame) {
  const RunValue current = seen(module, node, frame, false);
  return current.bound() ? current : seen(module, node, frame, true);
}

RunValue TracedEvaluator::seen(int module, Node node, const Frame* frame, bool superseded) {
  RunValue out;
  const machine::Trace& trace = machine_.trace();
  for (std::int32_t i = trace.head(module, node); i >= 0; i = trace.seen(i).next) {
    const machine::Trace::Seen& one = trace.seen(i);
    if (trace.superseded(one.activation) != superseded) continue;
    if (!one.value.bound() || (frame && !called_so(one.activation, frame))) continue;
    if (one.varied && !one.value.is_unknown())
      return machine_.unknown("has several values in a loop", std::string(node.text().substr(0, 60)));
    if (!out.bound()) {
      out = one.value;
    } else if (!out.same(one.value) && machine_.equal(out, one.value) != machine::Machine::Truth::yes) {
      return machine_.unknown("has several values", std::string(node.text().substr(0, 60)));
    }
  }
  return out;
}

/// Plain data crosses over; what has no plain form keeps its path.
Abstract TracedEvaluator::converted(const RunValue& v, int depth) {
  if (v.is_none()) return Abstract::none();
  if (v.is_bool()) return Abstract::boolean(v.number() != 0);
  if (v.is_int()) return Abstract::integer(v.number());
  if (v.is_real()) return Abstract::of_real(v.as_real());
  if (const auto* text = v.as<machine::Text>()) return Abstract::of_text(text->text);
  if (const auto* external = v.as<machine::External>()) return Abstract::name(external->path);
  const auto* tuple = v.as<machine::Tuple>();
  const auto* list = v.as<machine::List>();
  if (list && list->view_of) {
    auto items = machine_.items(v);
    return items ? converted(machine_.tuple(std::move(*items)), depth) : Abstract::unknown("an object");
  }
  if (list && list->open) return Abstract::unknown("how many items a list has is not known");
  if ((tuple || list) && depth < 8) {
    std::vector<Abstract> items;
    for (const RunValue& item : tuple ? tuple->items : list->items)
      items.push_back(converted(item, depth + 1));
    return Abstract::tuple(std::move(items));
  }
  if (v.as<machine::LayoutObject>()) return Abstract::of_text(machine_.repr(v));
  if (const auto* unknown = v.as<machine::Unknown>()) {
    Abstract out = Abstract::unknown(unknown->reason);
    if (!unknown->depends_on.empty()) out.depends_on.push_back(unknown->depends_on);
    out.path = unknown->path;
    return out;
  }
  Abstract out = Abstract::unknown("an object");
  if (const auto* record = v.as<machine::Record>()) out.path = record->path;
  return out;
}

namespace {
/// Numbers, texts, names and sequences of them; partly known sequences count.
bool is_data(const RunValue& v, int depth = 0) {
  if (v.is_number() || v.is_none() || v.as<machine::Text>() || v.as<machine::External>() ||
      v.as<machine::LayoutObject>())
    return true;
  const auto* tuple = v.as<machine::Tuple>();
  const auto* list = v.as<machine::List>();
  if ((!tuple && !list) || depth > 8 || (list && list->open)) return false;
  for (const RunValue& item : tuple ? tuple->items : list->items)
    if (!item.is_unknown() && !is_data(item, depth + 1)) return false;
  return true;
}
}  // namespace

namespace {
std::string_view leaf_of(std::string_view path) {
  while (path.ends_with(']')) path = path.substr(0, path.rfind('['));
  return path.substr(path.rfind('.') + 1);
}

/// "PipelineTmaUmma.create" of "cutlass.pipeline.PipelineTmaUmma.create".
std::string_view owner_and_leaf(std::string_view path) {
  const std::string_view leaf = leaf_of(path);
  const std::string_view owner = path.substr(0, path.size() - leaf.size());
  const auto dot = owner.size() < 2 ? std::string_view::npos : owner.rfind('.', owner.size() - 2);
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

/// Of the alternatives that folding leaves open, those that the run's object can be: of the same class's
/// maker, else of a maker with its name.
Abstract narrowed(const Abstract& folded, std::string_view path) {
  if (!folded.is(Kind::unknown) || folded.items.size() < 2 || path.empty()) return folded;
  std::vector<Abstract> kept;
  for (const auto part : {owner_and_leaf, leaf_of}) {
    for (const Abstract& item : folded.items)
      if (part(item.path) == part(path)) kept.push_back(item);
    if (!kept.empty()) break;
  }
  return kept.empty() || kept.size() == folded.items.size() ? folded : join(std::move(kept));
}
}  // namespace

namespace {
/// The run saw it change, or a part of it: what was written down before does not hold.
bool holds_changed(const RunValue& value) {
  if (const auto* unknown = value.as<machine::Unknown>()) return unknown->changed;
  const auto* tuple = value.as<machine::Tuple>();
  const auto* list = value.as<machine::List>();
  if (list && list->open) return true;
  if (!tuple && !list) return false;
  const auto& items = tuple ? tuple->items : list->items;
  return std::any_of(items.begin(), items.end(), [](const RunValue& item) {
    const auto* unknown = item.as<machine::Unknown>();
    return unknown && unknown->changed;
  });
}
}  // namespace

namespace {
/// A number or text that the host's run did not find: folding, which does not follow effects, cannot either.
bool is_left_open(const Abstract& folded, const RunValue& value) {
  const auto* unknown = value.as<machine::Unknown>();
  if (!unknown || !unknown->of_host) return false;
  if (!folded.is(Kind::tuple))
    return folded.is_number() || folded.is(Kind::real) || folded.is(Kind::text) || folded.is(Kind::none);
  return std::all_of(folded.items.begin(), folded.items.end(),
                     [](const Abstract& item) { return item.known(); });
}
}  // namespace

/// The run's value where it is plain data; objects stay as folding knows them, with their making.
Abstract TracedEvaluator::combined(const Abstract& folded, const RunValue& value) {
  if (!value.bound()) return folded;
  const bool of_data = folded.is_number() || folded.is(Kind::real) || folded.is(Kind::text) ||
                       folded.is(Kind::tuple) || folded.is(Kind::none);
  if (!machine_.by_entries() && is_left_open(folded, value)) return converted(value);
  if (holds_changed(value) && (of_data || value.as<machine::List>())) return converted(value);
  if (!is_data(value)) {
    const auto* record = value.as<machine::Record>();
    Abstract narrow = record ? narrowed(folded, record->path) : folded;
    // An operation that a library function chose: the run knows which.
    if (record && leaf_of(record->path).ends_with("Op") && leaf_of(narrow.path) != leaf_of(record->path) &&
        narrow.items.empty())
      narrow.path = record->path;
    if (narrow.known() || !narrow.path.empty() || !narrow.items.empty()) return narrow;
    Abstract out = converted(value);
    if (out.text == "an object") out.text = narrow.text;
    if (out.depends_on.empty()) out.depends_on = narrow.depends_on;
    return out;
  }
  Abstract out = converted(value);
  if (out.path.empty()) out.path = folded.path;
  if (!out.made_at && folded.made_at) {  // where a known value was made stays known
    out.made_at = folded.made_at;
    out.module = folded.module;
    out.frame = folded.frame;
  }
  const auto* tuple = value.as<machine::Tuple>();
  const auto open = [&](std::size_t i) {
    return tuple && !machine_.by_entries() && is_left_open(folded.items[i], tuple->items[i]);
  };
  if (out.is(Kind::tuple) && folded.is(Kind::tuple) && folded.items.size() == out.items.size())
    for (std::size_t i = 0; i < out.items.size(); ++i) {
      if (!out.items[i].known() && folded.items[i].known() && !open(i)) out.items[i] = folded.items[i];
      if (out.items[i].path.empty()) out.items[i].path = folded.items[i].path;
    }
  return out;
}

Abstract TracedEvaluator::value_of(int module, Node expression) {
  const Abstract& folded = folder_.evaluate_in_module(module, expression);
  RunValue value = seen(module, expression, nullptr);
  if (!value.bound() && is_beyond_end(module, expression)) return beyond_end(folded);
  if (!value.bound() && !folded.known()) value = set_by_run(module, expression);
  return combined(folded, value);
}

/// self.x where the run did not come by: the number that it last set it to, where one function alone sets it.
RunValue TracedEvaluator::set_by_run(int module, Node expression) {
  if (machine_.by_entries() || !expression.is(NodeKind::attribute) ||
      expression.child(source::Field::object_field).text() != "self")
    return {};
  const source::PythonModule& of = machine_.program().module(module);
  const std::string name(expression.child(source::Field::attribute_field).text());
  Node last;
  int function = -1;
  for (const int index : of.attributes(of.class_at(expression), name)) {
    const source::Assignment& a = of.assignments()[static_cast<std::size_t>(index)];
    if (!machine_.trace().ran(module, a.statement)) continue;
    const bool plain = a.form == source::Assignment::Form::plain && a.slots.empty() && a.value;
    if (!plain || (function >= 0 && a.function != function)) return {};
    function = a.function;
    if (!last || last.index() < a.value.index()) last = a.value;
  }
  const RunValue value = last ? seen(module, last, nullptr) : RunValue();
  return value.is_number() ? value : RunValue();  // of objects folding knows how they were made
}

Abstract TracedEvaluator::argument_of(const Abstract& object, Node argument) {
  const int module = object.frame ? object.frame->module : object.module;
  const RunValue value = seen(module, argument, object.frame);
  const Abstract& folded = folder_.argument_folded(object, argument);
  return !value.bound() && is_beyond_end(module, argument) ? beyond_end(folded) : combined(folded, value);
}

namespace {
std::string negated_text(Node condition) {
  const bool simple = condition.is(NodeKind::call) || condition.is(NodeKind::identifier) ||
                      condition.is(NodeKind::attribute) || condition.is(NodeKind::comparison_operator);
  const std::string text(condition.text().substr(0, 100));
  return simple ? "not " + text : "not (" + text + ")";
}
}  // namespace

/// What the run decided against a node, as text: the outermost condition around it that does not hold, "not"
/// the one before whose other side it stands on; "" when none did. It holds wherever the function ended.
std::string TracedEvaluator::decided_against(int module, Node node) {
  using Truth = machine::Machine::Truth;
  const auto is = [&](Node condition, Truth truth) {
    const RunValue value = condition ? seen(module, condition, nullptr) : RunValue();
    return value.bound() && machine_.truth(value) == truth;
  };
  std::string out;
  for (Node n = node; n && !n.is(NodeKind::function_definition); n = n.parent()) {
    const Node above = n.parent();
    const bool side = n.field() == source::Field::consequence_field;
    const bool other = n.is(NodeKind::elif_clause) || n.is(NodeKind::else_clause);
    if (side && (above.is(NodeKind::if_statement) || above.is(NodeKind::elif_clause))) {
      const Node condition = above.child(source::Field::condition_field);
      if (is(condition, Truth::no)) out = condition.text().substr(0, 100);
    } else if (other && above.is(NodeKind::if_statement)) {
      Node taken;
      for (Node before = above.first(); before && !(before == n) && !taken; before = before.next()) {
        const bool test = before.field() == source::Field::condition_field;
        if (!test && !before.is(NodeKind::elif_clause)) continue;
        const Node condition = test ? before : before.child(source::Field::condition_field);
        if (is(condition, Truth::yes)) taken = condition;
      }
      if (taken) out = negated_text(taken);
    }
  }
  return out;
}

/// Where no main program asks for a launch, what ran says nothing of the defaults; conditions that the run
/// knows do, as they do in facts.
Activity TracedEvaluator::against_by_entries(int module, Node node, const Activity& folded) {
  if (folded.state != Tristate::undetermined) return folded;
  std::string condition = decided_against(module, node);
  return condition.empty() ? folded : Activity{Tristate::no, std::move(condition)};
}

/// The nearest branch above the node that the run did not take: its condition says why.
Activity TracedEvaluator::active(int module, Node node) {
  const machine::Trace& trace = machine_.trace();
  Activity folded = folder_.active(module, node);
  const bool decided = folded.state == Tristate::no || !folded.condition.empty();
  if (decided && !trace.ran(module, node) && is_beyond_end(module, node))
    folded.state = Tristate::undetermined;
  if (machine_.by_entries()) return against_by_entries(module, node, folded);
  if (machine_.launches().empty()) return folded;
  for (Node n = node; n; n = n.parent()) {
    if (trace.ran(module, n)) {
      if (n == node || folded.state != Tristate::no) {
        // Seen itself, or its statement: part of an expression that ran counts unless folding knows better.
        if (n == node) return {Tristate::yes, ""};
        break;
      }
      break;
    }
    if (n.is(NodeKind::function_definition)) break;
  }
  const int function = machine_.program().module(module).function_at(node);
  if (function >= 0 && trace.finished(module, function)) {
    if (folded.state != Tristate::undetermined) return folded;
    Node statement = source::statement_of(node);
    if (statement && trace.ran(module, statement)) return {Tristate::yes, ""};
    std::string condition = decided_against(module, node);
    if (condition.empty()) condition = folded.condition;
    return {Tristate::no, condition.empty() ? "not reached under the defaults" : std::move(condition)};
  }
  if (folded.state == Tristate::undetermined)
    if (std::string condition = decided_against(module, node); !condition.empty())
      return {Tristate::no, std::move(condition)};
  return folded;
}

std::string TracedEvaluator::callee_path(int module, Node call) {
  std::string path = folder_.callee_path(module, call);
  if (path.find('.') != std::string::npos) return path;
  const RunValue callee = seen(module, call.child(source::Field::function_field), nullptr);
  if (const auto* external = callee.as<machine::External>()) return external->path;
  return path;
}

TracedEvaluator::Callee TracedEvaluator::find_callee(int module, Node call) {
  Callee out;
  if (folder_.callee_function(module, call, &out.module, &out.function)) return out;
  const RunValue callee = seen(module, call.child(source::Field::function_field), nullptr);
  const machine::Function* found = callee.as<machine::Function>();
  if (const auto* method = callee.as<machine::Method>()) found = method->function.as<machine::Function>();
  if (!found || found->index < 0 || found->module >= machine::Library::first) return {};
  return {found->module, found->index};
}

bool TracedEvaluator::callee_function(int module, Node call, int* function_module, int* function) {
  Callee found;
  if (module == 0 && call) {
    if (callees_.empty()) callees_.resize(call.tree()->size());
    Callee& known = callees_[call.index()];
    if (!known.asked_for) known = find_callee(module, call);
    known.asked_for = true;
    found = known;
  } else {
    found = find_callee(module, call);
  }
  if (found.function < 0) return false;
  *function_module = found.module;
  *function = found.function;
  return true;
}

SeenLaunch TracedEvaluator::told(const machine::Launch& launch) {
  SeenLaunch out;
  const auto take = [&](const RunValue& v) { return v.bound() ? converted(v) : Abstract::none(); };
  out.grid = take(launch.grid);
  out.block = take(launch.block);
  out.cluster = take(launch.cluster);
  out.smem = take(launch.smem);
  out.module = launch.module;
  out.call = launch.node;
  out.kernel = launch.kernel->path;
  out.perhaps = launch.perhaps;
  if (launch.allocated_known) out.allocated = launch.allocated;
  return out;
}

std::vector<SeenLaunch> TracedEvaluator::launches_at(int module, Node call) {
  std::vector<SeenLaunch> out;
  for (const machine::Launch& launch : machine_.launches())
    if (launch.module == module && launch.node == call) out.push_back(told(launch));
  return out;
}

std::vector<SeenLaunch> TracedEvaluator::launches_elsewhere() {
  std::vector<SeenLaunch> out;
  for (const machine::Launch& launch : machine_.launches())
    if (launch.module > 0 && launch.module < machine::Library::first) out.push_back(told(launch));
  return out;
}

Abstract TracedEvaluator::made_with(int module, Node call, std::string_view field) {
  const machine::Trace& trace = machine_.trace();
  Abstract out = Abstract::unknown("not run");
  bool first = true;
  for (std::int32_t i = trace.head(module, call); i >= 0; i = trace.seen(i).next) {
    const machine::Trace::Seen& one = trace.seen(i);
    if (trace.superseded(one.activation)) continue;
    RunValue made = one.value;
    if (const auto* pair = made.as<machine::Tuple>(); pair && !pair->items.empty())
      made = pair->items.front();
    const auto* record = made.as<machine::Record>();
    const RunValue held = record ? machine_.field(record, field) : RunValue();
    if (!held.bound()) continue;
    Abstract told = converted(held);
    if (!first && !same(out, told)) return Abstract::unknown("has several values");
    out = std::move(told);
    first = false;
  }
  return out;
}

}  // namespace cutelab::reading
