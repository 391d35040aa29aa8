#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/text.h"
#include "reading/machine/interpreter.h"
#include "reading/machine/members.h"
#include "reading/machine/question.h"
#include "reading/machine/unmodelled.h"

namespace cutelab::reading::machine {
namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

/// As Python: from the remainder, so that 1.0 // 0.1 is 9.
double floor_divided(double a, double b) {
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

std::optional<Value> power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return Value::real(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  if (base == 0 || base == 1) return Value::integer(exponent == 0 ? 1 : base);
  if (exponent > 64) return std::nullopt;
  std::int64_t out = 1;
  for (std::int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(out, base, &out)) return std::nullopt;
  return Value::integer(out);
}

std::optional<Value> integers(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (op == "+")
    return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(Value::integer(out));
  if (op == "-")
    return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(Value::integer(out));
  if (op == "*")
    return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(Value::integer(out));
  const bool divides = b != 0 && !(b == -1 && a == INT64_MIN);
  if (op == "//" && divides) return Value::integer(floor_divide(a, b));
  if (op == "%" && divides) return Value::integer(a - floor_divide(a, b) * b);
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  if (op == "/" && b != 0 && std::abs(a / exact) == 0 && std::abs(b / exact) == 0)
    return Value::real(static_cast<double>(a) / static_cast<double>(b));
  if (op == "&") return Value::integer(a & b);
  if (op == "|") return Value::integer(a | b);
  if (op == "^") return Value::integer(a ^ b);
  if (op == "**") return power(a, b);
  if (op == "<<" && b >= 0 && b < 62)
    return __builtin_mul_overflow(a, std::int64_t{1} << b, &out) ? std::nullopt
                                                                 : std::optional(Value::integer(out));
  if (op == ">>" && b >= 0 && b < 63) return Value::integer(a >> b);
  return std::nullopt;
}

/// What dividing by zero, shifting by less than nothing raise; empty: nothing.
std::pair<const char*, const char*> error_of(std::string_view op, const Value& a, const Value& b) {
  if ((op == "/" || op == "//" || op == "%") && b.as_real() == 0)
    return {"ZeroDivisionError", "division by zero"};
  const bool of_bits = op == "<<" || op == ">>" || op == "&" || op == "|" || op == "^";
  if (of_bits && (a.is_real() || b.is_real())) return {"TypeError", "bits of a float"};
  if (op == "**" && a.as_real() == 0 && b.as_real() < 0)
    return {"ZeroDivisionError", "0 to a negative power"};
  if ((op == "<<" || op == ">>") && b.is_integral() && b.number() < 0)
    return {"ValueError", "negative shift count"};
  return {};
}

std::optional<Value> reals(std::string_view op, double a, double b) {
  if (op == "+") return Value::real(a + b);
  if (op == "-") return Value::real(a - b);
  if (op == "*") return Value::real(a * b);
  if (op == "/" && b != 0) return Value::real(a / b);
  if (op == "//" && b != 0) return Value::real(floor_divided(a, b));
  if (op == "%" && b != 0) {
    const double rest = std::fmod(a, b);
    return Value::real(rest != 0 && (rest < 0) != (b < 0) ? rest + b
                       : rest == 0                        ? std::copysign(0.0, b)
                                                          : rest);
  }
  if (op == "**" && !(a < 0 && b != std::floor(b))) {
    const double power = std::pow(a, b);
    if (std::isfinite(power) || !std::isfinite(a) || !std::isfinite(b)) return Value::real(power);
  }
  return std::nullopt;
}

/// The method that an operator calls on its left operand, and on its right one.
struct OperatorMethods {
  std::string_view op, name, reflected;
};

const OperatorMethods& methods_of(std::string_view op) {
  static constexpr OperatorMethods none = {"", "", ""};
  static constexpr OperatorMethods entries[] = {{"+", "__add__", "__radd__"},
                                                {"-", "__sub__", "__rsub__"},
                                                {"*", "__mul__", "__rmul__"},
                                                {"/", "__truediv__", "__rtruediv__"},
                                                {"//", "__floordiv__", "__rfloordiv__"},
                                                {"%", "__mod__", "__rmod__"},
                                                {"&", "__and__", "__rand__"},
                                                {"|", "__or__", "__ror__"},
                                                {"^", "__xor__", "__rxor__"},
                                                {"<<", "__lshift__", "__rlshift__"},
                                                {">>", "__rshift__", "__rrshift__"},
                                                {"**", "__pow__", "__rpow__"},
                                                {"@", "__matmul__", "__rmatmul__"},
                                                {"==", "__eq__", "__req__"},
                                                {"<", "__lt__", "__rlt__"},
                                                {">", "__gt__", "__rgt__"},
                                                {"<=", "__le__", "__rle__"},
                                                {">=", "__ge__", "__rge__"},
                                                {"!=", "__ne__", "__rne__"},
                                                {"in", "__contains__", "__rcontains__"}};
  for (const OperatorMethods& e : entries)
    if (e.op == op) return e;
  return none;
}

}  // namespace

Value Machine::arithmetic(std::string_view op, const Value& a, const Value& b) {
  if (a.is_bool() && b.is_bool() && (op == "&" || op == "|" || op == "^"))
    return Value::boolean(integers(op, a.number(), b.number())->number() != 0);
  if (a.is_number() && b.is_number())
    if (const auto [type, what] = error_of(op, a, b); type) return raise_error(type, what);
  if (a.is_integral() && b.is_integral())
    if (const auto v = integers(op, a.number(), b.number())) return *v;
  if (a.is_number() && b.is_number() && (a.is_real() || b.is_real()))
    if (const auto v = reals(op, a.as_real(), b.as_real())) return *v;
  if (const Value made = of_sequences(op, a, b); made.bound() || raising_) return made;
  const OperatorMethods& methods = methods_of(op);
  const std::string_view name = methods.name;
  if (const Value made = by_methods(op, a, b); made.bound() || raising_) return made;
  if (a.as<Instance>() || b.as<Instance>())
    if (const Value made = operation_of_members(*this, op, a, b); made.bound() || raising_) return made;
  if (const Native native = interpreter_->natives.find_method(interpreter_->kind_of(a), name)) {
    Call c{*this, name, a, {b}, {}, {}, 0};
    if (auto value = native(c)) return *value;
  }
  if (const Native native = interpreter_->natives.find_method(interpreter_->kind_of(b), methods.reflected)) {
    Call c{*this, name, b, {a}, {}, {}, 0};
    if (auto value = native(c)) return *value;
  }
  if (const Value made = of_containers(op, a, b); made.bound() || raising_) return made;
  return unknown("arithmetic on " + interpreter_->why(a.is_number() ? b : a));
}

Machine::Truth Machine::truth(const Value& v) {
  const Question question(questions_);
  if (question.too_deep()) return Truth::unknown;
  if (v.is_none() || !v.bound()) return Truth::no;
  if (v.is_integral()) return v.number() != 0 ? Truth::yes : Truth::no;
  if (v.is_real()) return v.as_real() != 0 ? Truth::yes : Truth::no;
  const auto filled = [](bool empty) { return empty ? Truth::no : Truth::yes; };
  if (const Text* t = v.as<Text>()) return filled(t->text.empty());
  if (const Tuple* t = v.as<Tuple>()) return filled(t->items.empty());
  if (const List* l = v.as<List>(); l && l->view_of) return truth(l->view_of);
  if (const List* l = v.as<List>()) return l->open ? Truth::unknown : filled(l->items.empty());
  if (const Dict* d = v.as<Dict>()) return d->open ? Truth::unknown : filled(d->items.empty());
  if (const Set* s = v.as<Set>()) return s->open ? Truth::unknown : filled(s->items.empty());
  if (const Unknown* u = v.as<Unknown>())
    return !u->holds ? Truth::unknown : *u->holds ? Truth::yes : Truth::no;
  if (const Instance* i = v.as<Instance>()) return truth_of_instance(*i, v);
  if (const Record* r = v.as<Record>())
    if (const Native native = interpreter_->natives.find_method(r->kind, "__bool__")) {
      Call c{*this, "__bool__", v, {}, {}, {}, 0};
      const auto value = native(c);
      return value && value->is_integral() ? truth(*value) : Truth::unknown;
    }
  if (const External* e = v.as<External>(); e && Interpreter::may_be_plain(*e)) return Truth::unknown;
  return Truth::yes;
}

namespace {
/// -1, 0 or 1; 2 where one is no number.
int order_of_numbers(const Value& a, const Value& b) {
  const auto order = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2; };
  if (a.is_integral() && b.is_integral()) return order(a.number(), b.number());
  const auto exact = [](const Value& v) {
    return v.is_integral() ? static_cast<long double>(v.number()) : static_cast<long double>(v.as_real());
  };
  return order(exact(a), exact(b));
}

/// A member of a library's enumeration under its name and as an instance: "…OperandMajorMode.K".
bool names_member(Machine& m, const Value& name, const Value& member) {
  const External* external = name.as<External>();
  const Instance* instance = member.as<Instance>();
  if (!external || !instance || !instance->klass->is_enum) return false;
  const Value* own = instance->attributes.find(m.symbol("name"));
  const Text* text = own ? own->as<Text>() : nullptr;
  return text && external->path.ends_with("." + instance->klass->name + "." + text->text);
}

}  // namespace

