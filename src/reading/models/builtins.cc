#include <algorithm>
#include <cmath>
#include <numeric>

#include "reading/machine/machine.h"
#include "reading/models/instances.h"

// Python's own functions and the parts of its library that host code of kernels uses.
namespace cutelab::reading::machine {
namespace {
using Answer = std::optional<Value>;

Answer nothing(Call&) { return Value::none(); }
Answer first_argument(Call& c) { return c.count() ? Answer(c.arguments[0]) : std::nullopt; }

Answer len(Call& c) {
  if (c.count() != 1) return std::nullopt;
  Machine& m = c.machine;
  if (const Native native = Natives::all().find_method(
          c.arguments[0].as<Record>() ? c.arguments[0].as<Record>()->kind : std::string(), "__len__")) {
    Call inner{m, "__len__", c.arguments[0], {}, {}, c.node, c.module};
    return native(inner);
  }
  if (const auto items = m.items(c.arguments[0])) return Value::integer(static_cast<std::int64_t>(items->size()));
  if (c.arguments[0].as<Instance>()) {
    const Value method = m.attribute(c.arguments[0], "__len__", c.node, c.module);
    if (method.as<Method>()) return m.call(method, {}, {}, c.node, c.module);
  }
  return std::nullopt;
}

template <bool least>
Answer extreme(Call& c) {
  std::vector<Value> all = c.arguments;
  if (all.size() == 1) {
    const auto items = c.machine.items(all[0]);
    if (!items) return std::nullopt;
    all = *items;
  }
  if (all.empty()) return c.get(-1, "default").bound() ? Answer(c.get(-1, "default")) : std::nullopt;
  const Value key = c.get(-1, "key");
  Value best;
  Value best_key;
  for (const Value& v : all) {
    const Value k = key.bound() ? c.machine.call(key, {v}, {}, c.node, c.module) : v;
    if (c.machine.raising()) return std::nullopt;
    if (!best.bound()) {
      best = v;
      best_key = k;
      continue;
    }
    const Value less = c.machine.compare("<", least ? k : best_key, least ? best_key : k);
    if (!less.is_bool()) return less.is_unknown() ? Answer(less) : std::nullopt;
    if (less.number()) {
      best = v;
      best_key = k;
    }
  }
  return best;
}

Answer sum(Call& c) {
  const auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  Value total = c.get(1, "start", Value::integer(0));
  for (const Value& v : *items) total = c.machine.arithmetic("+", total, v);
  return total;
}

Answer prod(Call& c) {
  const auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  Value total = c.get(-1, "start", Value::integer(1));
  for (const Value& v : *items) total = c.machine.arithmetic("*", total, v);
  return total;
}

template <bool every>
Answer quantifier(Call& c) {
  const auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  bool undecided = false;
  for (const Value& v : *items) {
    const auto t = c.machine.truth(v);
    if (t == (every ? Machine::Truth::no : Machine::Truth::yes)) return Value::boolean(!every);
    undecided = undecided || t == Machine::Truth::unknown;
  }
  return undecided ? std::nullopt : Answer(Value::boolean(every));
}

Answer to_int(Call& c) {
  if (!c.count()) return Value::integer(0);
  const Value& v = c.arguments[0];
  if (v.is_integral()) return Value::integer(v.number());
  if (v.is_real() && std::abs(v.as_real()) < 9e18) return Value::integer(static_cast<std::int64_t>(v.as_real()));
  if (const Text* t = v.as<Text>()) {
    char* end = nullptr;
    const long long n = std::strtoll(t->text.c_str(), &end, c.count() > 1 && c.arguments[1].is_int() ? static_cast<int>(c.arguments[1].number()) : 10);
    while (end && *end == ' ') ++end;
    if (!t->text.empty() && *end == '\0') return Value::integer(n);
    c.machine.raise("int() of '" + t->text + "'", c.node, c.module);
    return Value();
  }
  if (const Instance* i = v.as<Instance>(); i && i->klass->is_enum) return c.machine.attribute(v, "value");
  return v.is_unknown() ? Answer(v) : std::nullopt;
}

Answer to_float(Call& c) {
  if (!c.count()) return Value::real(0);
  if (c.arguments[0].is_number()) return Value::real(c.arguments[0].as_real());
  if (const Text* t = c.arguments[0].as<Text>()) {
    char* end = nullptr;
    const double d = std::strtod(t->text.c_str(), &end);
    if (!t->text.empty() && *end == '\0') return Value::real(d);
  }
  return c.arguments[0].is_unknown() ? Answer(c.arguments[0]) : std::nullopt;
}

Answer to_bool(Call& c) {
  if (!c.count()) return Value::boolean(false);
  const auto t = c.machine.truth(c.arguments[0]);
  if (t == Machine::Truth::unknown) return c.arguments[0];
  return Value::boolean(t == Machine::Truth::yes);
}

Answer to_str(Call& c) {
  if (!c.count()) return c.machine.text("");
  return c.arguments[0].is_unknown() ? c.arguments[0] : c.machine.text(c.machine.str(c.arguments[0]));
}

Answer to_tuple(Call& c) {
  if (!c.count()) return c.machine.tuple({});
  auto items = c.machine.items(c.arguments[0]);
  return items ? Answer(c.machine.tuple(std::move(*items))) : c.arguments[0].is_unknown() ? Answer(c.arguments[0]) : std::nullopt;
}

Answer to_list(Call& c) {
  if (!c.count()) return c.machine.list({});
  auto items = c.machine.items(c.arguments[0]);
  return items ? Answer(c.machine.list(std::move(*items))) : c.arguments[0].is_unknown() ? Answer(c.arguments[0]) : std::nullopt;
}

Answer to_set(Call& c) {
  Set* out = c.machine.make<Set>();
  if (c.count()) {
    const auto items = c.machine.items(c.arguments[0]);
    if (!items) return std::nullopt;
    for (const Value& v : *items) {
      const bool there = std::any_of(out->items.begin(), out->items.end(), [&](const Value& k) { return c.machine.equal(k, v) == Machine::Truth::yes; });
      if (!there) out->items.push_back(v);
    }
  }
  return Value(out);
}

Answer to_dict(Call& c) {
  Dict* out = c.machine.make<Dict>();
  if (c.count()) {
    if (const Dict* d = c.arguments[0].as<Dict>()) {
      out->items = d->items;
    } else {
      const auto pairs = c.machine.items(c.arguments[0]);
      if (!pairs) return std::nullopt;
      for (const Value& pair : *pairs) {
        const auto two = c.machine.items(pair);
        if (!two || two->size() != 2) return std::nullopt;
        out->items.emplace_back((*two)[0], (*two)[1]);
      }
    }
  }
  for (const auto& [name, value] : c.keywords) out->items.emplace_back(c.machine.text(c.machine.name_of(name)), value);
  return Value(out);
}

Answer range(Call& c) {
  if (!c.count()) return std::nullopt;
  Range* out = c.machine.make<Range>();
  if (c.count() == 1) {
    out->end = c.arguments[0];
  } else {
    out->begin = c.arguments[0];
    out->end = c.arguments[1];
    if (c.count() > 2) out->step = c.arguments[2];
  }
  return Value(out);
}

Answer enumerate(Call& c) {
  const auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  const Value start = c.get(1, "start", Value::integer(0));
  if (!items || !start.is_integral()) return std::nullopt;
  std::vector<Value> out;
  std::int64_t i = start.number();
  for (const Value& v : *items) out.push_back(c.machine.tuple({Value::integer(i++), v}));
  return c.machine.list(std::move(out));
}

Answer zip(Call& c) {
  std::vector<std::vector<Value>> columns;
  for (const Value& a : c.arguments) {
    auto items = c.machine.items(a);
    if (!items) return std::nullopt;
    columns.push_back(std::move(*items));
  }
  std::vector<Value> out;
  for (std::size_t i = 0; !columns.empty(); ++i) {
    std::vector<Value> row;
    for (const auto& column : columns)
      if (i < column.size()) row.push_back(column[i]);
    if (row.size() < columns.size()) break;
    out.push_back(c.machine.tuple(std::move(row)));
  }
  return c.machine.list(std::move(out));
}

Answer map(Call& c) {
  if (c.count() != 2) return std::nullopt;
  const auto items = c.machine.items(c.arguments[1]);
  if (!items) return std::nullopt;
  std::vector<Value> out;
  for (const Value& v : *items) {
    out.push_back(c.machine.call(c.arguments[0], {v}, {}, c.node, c.module));
    if (c.machine.raising()) return std::nullopt;
  }
  return c.machine.list(std::move(out));
}

Answer filter(Call& c) {
  if (c.count() != 2) return std::nullopt;
  const auto items = c.machine.items(c.arguments[1]);
  if (!items) return std::nullopt;
  std::vector<Value> out;
  for (const Value& v : *items) {
    const Value keep = c.arguments[0].is_none() ? v : c.machine.call(c.arguments[0], {v}, {}, c.node, c.module);
    const auto t = c.machine.truth(keep);
    if (t == Machine::Truth::unknown) return std::nullopt;
    if (t == Machine::Truth::yes) out.push_back(v);
  }
  return c.machine.list(std::move(out));
}

Answer reversed(Call& c) {
  auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  std::reverse(items->begin(), items->end());
  return c.machine.list(std::move(*items));
}

Answer sorted(Call& c) {
  auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  const Value key = c.get(-1, "key");
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& v : *items)
    keyed.emplace_back(key.bound() && !key.is_none() ? c.machine.call(key, {v}, {}, c.node, c.module) : v, v);
  // Insertion sort: stable, and a comparison that is not decided ends it.
  for (std::size_t i = 1; i < keyed.size(); ++i)
    for (std::size_t k = i; k > 0; --k) {
      const Value less = c.machine.compare("<", keyed[k].first, keyed[k - 1].first);
      if (!less.is_bool()) return std::nullopt;
      if (!less.number()) break;
      std::swap(keyed[k], keyed[k - 1]);
    }
  std::vector<Value> out;
  for (const auto& [k, v] : keyed) out.push_back(v);
  if (c.machine.truth(c.get(-1, "reverse", Value::boolean(false))) == Machine::Truth::yes) std::reverse(out.begin(), out.end());
  return c.machine.list(std::move(out));
}

Answer absolute(Call& c) {
  if (c.count() != 1) return std::nullopt;
  if (c.arguments[0].is_integral() && c.arguments[0].number() != INT64_MIN) return Value::integer(std::abs(c.arguments[0].number()));
  if (c.arguments[0].is_real()) return Value::real(std::abs(c.arguments[0].as_real()));
  return std::nullopt;
}

Answer round(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_number()) return std::nullopt;
  return Value::integer(static_cast<std::int64_t>(std::nearbyint(c.arguments[0].as_real())));
}

