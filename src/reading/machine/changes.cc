#include <algorithm>
#include <utility>

#include "reading/machine/interpreter.h"
#include "reading/machine/slices.h"

// Statements and calls that change a value in place: `+=`, `del`, methods that are not followed.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
constexpr std::size_t longest_list = 65'536;

/// "add__" for +: the end of the names of the methods of an operator.
std::string method_name(std::string_view op) {
  static constexpr std::pair<std::string_view, const char*> names[] = {
      {"+", "add__"},       {"-", "sub__"},     {"*", "mul__"},   {"/", "truediv__"}, {"%", "mod__"},
      {"//", "floordiv__"}, {"&", "and__"},     {"|", "or__"},    {"^", "xor__"},     {"**", "pow__"},
      {"<<", "lshift__"},   {">>", "rshift__"}, {"@", "matmul__"}};
  for (const auto& [written, name] : names)
    if (written == op) return name;
  return "none__";
}
}  // namespace

Flow Machine::Interpreter::augmented(Node n, Scope* s) {
  const Node left = n.child(Field::left_field);
  Value object, index;  // of an attribute, an item: looked at once
  const bool of_object = left.is(NodeKind::attribute), of_items = left.is(NodeKind::subscript);
  if (of_object || of_items)
    object = expression(left.child(of_object ? Field::object_field : Field::value_field), s);
  if (m.raising_) return Flow::raised;
  if (of_items) index = index_value(left, s);
  if (m.raising_) return Flow::raised;
  const Value before =
      of_object ? attribute(object, symbol_of(left.child(Field::attribute_field), s->module), left, s->module)
      : of_items ? subscript(object, index, left)
                 : expression(left, s);
  if (m.raising_) return Flow::raised;
  if (traced(s)) m.trace_.note(s->module, left, s->activation, before);
  const Value operand = expression(n.child(Field::right_field), s);
  if (m.raising_) return Flow::raised;
  std::string_view op = n.child(Field::operator_token).text();
  op.remove_suffix(std::min<std::size_t>(op.size(), 1));
  const Value after = combined_in_place(op, before, operand, n, s);
  if (m.raising_) return Flow::raised;
  if (of_object)
    store_attribute(left, object, after, s);
  else if (of_items)
    store_item(left, object, index, after, s);
  else
    bind(left, after, s);
  return m.raising_ ? Flow::raised : Flow::normal;
}

/// What `before op= operand` gives its target: the object itself where that changes in place.
Value Machine::Interpreter::combined_in_place(std::string_view op, const Value& before, const Value& operand,
                                              Node at, Scope* s) {
  if (before.as<Instance>()) {
    const Value made = m.by_special(before, "__i" + method_name(op), {operand});
    const External* declined = made.as<External>();
    if (m.raising_ || (made.bound() && !(declined && declined->path == "builtins.NotImplemented")))
      return made;
  }
  if (External* e = before.as<External>()) {
    const std::string special = e->path + ".__i" + method_name(op);
    if (const Native native = natives.find_function(special)) {
      Call call{m, special, {}, {operand}, {}, at, s->module};
      if (const auto made = native(call)) return *made;
    }
  }
  List* list = op == "+" ? before.as<List>() : nullptr;
  lose_aliases(before);
  if (!list || list->view_of)
    return augmented_in_place(op, before, operand) ? before : m.arithmetic(op, before, operand);
  must_be_iterable(operand, at, s->module);
  const auto added = m.raising_ ? std::nullopt : m.items_in_order(operand);
  if (m.raising_) return {};
  auto& items = m.mutable_items(list);
  if (added && !list->open && items.size() + added->size() > longest_list)
    return m.limit("a list of more than " + std::to_string(longest_list) + " items");
  if (added && !list->open)
    items.insert(items.end(), added->begin(), added->end());
  else
    list->open = true;  // with what, is not known
  return before;
}