namespace {
/// Models keep a memory space by its name: "gmem" is cute.AddressSpace.gmem.
bool names_memory_space(Machine& m, const Text* name, const Value& member) {
  if (!name) return false;
  if (const auto* external = member.as<External>())
    return external->path.ends_with(".AddressSpace." + name->text);
  const auto* instance = member.as<Instance>();
  const Value* own = instance && instance->klass->is_enum && instance->klass->name == "AddressSpace"
                         ? instance->attributes.find(m.symbol("name"))
                         : nullptr;
  return own && own->as<Text>() && own->as<Text>()->text == name->text;
}
}  // namespace

Machine::Truth Machine::equal_instances(const Value& a, const Value& b) {
  const Instance *ia = a.as<Instance>(), *ib = b.as<Instance>();
  if (const auto said = equal_by_methods(a, b)) return *said;
  if (const auto flags = equal_flags(*this, a, b)) return *flags;
  // The library keeps deprecated twins of an enumeration (tcgen05's and nvgpu's OperandMajorMode); they
  // compare by their members.
  if (ia && ib && ia->klass->is_enum && ib->klass->is_enum && ia->klass->name == ib->klass->name) {
    const Value *one = ia->attributes.find(symbol("name")), *other = ib->attributes.find(symbol("name"));
    if (one && other) return equal(*one, *other);
  }
  for (const Instance* i : {ia, ib})  // a dict of its own, say
    if (i && !i->klass->is_enum && interpreter_->has_unknown_base(i->klass)) return Truth::unknown;
  return Truth::no;
}

