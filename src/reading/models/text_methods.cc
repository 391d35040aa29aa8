#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "reading/models/python_models.h"

// Methods of str, list, dict, tuple and set.
namespace cutelab::reading::machine::python_models {

const std::string* self_text(const Call& c) { return c.self.as<Text>() ? &c.self.as<Text>()->text : nullptr; }
const std::string* argument_text(const Call& c, std::size_t i) {
  return i < c.count() && c.arguments[i].as<Text>() ? &c.arguments[i].as<Text>()->text : nullptr;
}

template <int (*change)(int)>
Answer changed(Call& c) {
  std::string out = *self_text(c);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char ch) { return static_cast<char>(change(ch)); });
  return c.machine.text(std::move(out));
}

Answer strip(Call& c) {
  if (const std::string* set = argument_text(c, 0)) {
    const std::string& s = *self_text(c);
    const auto begin = s.find_first_not_of(*set);
    if (begin == std::string::npos) return c.machine.text("");
    return c.machine.text(s.substr(begin, s.find_last_not_of(*set) - begin + 1));
  }
  return c.machine.text(std::string(trim(*self_text(c))));
}

Answer split_text(Call& c) {
  std::vector<Value> out;
  const std::string& s = *self_text(c);
  if (const std::string* by = argument_text(c, 0); by && !by->empty()) {
    std::size_t at = 0;
    for (;;) {
      const auto next = s.find(*by, at);
      out.push_back(c.machine.text(s.substr(at, next == std::string::npos ? next : next - at)));
      if (next == std::string::npos) break;
      at = next + by->size();
    }
  } else {
    std::size_t at = 0;
    while ((at = s.find_first_not_of(" \t\n", at)) != std::string::npos) {
      const auto end = s.find_first_of(" \t\n", at);
      out.push_back(c.machine.text(s.substr(at, end == std::string::npos ? end : end - at)));
      if (end == std::string::npos) break;
      at = end;
    }
  }
  return c.machine.list(std::move(out));
}

Answer join_texts(Call& c) {
  const auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Text* t = (*items)[i].as<Text>();
    if (!t) return std::nullopt;
    out += (i ? *self_text(c) : "") + t->text;
  }
  return c.machine.text(std::move(out));
}

template <bool begin>
Answer affix(Call& c) {
  std::vector<Value> candidates = c.arguments;
  if (c.count() == 1 && c.arguments[0].as<Tuple>()) candidates = c.arguments[0].as<Tuple>()->items;
  for (const Value& v : candidates) {
    const Text* t = v.as<Text>();
    if (!t) return std::nullopt;
    if (begin ? self_text(c)->starts_with(t->text) : self_text(c)->ends_with(t->text))
      return Value::boolean(true);
  }
  return Value::boolean(false);
}

Answer replace_text(Call& c) {
  const std::string *from = argument_text(c, 0), *to = argument_text(c, 1);
  if (!from || !to || from->empty()) return std::nullopt;
  return c.machine.text(replace_all(*self_text(c), *from, *to));
}

Answer is_digits(Call& c) {
  const std::string& s = *self_text(c);
  return Value::boolean(!s.empty() &&
                        std::all_of(s.begin(), s.end(), [](char ch) { return ch >= '0' && ch <= '9'; }));
}

Answer format_text(Call& c) {
  std::string out;
  const std::string& s = *self_text(c);
  std::size_t next = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '{' && i + 1 < s.size() && s[i + 1] == '}' && next < c.count()) {
      if (c.arguments[next].is_unknown()) return std::nullopt;
      out += c.machine.str(c.arguments[next++]);
      ++i;
    } else {
      out += s[i];
    }
  }
  return c.machine.text(std::move(out));
}

Answer find_text(Call& c) {
  const std::string* what = argument_text(c, 0);
  if (!what) return std::nullopt;
  const auto at = self_text(c)->find(*what);
  return Value::integer(at == std::string::npos ? -1 : static_cast<std::int64_t>(at));
}

Answer append(Call& c) {
  if (c.count() != 1) return std::nullopt;
  c.machine.mutable_items(c.self.as<List>()).push_back(c.arguments[0]);
  return Value::none();
}

Answer extend(Call& c) {
  const auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  auto& own = c.machine.mutable_items(c.self.as<List>());
  if (!items) {
    c.self.as<List>()->open = true;
    return Value::none();
  }
  if (own.size() + items->size() > 1u << 20) {
    c.machine.raise("MemoryError: a list of more than a million items", c.node, c.module);
    return Value::none();
  }
  own.insert(own.end(), items->begin(), items->end());
  return Value::none();
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
  auto& own = c.machine.mutable_items(c.self.as<List>());
  if (own.empty()) return std::nullopt;
  std::int64_t at = c.count() && c.arguments[0].is_integral() ? c.arguments[0].number() : -1;
  if (at < 0) at += static_cast<std::int64_t>(own.size());
  if (at < 0 || at >= static_cast<std::int64_t>(own.size())) return std::nullopt;
  const Value out = own[static_cast<std::size_t>(at)];
  own.erase(own.begin() + at);
  return out;
}

Answer reverse(Call& c) {
  auto& own = c.machine.mutable_items(c.self.as<List>());
  std::reverse(own.begin(), own.end());
  return Value::none();
}

Answer index_of(Call& c) {
  const auto items = c.machine.items(c.self);
  if (!items || !c.count()) return std::nullopt;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto same = c.machine.equal((*items)[i], c.arguments[0]);
    if (same == Machine::Truth::unknown) return std::nullopt;
    if (same == Machine::Truth::yes) return Value::integer(static_cast<std::int64_t>(i));
  }
  c.machine.raise("the value is not in the sequence", c.node, c.module);
  return Value();
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
    return Value(out);
  }
  return c.self;
}

