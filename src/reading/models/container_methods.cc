#include <algorithm>

#include "reading/models/python_models.h"

// Methods of list, dict, tuple and set.
namespace cutelab::reading::machine::python_models {
namespace {
Answer append(Call& c) {
  if (c.count() != 1) return std::nullopt;
  List* list = c.self.as<List>();
  // Behind how many it comes is not known where the list is open.
  c.machine.mutable_items(list).push_back(
      list->open ? c.machine.unknown("an item of a list that is not known") : c.arguments[0]);
  return Value::none();
}

constexpr std::size_t longest = 1u << 16;

/// Item by item, as Python: an iterator may look at the list that grows.
Answer extend(Call& c) {
  if (c.count() != 1) return std::nullopt;
  Machine& m = c.machine;
  List* list = c.self.as<List>();
  const auto items = c.arguments[0].as<Iterator>() ? std::nullopt : m.items_in_order(c.arguments[0]);
  auto& own = m.mutable_items(list);
  if (list->open) return Value::none();
  if (items) {
    if (own.size() + items->size() <= longest * 16) {
      own.insert(own.end(), items->begin(), items->end());
      return Value::none();
    }
    list->open = true;
    m.limit("a list of more than a million items");
    return Value::none();
  }
  Iterator* it = c.arguments[0].as<Iterator>();
  Value item;
  Machine::Step step = it ? m.next(it, item) : Machine::Step::unknown;
  for (; step == Machine::Step::item && own.size() < longest; step = m.next(it, item)) own.push_back(item);
  if (step == Machine::Step::item) {
    m.limit("a list of more than " + std::to_string(longest) + " items");
    m.lose(it);
  }
  if (step != Machine::Step::end) list->open = true;
  return m.raising() ? Value() : Value::none();
}

Answer insert(Call& c) {
  if (c.count() != 2) return std::nullopt;
  auto& own = c.machine.mutable_items(c.self.as<List>());
  if (!c.arguments[0].is_integral()) {
    own.push_back(c.arguments[1]);
    for (Value& item : own) item = c.machine.unknown("something was inserted at an index that is not known");
    return Value::none();
  }
  const auto size = static_cast<std::int64_t>(own.size());
  std::int64_t at = c.arguments[0].number();
  if (at < 0) at += size;
  own.insert(own.begin() + std::clamp<std::int64_t>(at, 0, size), c.arguments[1]);
  return Value::none();
}

Answer pop(Call& c) {
  List* list = c.self.as<List>();
  if (list->open || c.count() > 1 || (c.count() == 1 && !c.arguments[0].is_integral())) return std::nullopt;
  auto& own = c.machine.mutable_items(list);
  std::int64_t at = c.count() ? c.arguments[0].number() : -1;
  if (at < 0) at += static_cast<std::int64_t>(own.size());
  if (at < 0 || at >= static_cast<std::int64_t>(own.size()))
    return c.machine.raise_error("IndexError", own.empty() ? "pop from empty list" : "pop index out of range",
                                 c.node, c.module);
  const Value out = own[static_cast<std::size_t>(at)];
  own.erase(own.begin() + at);
  return out;
}

Answer reverse(Call& c) {
  if (c.self.as<List>()->open) return std::nullopt;
  auto& own = c.machine.mutable_items(c.self.as<List>());
  std::reverse(own.begin(), own.end());
  return Value::none();
}

Answer index_of(Call& c) {
  const auto items = c.machine.items(c.self);
  if (!items || c.count() != 1) return std::nullopt;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto same = c.machine.equal((*items)[i], c.arguments[0]);
    if (same == Machine::Truth::unknown) return std::nullopt;
    if (same == Machine::Truth::yes) return Value::integer(static_cast<std::int64_t>(i));
  }
  return c.machine.raise_error("ValueError", "the value is not in the sequence", c.node, c.module);
}

Answer count_of(Call& c) {
  const auto items = c.machine.items(c.self);
  if (!items || !c.count()) return std::nullopt;
  std::int64_t out = 0;
  for (const Value& v : *items) {
    const auto same = c.machine.equal(v, c.arguments[0]);
    if (same == Machine::Truth::unknown) return std::nullopt;
    out += same == Machine::Truth::yes;
  }
  return Value::integer(out);
}

Answer copy(Call& c) {
  if (const List* l = c.self.as<List>()) {
    const Value out = c.machine.list(l->items);
    out.as<List>()->open = l->open;
    return out;
  }
  if (const Dict* d = c.self.as<Dict>()) {
    Dict* out = c.machine.make<Dict>();
    out->items = d->items;
    out->open = d->open;
    out->form = d->form;
    out->factory = d->factory;
    return Value(out);
  }
  if (const Set* s = c.self.as<Set>(); s && !s->frozen) {
    Set* out = c.machine.make<Set>();
    out->items = s->items;
    out->open = s->open;
    return Value(out);
  }
  return c.self;
}

Answer dict_get(Call& c) {
  if (!c.count()) return std::nullopt;
  if (c.machine.refuses_key(c.arguments[0], c.node, c.module)) return Value();
  for (const auto& [key, value] : c.self.as<Dict>()->items) {
    const auto same = c.machine.equal(key, c.arguments[0]);
    if (same == Machine::Truth::yes) return value;
    if (same == Machine::Truth::unknown) return std::nullopt;
  }
  if (c.self.as<Dict>()->open) return std::nullopt;
  return c.count() > 1 ? c.arguments[1] : Value::none();
}

/// What the dict holds when it is looked at.
template <List::View view>
Answer dict_view(Call& c) {
  const Value out = c.machine.list({});
  out.as<List>()->view = view;
  out.as<List>()->view_of = c.self.as<Dict>();
  return out;
}

Answer dict_update(Call& c) {
  Dict* own = c.self.as<Dict>();
  if (!c.complete || c.count() > 1) return std::nullopt;
  if (own->form == Dict::Form::counting) return count_more<true>(c);
  if (const Dict* other = c.count() ? c.arguments[0].as<Dict>() : nullptr) {
    if (other->open) return std::nullopt;
    const auto given = other->items;
    for (const auto& [key, value] : given) c.machine.put(own, key, value);
  } else if (c.count()) {
    const auto pairs = c.machine.items_in_order(c.arguments[0]);
    if (!pairs) return std::nullopt;
    for (const Value& pair : *pairs) {
      const auto two = c.machine.items_in_order(pair);
      if (!two || two->size() != 2) return std::nullopt;
      c.machine.put(own, (*two)[0], (*two)[1]);
    }
  }
  for (const auto& [name, value] : c.keywords)
    c.machine.put(own, c.machine.text(c.machine.name_of(name)), value);
  return Value::none();
}

Answer dict_setdefault(Call& c) {
  Dict* dict = c.self.as<Dict>();
  if (!dict || c.count() < 1) return std::nullopt;
  if (c.machine.refuses_key(c.arguments[0], c.node, c.module)) return Value();
  for (const auto& [key, value] : dict->items) {
    const auto same = c.machine.equal(key, c.arguments[0]);
    if (same == Machine::Truth::yes) return value;
    if (same == Machine::Truth::unknown) return std::nullopt;
  }
  if (dict->open) return std::nullopt;
  const Value value = c.count() > 1 ? c.arguments[1] : Value::none();
  if (dict->names)
    c.machine.put(dict, c.arguments[0], value);
  else
    c.machine.mutable_items(dict).emplace_back(c.arguments[0], value);
  return value;
}

Answer dict_pop(Call& c) {
  Dict* dict = c.self.as<Dict>();
  if (!c.count()) return std::nullopt;
  if (c.machine.refuses_key(c.arguments[0], c.node, c.module)) return Value();
  for (std::size_t i = 0; i < dict->items.size(); ++i) {
    const auto same = c.machine.equal(dict->items[i].first, c.arguments[0]);
    if (same == Machine::Truth::unknown) return std::nullopt;
    if (same == Machine::Truth::no) continue;
    const Value out = dict->items[i].second;
    const Text* name = dict->names ? c.arguments[0].as<Text>() : nullptr;
    if (name) {
      c.machine.set(*dict->names, c.machine.symbol(name->text), Value());
      return out;
    }
    auto& items = c.machine.mutable_items(dict);
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    return out;
  }
  if (dict->open) return std::nullopt;
  if (c.count() > 1) return c.arguments[1];
  return c.machine.raise_error("KeyError", c.machine.repr(c.arguments[0]), c.node, c.module);
}

Answer set_add(Call& c) {
  if (!c.count()) return std::nullopt;
  if (c.machine.refuses_key(c.arguments[0], c.node, c.module)) return Value();
  Set* own = c.self.as<Set>();
  for (const Value& v : own->items) {
    const auto same = c.machine.equal(v, c.arguments[0]);
    if (same == Machine::Truth::yes) return Value::none();
    if (same == Machine::Truth::unknown && (v.is_unknown() || c.arguments[0].is_unknown())) own->open = true;
  }
  c.machine.mutable_items(own).push_back(c.arguments[0]);
  return Value::none();
}
Answer sort(Call& c) {
  List* list = c.self.as<List>();
  Call all{c.machine, c.path, {}, {c.self}, c.keywords, c.node, c.module, c.complete};
  const Answer sorted = ordered(all);
  if (c.machine.raising()) return Value();
  auto& items = c.machine.mutable_items(list);
  if (const List* known = sorted ? sorted->as<List>() : nullptr)
    items = known->items;
  else
    for (Value& v : items) v = c.machine.unknown("of a list whose order is not known");
  if (!sorted) c.machine.call_any_times(c.get(-1, "key"));
  return Value::none();
}

Answer clear(Call& c) {
  const auto empty = [&](auto* container) {
    if (!container) return;
    c.machine.mutable_items(container).clear();
  };
  const Dict* dict = c.self.as<Dict>();
  if (dict && dict->names) {
    for (const auto& [name, value] : std::vector(dict->names->items()))
      c.machine.set(*dict->names, name, Value());
    return Value::none();
  }
  empty(c.self.as<List>());
  empty(c.self.as<Dict>());
  empty(c.self.as<Set>());
  return Value::none();
}

/// list.remove, set.remove, set.discard.
Answer remove(Call& c) {
  List* list = c.self.as<List>();
  Set* set = c.self.as<Set>();
  if (c.count() != 1 || (!list && !set)) return std::nullopt;
  auto& items = list ? c.machine.mutable_items(list) : c.machine.mutable_items(set);
  for (auto at = items.begin(); at != items.end(); ++at) {
    const auto same = c.machine.equal(*at, c.arguments[0]);
    if (same == Machine::Truth::unknown) return std::nullopt;
    if (same == Machine::Truth::no) continue;
    items.erase(at);
    return Value::none();
  }
  if (list ? list->open : set->open) return std::nullopt;
  if (c.path.ends_with("discard")) return Value::none();
  return c.machine.raise_error(list ? "ValueError" : "KeyError", "the value to remove is not there", c.node,
                               c.module);
}

Answer set_update(Call& c) {
  for (const Value& more : c.arguments) {
    const auto items = c.machine.items(more);
    if (!items) return std::nullopt;
    for (const Value& v : *items) {
      Call one{c.machine, c.path, c.self, {v}, {}, c.node, c.module};
      set_add(one);
    }
  }
  return Value::none();
}

}  // namespace

void add_container_methods(Natives& n) {
  n.method("list", "append", append);
  n.method("list", "extend", extend);
  n.method("list", "insert", insert);
  n.method("list", "pop", pop);
  n.method("list", "reverse", reverse);
  n.method("list", "sort", sort);
  n.method("list", "remove", remove);
  for (const char* kind : {"list", "tuple"}) {
    n.method(kind, "index", index_of);
    n.method(kind, "count", count_of);
  }
  n.method("list", "copy", copy);
  n.method("dict", "copy", copy);
  n.method("set", "copy", copy);
  n.method("dict", "get", dict_get);
  n.method("dict", "keys", dict_view<List::View::keys>);
  n.method("dict", "values", dict_view<List::View::values>);
  n.method("dict", "items", dict_view<List::View::items>);
  n.method("dict", "update", dict_update);
  n.method("dict", "pop", dict_pop);
  n.method("dict", "setdefault", dict_setdefault);
  n.method("set", "add", set_add);
  n.method("set", "update", set_update);
  for (const char* name : {"remove", "discard"}) n.method("set", name, remove);
  for (const char* kind : {"list", "dict", "set"}) n.method(kind, "clear", clear);
}

}  // namespace cutelab::reading::machine::python_models
