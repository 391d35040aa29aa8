#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "reading/machine/containers.h"
#include "reading/machine/interpreter.h"
#include "reading/machine/unicode.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
constexpr int deepest_expression = 400;

/// Of a literal of up to 18 decimal digits without a leading zero: nearly all are.
std::optional<std::int64_t> small_decimal(std::string_view digits) {
  if (digits.empty() || digits.size() > 18 || (digits[0] == '0' && digits.size() > 1)) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

/// Of an expression that the run ended in: it was not worked out, whatever stands for it.
Value ended_in(Machine& m, Node n) {
  const Value out = m.unknown("the run ended in it: " + m.stopped_by(), std::string(n.text().substr(0, 80)));
  out.as<Unknown>()->changed = true;
  return out;
}
}  // namespace

Value Machine::Interpreter::expression(Node n, Scope* s) {
  if (!n) return m.unknown("nothing there");
  if (stop(n, s->module)) return m.unknown("the evaluation's step limit was reached");
  if (depth_ > deepest_expression) return m.limit("the expression nests too deep");
  const bool touched = std::exchange(touched_, false);
  ++depth_;
  Value value = evaluate(n, s);
  --depth_;
  if (m.raising_) return {};
  if (!value.bound()) value = unknown_at("no value", n);
  if (stopped_) value = ended_in(m, n);
  constexpr auto bit = [](Type type) { return 1u << static_cast<unsigned>(type); };
  constexpr unsigned may_change = bit(Type::unknown) | bit(Type::list) | bit(Type::dict) | bit(Type::set);
  if (const Object* object = value.object(); object && (bit(object->type) & may_change)) note_touched(value);
  touched_ = touched_ || touched;
  if (traced(s)) m.trace_.note(s->module, n, s->activation, value);
  return value;
}

/// What is made of a value that changed in a way that is not followed: folding must not tell it otherwise.
void Machine::Interpreter::note_touched(Value& value) {
  if (Unknown* u = value.as<Unknown>()) {
    if (touched_ && !u->changed) {
      Unknown* own = m.make<Unknown>(*u);
      own->changed = true;
      value = own;
      return;
    }
    touched_ = touched_ || u->changed;
  } else if (const List* list = value.as<List>()) {
    touched_ = touched_ || list->open;
  } else if (const Dict* dict = value.as<Dict>()) {
    touched_ = touched_ || dict->open;
  } else if (const Set* set = value.as<Set>()) {
    touched_ = touched_ || set->open;
  }
}

Value Machine::Interpreter::evaluate(Node n, Scope* s) {
  switch (n.kind()) {
    case NodeKind::identifier:
      return name(n, s);
    case NodeKind::attribute: {
      const Value object = expression(n.child(Field::object_field), s);
      if (m.raising_) return {};
      return attribute(object, symbol_of(n.child(Field::attribute_field), s->module), n, s->module);
    }
    case NodeKind::call:
      return call_node(n, s);
    case NodeKind::subscript:
      return subscript_node(n, s);
    case NodeKind::generic_type:
      return generic_type(n, s);
    case NodeKind::tuple:
    case NodeKind::list:
    case NodeKind::set:
    case NodeKind::expression_list:
      return sequence(n, s);
    case NodeKind::dictionary:
      return dictionary(n, s);
    case NodeKind::list_splat:  // below a call: sequence() takes the star
    case NodeKind::parenthesized_expression:
    case NodeKind::type: {
      const auto inner = n.children().all();
      return inner.empty() ? Value() : expression(inner.front(), s);
    }
    case NodeKind::named_expression: {
      const Value value = expression(n.child(Field::value_field), s);
      if (m.raising_) return {};
      bind(n.child(Field::name_field), value, scope_of_walrus(s));
      return value;
    }
    case NodeKind::conditional_expression:
      return conditional(n, s);
    case NodeKind::binary_operator:
      return binary(n, s);
    case NodeKind::unary_operator:
      return unary(n, s);
    case NodeKind::comparison_operator:
      return comparison(n, s);
    case NodeKind::boolean_operator:
    case NodeKind::not_operator:
      return boolean_operator(n, s);
    case NodeKind::list_comprehension:
    case NodeKind::generator_expression:
    case NodeKind::set_comprehension:
    case NodeKind::dictionary_comprehension:
      return comprehension(n, s);
    case NodeKind::lambda:
      return lambda(n, s);
    case NodeKind::yield:
      return yield(n, s);
    default:
      return literal(n, s);
  }
}

Value Machine::Interpreter::binary(Node n, Scope* s) {
  const Value a = expression(n.child(Field::left_field), s);
  if (m.raising_) return {};
  const Value b = expression(n.child(Field::right_field), s);
  return m.raising_ ? Value() : m.arithmetic(n.child(Field::operator_token).text(), a, b);
}

