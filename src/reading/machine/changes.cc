#include <algorithm>

#include "reading/machine/interpreter.h"

// Statements and calls that change a value in place: `+=`, `del`, methods that are not followed.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
constexpr std::size_t longest_list = 65'536;
}  // namespace

Flow Machine::Interpreter::augmented(Node n, Scope* s) {
  const Node left = n.child(Field::left_field);
  const Value before = expression(left, s);
  const Value operand = expression(n.child(Field::right_field), s);
  if (m.raising_) return Flow::raised;
  std::string_view op = n.child(Field::operator_token).text();
  op.remove_suffix(std::min<std::size_t>(op.size(), 1));
  if (op == "+" && before.as<List>()) {
    if (const auto added = m.items(operand); added && !before.as<List>()->open) {
      auto& items = m.mutable_items(before.as<List>());
      if (items.size() + added->size() > longest_list) {
        bind(left, m.unknown("a list of more than " + std::to_string(longest_list) + " items"), s);
        return Flow::normal;
      }
      items.insert(items.end(), added->begin(), added->end());
      return Flow::normal;
    }
  }
  if (m.raising_) return Flow::raised;
  if (List* list = op == "+" ? before.as<List>() : nullptr) {  // with what, is not known
    must_be_iterable(operand, n, s->module);
    list->open = true;
    return m.raising_ ? Flow::raised : Flow::normal;
  }
  if (augmented_in_place(op, before, operand)) return Flow::normal;
  const Value after = m.arithmetic(op, before, operand);
  if (m.raising_) return Flow::raised;
  bind(left, after, s);
  return Flow::normal;
}

/// `|=` and its like on a set or dict, `*=` on a list: the object itself changes. False: it is another value.
bool Machine::Interpreter::augmented_in_place(std::string_view op, const Value& before,
                                              const Value& operand) {
  Set* set = before.as<Set>();
  Dict* dict = before.as<Dict>();
  List* list = before.as<List>();
  if (!(set && operand.as<Set>()) && !(dict && op == "|") && !(list && op == "*")) return false;
  const Value after = m.arithmetic(op, before, operand);
  if (m.raising_) return true;
  if (set && after.as<Set>()) {
    m.mutable_items(set) = after.as<Set>()->items;
    set->open = after.as<Set>()->open;
  } else if (dict && after.as<Dict>()) {
    m.mutable_items(dict) = after.as<Dict>()->items;
  } else if (list && after.as<List>()) {
    m.mutable_items(list) = after.as<List>()->items;
  } else {  // not known
    if (set) set->open = true;
    if (dict) dict->open = true;
    if (list) list->open = true;
  }
  return true;
}

Flow Machine::Interpreter::delete_statement(Node n, Scope* s) {
  for (const Node target : n.children())
    for (const Node one : target.is(NodeKind::expression_list) ? target.children() : n.children())
      if (!m.raising_ && (target.is(NodeKind::expression_list) || one == target)) delete_one(one, s);
  return m.raising_ ? Flow::raised : Flow::normal;
}

void Machine::Interpreter::delete_one(Node target, Scope* s) {
  if (target.is(NodeKind::identifier)) {
    const Symbol name = symbol_of(target, s->module);
    const bool global =
        std::find(s->global_names.begin(), s->global_names.end(), name) != s->global_names.end();
    return m.set(global ? module_scope(s->module)->names : s->names, name, Value());
  }
  if (target.is(NodeKind::attribute)) {
    const Value object = expression(target.child(Field::object_field), s);
    const Symbol name = symbol_of(target.child(Field::attribute_field), s->module);
    if (Instance* instance = object.as<Instance>()) m.set(instance->attributes, name, Value());
    return;
  }
  if (!target.is(NodeKind::subscript)) return;
  const Value object = expression(target.child(Field::value_field), s);
  const Value index = index_value(target, s);
  if (List* list = object.as<List>()) {
    auto& items = m.mutable_items(list);
    const auto size = static_cast<std::int64_t>(items.size());
    const std::int64_t at = index.is_integral() ? index.number() + (index.number() < 0 ? size : 0) : -1;
    if (at >= 0 && at < size && !list->open) {
      items.erase(items.begin() + at);
      return;
    }
    if (index.is_integral() && !list->open) {
      m.raise_error("IndexError", "list assignment index out of range", target, s->module);
      return;
    }
    list->open = true;
    for (Value& item : items) item = unknown_at("items before it were deleted", target);
  } else if (Dict* dict = object.as<Dict>()) {
    auto& items = m.mutable_items(dict);
    const std::size_t before = items.size();
    bool undecided = dict->open;
    std::erase_if(items, [&](const auto& item) {
      const Truth same = m.equal(item.first, index);
      undecided = undecided || same == Truth::unknown;
      return same == Truth::yes;
    });
    if (items.size() == before && !undecided) m.raise_error("KeyError", m.repr(index), target, s->module);
    dict->open = dict->open || items.size() == before;
  }
}

/// Whether a method of a container that was not followed may have changed it.
bool Machine::Interpreter::may_change(std::string_view method) {
  static constexpr std::string_view reading[] = {
      "index",        "count",      "copy",     "get",   "keys",   "union",      "difference",
      "intersection", "isdisjoint", "issubset", "items", "values", "issuperset", "symmetric_difference"};
  return std::find(std::begin(reading), std::end(reading), method) == std::end(reading) &&
         !method.starts_with("__");
}

/// What a container holds is not known from here on.
void Machine::Interpreter::lose_content(const Value& container) {
  const auto lost = [&] { return m.unknown("changed by a call that is not followed"); };
  if (List* list = container.as<List>(); list && !list->view_of) {
    list->open = true;
    for (Value& item : m.mutable_items(list)) item = lost();
  }
  if (Dict* dict = container.as<Dict>()) {
    dict->open = true;
    for (auto& [key, value] : m.mutable_items(dict)) value = lost();
  }
  if (Set* set = container.as<Set>()) set->open = true;
  if (Iterator* it = container.as<Iterator>()) m.lose(it);
}

}  // namespace cutelab::reading::machine