Answer divmod(Call& c) {
  if (c.count() != 2) return std::nullopt;
  return c.machine.tuple({c.machine.arithmetic("//", c.arguments[0], c.arguments[1]), c.machine.arithmetic("%", c.arguments[0], c.arguments[1])});
}

Answer power(Call& c) { return c.count() == 2 ? Answer(c.machine.arithmetic("**", c.arguments[0], c.arguments[1])) : std::nullopt; }

/// The class a value is an instance of, by Python's own names; unknown for values that models make.
std::optional<bool> is_builtin(const Value& v, std::string_view type) {
  if (type == "object") return true;
  if (v.is_bool()) return type == "bool" || type == "int";
  if (v.is_int()) return type == "int" || type == "Integral";
  if (v.is_real()) return type == "float";
  if (v.is_none()) return type == "NoneType";
  const Object* o = v.object();
  if (!o || o->type == Type::unknown) return std::nullopt;
  switch (o->type) {
    case Type::text:
      return type == "str";
    case Type::tuple:
      return type == "tuple" || type == "Sequence" || type == "Iterable";
    case Type::list:
      return type == "list" || type == "Sequence" || type == "Iterable";
    case Type::dict:
      return type == "dict" || type == "Mapping";
    case Type::set:
      return type == "set";
    case Type::klass:
      return type == "type";
    case Type::function:
    case Type::method:
      return type == "Callable" || type == "FunctionType";
    default:
      return false;
  }
}

