#include <algorithm>

#include "reading/machine/interpreter.h"
#include "reading/machine/members.h"

// Operators and questions that a program's own classes answer by methods of special names.
namespace cutelab::reading::machine {

namespace {
struct Methods {
  std::string_view op, name, reflected;
};
constexpr Methods methods[] = {{"+", "__add__", "__radd__"},       {"-", "__sub__", "__rsub__"},
                               {"*", "__mul__", "__rmul__"},       {"/", "__truediv__", "__rtruediv__"},
                               {"%", "__mod__", "__rmod__"},       {"//", "__floordiv__", "__rfloordiv__"},
                               {"&", "__and__", "__rand__"},       {"|", "__or__", "__ror__"},
                               {"^", "__xor__", "__rxor__"},       {"<<", "__lshift__", "__rlshift__"},
                               {"**", "__pow__", "__rpow__"},      {">>", "__rshift__", "__rrshift__"},
                               {"@", "__matmul__", "__rmatmul__"}, {"<", "__lt__", "__gt__"},
                               {">", "__gt__", "__lt__"},          {"<=", "__le__", "__ge__"},
                               {">=", "__ge__", "__le__"},         {"==", "__eq__", "__eq__"},
                               {"!=", "__ne__", "__ne__"}};

bool is_declined(const Value& v) {
  const External* e = v.as<External>();
  return e && e->path == "builtins.NotImplemented";
}

/// Values of which all methods are known: an operator that they have none for is an error.
bool is_plain(const Value& v) {
  return v.is_number() || v.is_none() || v.as<Text>() || v.as<Tuple>() || v.as<List>() || v.as<Dict>() ||
         v.as<Set>() || v.as<Function>();
}
}  // namespace

/// As Python: the left operand's method, then the right one's; a derived class's own comes first. Unbound:
/// neither has one.
Value Machine::by_methods(std::string_view op, const Value& a, const Value& b) {
  const Instance *ia = a.as<Instance>(), *ib = b.as<Instance>();
  if (!ia && !ib) return {};
  const auto* named =
      std::find_if(std::begin(methods), std::end(methods), [&](const Methods& one) { return one.op == op; });
  if (named == std::end(methods)) return {};
  Function* left = interpreter_->own_method(a, named->name);
  Function* right = interpreter_->own_method(b, named->reflected);
  if (!left && !right) return {};
  const bool arithmetic = named->reflected.starts_with("__r");
  bool right_first = false;
  if (ia && ib && right && ia->klass != ib->klass) {
    const auto& line = interpreter_->line_of(ib->klass);
    right_first = std::find(line.begin(), line.end(), ia->klass) != line.end() &&
                  !(arithmetic && interpreter_->own_method(a, named->reflected) == right);
  }
  if (arithmetic && ia && ib && ia->klass == ib->klass)
    right = nullptr;  // of one class the left alone is asked
  if (!left && !right) return {};
  for (const bool first : {right_first, !right_first}) {
    Function* f = first ? right : left;
    if (!f) continue;
    const Value made = interpreter_->call_function(f, first ? &b : &a, {first ? a : b}, {}, {}, f->module);
    if (raising_ || !is_declined(made)) return made;
  }
  const auto closed = [&](const Value& v) {
    return is_plain(v) || (v.as<Instance>() && !interpreter_->has_unknown_base(v.as<Instance>()->klass));
  };
  if (closed(a) && closed(b) && !current_launch_ && op != "==" && op != "!=")
    return raise_error("TypeError", "unsupported operand types for " + std::string(op));
  return {};
}

Machine::Truth Machine::truth_of_instance(const Instance& instance, const Value& v) {
  for (const char* name : {"__bool__", "__len__"})
    if (interpreter_->own_method(v, name)) {
      const Value said = by_special(v, name);
      return raising_ || !said.bound() ? Truth::unknown : truth(said);
    }
  if (instance.klass->is_number || instance.klass->is_text ||
      (instance.klass->is_enum && is_flag(*instance.klass)))
    if (const Value* value = instance.attributes.find(symbol("value"))) return truth(*value);
  for (const Class* c : interpreter_->line_of(instance.klass))
    for (const Value& base : c->bases) {
      const External* e = base.as<External>();
      const bool may_be_empty = e && !is_exception_name(e->leaf()) && e->leaf() != "object" &&
                                (e->path.starts_with("builtins.") || e->path.starts_with("collections."));
      if (base.is_unknown() || may_be_empty) return Truth::unknown;
    }
  return Truth::yes;
}

/// By `__eq__` or the fields of a dataclass; nullopt: neither side's class says.
std::optional<Machine::Truth> Machine::equal_by_methods(const Value& a, const Value& b) {
  const Symbol name = symbol("__eq__");
  for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const Instance* i = x->as<Instance>();
    if (!i || i->klass->is_enum) continue;
    for (Class* c : interpreter_->line_of(i->klass)) {
      const Value* own = c->attributes.find(name);
      if (Function* f = own ? own->as<Function>() : nullptr) {
        const Value made = interpreter_->call_function(f, x, {*y}, {}, {}, f->module);
        if (raising_) return Truth::unknown;
        if (is_declined(made)) break;
        return truth(made);
      }
      if (!c->has_fields || c->has_no_equality) continue;
      const Instance* other = y->as<Instance>();
      if (other && other->klass == i->klass) return equal_fields(i, other);
      break;
    }
  }
  return std::nullopt;
}

