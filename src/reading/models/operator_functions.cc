#include "base/text.h"
#include "reading/models/arguments.h"
#include "reading/models/python_models.h"

// operator: what Python's operators do, as functions.
namespace cutelab::reading::machine::python_models {
namespace {
struct Named {
  const char *name, *op;
};
constexpr Named binary[] = {{"add", "+"},     {"sub", "-"},  {"mul", "*"},  {"floordiv", "//"},
                            {"truediv", "/"}, {"mod", "%"},  {"pow", "**"}, {"lshift", "<<"},
                            {"rshift", ">>"}, {"and_", "&"}, {"or_", "|"},  {"xor", "^"},
                            {"concat", "+"}};
constexpr Named comparisons[] = {{"lt", "<"},  {"le", "<="}, {"gt", ">"},   {"ge", ">="},
                                 {"eq", "=="}, {"ne", "!="}, {"is_", "is"}, {"is_not", "is not"}};

const char* named_by(const Call& c, const auto& table) {
  for (const Named& one : table)
    if (leaf_name(c.path) == one.name) return one.op;
  return nullptr;
}

Answer binary_operation(Call& c) {
  const char* op = c.count() == 2 ? named_by(c, binary) : nullptr;
  return op ? Answer(c.machine.arithmetic(op, c.arguments[0], c.arguments[1])) : std::nullopt;
}

Answer comparison(Call& c) {
  const char* op = c.count() == 2 ? named_by(c, comparisons) : nullptr;
  return op ? Answer(c.machine.compare(op, c.arguments[0], c.arguments[1])) : std::nullopt;
}

Answer negative(Call& c) {
  if (c.count() != 1 || !c.arguments[0].is_number()) return std::nullopt;
  const Value& v = c.arguments[0];
  if (v.is_real()) return Value::real(-v.as_real());
  return v.number() == INT64_MIN ? std::nullopt : Answer(Value::integer(-v.number()));
}

Answer inverted(Call& c) {
  return c.count() == 1 && c.arguments[0].is_integral() ? Answer(Value::integer(~c.arguments[0].number()))
                                                        : std::nullopt;
}

template <bool negated>
Answer truth_of(Call& c) {
  const auto t = c.count() == 1 ? c.machine.truth(c.arguments[0]) : Machine::Truth::unknown;
  return t == Machine::Truth::unknown ? std::nullopt
                                      : Answer(Value::boolean((t == Machine::Truth::yes) != negated));
}

Answer contains(Call& c) {
  return c.count() == 2 ? Answer(c.machine.compare("in", c.arguments[1], c.arguments[0])) : std::nullopt;
}

Answer item_of(Call& c) {
  return c.count() == 2 ? Answer(c.machine.subscript(c.arguments[0], c.arguments[1], c.node)) : std::nullopt;
}

Answer index(Call& c) {
  return c.count() == 1 && c.arguments[0].is_integral() ? Answer(Value::integer(c.arguments[0].number()))
                                                        : std::nullopt;
}

/// itemgetter(…), attrgetter(…), methodcaller(name, …): a record that keeps what it is given.
template <int kind>
Answer getter(Call& c) {
  static constexpr const char* kinds[] = {"itemgetter", "attrgetter", "methodcaller"};
  if (!c.count() || !c.complete || (kind < 2 && !c.keywords.empty())) return std::nullopt;
  for (const Value& v : c.arguments)
    if (kind == 1 && !v.as<Text>()) return std::nullopt;
  if (kind == 2 && !c.arguments[0].as<Text>()) return std::nullopt;
  Dict* named = c.machine.make<Dict>();
  for (const auto& [name, value] : c.keywords)
    named->items.emplace_back(c.machine.text(c.machine.name_of(name)), value);
  return Value(record_of(c, kinds[kind], {{"arguments", c.machine.tuple(c.arguments)}, {"keywords", named}}));
}

/// The value, or a tuple of several.
Answer one_or_all(Call& c, std::vector<Value> out) {
  if (c.machine.raising()) return Value();
  return out.size() == 1 ? out.front() : c.machine.tuple(std::move(out));
}

Answer get_items(Call& c) {
  if (c.count() != 1) return std::nullopt;
  std::vector<Value> out;
  for (const Value& key : c.machine.field(c.self.as<Record>(), "arguments").as<Tuple>()->items) {
    out.push_back(c.machine.subscript(c.arguments[0], key, c.node));
    if (c.machine.raising()) return Value();
  }
  return one_or_all(c, std::move(out));
}

Answer get_attributes(Call& c) {
  if (c.count() != 1) return std::nullopt;
  std::vector<Value> out;
  for (const Value& names : c.machine.field(c.self.as<Record>(), "arguments").as<Tuple>()->items) {
    Value at = c.arguments[0];
    for (const auto name : split(names.as<Text>()->text, '.')) {
      at = c.machine.attribute(at, name, c.node, c.module);
      if (c.machine.raising()) return Value();
    }
    out.push_back(at);
  }
  return one_or_all(c, std::move(out));
}

Answer call_method_named(Call& c) {
  if (c.count() != 1) return std::nullopt;
  Machine& m = c.machine;
  const auto& kept = m.field(c.self.as<Record>(), "arguments").as<Tuple>()->items;
  const Value method = m.attribute(c.arguments[0], kept[0].as<Text>()->text, c.node, c.module);
  if (m.raising()) return Value();
  std::vector<std::pair<Symbol, Value>> keywords;
  for (const auto& [name, value] : m.field(c.self.as<Record>(), "keywords").as<Dict>()->items)
    keywords.emplace_back(m.symbol(name.as<Text>()->text), value);
  return m.call(method, {kept.begin() + 1, kept.end()}, std::move(keywords), c.node, c.module);
}
}  // namespace

void add_operators(Natives& n) {
  for (const Named& one : binary) n.function("operator", one.name, binary_operation);
  for (const Named& one : comparisons) n.function("operator", one.name, comparison);
  n.function("operator", "neg", negative);
  n.function("operator", "inv", inverted);
  n.function("operator", "invert", inverted);
  n.function("operator", "not_", truth_of<true>);
  n.function("operator", "truth", truth_of<false>);
  n.function("operator", "contains", contains);
  n.function("operator", "getitem", item_of);
  n.function("operator", "index", index);
  n.function("operator", "itemgetter", getter<0>);
  n.function("operator", "attrgetter", getter<1>);
  n.function("operator", "methodcaller", getter<2>);
  n.method("itemgetter", "__call__", get_items);
  n.method("attrgetter", "__call__", get_attributes);
  n.method("methodcaller", "__call__", call_method_named);
}

}  // namespace cutelab::reading::machine::python_models
