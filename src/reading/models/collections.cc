#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "reading/models/arguments.h"
#include "reading/models/python_models.h"

// collections: namedtuple, defaultdict, Counter, OrderedDict.
namespace cutelab::reading::machine::python_models {
namespace {
/// "a, b c" or a sequence of names; nullopt: not known.
std::optional<std::vector<std::string>> field_names(Machine& m, const Value& given) {
  std::vector<std::string> out;
  if (const Text* text = given.as<Text>()) {
    std::string spaced = text->text;
    std::replace(spaced.begin(), spaced.end(), ',', ' ');
    for (const auto part : split(spaced, ' '))
      if (!trim(part).empty()) out.emplace_back(trim(part));
    return out;
  }
  const auto items = m.items_in_order(given);
  if (!items) return std::nullopt;
  for (const Value& item : *items) {
    if (!item.as<Text>()) return std::nullopt;
    out.push_back(item.as<Text>()->text);
  }
  return out;
}

bool is_keyword(const std::string& name) {
  static constexpr std::string_view keywords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return std::find(std::begin(keywords), std::end(keywords), name) != std::end(keywords);
}

bool is_field_name(const std::string& name) {
  return !name.empty() && !is_keyword(name) && name[0] != '_' && (name[0] < '0' || name[0] > '9') &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return c == '_' || std::isalnum(c) != 0; });
}

Answer namedtuple(Call& c) {
  Machine& m = c.machine;
  const Value name = c.get(0, "typename"), given = c.get(1, "field_names"),
              defaults = c.get(-1, "defaults", Value::none()), rename = c.get(-1, "rename");
  const auto names = given.bound() ? field_names(m, given) : std::nullopt;
  if (!names || !name.as<Text>() || !c.complete || rename.bound()) return std::nullopt;
  for (std::size_t i = 0; i < names->size(); ++i)
    if (!is_field_name((*names)[i]) || std::count(names->begin(), names->end(), (*names)[i]) > 1)
      return m.raise_error("ValueError", "no name of a field: '" + (*names)[i] + "'", c.node, c.module);
  Class* klass = m.make<Class>();
  klass->is_named_tuple = true;
  klass->module = c.module;
  klass->name = klass->path = name.as<Text>()->text;
  for (const std::string& field : *names) klass->annotations.emplace_back(m.symbol(field), source::Node());
  const auto values = defaults.is_none() ? std::optional(std::vector<Value>()) : m.items_in_order(defaults);
  if (!values) return std::nullopt;
  if (values->size() > names->size())
    return m.raise_error("TypeError", "more defaults than fields", c.node, c.module);
  const std::size_t first = names->size() - values->size();
  for (std::size_t i = 0; i < values->size(); ++i)
    klass->attributes.at(m.symbol((*names)[first + i])) = (*values)[i];
  return Value(klass);
}

/// namedtuple._replace(…): by its class, so that what is no field is refused.
Answer replace_fields(Call& c) {
  const Tuple* self = c.self.as<Tuple>();
  if (!self || !self->of || c.count() || !c.complete) return std::nullopt;
  Tuple* out = c.machine.make<Tuple>(*self);
  for (const auto& [name, value] : c.keywords) {
    const auto at = std::find(self->names.begin(), self->names.end(), name);
    if (at == self->names.end())
      return c.machine.raise_error("ValueError", "no field '" + c.machine.name_of(name) + "'", c.node,
                                   c.module);
    out->items[static_cast<std::size_t>(at - self->names.begin())] = value;
  }
  return Value(out);
}

Answer fields_as_dict(Call& c) {
  const Tuple* self = c.self.as<Tuple>();
  if (!self || !self->of || c.count()) return std::nullopt;
  Dict* out = c.machine.make<Dict>();
  for (std::size_t i = 0; i < self->items.size(); ++i)
    out->items.emplace_back(c.machine.text(c.machine.name_of(self->names[i])), self->items[i]);
  return Value(out);
}