Machine::Truth Machine::equal(const Value& a, const Value& b) {
  const Question question(questions_);
  if (question.too_much(compared_) || Interpreter::is_left_open(a, b)) return not_compared(*this, compared_);
  const auto as_truth = [](bool yes) { return yes ? Truth::yes : Truth::no; };
  if (a.is_number() && b.is_number()) return as_truth(order_of_numbers(a, b) == 0);
  if (a.same(b)) return Truth::yes;
  if (!a.object() || !b.object()) {
    const auto& [boxed, plain] = a.object() ? std::tie(a, b) : std::tie(b, a);
    const Instance* i = boxed.as<Instance>();
    if (!i) return unmodelled_part(boxed) ? Truth::unknown : Truth::no;
    const bool by_number = i->klass->is_number || i->klass->module >= Library::first;
    if (i->klass->is_enum && by_number && plain.is_number())
      if (const Value* value = i->attributes.find(symbol("value"))) return equal(*value, plain);
    return equal_instances(a, b);
  }
  if (unmodelled_part(a) || unmodelled_part(b)) return Truth::unknown;
  const Text *text_a = a.as<Text>(), *text_b = b.as<Text>();
  if (names_memory_space(*this, text_a, b) || names_memory_space(*this, text_b, a)) return Truth::yes;
  if (text_a && text_b) return as_truth(text_a->text == text_b->text);
  if (text_a || text_b) {
    const Instance* i = (text_a ? b : a).as<Instance>();
    const Value* value = i && i->klass->is_text ? i->attributes.find(symbol("value")) : nullptr;
    if (value) return equal(*value, text_a ? a : b);
    return i ? equal_instances(a, b) : Truth::no;
  }
  const auto items_a = a.as<Tuple>() ? &a.as<Tuple>()->items : a.as<List>() ? &a.as<List>()->items : nullptr;
  const auto items_b = b.as<Tuple>() ? &b.as<Tuple>()->items : b.as<List>() ? &b.as<List>()->items : nullptr;
  for (const Value* v : {&a, &b})
    if (const List* l = v->as<List>(); l && l->view_of) return Truth::unknown;
  if (items_a && items_b) {
    if ((a.as<List>() && a.as<List>()->open) || (b.as<List>() && b.as<List>()->open)) return Truth::unknown;
    if (items_a->size() != items_b->size() || a.object()->type != b.object()->type) return Truth::no;
    Truth out = Truth::yes;
    for (std::size_t i = 0; i < items_a->size(); ++i) {
      const Truth one = equal((*items_a)[i], (*items_b)[i]);
      if (one == Truth::no) return one;
      if (one == Truth::unknown) out = one;
    }
    return out;
  }
  if (const auto of_sets = equal_sets(a, b)) return *of_sets;
  const External *ext_a = a.as<External>(), *ext_b = b.as<External>();
  if (names_member(*this, a, b) || names_member(*this, b, a)) return Truth::yes;
  if (ext_a && ext_b) return as_truth(ext_a->leaf() == ext_b->leaf());
  const LayoutObject *layout_a = a.as<LayoutObject>(), *layout_b = b.as<LayoutObject>();
  if (layout_a && layout_b) return as_truth(layout_a->layout == layout_b->layout);
  const Record *record_a = a.as<Record>(), *record_b = b.as<Record>();
  if (record_a && record_b) {
    if (record_a->kind != record_b->kind) return Truth::no;
    const Value name_a = field(record_a, "name"), name_b = field(record_b, "name");
    if (name_a.as<Text>() && name_b.as<Text>()) return equal(name_a, name_b);
    if (const Native native = interpreter_->natives.find_method(record_a->kind, "__eq__")) {
      Call c{*this, "__eq__", a, {b}, {}, {}, 0};
      const auto value = native(c);
      return value ? truth(*value) : Truth::unknown;
    }
    return Truth::unknown;
  }
  return equal_instances(a, b);
}

