#include "reading/models/arguments.h"
#include "reading/models/python_models.h"

// dataclasses.asdict, astuple, is_dataclass.
namespace cutelab::reading::machine::python_models {
namespace {
constexpr int deepest = 32;

bool has_fields_of(const Value& v) {
  const Instance* i = v.as<Instance>();
  return i && i->klass->is_dataclass;
}

/// Copies what a dataclass holds, dataclasses in it as dicts or tuples; unbound: not known, or an error is
/// under way.
class Unfolder {
 public:
  Unfolder(Call& call, bool as_tuple) : c_(call), m_(call.machine), as_tuple_(as_tuple) {}

  Value object(const Value& v, int depth) {
    Dict* named = m_.make<Dict>();
    std::vector<Value> row;
    const Instance* i = v.as<Instance>();
    for (const Symbol name : m_.fields_of(i->klass)) {
      const Value* held = i->attributes.find(name);
      const Value one = held ? value(*held, depth + 1) : Value();
      if (!one.bound()) return {};
      named->items.emplace_back(m_.text(m_.name_of(name)), one);
      row.push_back(one);
    }
    return as_tuple_ ? m_.tuple(std::move(row)) : Value(named);
  }

 private:
  Value value(const Value& v, int depth) {
    if (depth > deepest) return {};
    if (has_fields_of(v)) return object(v, depth);
    const Tuple* tuple = v.as<Tuple>();
    const List* list = v.as<List>();
    if (tuple || (list && !list->view_of && !list->open)) {
      std::vector<Value> out;
      for (const Value& item : tuple ? tuple->items : list->items) {
        out.push_back(value(item, depth + 1));
        if (!out.back().bound()) return {};
      }
      if (list) return m_.list(std::move(out));
      Tuple* made = m_.make<Tuple>(*tuple);
      made->items = std::move(out);
      return made;
    }
    const Dict* dict = v.as<Dict>();
    if (dict && !dict->open && dict->form == Dict::Form::plain) {
      Dict* out = m_.make<Dict>();
      for (const auto& [key, held] : dict->items) {
        const Value new_key = value(key, depth + 1), inner = value(held, depth + 1);
        if (!new_key.bound() || !inner.bound()) return {};
        out->items.emplace_back(new_key, inner);
      }
      return out;
    }
    if (!v.object() || v.as<Text>() || v.as<External>() || v.as<Function>() || v.is_unknown()) return v;
    return m_.call(m_.external("copy.deepcopy"), {v}, {}, c_.node, c_.module);
  }

  Call& c_;
  Machine& m_;
  bool as_tuple_;
};

template <bool as_tuple>
Answer unfolded(Call& c) {
  if (c.count() != 1 || !c.keywords.empty()) return std::nullopt;
  const Value& v = c.arguments[0];
  if (v.is_number() || v.is_none() || v.as<Text>() || v.as<List>() || v.as<Dict>() || v.as<Class>())
    return c.machine.raise_error("TypeError", "it should be called on dataclass instances", c.node, c.module);
  if (!has_fields_of(v)) return std::nullopt;
  const Value out = Unfolder(c, as_tuple).object(v, 0);
  if (c.machine.raising()) return Value();
  return out.bound() ? Answer(out) : std::nullopt;
}

Answer is_dataclass(Call& c) {
  if (c.count() != 1 || c.arguments[0].is_unknown() || c.arguments[0].as<Record>()) return std::nullopt;
  const Class* klass = c.arguments[0].as<Class>();
  if (const Instance* i = c.arguments[0].as<Instance>()) klass = i->klass;
  return klass || !c.arguments[0].as<External>() ? Answer(Value::boolean(klass && klass->is_dataclass))
                                                 : std::nullopt;
}
}  // namespace

void add_records(Natives& n) {
  n.function("dataclasses", "asdict", unfolded<false>);
  n.function("dataclasses", "astuple", unfolded<true>);
  n.function("dataclasses", "is_dataclass", is_dataclass);
}

}  // namespace cutelab::reading::machine::python_models