Answer make_from_items(Call& c) {
  const Class* klass = c.self.as<Class>();
  const auto items = klass && klass->is_named_tuple && c.count() == 1
                         ? c.machine.items_in_order(c.arguments[0])
                         : std::nullopt;
  return items ? Answer(c.machine.call(c.self, *items, {}, c.node, c.module)) : std::nullopt;
}

/// A new dict of that form from what dict() takes, `from` the first of the arguments.
Answer filled(Call& c, Dict::Form form, std::size_t from) {
  Call inner{c.machine,  "builtins.dict",
             {},         {c.arguments.begin() + static_cast<std::ptrdiff_t>(from), c.arguments.end()},
             c.keywords, c.node,
             c.module,   c.complete};
  const Answer out = to_dict(inner);
  if (out && out->as<Dict>()) out->as<Dict>()->form = form;
  return out;
}

Answer ordered_dict(Call& c) { return c.complete ? filled(c, Dict::Form::ordered, 0) : std::nullopt; }

Answer defaultdict(Call& c) {
  if (!c.complete) return std::nullopt;
  const Answer out = filled(c, Dict::Form::defaulting, c.count() ? 1 : 0);
  if (out && out->as<Dict>()) out->as<Dict>()->factory = c.count() ? c.arguments[0] : Value::none();
  return out;
}

/// Adds a count to that of a key; false: not known.
bool add_count(Machine& m, Dict* counter, const Value& key, const Value& more, bool add) {
  Value before = Value::integer(0);
  for (const auto& [own, value] : counter->items) {
    const auto same = m.equal(own, key);
    if (same == Machine::Truth::unknown) return false;
    if (same == Machine::Truth::yes) before = value;
  }
  m.put(counter, key, m.arithmetic(add ? "+" : "-", before, more));
  return true;
}

bool count_into(Call& c, Dict* counter, bool add) {
  Machine& m = c.machine;
  if (!c.complete || c.count() > 1 || counter->open) return false;
  bool known = true;
  const Dict* other = c.count() ? c.arguments[0].as<Dict>() : nullptr;
  if (other && other->open) return false;
  const bool none = c.count() && c.arguments[0].is_none();
  const auto items =
      c.count() && !other && !none ? m.items(c.arguments[0]) : std::optional(std::vector<Value>());
  if (!items) return false;
  for (const Value& key : *items) {
    known = known && add_count(m, counter, key, Value::integer(1), add);
    if (m.raising()) return true;
  }
  if (other)
    for (const auto& [key, value] : std::vector(other->items))
      known = known && add_count(m, counter, key, value, add);
  for (const auto& [name, value] : c.keywords)
    known = known && add_count(m, counter, m.text(m.name_of(name)), value, add);
  return known;
}

Answer counter(Call& c) {
  Dict* out = c.machine.make<Dict>();
  out->form = Dict::Form::counting;
  const bool known = count_into(c, out, true);
  if (c.machine.raising()) return Value();
  return known ? Answer(Value(out)) : std::nullopt;
}

const Dict* counting_self(const Call& c) {
  const Dict* self = c.self.as<Dict>();
  return self && self->form == Dict::Form::counting && !self->open ? self : nullptr;
}

/// Those of equal counts in the order in which they came.
Answer most_common(Call& c) {
  const Dict* self = counting_self(c);
  const Value n = c.get(0, "n", Value::none());
  if (!self || !(n.is_none() || n.is_integral())) return std::nullopt;
  auto items = self->items;
  for (const auto& [key, count] : items)
    if (!count.is_integral()) return std::nullopt;
  std::stable_sort(items.begin(), items.end(),
                   [](const auto& a, const auto& b) { return a.second.number() > b.second.number(); });
  if (n.is_integral())
    items.resize(std::min(items.size(), static_cast<std::size_t>(std::max<std::int64_t>(n.number(), 0))));
  std::vector<Value> out;
  for (const auto& [key, count] : items) out.push_back(c.machine.tuple({key, count}));
  return c.machine.list(std::move(out));
}