std::string_view class_name(const Value& type) {
  if (const Class* klass = type.as<Class>()) return klass->name;
  const External* library = type.as<External>();
  return library ? library->leaf() : std::string_view();
}

std::optional<bool> is_a(Machine& m, const Value& v, const Value& type, int depth = 0) {
  if (depth > 8) return std::nullopt;
  if (const auto several = type.as<Tuple>() ? m.items(type) : std::nullopt) {
    bool undecided = false;
    for (const Value& one : *several) {
      const auto answer = is_a(m, v, one, depth + 1);
      if (answer && *answer) return true;
      undecided = undecided || !answer;
    }
    return undecided ? std::nullopt : std::optional(false);
  }
  if (v.is_unknown() || type.is_unknown()) return std::nullopt;
  if (v.as<Record>() || v.as<LayoutObject>() || v.as<External>())
    if (const auto answer = model_is_a(m, v, class_name(type))) return answer;
  if (Class* klass = type.as<Class>()) {
    const Instance* i = v.as<Instance>();
    if (!i) return v.as<Record>() ? std::nullopt : std::optional(false);
    std::vector<Class*> todo{i->klass};
    for (std::size_t at = 0; at < todo.size() && at < 32; ++at) {
      if (todo[at] == klass || (todo[at]->path == klass->path)) return true;
      for (const Value& base : todo[at]->bases)
        if (Class* c = base.as<Class>()) todo.push_back(c);
    }
    return false;
  }
  const External* e = type.as<External>();
  if (!e) return std::nullopt;
  const std::string_view leaf = e->leaf();
  if (e->path.starts_with("builtins.") || e->path.starts_with("typing.") || e->path.starts_with("collections.")) return is_builtin(v, leaf);
  if (leaf == "Layout") return v.as<LayoutObject>() && v.as<LayoutObject>()->layout.plain();
  if (leaf == "ComposedLayout") return v.as<LayoutObject>() && !v.as<LayoutObject>()->layout.plain();
  if (const Record* r = v.as<Record>()) {
    if (r->kind == leaf) return true;
    const auto dot = r->path.rfind('.');
    if (r->path.substr(dot == std::string::npos ? 0 : dot + 1) == leaf) return true;
    if (Natives::all().find_method(r->kind, "__isinstance__")) {
      Call c{m, "__isinstance__", v, {type}, {}, {}, 0};
      const auto value = Natives::all().find_method(r->kind, "__isinstance__")(c);
      if (value && value->is_bool()) return value->number() != 0;
      return std::nullopt;
    }
    return e->path.starts_with("torch.") && r->kind != "torch" ? std::optional(false) : std::nullopt;
  }
  if (v.is_number() || v.is_none() || v.as<Text>() || v.as<Tuple>() || v.as<List>() || v.as<LayoutObject>()) return false;
  return std::nullopt;
}

