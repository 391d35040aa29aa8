#include <algorithm>
#include <utility>

#include "reading/machine/fork.h"
#include "reading/machine/slices.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
constexpr std::int64_t most_steps = 1'000'000;
constexpr int deepest_statement = 400;
}  // namespace

bool Machine::Interpreter::stop(Node at, int module) {
  if (stopped_) return true;
  if (++steps_ < most_steps) return false;
  stopped_ = true;
  m.give_up("the evaluation's step limit was reached", {}, module, at);
  return true;
}

Symbol Machine::Interpreter::symbol_of(Node n, int module) {
  if (n.tree() != symbols_tree_) {
    const bool of_library = module >= Library::first && &module_of(module).tree() == n.tree();
    symbols_ = of_library ? m.options_.library->symbols_of(module) : symbols_of_nodes_.of(*n.tree());
    symbols_tree_ = n.tree();
  }
  Symbol& known = symbols_[n.index()];
  if (known != NodeSymbols::not_asked_for) return known;
  const std::string_view text = n.text();
  return known = text.starts_with("__") && !text.ends_with("__") ? mangled(text, n) : m.symbol(text);
}

Value Machine::Interpreter::unknown_at(std::string reason, Node n, std::string path) {
  return m.unknown(std::move(reason), std::string(n.text().substr(0, 80)), std::move(path));
}

Flow Machine::Interpreter::block(Node body, Scope* s) {
  const std::size_t returns = s->maybe_returned.size();
  for (Node n = body.first(); n; n = n.next()) {
    if (n.is(NodeKind::comment)) continue;
    const Flow flow = statement(n, s);
    if (flow != Flow::normal) return flow;
    if (s->maybe_returned.size() != returns && !m.current_launch_) return rest_of_block(n.next(), s);
  }
  return Flow::normal;
}

/// What stands behind a `return` on a branch that may have been taken: what it changes is kept, and known to
/// be perhaps not changed once the function has ended.
Flow Machine::Interpreter::rest_of_block(Node first, Scope* s) {
  if (!first) return Flow::normal;
  Journal journal;
  journal.serial = ++m.fork_serial_;
  journals_.push_back(&journal);
  Flow flow = Flow::normal;
  for (Node n = first; n && flow == Flow::normal; n = n.next())
    if (!n.is(NodeKind::comment)) flow = statement(n, s);
  journals_.pop_back();
  keep_after_return(s, journal);
  return flow;
}

/// The function of the scope has ended: it may have done so before what those changed.
void Machine::Interpreter::undo_perhaps(Scope* s) {
  std::vector<Journal> journals;
  std::vector<Outcome> left;
  if (const auto found = after_return_.find(s); found != after_return_.end()) {
    journals = std::move(found->second);
    after_return_.erase(found);
  }
  if (const auto found = at_return_.find(s); found != at_return_.end()) {
    left = std::move(found->second);
    at_return_.erase(found);
  }
  if (journals.empty() && left.empty()) return;
  const Value result = result_, exception = m.exception_;
  const bool raising = m.raising_;
  for (std::size_t i = journals.size(); i-- > 0;)
    merge(taken_back(journals[i], Flow::normal), Outcome{}, "a return on a branch");
  for (const Outcome& one : left) merge(one, Outcome{}, "a return on a branch");
  result_ = result;
  m.exception_ = exception;
  m.raising_ = raising;
}

Flow Machine::Interpreter::statement(Node n, Scope* s) {
  if (stop(n, s->module)) return Flow::normal;
  if (depth_ > deepest_statement) {
    m.give_up("the program nests too deep", {}, s->module, n);
    return Flow::normal;
  }
  if (traced(s)) m.trace_.note(s->module, n, s->activation, Value());
  ++depth_;
  const Node outer = std::exchange(at_, n);
  const int outer_module = std::exchange(at_module_, s->module);
  Flow flow = statement_plain(n, s);
  at_ = outer;
  at_module_ = outer_module;
  --depth_;
  if (m.raising_ && flow != Flow::raised) flow = Flow::raised;
  if (flow == Flow::raised) place_error(n, s);
  return flow;
}

/// An error that an operation found lies in the statement.
void Machine::Interpreter::place_error(Node n, const Scope* s) const {
  Record* error = m.exception_.as<Record>();
  if (!error || error->made_at || s->lazy) return;
  error->made_at = n;
  error->made_in = s->module;
}

