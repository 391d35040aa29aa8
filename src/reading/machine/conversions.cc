#include <algorithm>

#include "base/text.h"
#include "layout/parse.h"
#include "reading/machine/interpreter.h"
#include "reading/machine/texts.h"

namespace cutelab::reading::machine {
namespace {

std::optional<std::vector<Value>> integer_list(std::string_view text) {
  std::vector<Value> items;
  for (const auto part : split(text, ',')) {
    if (trim(part).empty()) continue;
    const auto n = parse_integer(trim(part));
    if (!n) return std::nullopt;
    items.push_back(Value::integer(*n));
  }
  return items;
}
}  // namespace

std::string Machine::str(const Value& v) {
  if (const Text* t = v.as<Text>()) return t->text;
  if (const Record* r = v.as<Record>(); r && r->kind == "Path") return str(field(r, "text"));
  return repr(v);
}

std::string Machine::repr(const Value& v) {
  constexpr std::size_t most_spelled = 65'536, deepest = 64;
  if (spelling_.empty()) spelled_ = 0;
  if (++spelled_ > most_spelled || spelling_.size() >= deepest) return "...";
  const Object* object = v.object();
  if (object && std::find(spelling_.begin(), spelling_.end(), object) != spelling_.end()) return "...";
  spelling_.push_back(object);
  std::string out = spelled(v);
  spelling_.pop_back();
  return out;
}

std::string Machine::spelled(const Value& v) {
  if (v.is_none()) return "None";
  if (v.is_bool()) return v.number() ? "True" : "False";
  if (v.is_int()) return std::to_string(v.number());
  if (v.is_real()) return real_text(v.as_real());
  const auto joined = [&](const std::vector<Value>& items, const char* open, const char* close) {
    std::string out = open;
    for (std::size_t i = 0; i < items.size(); ++i) out += (i ? ", " : "") + repr(items[i]);
    if (items.size() == 1 && open[0] == '(') out += ",";
    return out + close;
  };
  if (const Text* t = v.as<Text>()) return quoted(t->text);
  if (const Tuple* t = v.as<Tuple>()) return joined(t->items, "(", ")");
  if (const List* l = v.as<List>()) return joined(l->items, "[", "]");
  if (const Set* s = v.as<Set>()) return s->items.empty() ? "set()" : joined(s->items, "{", "}");
  if (v.as<Iterator>()) return "<iterator>";
  if (const Range* r = v.as<Range>(); r && r->begin.is_int() && r->end.is_int() && r->step.is_int())
    return "range(" + repr(r->begin) + ", " + repr(r->end) +
           (r->step.number() == 1 ? ")" : ", " + repr(r->step) + ")");
  if (const Dict* d = v.as<Dict>()) {
    std::string out = "{";
    for (std::size_t i = 0; i < d->items.size(); ++i)
      out += (i ? ", " : "") + repr(d->items[i].first) + ": " + repr(d->items[i].second);
    return out + "}";
  }
  if (const LayoutObject* l = v.as<LayoutObject>()) return layout::print(l->layout, layout::Notation::dsl);
  if (const External* e = v.as<External>()) return std::string(e->leaf());
  if (const Function* f = v.as<Function>()) return f->path;
  if (const Class* c = v.as<Class>()) return c->name;
  if (const Instance* i = v.as<Instance>()) {
    if (i->klass->is_enum)
      if (const Value* name = i->attributes.find(symbol("name"))) return i->klass->name + "." + str(*name);
    return "<" + i->klass->name + ">";
  }
  if (const Record* r = v.as<Record>()) {
    const Value name = field(r, "name");
    return name.as<Text>() ? name.as<Text>()->text : "<" + r->kind + ">";
  }
  return "?";
}

Value Machine::from_text(const std::string& written) {
  const std::string_view t = trim(written);
  if (const auto n = parse_integer(t)) return Value::integer(*n);
  if (t == "true" || t == "True") return Value::boolean(true);
  if (t == "false" || t == "False") return Value::boolean(false);
  if (t == "none" || t == "None") return Value::none();
  std::string inner(t);
  if (inner.size() > 1 && (inner.front() == '(' || inner.front() == '['))
    inner = inner.substr(1, inner.size() - 2);
  std::string commas = inner;
  for (char& c : commas)
    if (c == 'x') c = ',';
  if (commas.find(',') != std::string::npos)
    if (auto list = integer_list(commas)) return tuple(std::move(*list));
  return text(std::string(t));
}

namespace {
bool build(Machine& m, const Value& v, layout::TupleBuilder& out,
           std::unordered_map<std::string, Value>& symbols, int depth) {
  if (depth > 32) return false;
  if (v.is_integral()) {
    out.leaf(layout::Int(v.number()));
    return true;
  }
  const auto* tuple = v.as<Tuple>();
  const auto* list = v.as<List>();
  if (tuple || list) {
    const auto& items = tuple ? tuple->items : list->items;
    const std::size_t at = out.open();
    for (const Value& item : items)
      if (!build(m, item, out, symbols, depth + 1)) return false;
    out.close(at, static_cast<int>(items.size()));
    return true;
  }
  if (v.is_unknown()) {
    for (const auto& [name, value] : symbols)
      if (value.same(v)) {
        out.leaf(layout::Int::symbol(name));
        return true;
      }
    const std::string name = "u" + std::to_string(symbols.size());
    symbols.emplace(name, v);
    out.leaf(layout::Int::symbol(name));
    return true;
  }
  return false;
}
}  // namespace

std::optional<layout::IntTuple> Machine::int_tuple(const Value& value) {
  layout::TupleBuilder builder;
  if (!build(*this, value, builder, symbol_values_, 0)) return std::nullopt;
  return builder.take();
}

Value Machine::from_int_tuple(layout::TupleView t) {
  if (!t.is_leaf()) {
    std::vector<Value> items;
    for (int i = 0; i < t.rank(); ++i) items.push_back(from_int_tuple(t.mode(i)));
    return tuple(std::move(items));
  }
  const layout::Int& leaf = t.leaf();
  if (leaf.known()) return Value::integer(leaf.value());
  const std::string text = leaf.text();
  const auto known = symbol_values_.find(text);
  if (known != symbol_values_.end()) return known->second;
  std::string depends;
  for (const std::string& name : layout::IntTuple(leaf).symbols()) {
    const auto found = symbol_values_.find(name);
    if (found == symbol_values_.end()) continue;
    if (!depends.empty()) depends += ", ";
    depends += found->second.as<Unknown>()->depends_on;
  }
  return unknown("an extent that depends on values not known", depends);
}

}  // namespace cutelab::reading::machine
