#include "reading/machine/members.h"

namespace cutelab::reading::machine {
namespace {
/// What the member is besides: of an IntEnum its number, of a StrEnum its text; null: nothing.
const Value* also(Machine& m, const Value& v) {
  const Instance* i = v.as<Instance>();
  if (!i || !i->klass->is_enum || !(i->klass->is_number || i->klass->is_text)) return nullptr;
  const Value* value = i->attributes.find(m.symbol("value"));
  return value && (value->is_integral() || value->as<Text>()) ? value : nullptr;
}

Value member_with_value(Machine& m, const Class& klass, const Value& value) {
  for (const auto& [name, member] : klass.attributes.items())
    if (const Instance* i = member.as<Instance>(); i && i->klass == &klass)
      if (const Value* own = i->attributes.find(m.symbol("value")))
        if (m.equal(*own, value) == Machine::Truth::yes) return member;
  return {};
}
}  // namespace

bool is_flag(const Class& klass) {
  for (const Class* c : klass.line)
    for (const Value& base : c->bases)
      if (const External* e = base.as<External>(); e && e->leaf().ends_with("Flag")) return true;
  return false;
}

bool has_compound_flags(Machine& m, const Class& klass) {
  if (!is_flag(klass)) return false;
  for (const auto& [name, member] : klass.attributes.items()) {
    const Instance* i = member.as<Instance>();
    const Value* own = i && i->klass == &klass ? i->attributes.find(m.symbol("value")) : nullptr;
    const std::int64_t bits = own && own->is_integral() ? own->number() : 0;
    if (own && (bits <= 0 || (bits & (bits - 1)) != 0)) return true;
  }
  return false;
}

Value operation_of_members(Machine& m, std::string_view op, const Value& a, const Value& b) {
  const Instance *ia = a.as<Instance>(), *ib = b.as<Instance>();
  const auto flagged = [&](const Instance* i) { return i && i->klass->is_enum && is_flag(*i->klass); };
  const auto number = [&](const Value& v) -> Value {
    const Instance* i = v.as<Instance>();
    const Value* value = i ? i->attributes.find(m.symbol("value")) : &v;
    return value && value->is_integral() ? *value : Value();
  };
  const Instance* flag = flagged(ia) ? ia : flagged(ib) ? ib : nullptr;
  if (flag && (op == "&" || op == "|" || op == "^")) {
    const auto fits = [&](const Instance* i, const Value& v) {
      return i ? i->klass == flag->klass : v.is_integral() && flag->klass->is_number;
    };
    const Value x = number(a), y = number(b);
    if (!fits(ia, a) || !fits(ib, b) || !x.bound() || !y.bound()) return {};
    const Value made = m.arithmetic(op, Value::integer(x.number()), Value::integer(y.number()));
    if (const Value known = member_with_value(m, *flag->klass, made); known.bound()) return known;
    Instance* out = m.make<Instance>();
    out->klass = flag->klass;
    out->attributes.at(m.symbol("value")) = made;
    out->attributes.at(m.symbol("name")) = m.unknown("the name of several flags", flag->klass->name);
    return out;
  }
  const Value *value_a = also(m, a), *value_b = also(m, b);
  if (!value_a && !value_b) return {};
  return m.arithmetic(op, value_a ? *value_a : a, value_b ? *value_b : b);
}

std::optional<Machine::Truth> equal_flags(Machine& m, const Value& a, const Value& b) {
  const Instance *ia = a.as<Instance>(), *ib = b.as<Instance>();
  if (!ia || !ib || ia->klass != ib->klass || !ia->klass->is_enum || !is_flag(*ia->klass))
    return std::nullopt;
  const Value *one = ia->attributes.find(m.symbol("value")), *other = ib->attributes.find(m.symbol("value"));
  return one && other ? m.equal(*one, *other) : Machine::Truth::unknown;
}

Value ordered_by_kind(Machine& m, std::string_view op, const Value& a, const Value& b) {
  if (const Record* record = a.as<Record>()) {
    const char* name = op == "<" ? "__lt__" : op == "<=" ? "__le__" : op == ">" ? "__gt__" : "__ge__";
    const Native native = Natives::all().find_method(record->kind, name);
    Call c{m, name, a, {b}, {}, {}, 0};
    const auto made = native ? native(c) : std::nullopt;
    return made ? *made : Value();
  }
  const auto number = [&](const Value& v) -> Value {
    const Instance* i = v.as<Instance>();
    if (!i) return v.is_number() ? v : Value();
    const bool numbered = i->klass->is_enum && (i->klass->is_number || i->klass->module >= Library::first);
    const Value* value = numbered ? i->attributes.find(m.symbol("value")) : nullptr;
    return value ? *value : Value();
  };
  if (!a.as<Instance>() && !b.as<Instance>()) return {};
  const Value x = number(a), y = number(b);
  return x.bound() && y.bound() ? m.compare(op, x, y) : Value();
}

Value is_within_flag(Machine& m, const Value& a, const Value& b) {
  const Instance *ia = a.as<Instance>(), *ib = b.as<Instance>();
  if (!ia || !ib || ia->klass != ib->klass || !ib->klass->is_enum || !is_flag(*ib->klass)) return {};
  const Symbol name = m.symbol("value");
  const Value *x = ia->attributes.find(name), *y = ib->attributes.find(name);
  if (!x || !y || !x->is_integral() || !y->is_integral()) return {};
  return Value::boolean((x->number() & y->number()) == x->number());
}

Value as_index(Machine& m, const Value& index) {
  if (!index.as<Instance>()) return index;
  if (const Value* value = also(m, index); value && value->is_integral()) return *value;
  const Value made = m.by_special(index, "__index__");
  return made.bound() ? made : index;
}

}  // namespace cutelab::reading::machine