Value Machine::decided(Truth t, bool negate, const Value& a, const Value& b) {
  if (t == Truth::unknown)
    return a.is_unknown() ? a : b.is_unknown() ? b : unknown("a comparison that is not decided");
  return Value::boolean((t == Truth::yes) != negate);
}

Value Machine::contains(std::string_view op, const Value& a, const Value& b) {
  const auto from = [&](Truth t, bool negate) { return decided(t, negate, a, b); };
  if (const Text* inside = a.as<Text>())
    if (const Text* whole = b.as<Text>())
      return Value::boolean((whole->text.find(inside->text) != std::string::npos) == (op == "in"));
  if (interpreter_->own_method(b, "__contains__")) {
    const Value said = by_special(b, "__contains__", {a});
    return raising_ ? Value() : from(truth(said), op == "not in");
  }
  if (const Value within = is_within_flag(*this, a, b); within.bound())
    return Value::boolean((within.number() != 0) == (op == "in"));
  if (Iterator* it = b.as<Iterator>()) return contained(op, a, it);
  if (b.is_number() || b.is_none()) return raise_error("TypeError", repr(b) + " holds nothing");
  if ((b.as<Dict>() || b.as<Set>()) && a.object() && !a.as<Set>() && refuses_key(a)) return {};
  if (const List* l = b.as<List>(); l && l->view_of && l->view == List::View::keys)
    return contains(op, a, l->view_of);
  const List* open_list = b.as<List>();
  const Set* open_set = b.as<Set>();
  const bool open = (open_list && open_list->open) || (open_set && open_set->open);
  const auto list = !open       ? items(b)
                    : open_list ? std::optional(open_list->items)
                                : std::optional(open_set->items);
  if (!list) {
    if (const Native native = interpreter_->natives.find_method(interpreter_->kind_of(b), "__contains__")) {
      Call c{*this, "__contains__", b, {a}, {}, {}, 0};
      if (auto value = native(c)) return from(truth(*value), op == "not in");
    }
    return b.is_unknown() ? b : unknown("what a container holds is not known");
  }
  Truth any = open ? Truth::unknown : Truth::no;
  for (const Value& item : *list) {
    const Truth one = a.same(item) && !a.is_unknown() ? Truth::yes : equal(a, item);
    if (one == Truth::yes) {
      any = one;
      break;
    }
    if (one == Truth::unknown) any = one;
  }
  return from(any, op == "not in");
}