Flow Machine::Interpreter::statement_plain(Node n, Scope* s) {
  switch (n.kind()) {
    case NodeKind::expression_statement:
      return expression_statement(n, s);
    case NodeKind::return_statement:
      result_ = n.first() ? expression(*n.children().begin(), s) : Value::none();
      return m.raising_ ? Flow::raised : Flow::returned;
    case NodeKind::if_statement:
      return if_statement(n, s);
    case NodeKind::for_statement:
      return for_statement(n, s);
    case NodeKind::while_statement:
      return while_statement(n, s);
    case NodeKind::function_definition:
      bind_name(symbol_of(n.child(Field::name_field), s->module), define_function(n, s), s);
      return Flow::normal;
    case NodeKind::class_definition:
      bind_name(symbol_of(n.child(Field::name_field), s->module), define_class(n, s), s);
      return Flow::normal;
    case NodeKind::decorated_definition: {
      const Node inner = n.child(Field::definition_field);
      const Value made = decorated(n, s);
      if (traced(s)) m.trace_.note(s->module, inner, s->activation, made);
      bind_name(symbol_of(inner.child(Field::name_field), s->module), made, s);
      return Flow::normal;
    }
    case NodeKind::import_statement:
      return import_statement(n, s);
    case NodeKind::import_from_statement:
      return import_from(n, s);
    case NodeKind::with_statement:
      return with_statement(n, s);
    case NodeKind::try_statement:
      return try_statement(n, s);
    case NodeKind::raise_statement:
      return raise_statement(n, s);
    case NodeKind::assert_statement:
      return assert_statement(n, s);
    case NodeKind::delete_statement:
      return delete_statement(n, s);
    case NodeKind::match_statement:
      return match_statement(n, s);
    case NodeKind::break_statement:
      return Flow::broke;
    case NodeKind::continue_statement:
      return Flow::continued;
    case NodeKind::global_statement:
      declare(n, s, s->global_names);
      return Flow::normal;
    case NodeKind::nonlocal_statement:
      declare(n, s, s->outer_names);
      return Flow::normal;
    case NodeKind::block:
      return block(n, s);
    default:
      return Flow::normal;
  }
}

void Machine::Interpreter::declare(Node n, Scope* s, std::vector<Symbol>& names) {
  for (const Node name : n.children()) names.push_back(symbol_of(name, s->module));
}

Flow Machine::Interpreter::expression_statement(Node n, Scope* s) {
  for (const Node inner : n.children()) {
    if (inner.is(NodeKind::assignment)) {
      assign(inner, s);
    } else if (inner.is(NodeKind::augmented_assignment)) {
      augmented(inner, s);
    } else {
      if (inner.is(NodeKind::string)) continue;
      expression(inner, s);
    }
    if (m.raising_) return Flow::raised;
  }
  return Flow::normal;
}

Flow Machine::Interpreter::assign(Node n, Scope* s) {
  const Node left = n.child(Field::left_field), right = n.child(Field::right_field);
  const Node type = n.child(Field::type_field);
  if (type && s->is_class && left.is(NodeKind::identifier) && s->self.as<Class>())
    s->self.as<Class>()->annotations.emplace_back(symbol_of(left, s->module), type);
  if (!right) return Flow::normal;
  if (right.is(NodeKind::assignment)) {  // a = b = value
    assign(right, s);
    if (m.raising_) return Flow::raised;
    bind(left, expression(right.child(Field::left_field), s), s);
    return Flow::normal;
  }
  const Value value = expression(right, s);
  if (m.raising_) return Flow::raised;
  bind(left, value, s);
  return Flow::normal;
}

void Machine::Interpreter::bind(Node target, const Value& value, Scope* s) {
  switch (target.kind()) {
    case NodeKind::identifier:
      if (traced(s)) m.trace_.note(s->module, target, s->activation, value);
      return bind_name(symbol_of(target, s->module), value, s);
    case NodeKind::attribute:
      return bind_attribute(target, value, s);
    case NodeKind::subscript:
      return bind_subscript(target, value, s);
    case NodeKind::parenthesized_expression:
    case NodeKind::as_pattern_target:
    case NodeKind::list_splat_pattern:
    case NodeKind::list_splat:
      return bind(target.children().all().empty() ? Node() : target.children().all().front(), value, s);
    case NodeKind::pattern_list:
    case NodeKind::tuple_pattern:
    case NodeKind::list_pattern:
    case NodeKind::tuple:
    case NodeKind::list:
    case NodeKind::expression_list:
      return bind_sequence(target, value, s);
    default:
      return;
  }
}

