#include <algorithm>

#include "reading/models/arguments.h"
#include "reading/models/python_models.h"

// collections.deque: a Record "deque" of a list and the most that it holds.
namespace cutelab::reading::machine::python_models {
namespace {
List* items_of_deque(Machine& m, const Value& self) {
  const Record* record = record_if(self, "deque");
  List* list = record ? m.field(record, "items").as<List>() : nullptr;
  return list && !list->open ? list : nullptr;
}

std::int64_t most_of(Call& c) {
  const Value most = c.machine.field(c.self.as<Record>(), "maxlen");
  return most.is_integral() ? most.number() : INT64_MAX;
}

/// Puts an item at an end; at the other one what is too much goes.
void put_at(Call& c, List* list, const Value& item, bool left) {
  auto& items = c.machine.mutable_items(list);
  items.insert(left ? items.begin() : items.end(), item);
  if (static_cast<std::int64_t>(items.size()) > most_of(c))
    items.erase(left ? items.end() - 1 : items.begin());
}

Answer deque(Call& c) {
  Machine& m = c.machine;
  const Value most = c.get(1, "maxlen", Value::none()), given = c.get(0, "iterable", m.tuple({}));
  auto items = c.complete && (most.is_none() || most.is_integral()) ? m.items_in_order(given) : std::nullopt;
  if (m.raising()) return Value();
  if (!items) return std::nullopt;
  if (most.is_integral() && most.number() < 0)
    return m.raise_error("ValueError", "maxlen must be non-negative", c.node, c.module);
  if (most.is_integral() && static_cast<std::int64_t>(items->size()) > most.number())
    items->erase(items->begin(), items->end() - most.number());
  return Value(record_of(c, "deque", {{"items", m.list(std::move(*items))}, {"maxlen", most}}));
}

template <bool left>
Answer append_of_deque(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  if (!list || c.count() != 1) return std::nullopt;
  put_at(c, list, c.arguments[0], left);
  return Value::none();
}

template <bool left>
Answer extend_of_deque(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  if (!list || c.count() != 1) return std::nullopt;
  const bool itself = c.arguments[0].as<Record>() == c.self.as<Record>();
  const auto items = itself ? std::optional(list->items) : c.machine.items_in_order(c.arguments[0]);
  if (c.machine.raising()) return Value();
  if (!items) {
    c.machine.mutable_items(list).clear();
    list->open = true;
    return std::nullopt;
  }
  for (const Value& item : *items) put_at(c, list, item, left);
  return Value::none();
}

template <bool left>
Answer pop_of_deque(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  if (!list || c.count()) return std::nullopt;
  if (list->items.empty())
    return c.machine.raise_error("IndexError", "pop from an empty deque", c.node, c.module);
  auto& items = c.machine.mutable_items(list);
  const auto at = left ? items.begin() : items.end() - 1;
  const Value out = *at;
  items.erase(at);
  return out;
}

Answer rotate(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  const Value by = c.get(0, "n", Value::integer(1));
  if (!list || !by.is_integral() || c.count() > 1) return std::nullopt;
  auto& items = c.machine.mutable_items(list);
  if (items.empty()) return Value::none();
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t left = ((-by.number() % size) + size) % size;
  std::rotate(items.begin(), items.begin() + left, items.end());
  return Value::none();
}

Answer clear_of_deque(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  if (!list) return std::nullopt;
  c.machine.mutable_items(list).clear();
  return Value::none();
}

Answer length(Call& c) {
  const List* list = items_of_deque(c.machine, c.self);
  return list ? Answer(Value::integer(static_cast<std::int64_t>(list->items.size()))) : std::nullopt;
}

Answer is_filled(Call& c) {
  const List* list = items_of_deque(c.machine, c.self);
  return list ? Answer(Value::boolean(!list->items.empty())) : std::nullopt;
}

/// The items as they are now: a change of it while it is walked is an error that is not told here.
Answer walked(Call& c) {
  const List* list = items_of_deque(c.machine, c.self);
  return list ? Answer(c.machine.tuple(list->items)) : std::nullopt;
}

Answer item(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  if (!list || c.count() != 1) return std::nullopt;
  if (c.arguments[0].as<Slice>())
    return c.machine.raise_error("TypeError", "a deque takes no slice", c.node, c.module);
  return c.machine.subscript(list, c.arguments[0], c.node);
}

Answer set_item(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  if (!list || c.count() != 2) return std::nullopt;
  auto& items = c.machine.mutable_items(list);
  if (!c.arguments[0].is_integral()) {
    for (Value& one : items) one = lost(c.machine, "assigned at an index that is not known");
    return Value::none();
  }
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t at =
      c.arguments[0].number() < 0 ? c.arguments[0].number() + size : c.arguments[0].number();
  if (at < 0 || at >= size)
    return c.machine.raise_error("IndexError", "deque index out of range", c.node, c.module);
  items[static_cast<std::size_t>(at)] = c.arguments[1];
  return Value::none();
}

/// remove, reverse, index, count, insert: as of the list.
Answer as_list(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  const std::string_view name = leaf_name(c.path);
  const Native native = list ? Natives::all().find_method("list", name) : nullptr;
  if (!native || c.count() > 2) return std::nullopt;
  if (name == "insert" && static_cast<std::int64_t>(list->items.size()) >= most_of(c))
    return c.machine.raise_error("IndexError", "deque already at its maximum size", c.node, c.module);
  Call inner{c.machine, c.path, list, c.arguments, c.keywords, c.node, c.module, c.complete};
  return native(inner);
}

/// del deque[index]
Answer delete_item(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  if (!list || c.count() != 1) return std::nullopt;
  const auto size = static_cast<std::int64_t>(list->items.size());
  auto& items = c.machine.mutable_items(list);
  if (!c.arguments[0].is_integral()) {
    list->open = true;
    for (Value& one : items) one = lost(c.machine, "an item before it may have been deleted");
    return Value::none();
  }
  const std::int64_t at =
      c.arguments[0].number() < 0 ? c.arguments[0].number() + size : c.arguments[0].number();
  if (at < 0 || at >= size)
    return c.machine.raise_error("IndexError", "deque index out of range", c.node, c.module);
  items.erase(items.begin() + at);
  return Value::none();
}

Answer holds(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  return list && c.count() == 1 ? Answer(c.machine.compare("in", c.arguments[0], list)) : std::nullopt;
}

Answer equals(Call& c) {
  List* list = items_of_deque(c.machine, c.self);
  List* other = c.count() == 1 ? items_of_deque(c.machine, c.arguments[0]) : nullptr;
  return list && other ? Answer(c.machine.compare("==", list, other)) : std::nullopt;
}

Answer copy_of_deque(Call& c) {
  const List* list = items_of_deque(c.machine, c.self);
  if (!list) return std::nullopt;
  return Value(record_of(
      c, "deque",
      {{"items", c.machine.list(list->items)}, {"maxlen", c.machine.field(c.self.as<Record>(), "maxlen")}}));
}
}  // namespace

void add_deques(Natives& n) {
  n.function("collections", "deque", deque);
  n.method("deque", "append", append_of_deque<false>);
  n.method("deque", "appendleft", append_of_deque<true>);
  n.method("deque", "extend", extend_of_deque<false>);
  n.method("deque", "extendleft", extend_of_deque<true>);
  n.method("deque", "pop", pop_of_deque<false>);
  n.method("deque", "popleft", pop_of_deque<true>);
  n.method("deque", "rotate", rotate);
  n.method("deque", "clear", clear_of_deque);
  n.method("deque", "copy", copy_of_deque);
  for (const char* name : {"remove", "reverse", "index", "count", "insert"}) n.method("deque", name, as_list);
  n.method("deque", "__delitem__", delete_item);
  n.method("deque", "__len__", length);
  n.method("deque", "__bool__", is_filled);
  n.method("deque", "__iter__", walked);
  n.method("deque", "__getitem__", item);
  n.method("deque", "__setitem__", set_item);
  n.method("deque", "__contains__", holds);
  n.method("deque", "__eq__", equals);
}

}  // namespace cutelab::reading::machine::python_models