Machine::Truth Machine::equal_fields(const Instance* a, const Instance* b) {
  Truth out = Truth::yes;
  for (const Symbol name : fields_of(a->klass)) {
    const Value declared = interpreter_->class_attribute(a->klass, name);
    if (const Record* field_of = declared.as<Record>(); field_of && field_of->kind == "dataclass-field")
      if (const Value compared = field(field_of, "compare"); compared.bound() && truth(compared) == Truth::no)
        continue;
    const Value *one = a->attributes.find(name), *other = b->attributes.find(name);
    const Truth same = one && other ? equal(*one, *other) : Truth::unknown;
    if (same == Truth::no) return same;
    if (same == Truth::unknown) out = same;
  }
  return out;
}

/// @dataclass(order=True): by the fields, as tuples are. Unbound: not of that kind.
Value Machine::ordered_fields(std::string_view op, const Value& a, const Value& b) {
  const Instance *ia = a.as<Instance>(), *ib = b.as<Instance>();
  if (!ia || !ib || ia->klass != ib->klass || !ia->klass->is_ordered) return {};
  std::vector<Value> left, right;
  for (const Symbol name : fields_of(ia->klass)) {
    const Value *one = ia->attributes.find(name), *other = ib->attributes.find(name);
    if (!one || !other) return unknown("a field that is not set", name_of(name));
    left.push_back(*one);
    right.push_back(*other);
  }
  return compare(op, tuple(std::move(left)), tuple(std::move(right)));
}

std::vector<Symbol> Machine::fields_of(Class* klass) {
  std::vector<Symbol> out;
  const auto& line = interpreter_->line_of(klass);
  for (std::size_t i = line.size(); i-- > 0;) {
    if (!line[i]->has_fields) continue;
    for (const auto& [name, type] : line[i]->annotations) {
      const std::string_view written = type ? type.text() : std::string_view();
      if (written.find("ClassVar") != std::string_view::npos || written.ends_with("KW_ONLY") ||
          written.find("InitVar") != std::string_view::npos)
        continue;
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

void Machine::put(Dict* dict, const Value& key, const Value& value) {
  if (key.object() && refuses_key(key)) return;
  if (const Text* name = dict->names ? key.as<Text>() : nullptr) {
    set(*dict->names, symbol(name->text), value);  // its own items follow
    return;
  }
  auto& items = mutable_items(dict);
  std::pair<Value, Value>* same_key = nullptr;
  bool undecided = false;
  for (auto& item : items) {
    const Truth same = equal(item.first, key);
    if (same == Truth::yes) {
      same_key = &item;
      break;
    }
    if (same != Truth::unknown || (!item.first.is_unknown() && !key.is_unknown())) continue;
    undecided = true;  // it may be what is written over
    item.second = interpreter_->join(item.second, value, "whether two keys are one");
  }
  if (same_key)
    same_key->second = value;
  else
    items.emplace_back(key, value);
  dict->open = dict->open || (undecided && !same_key);
}

}  // namespace cutelab::reading::machine