Answer elements(Call& c) {
  const Dict* self = counting_self(c);
  if (!self) return std::nullopt;
  std::vector<Value> out;
  for (const auto& [key, count] : self->items) {
    if (!count.is_integral() || count.number() > 65'536) return std::nullopt;
    for (std::int64_t i = 0; i < count.number(); ++i) out.push_back(key);
    if (out.size() > 65'536) return std::nullopt;
  }
  return Value(c.machine.iterator(c.machine.tuple(std::move(out))));
}

Answer total(Call& c) {
  const Dict* self = counting_self(c);
  if (!self) return std::nullopt;
  Value out = Value::integer(0);
  for (const auto& [key, count] : self->items) out = c.machine.arithmetic("+", out, count);
  return out;
}

/// dict.popitem(), OrderedDict.popitem(last=False)
Answer pop_item(Call& c) {
  Dict* self = c.self.as<Dict>();
  const auto last = c.machine.truth(c.get(0, "last", Value::boolean(true)));
  if (!self || self->open || self->names || last == Machine::Truth::unknown) return std::nullopt;
  if (self->items.empty())
    return c.machine.raise_error("KeyError", "popitem(): dictionary is empty", c.node, c.module);
  auto& items = c.machine.mutable_items(self);
  const auto at = last == Machine::Truth::yes ? items.end() - 1 : items.begin();
  const Value out = c.machine.tuple({at->first, at->second});
  items.erase(at);
  return out;
}

Answer move_to_end(Call& c) {
  Dict* self = c.self.as<Dict>();
  const auto last = c.machine.truth(c.get(1, "last", Value::boolean(true)));
  if (!self || self->open || self->form != Dict::Form::ordered || !c.count() ||
      last == Machine::Truth::unknown)
    return std::nullopt;
  for (std::size_t i = 0; i < self->items.size(); ++i) {
    const auto same = c.machine.equal(self->items[i].first, c.arguments[0]);
    if (same == Machine::Truth::unknown) return std::nullopt;
    if (same == Machine::Truth::no) continue;
    auto& items = c.machine.mutable_items(self);
    const auto moved = items[i];
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    items.insert(last == Machine::Truth::yes ? items.end() : items.begin(), moved);
    return Value::none();
  }
  return c.machine.raise_error("KeyError", c.machine.repr(c.arguments[0]), c.node, c.module);
}

/// dict.fromkeys(keys, value)
Answer from_keys(Call& c) {
  const auto keys = c.count() ? c.machine.items_in_order(c.arguments[0]) : std::nullopt;
  if (!keys || c.count() > 2) return std::nullopt;
  Dict* out = c.machine.make<Dict>();
  for (const Value& key : *keys) {
    c.machine.put(out, key, c.count() > 1 ? c.arguments[1] : Value::none());
    if (c.machine.raising()) return Value();
  }
  return Value(out);
}
}  // namespace

template <bool more>
Answer count_more(Call& c) {
  Dict* self = c.self.as<Dict>();
  if (!self || self->form != Dict::Form::counting || !count_into(c, self, more)) return std::nullopt;
  return c.machine.raising() ? Value() : Value::none();
}
template Answer count_more<true>(Call& call);

void add_collections(Natives& n) {
  n.function("collections", "namedtuple", namedtuple);
  n.function("collections", "OrderedDict", ordered_dict);
  n.function("collections", "defaultdict", defaultdict);
  n.function("collections", "Counter", counter);
  n.method("tuple", "_replace", replace_fields);
  n.method("tuple", "_asdict", fields_as_dict);
  n.method("class", "_make", make_from_items);
  n.method("dict", "most_common", most_common);
  n.method("dict", "elements", elements);
  n.method("dict", "total", total);
  n.method("dict", "subtract", count_more<false>);
  n.method("dict", "popitem", pop_item);
  n.method("dict", "move_to_end", move_to_end);
  n.function("builtins", "dict.fromkeys", from_keys);
}

}  // namespace cutelab::reading::machine::python_models