Answer isinstance(Call& c) {
  if (c.count() != 2) return std::nullopt;
  const auto answer = is_a(c.machine, c.arguments[0], c.arguments[1]);
  return answer ? Answer(Value::boolean(*answer)) : std::nullopt;
}

Answer issubclass(Call& c) {
  if (c.count() != 2) return std::nullopt;
  if (const auto answer = model_is_subclass(c.arguments[0], class_name(c.arguments[1]))) return Value::boolean(*answer);
  Class *a = c.arguments[0].as<Class>(), *b = c.arguments[1].as<Class>();
  if (!a || !b) return std::nullopt;
  Instance* probe = c.machine.make<Instance>();
  probe->klass = a;
  const auto answer = is_a(c.machine, probe, b);
  return answer ? Answer(Value::boolean(*answer)) : std::nullopt;
}

Answer type_of(Call& c) {
  if (c.count() != 1) return std::nullopt;
  if (const Instance* i = c.arguments[0].as<Instance>()) return Value(i->klass);
  for (const char* name : {"bool", "int", "float", "str", "tuple", "list", "dict", "set"})
    if (const auto is = is_builtin(c.arguments[0], name); is && *is) return c.machine.external(std::string("builtins.") + name);
  return std::nullopt;
}

Answer getattr(Call& c) {
  const Text* name = c.count() > 1 ? c.arguments[1].as<Text>() : nullptr;
  if (!name) return std::nullopt;
  const Value found = c.machine.attribute(c.arguments[0], name->text, c.node, c.module);
  if (c.count() > 2 && found.is_unknown() && (c.arguments[0].as<Instance>() || c.arguments[0].as<Module>() || c.arguments[0].as<Class>())) return c.arguments[2];
  return found;
}