/// `|=` and its like on a set or dict, `*=` on a list: the object itself changes. False: it is another value.
bool Machine::Interpreter::augmented_in_place(std::string_view op, const Value& before,
                                              const Value& operand) {
  Set* set = before.as<Set>();
  Dict* dict = before.as<Dict>();
  List* list = before.as<List>();
  if (const Record* record = before.as<Record>(); record && record->kind == "deque") {
    Call c{m, "deque.extend", before, {operand}, {}, at_, at_module_};
    const Native extend = op == "+" ? natives.find_method("deque", "extend") : nullptr;
    if (!extend || (!extend(c) && !m.raising_)) lose_content(before);
    return true;
  }
  const bool counting = dict && dict->form == Dict::Form::counting;
  if (!(set && !set->frozen && operand.as<Set>()) && !(dict && op == "|") && !(list && op == "*") &&
      !counting)
    return false;
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
    lose_content(before);
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
    const auto listed = [&](const std::vector<Symbol>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    Scope* of = listed(s->global_names) ? module_scope(s->module) : s;
    for (Scope* up = listed(s->outer_names) ? s->parent : nullptr; up && of == s; up = up->parent)
      if (up->names.find(name)) of = up;
    if (!of->names.find(name) && m.give_ups_.empty() && open_forks_ == 0 && !m.current_launch_ &&
        library_depth == 0) {
      m.raise_error(of->running ? "UnboundLocalError" : "NameError", "no name to delete", target, s->module);
      return;
    }
    return m.set(of->names, name, Value());
  }
  if (target.is(NodeKind::attribute)) {
    const Value object = expression(target.child(Field::object_field), s);
    const Symbol name = symbol_of(target.child(Field::attribute_field), s->module);
    if (!m.raising_) m.remove(object, name, target, s->module);
    return;
  }
  if (!target.is(NodeKind::subscript)) return;
  const Value object = expression(target.child(Field::value_field), s);
  const Value index = index_value(target, s);
  if (List* list = object.as<List>()) {
    if (const Slice* slice = index.as<Slice>(); slice && delete_slice(m, list, *slice, target, s->module))
      return;
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
    delete_key(dict, index, target, s);
  } else if (Record* record = object.as<Record>()) {
    if (const Native native = natives.find_method(record->kind, "__delitem__")) {
      Call call{m, record->path, object, {index}, {}, target, s->module};
      native(call);
    }
  } else if (object.as<Instance>()) {
    m.by_special(object, "__delitem__", {index});
  } else {
    lose_aliases(object);
  }
}

/// del dict[index]
void Machine::Interpreter::delete_key(Dict* dict, const Value& index, Node target, Scope* s) {
  if (const Text* text = dict->names ? index.as<Text>() : nullptr) {
    const Symbol name = m.symbol(text->text);
    if (!dict->names->find(name) && !dict->open)
      m.raise_error("KeyError", m.repr(index), target, s->module);
    else
      m.set(*dict->names, name, Value());
    return;
  }
  auto& items = m.mutable_items(dict);
  const std::size_t before = items.size();
  bool undecided = dict->open;
  std::erase_if(items, [&](const auto& item) {
    const Truth same = m.equal(item.first, index);
    undecided = undecided || same == Truth::unknown;
    return same == Truth::yes;
  });
  if (items.size() == before && !undecided) {
    if (dict->form == Dict::Form::counting) return;  // which is content with none
    m.raise_error("KeyError", m.repr(index), target, s->module);
  }
  dict->open = dict->open || items.size() == before;
}

/// Whether a method of a container that was not followed may have changed it.
bool Machine::Interpreter::may_change(std::string_view method) {
  static constexpr std::string_view reading[] = {
      "index",        "count",      "copy",     "get",   "keys",   "union",      "difference",
      "intersection", "isdisjoint", "issubset", "items", "values", "issuperset", "symmetric_difference"};
  const bool by_operator = method.starts_with("__");
  const bool in_place = method == "__setitem__" || method == "__delitem__" || method == "__init__" ||
                        (method.starts_with("__i") && method != "__iter__" && method != "__invert__" &&
                         method != "__init_subclass__" && method != "__index__" && method != "__int__");
  return by_operator ? in_place
                     : std::find(std::begin(reading), std::end(reading), method) == std::end(reading);
}

/// What a container holds is not known from here on.
void Machine::Interpreter::lose_content(const Value& container) {
  List* list = container.as<List>();
  if (list && !list->view_of) {
    const bool lost_before = std::exchange(list->open, true);
    const auto known = [](const Value& item) { return !item.is_unknown(); };
    if (lost_before && std::none_of(list->items.begin(), list->items.end(), known)) return;
    const Value out = aliased(lost(), list->items);
    for (Value& item : m.mutable_items(list)) item = out;
  }
  if (Dict* dict = container.as<Dict>()) {
    const bool lost_before = std::exchange(dict->open, true);
    const auto known = [](const auto& item) { return !item.second.is_unknown(); };
    if (lost_before && std::none_of(dict->items.begin(), dict->items.end(), known)) return;
    std::vector<Value> held;
    for (const auto& item : dict->items) held.push_back(item.second);
    const Value out = aliased(lost(), held);
    for (auto& [key, value] : m.mutable_items(dict)) value = out;
  }
  if (Set* set = container.as<Set>()) set->open = true;
  if (const Record* record = container.as<Record>(); record && record->kind == "deque")
    lose_content(m.field(record, "items"));
  if (Iterator* it = container.as<Iterator>()) m.lose(it);
}

}  // namespace cutelab::reading::machine