Value Machine::Interpreter::literal(Node n, Scope* s) {
  switch (n.kind()) {
    case NodeKind::true_literal:
      return Value::boolean(true);
    case NodeKind::false_literal:
      return Value::boolean(false);
    case NodeKind::none:
      return Value::none();
    case NodeKind::ellipsis:
      return m.external("builtins.Ellipsis");
    case NodeKind::integer: {
      if (const auto small = small_decimal(n.text())) return Value::integer(*small);
      const std::string digits = replace_all(std::string(n.text()), "_", "");
      char* end = nullptr;
      errno = 0;
      const bool octal = digits.size() > 1 && digits[0] == '0' && (digits[1] == 'o' || digits[1] == 'b');
      const long long value =
          octal ? std::strtoll(digits.c_str() + 2, &end, digits[1] == 'o' ? 8 : 2)
                : std::strtoll(digits.c_str(), &end, digits.size() > 1 && digits[1] == 'x' ? 16 : 10);
      if (errno != 0 || *end != '\0') return unknown_at("an integer literal out of range", n);
      return Value::integer(value);
    }
    case NodeKind::float_literal:
      return Value::real(std::strtod(replace_all(std::string(n.text()), "_", "").c_str(), nullptr));
    case NodeKind::string:
    case NodeKind::concatenated_string:
      return text_literal(n, s);
    default:
      return unknown_at("not evaluated: " + std::string(n.kind_name()), n);
  }
}

Value Machine::Interpreter::text_literal(Node n, Scope* s) {
  if (!is_ascii(n.text()) && !(is_unicode(n.text()) && is_unicode_source(n.tree()->text()))) {
    const Value out = unknown_at("a text in an encoding that is not read", n);
    out.as<Unknown>()->changed = true;
    return out;
  }
  auto text = string_part(n, s);
  return text ? m.text(std::move(*text)) : unknown_at("a formatted string with values not known", n);
}

bool Machine::Interpreter::spread(Node n, Scope* s, std::vector<Value>& items) {
  const auto inner_nodes = n.children().all();
  if (inner_nodes.empty()) return false;
  const Value inner = expression(inner_nodes.front(), s);
  if (!m.raising_) must_be_iterable(inner, n, s->module);
  const auto known = m.raising_ ? std::nullopt : m.items_in_order(inner);
  if (!known) return false;
  items.insert(items.end(), known->begin(), known->end());
  return true;
}

namespace {
/// `*f(x), 1`: the grammar hangs the star on `f`, Python on the call's value.
bool starred_inside(Node n) {
  for (; n; n = n.is(NodeKind::call)        ? n.child(Field::function_field)
                : n.is(NodeKind::attribute) ? n.child(Field::object_field)
                                            : n.child(Field::value_field)) {
    if (n.is(NodeKind::list_splat)) return true;
    if (!n.is(NodeKind::call) && !n.is(NodeKind::attribute) && !n.is(NodeKind::subscript)) return false;
  }
  return false;
}
}  // namespace