Value Machine::compare(std::string_view op, const Value& a, const Value& b) {
  const auto from = [&](Truth t, bool negate) { return decided(t, negate, a, b); };
  if (op == "==" || op == "!=") {
    const auto by_itself = [](const Value& v) {
      const Instance* i = v.as<Instance>();
      return i && (i->klass->is_dataclass || i->klass->is_enum);
    };
    const bool plainly = by_itself(a) || by_itself(b);
    const Value own = plainly ? Value() : by_methods(op, a, b);
    if (own.bound() || raising_) return own;
    const bool declined = op == "!=" && !plainly &&
                          (interpreter_->own_method(a, "__ne__") || interpreter_->own_method(b, "__ne__"));
    return declined ? Value::boolean(!a.same(b)) : from(equal(a, b), op == "!=");
  }
  if (op == "is" || op == "is not") return from(identical(a, b), op == "is not");
  if (op == "in" || op == "not in") return contains(op, a, b);
  std::optional<int> order;
  if (a.is_number() && b.is_number()) {
    if (std::isnan(a.as_real()) || std::isnan(b.as_real())) return Value::boolean(false);
    order = order_of_numbers(a, b);
  }
  const Text *text_a = a.as<Text>(), *text_b = b.as<Text>();
  if (text_a && text_b) order = text_a->text.compare(text_b->text);
  const Tuple *ta = a.as<Tuple>(), *tb = b.as<Tuple>();
  if (ta && tb) {
    for (std::size_t i = 0; i < std::min(ta->items.size(), tb->items.size()); ++i) {
      const Truth same = equal(ta->items[i], tb->items[i]);
      if (same == Truth::yes) continue;
      return same == Truth::no ? compare(op, ta->items[i], tb->items[i])
                               : unknown("a comparison that is not decided");
    }
    order = ta->items.size() < tb->items.size() ? -1 : ta->items.size() > tb->items.size() ? 1 : 0;
  }
  if (const Set* sa = a.as<Set>(), *sb = b.as<Set>(); sa && sb) return compare_sets(op, *sa, *sb);
  if (const List* la = a.as<List>(), *lb = b.as<List>(); la && lb && !la->open && !lb->open)
    return compare(op, tuple(la->items), tuple(lb->items));
  if (const Value made = by_methods(op, a, b); made.bound() || raising_) return made;
  if (const Value made = ordered_fields(op, a, b); made.bound() || raising_) return made;
  if (const Value made = ordered_by_kind(*this, op, a, b); made.bound() || raising_) return made;
  if (!order) {
    for (const Value* v : {&a, &b})
      if (v->is_unknown()) return unknown(v->as<Unknown>()->reason, v->as<Unknown>()->depends_on);
    const auto plain = [](const Value& v) {
      return v.is_number() || v.is_none() || v.as<Text>() || v.as<Tuple>();
    };
    if (!current_launch_ && plain(a) && plain(b))
      return raise_error("TypeError", repr(a) + " and " + repr(b) + " have no order");
    return unknown("a comparison of " + interpreter_->why(a));
  }
  if (op == "<") return Value::boolean(*order < 0);
  if (op == ">") return Value::boolean(*order > 0);
  if (op == "<=") return Value::boolean(*order <= 0);
  if (op == ">=") return Value::boolean(*order >= 0);
  return unknown("a comparison that is not modelled");
}

}  // namespace cutelab::reading::machine