Answer hasattr(Call& c) {
  const Text* name = c.count() > 1 ? c.arguments[1].as<Text>() : nullptr;
  if (!name || c.arguments[0].is_unknown()) return std::nullopt;
  if (c.arguments[0].is_number() || c.arguments[0].is_none() || c.arguments[0].as<Text>() || c.arguments[0].as<Tuple>()) return Value::boolean(false);
  const bool own = c.arguments[0].as<Instance>() || c.arguments[0].as<Module>() || c.arguments[0].as<Class>();
  const Value found = c.machine.attribute(c.arguments[0], name->text, c.node, c.module);
  if (!found.is_unknown() && !found.as<External>()) return Value::boolean(true);
  return own ? Answer(Value::boolean(false)) : std::nullopt;
}

Answer setattr(Call& c) {
  const Text* name = c.count() > 2 ? c.arguments[1].as<Text>() : nullptr;
  if (!name) return std::nullopt;
  if (Instance* i = c.arguments[0].as<Instance>()) c.machine.set(i->attributes, c.machine.symbol(name->text), c.arguments[2]);
  return Value::none();
}

Answer callable(Call& c) {
  if (c.count() != 1 || c.arguments[0].is_unknown()) return std::nullopt;
  const Value& v = c.arguments[0];
  return Value::boolean(v.as<Function>() || v.as<Method>() || v.as<Class>() || v.as<External>());
}

Answer next(Call& c) {
  const auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  if (!items->empty()) return items->front();
  return c.count() > 1 ? Answer(c.arguments[1]) : std::nullopt;
}

template <double (*function)(double)>
Answer real_function(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_number()) return std::nullopt;
  return Value::real(function(c.arguments[0].as_real()));
}

template <bool up>
Answer whole(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_number()) return std::nullopt;
  const double d = c.arguments[0].as_real();
  return Value::integer(static_cast<std::int64_t>(up ? std::ceil(d) : std::floor(d)));
}

template <bool common>
Answer divisor(Call& c) {
  std::int64_t out = 0;
  for (const Value& v : c.arguments) {
    if (!v.is_integral()) return std::nullopt;
    const std::int64_t n = std::abs(v.number());
    out = common ? std::gcd(out, n) : (out == 0 ? n : std::lcm(out & 0x7FFFFFFF, n & 0x7FFFFFFF));
  }
  return Value::integer(out);
}

Answer bit_length(Call& c) {
  std::int64_t n = c.self.is_integral() ? std::abs(c.self.number()) : 0;
  int bits = 0;
  for (; n; n >>= 1) ++bits;
  return Value::integer(bits);
}

Answer reduce(Call& c) {
  const auto items = c.count() > 1 ? c.machine.items(c.arguments[1]) : std::nullopt;
  if (!items) return std::nullopt;
  Value total = c.count() > 2 ? c.arguments[2] : Value();
  for (const Value& v : *items) total = total.bound() ? c.machine.call(c.arguments[0], {total, v}, {}, c.node, c.module) : v;
  return total.bound() ? Answer(total) : std::nullopt;
}

/// functools.partial: a record that calls its function with the arguments it keeps.
Answer partial(Call& c) {
  if (!c.count()) return std::nullopt;
  Record* out = c.machine.record("partial", "functools.partial", &c);
  c.machine.set_field(out, "function", c.arguments[0]);
  c.machine.set_field(out, "arguments", c.machine.tuple({c.arguments.begin() + 1, c.arguments.end()}));
  Dict* named = c.machine.make<Dict>();
  for (const auto& [name, value] : c.keywords) named->items.emplace_back(c.machine.text(c.machine.name_of(name)), value);
  c.machine.set_field(out, "keywords", named);
  return Value(out);
}