Value Machine::Interpreter::sequence(Node n, Scope* s) {
  std::vector<Value> items;
  for (const Node c : n.children()) {
    if (!c.is(NodeKind::list_splat) && starred_inside(c)) {
      const Value inner = expression(c, s);
      const auto known = m.raising_ ? std::nullopt : m.items_in_order(inner);
      if (!known) return m.raising_ ? Value() : unknown_at("unpacks a value that is not known", c);
      items.insert(items.end(), known->begin(), known->end());
      continue;
    }
    if (c.is(NodeKind::list_splat)) {
      if (!spread(c, s, items))
        return m.raising_ ? Value() : unknown_at("unpacks a value that is not known", c);
      continue;
    }
    items.push_back(expression(c, s));
    if (m.raising_) return {};
  }
  if (constexpr std::size_t most = 65'536; items.size() > most)
    return m.limit("a sequence of more than " + std::to_string(most) + " items");
  if (n.is(NodeKind::list)) return m.list(std::move(items));
  if (n.is(NodeKind::set)) {
    SetFiller out(m);
    for (const Value& item : items) out.put(item);
    return out.set();
  }
  return m.tuple(std::move(items));
}

Value Machine::Interpreter::dictionary(Node n, Scope* s) {
  DictFiller out(m);
  for (const Node c : n.children()) {
    if (c.is(NodeKind::pair)) {
      const Value key = expression(c.child(Field::key_field), s);
      if (m.raising_) return {};
      const Value value = expression(c.child(Field::value_field), s);
      if (m.raising_) return {};
      out.put(key, value);
      if (m.raising_) return {};
    } else if (c.is(NodeKind::dictionary_splat)) {
      const Value inner = expression(c.children().all().front(), s);
      if (m.raising_) return {};
      const Dict* d = inner.as<Dict>();
      if (!d || d->open) return unknown_at("unpacks a value that is not known", c);
      for (const auto& [key, value] : d->items) out.put(key, value);
    }
  }
  return out.dict();
}

Value Machine::Interpreter::builtin(Symbol name) {
  if (patched_builtins_)
    if (const Value* own = patched_builtins_->written.find(name)) return *own;
  if (!stars_.empty())
    if (const Value hidden = hidden_by_star(name); hidden.bound()) return hidden;
  const auto [known, fresh] = builtins_.try_emplace(name);
  if (fresh) known->second = find_builtin(name);
  return known->second;
}

Value Machine::Interpreter::find_builtin(Symbol name) {
  const std::string path = "builtins." + m.name_of(name);
  static const char* const others[] = {"abs",         "aiter",
                                       "all",         "anext",
                                       "any",         "ascii",
                                       "bin",         "bool",
                                       "bytearray",   "bytes",
                                       "callable",    "chr",
                                       "classmethod", "compile",
                                       "complex",     "copyright",
                                       "credits",     "delattr",
                                       "dict",        "dir",
                                       "divmod",      "enumerate",
                                       "eval",        "exec",
                                       "exit",        "filter",
                                       "float",       "format",
                                       "frozenset",   "getattr",
                                       "globals",     "hasattr",
                                       "hash",        "help",
                                       "hex",         "id",
                                       "input",       "int",
                                       "isinstance",  "iter",
                                       "issubclass",  "len",
                                       "license",     "list",
                                       "locals",      "map",
                                       "max",         "memoryview",
                                       "min",         "next",
                                       "object",      "oct",
                                       "open",        "ord",
                                       "pow",         "print",
                                       "property",    "quit",
                                       "range",       "repr",
                                       "reversed",    "NotImplemented",
                                       "round",       "set",
                                       "setattr",     "slice",
                                       "sorted",      "str",
                                       "Ellipsis",    "staticmethod",
                                       "sum",         "super",
                                       "tuple",       "type",
                                       "vars",        "zip"};
  const std::string& plain = m.name_of(name);
  for (const char* other : others)
    if (plain == other) return m.external(path);
  if (natives.find_function(path) || is_exception_name(plain) || plain.ends_with("Error") ||
      plain.ends_with("ExceptionGroup") || plain.ends_with("Warning"))
    return m.external(path);
  return {};
}

Value Machine::Interpreter::comparison(Node n, Scope* s) {
  int more_operands = 0;  // than operators
  for (const Node c : n.children()) more_operands += c.field() == Field::operators_field ? -1 : 1;
  if (more_operands != 1) return unknown_at("malformed comparison", n);
  Value outcome = Value::boolean(true);
  Value left;
  Node compared_by;
  for (const Node c : n.children()) {
    if (c.field() == Field::operators_field) {
      compared_by = c;
      continue;
    }
    const Value right = expression(c, s);
    if (m.raising_) return compared_by ? Value() : outcome;
    if (compared_by) {
      const Value one = m.compare(compared_by.text(), left, right);
      if (one.is_bool() && one.number() == 0) return one;
      if (!one.is_bool()) outcome = one;
      if (m.raising_) return outcome;
    }
    left = right;
  }
  return outcome;
}

Value Machine::Interpreter::unary(Node n, Scope* s) {
  const Value v = expression(n.child(Field::argument_field), s);
  if (m.raising_) return {};
  const std::string_view op = n.child(Field::operator_token).text();
  if (v.is_integral() && op == "~") return Value::integer(~v.number());
  if (op == "+" && v.is_number()) return v;
  if (v.is_real() && op == "-") return Value::real(-v.as_real());
  if (v.as<Instance>()) {
    const Value made = m.by_special(v, op == "-" ? "__neg__" : op == "+" ? "__pos__" : "__invert__");
    return made.bound() || m.raising_ ? made : unknown_at("not evaluated", n);
  }
  if (op == "-" && !v.as<Dict>()) return m.arithmetic("-", Value::integer(0), v);  // -Counter() is a Counter
  return v.is_unknown() ? v : unknown_at("not evaluated", n);
}

Value Machine::Interpreter::lambda(Node n, Scope* s) {
  Function* f = m.make<Function>();
  f->module = s->module;
  f->node = n;
  f->closure = s;
  f->path = "lambda";
  f->is_jit = s->is_jit;
  make_defaults(f, s);
  return f;
}

std::string Machine::Interpreter::why(const Value& v) {
  if (const Unknown* u = v.as<Unknown>()) return u->reason;
  if (const External* e = v.as<External>()) return e->path;
  if (const Record* r = v.as<Record>()) return r->path;
  return "a value of another kind";
}

}  // namespace cutelab::reading::machine