Answer dict_get(Call& c) {
  if (!c.count()) return std::nullopt;
  for (const auto& [key, value] : c.self.as<Dict>()->items) {
    const auto same = c.machine.equal(key, c.arguments[0]);
    if (same == Machine::Truth::yes) return value;
    if (same == Machine::Truth::unknown) return std::nullopt;
  }
  return c.count() > 1 ? c.arguments[1] : Value::none();
}

template <int what>
Answer dict_view(Call& c) {
  std::vector<Value> out;
  for (const auto& [key, value] : c.self.as<Dict>()->items)
    out.push_back(what == 0 ? key : what == 1 ? value : c.machine.tuple({key, value}));
  return c.machine.list(std::move(out));
}

void put(Machine& m, Dict* dict, const Value& key, const Value& value) {
  auto& items = m.mutable_items(dict);
  for (auto& [k, v] : items)
    if (m.equal(k, key) == Machine::Truth::yes) {
      v = value;
      return;
    }
  items.emplace_back(key, value);
}

Answer dict_update(Call& c) {
  Dict* own = c.self.as<Dict>();
  if (c.count())
    if (const Dict* other = c.arguments[0].as<Dict>())
      for (const auto& [key, value] : other->items) put(c.machine, own, key, value);
  for (const auto& [name, value] : c.keywords)
    put(c.machine, own, c.machine.text(c.machine.name_of(name)), value);
  return Value::none();
}

Answer dict_setdefault(Call& c) {
  Dict* dict = c.self.as<Dict>();
  if (!dict || c.count() < 1) return std::nullopt;
  for (const auto& [key, value] : dict->items) {
    const auto same = c.machine.equal(key, c.arguments[0]);
    if (same == Machine::Truth::yes) return value;
    if (same == Machine::Truth::unknown) return std::nullopt;
  }
  const Value value = c.count() > 1 ? c.arguments[1] : Value::none();
  c.machine.mutable_items(dict).emplace_back(c.arguments[0], value);
  return value;
}

Answer dict_pop(Call& c) {
  if (!c.count()) return std::nullopt;
  auto& items = c.machine.mutable_items(c.self.as<Dict>());
  for (std::size_t i = 0; i < items.size(); ++i)
    if (c.machine.equal(items[i].first, c.arguments[0]) == Machine::Truth::yes) {
      const Value out = items[i].second;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
      return out;
    }
  return c.count() > 1 ? Answer(c.arguments[1]) : std::nullopt;
}

Answer set_add(Call& c) {
  if (!c.count()) return std::nullopt;
  Set* own = c.self.as<Set>();
  for (const Value& v : own->items)
    if (c.machine.equal(v, c.arguments[0]) == Machine::Truth::yes) return Value::none();
  c.machine.mutable_items(own).push_back(c.arguments[0]);
  return Value::none();
}
Answer sort(Call& c) {
  List* list = c.self.as<List>();
  Call all{c.machine, c.path, {}, {c.self}, c.keywords, c.node, c.module, c.complete};
  const Answer sorted = ordered(all);
  auto& items = c.machine.mutable_items(list);
  if (const List* known = sorted ? sorted->as<List>() : nullptr)
    items = known->items;
  else
    for (Value& v : items) v = c.machine.unknown("of a list whose order is not known");
  return Value::none();
}

Answer clear(Call& c) {
  if (List* list = c.self.as<List>()) c.machine.mutable_items(list).clear();
  if (Dict* dict = c.self.as<Dict>()) c.machine.mutable_items(dict).clear();
  if (Set* set = c.self.as<Set>()) c.machine.mutable_items(set).clear();
  return Value::none();
}

/// list.remove, set.remove, set.discard.
Answer remove(Call& c) {
  List* list = c.self.as<List>();
  Set* set = c.self.as<Set>();
  if (!c.count() || (!list && !set)) return std::nullopt;
  auto& items = list ? c.machine.mutable_items(list) : c.machine.mutable_items(set);
  for (auto at = items.begin(); at != items.end(); ++at) {
    const auto same = c.machine.equal(*at, c.arguments[0]);
    if (same == Machine::Truth::unknown) break;
    if (same == Machine::Truth::no) continue;
    items.erase(at);
    return Value::none();
  }
  return c.path.ends_with("discard") ? Answer(Value::none()) : std::nullopt;
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

void add_text_methods(Natives& n) {
  n.method("str", "lower", changed<std::tolower>);
  n.method("str", "upper", changed<std::toupper>);
  n.method("str", "strip", strip);
  n.method("str", "lstrip", strip);
  n.method("str", "rstrip", strip);
  n.method("str", "split", split_text);
  n.method("str", "join", join_texts);
  n.method("str", "startswith", affix<true>);
  n.method("str", "endswith", affix<false>);
  n.method("str", "replace", replace_text);
  n.method("str", "isdigit", is_digits);
  n.method("str", "format", format_text);
  n.method("str", "find", find_text);
}

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
  n.method("dict", "get", dict_get);
  n.method("dict", "keys", dict_view<0>);
  n.method("dict", "values", dict_view<1>);
  n.method("dict", "items", dict_view<2>);
  n.method("dict", "update", dict_update);
  n.method("dict", "pop", dict_pop);
  n.method("dict", "setdefault", dict_setdefault);
  n.method("set", "add", set_add);
  n.method("set", "update", set_update);
  for (const char* name : {"remove", "discard"}) n.method("set", name, remove);
  for (const char* kind : {"list", "dict", "set"}) n.method(kind, "clear", clear);
}

}  // namespace cutelab::reading::machine::python_models