void Machine::Interpreter::bind_sequence(Node target, const Value& value, Scope* s) {
  const std::vector<Node> names = target.children().all();
  must_be_iterable(value, target, s->module);
  auto items = m.raising_ ? std::nullopt : m.items_in_order(value);
  if (m.raising_) return;
  std::size_t star = names.size();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].is(NodeKind::list_splat_pattern) || names[i].is(NodeKind::list_splat)) star = i;
  if (items && (star == names.size() ? items->size() != names.size() : items->size() + 1 < names.size())) {
    if (value.as<Record>() || value.as<Class>()) {
      items = std::nullopt;
    } else {
      m.raise_error(
          "ValueError",
          "unpacks " + std::to_string(items->size()) + " values into " + std::to_string(names.size()), target,
          s->module);
      return;
    }
  }
  if (!items) return bind_unknown(names, value, s);
  const std::size_t rest = items->size() + 1 - names.size();
  for (std::size_t i = 0, at = 0; i < names.size() && !m.raising_; ++i) {
    if (i == star) {
      bind(names[i],
           m.list({items->begin() + static_cast<std::ptrdiff_t>(at),
                   items->begin() + static_cast<std::ptrdiff_t>(at + rest)}),
           s);
      at += rest;
    } else {
      bind(names[i], (*items)[at++], s);
    }
  }
}

void Machine::Interpreter::bind_unknown(const std::vector<Node>& names, const Value& value, Scope* s) {
  std::string path;
  if (const Unknown* u = value.as<Unknown>()) path = u->path;
  if (const Record* r = value.as<Record>()) path = r->path;
  for (std::size_t i = 0; i < names.size(); ++i)
    bind(names[i],
         aliased(m.unknown("unpacks " + why(value), std::string(names[i].text()),
                           path.empty() ? path : path + "[" + std::to_string(i) + "]"),
                 {value}),
         s);
}

void Machine::Interpreter::bind_name(Symbol name, const Value& value, Scope* s) {
  const auto listed = [&](const std::vector<Symbol>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (listed(s->global_names)) return m.set(module_scope(s->module)->names, name, value);
  if (listed(s->outer_names))
    for (Scope* up = s->parent; up; up = up->parent)
      if (up->names.find(name)) return m.set(up->names, name, value);
  m.set(s->names, name, value);
}

void Machine::Interpreter::bind_attribute(Node target, const Value& value, Scope* s) {
  const Value object = expression(target.child(Field::object_field), s);
  if (!m.raising_) store_attribute(target, object, value, s);
}

void Machine::Interpreter::store_attribute(Node target, const Value& object, const Value& value, Scope* s) {
  const Symbol name = symbol_of(target.child(Field::attribute_field), s->module);
  Value stored = value;
  if (object.as<Instance>() && !m.options_.settings.empty() && traced(s)) {
    const std::string* set = m.setting("self." + m.name_of(name));
    if (set) stored = m.from_text(*set);
  }
  m.store(object, name, stored, target, s->module);
  if (traced(s) && !m.raising_) m.trace_.note(s->module, target, s->activation, stored);
}

void Machine::Interpreter::bind_subscript(Node target, const Value& value, Scope* s) {
  const Value object = expression(target.child(Field::value_field), s);
  if (m.raising_) return;
  const Value index = index_value(target, s);
  if (!m.raising_) store_item(target, object, index, value, s);
}

void Machine::Interpreter::store_item(Node target, const Value& object, const Value& index,
                                      const Value& value, Scope* s) {
  if (traced(s)) m.trace_.note(s->module, target, s->activation, value);
  lose_aliases(object);
  if (List* list = object.as<List>()) {
    const Slice* slice = index.as<Slice>();
    if (slice && store_slice(m, list, *slice, value, target, s->module)) return;
    list->open = list->open || slice;
    if (index.is_integral()) {
      const auto size = static_cast<std::int64_t>(list->items.size());
      const std::int64_t at = index.number() < 0 ? index.number() + size : index.number();
      if (at >= 0 && at < size)
        m.mutable_items(list)[static_cast<std::size_t>(at)] = value;
      else if (!list->open)
        m.raise_error("IndexError", "list assignment index out of range", target, s->module);
    } else {
      for (Value& item : m.mutable_items(list)) item = unknown_at("assigned at an index not known", target);
    }
  } else if (Dict* dict = object.as<Dict>()) {
    m.put(dict, index, value);
  } else if (Record* record = object.as<Record>()) {
    if (const Native native = natives.find_method(record->kind, "__setitem__")) {
      Call call{m, record->path, object, {index, value}, {}, target, s->module};
      native(call);
    }
  } else if (const External* e = object.as<External>()) {
    if (const Native native = natives.find_function(e->path + ".__setitem__")) {
      Call call{m, e->path, {}, {index, value}, {}, target, s->module};
      native(call);
    }
  } else if (const Instance* instance = object.as<Instance>()) {
    if (Function* f = class_attribute(instance->klass, m.symbol("__setitem__")).as<Function>())
      call_function(f, &object, {index, value}, {}, target, s->module);
  } else if ((object.as<Tuple>() || object.as<Text>() || object.is_number() || object.is_none()) &&
             !m.current_launch_ && s->module < Library::first) {
    m.raise_error("TypeError", m.repr(object) + " does not support item assignment", target, s->module);
  }
}

}  // namespace cutelab::reading::machine