Answer call_partial(Call& c) {
  Record* r = c.self.as<Record>();
  std::vector<Value> arguments = c.machine.field(r, "arguments").as<Tuple>()->items;
  arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
  auto keywords = c.keywords;
  for (const auto& [name, value] : c.machine.field(r, "keywords").as<Dict>()->items) {
    const Symbol key = c.machine.symbol(name.as<Text>()->text);
    if (std::none_of(keywords.begin(), keywords.end(), [&](const auto& k) { return k.first == key; })) keywords.emplace_back(key, value);
  }
  return c.machine.call(c.machine.field(r, "function"), std::move(arguments), std::move(keywords), c.node, c.module);
}

template <int which>
Answer operation(Call& c) {
  static constexpr const char* names[] = {"+", "-", "*", "//", "/", "%"};
  return c.count() == 2 ? Answer(c.machine.arithmetic(names[which], c.arguments[0], c.arguments[1])) : std::nullopt;
}

Answer product_of(Call& c) {
  std::vector<std::vector<Value>> rows{{}};
  for (const Value& a : c.arguments) {
    const auto items = c.machine.items(a);
    if (!items) return std::nullopt;
    std::vector<std::vector<Value>> next_rows;
    for (const auto& row : rows)
      for (const Value& v : *items) {
        next_rows.push_back(row);
        next_rows.back().push_back(v);
      }
    if (next_rows.size() > 65'536) return std::nullopt;
    rows = std::move(next_rows);
  }
  std::vector<Value> out;
  for (auto& row : rows) out.push_back(c.machine.tuple(std::move(row)));
  return c.machine.list(std::move(out));
}

Answer chain(Call& c) {
  std::vector<Value> out;
  for (const Value& a : c.arguments) {
    const auto items = c.machine.items(a);
    if (!items) return std::nullopt;
    out.insert(out.end(), items->begin(), items->end());
  }
  return c.machine.list(std::move(out));
}

Answer accumulate(Call& c) {
  const auto items = c.count() ? c.machine.items(c.arguments[0]) : std::nullopt;
  if (!items) return std::nullopt;
  std::vector<Value> out;
  for (const Value& v : *items) out.push_back(out.empty() ? v : c.machine.arithmetic("+", out.back(), v));
  return c.machine.list(std::move(out));
}

Answer dataclass_field(Call& c) {
  Record* out = c.machine.record("dataclass-field", "dataclasses.field", &c);
  for (const auto& [name, value] : c.keywords) c.machine.set(out->fields, name, value);
  return Value(out);
}

Answer replace(Call& c) {
  const Instance* i = c.count() ? c.arguments[0].as<Instance>() : nullptr;
  if (!i) return std::nullopt;
  Instance* out = c.machine.make<Instance>();
  *out = *i;
  for (const auto& [name, value] : c.keywords) out->attributes.at(name) = value;
  return Value(out);
}

Answer exit_program(Call& c) {
  c.machine.raise("the program exits", c.node, c.module);
  return Value();
}

Answer enum_auto(Call& c) { return c.machine.unknown("numbered by its enumeration", "auto", "enum.auto"); }

Answer slice_object(Call& c) {
  Slice* out = c.machine.make<Slice>();
  if (c.count() == 1) {
    out->end = c.arguments[0];
  } else if (c.count() > 1) {
    out->begin = c.arguments[0];
    out->end = c.arguments[1];
    if (c.count() > 2) out->step = c.arguments[2];
  }
  return Value(out);
}

Answer namedtuple(Call& c) {
  const auto names = c.count() > 1 ? c.machine.items(c.arguments[1]) : std::nullopt;
  if (!names || !c.arguments[1].object() || c.arguments[1].as<Text>()) return std::nullopt;
  Class* klass = c.machine.make<Class>();
  klass->is_named_tuple = true;
  klass->name = c.machine.str(c.arguments[0]);
  klass->path = klass->name;
  for (const Value& name : *names) klass->annotations.emplace_back(c.machine.symbol(c.machine.str(name)), source::Node());
  return Value(klass);
}

void add_functions(Natives& n) {
  n.function("builtins", "print", nothing);
  n.function("builtins", "len", len);
  n.function("builtins", "min", extreme<true>);
  n.function("builtins", "max", extreme<false>);
  n.function("builtins", "sum", sum);
  n.function("builtins", "all", quantifier<true>);
  n.function("builtins", "any", quantifier<false>);
  n.function("builtins", "int", to_int);
  n.function("builtins", "float", to_float);
  n.function("builtins", "bool", to_bool);
  n.function("builtins", "str", to_str);
  n.function("builtins", "repr", to_str);
  n.function("builtins", "tuple", to_tuple);
  n.function("builtins", "list", to_list);
  n.function("builtins", "iter", to_list);
  n.function("builtins", "set", to_set);
  n.function("builtins", "frozenset", to_set);
  n.function("builtins", "dict", to_dict);
  n.function("collections", "OrderedDict", to_dict);
  n.function("builtins", "range", range);
  n.function("builtins", "enumerate", enumerate);
  n.function("builtins", "zip", zip);
  n.function("builtins", "map", map);
  n.function("builtins", "filter", filter);
  n.function("builtins", "reversed", reversed);
  n.function("builtins", "sorted", sorted);
  n.function("builtins", "abs", absolute);
  n.function("builtins", "round", round);
  n.function("builtins", "divmod", divmod);
  n.function("builtins", "pow", power);
  n.function("builtins", "isinstance", isinstance);
  n.function("builtins", "issubclass", issubclass);
  n.function("builtins", "type", type_of);
  n.function("builtins", "getattr", getattr);
  n.function("builtins", "hasattr", hasattr);
  n.function("builtins", "setattr", setattr);
  n.function("builtins", "callable", callable);
  n.function("builtins", "next", next);
  n.function("builtins", "slice", slice_object);
  n.function("builtins", "exit", exit_program);
  n.function("builtins", "quit", exit_program);
  n.function("sys", "exit", exit_program);
}

void add_modules(Natives& n) {
  n.function("math", "prod", prod);
  n.function("math", "ceil", whole<true>);
  n.function("math", "floor", whole<false>);
  n.function("math", "gcd", divisor<true>);
  n.function("math", "lcm", divisor<false>);
  n.function("math", "sqrt", real_function<std::sqrt>);
  n.function("math", "log2", real_function<std::log2>);
  n.function("math", "log", real_function<std::log>);
  n.function("math", "exp", real_function<std::exp>);
  n.function("math", "log2.__get__", [](Call&) -> Answer { return std::nullopt; });
  n.function("math", "pi.__get__", [](Call&) -> Answer { return Value::real(M_PI); });
  n.function("math", "e.__get__", [](Call&) -> Answer { return Value::real(M_E); });
  n.function("math", "inf.__get__", [](Call&) -> Answer { return Value::real(INFINITY); });
  n.function("functools", "reduce", reduce);
  n.function("functools", "partial", partial);
  n.method("partial", "__call__", call_partial);
  n.function("operator", "add", operation<0>);
  n.function("operator", "sub", operation<1>);
  n.function("operator", "mul", operation<2>);
  n.function("operator", "floordiv", operation<3>);
  n.function("operator", "truediv", operation<4>);
  n.function("operator", "mod", operation<5>);
  n.function("itertools", "product", product_of);
  n.function("itertools", "chain", chain);
  n.function("itertools", "accumulate", accumulate);
  n.function("dataclasses", "field", dataclass_field);
  n.function("dataclasses", "replace", replace);
  n.function("enum", "auto", enum_auto);
  n.function("collections", "namedtuple", namedtuple);
  n.function("copy", "copy", first_argument);
  n.function("copy", "deepcopy", first_argument);
  n.function("typing", "cast", [](Call& c) -> Answer { return c.count() > 1 ? Answer(c.arguments[1]) : std::nullopt; });
  n.function("typing", "TypeVar", nothing);
  n.function("cutlass", "min", extreme<true>);
  n.function("cutlass", "max", extreme<false>);
  n.method("int", "bit_length", bit_length);
}
}  // namespace

void add_text_methods(Natives& natives);
void add_container_methods(Natives& natives);

void add_builtins(Natives& n) {
  add_functions(n);
  add_modules(n);
  add_text_methods(n);
  add_container_methods(n);
}

}  // namespace cutelab::reading::machine
