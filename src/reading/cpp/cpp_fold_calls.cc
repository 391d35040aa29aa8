#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "layout/algebra.h"
#include "layout/smem.h"
#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_folder.h"

/// Library functions and operators of CuTe C++ over values that are known.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {

CppValue not_known(const std::vector<CppValue>& arguments, std::string_view name) {
  for (const CppValue& a : arguments)
    if (!a.known()) return a;
  return CppValue::unknown("a library function that is not folded", std::string(name));
}

/// Mode `i` of a tuple, a layout or a number.
CppValue mode_of(const CppValue& v, std::int64_t i) {
  if ((v.is(CppKind::tuple) || v.is(CppKind::integer)) && i < v.tuple.rank())
    return CppValue::of(v.tuple.mode(static_cast<int>(i)));
  if (v.is(CppKind::layout) && i < v.layout->rank())
    return CppValue::of(layout::ComposedLayout(v.layout->layout().mode(static_cast<int>(i))));
  return CppValue::unknown("has no such mode");
}

CppValue size_of_value(const CppValue& v) {
  if (v.is(CppKind::layout)) {
    const auto n = layout::size(v.layout->layout());
    return n.known() ? CppValue::of(n.value()) : CppValue::unknown("the size is not known");
  }
  if (v.is(CppKind::integer) || v.is(CppKind::tuple)) {
    const auto n = layout::product(v.tuple);
    return n.known() ? CppValue::of(n.value()) : CppValue::unknown("the size is not known");
  }
  if (v.is(CppKind::threads)) return CppValue::of(v.tuple);
  return v.known() ? CppValue::unknown("has no size") : v;
}

CppValue tuple_of(const std::vector<CppValue>& items) {
  std::vector<layout::IntTuple> modes;
  for (const CppValue& item : items) {
    if (!item.is(CppKind::integer) && !item.is(CppKind::tuple)) return not_known(items, "a tuple");
    modes.push_back(item.tuple);
  }
  return CppValue::of(layout::IntTuple::tuple(modes));
}

CppValue layout_from(const std::vector<CppValue>& arguments) {
  if (arguments.empty() || !arguments[0].known()) return not_known(arguments, "make_layout");
  if (!arguments[0].is(CppKind::integer) && !arguments[0].is(CppKind::tuple)) return arguments[0];
  if (arguments.size() < 2) return CppValue::of(layout::ComposedLayout(layout::Layout(arguments[0].tuple)));
  if (arguments[1].is(CppKind::type) && arguments[1].text == "LayoutRight")
    return CppValue::of(layout::ComposedLayout(layout::Layout::row_major(arguments[0].tuple)));
  if (arguments[1].is(CppKind::type) && arguments[1].text == "LayoutLeft") return layout_from({arguments[0]});
  if (!arguments[1].is(CppKind::integer) && !arguments[1].is(CppKind::tuple))
    return not_known({arguments[1]}, "make_layout");
  auto made = layout::Layout::make(arguments[0].tuple, arguments[1].tuple);
  return made ? CppValue::of(layout::ComposedLayout(std::move(*made))) : CppValue::unknown("no such layout");
}

/// composition(Swizzle<B,M,S>{}, layout)
CppValue composed(const std::vector<CppValue>& a) {
  if (a.size() < 2 || !a[0].is(CppKind::type) || a[0].text != "Swizzle" || !a.back().is(CppKind::layout))
    return not_known(a, "composition");
  const auto number = [&](std::size_t i) { return a[0].fields[i].second.integer().value_or(0); };
  auto swizzle = layout::Swizzle::make(number(0), number(1), number(2));
  if (!swizzle) return CppValue::unknown("no such swizzle");
  return CppValue::of(layout::ComposedLayout(*swizzle, 0, a.back().layout->layout()));
}

/// tile_to_shape(atom, shape, step): step gives the order in which the atom is repeated along the modes.
CppValue tiled(const std::vector<CppValue>& a) {
  if (a.size() < 2 || !a[0].is(CppKind::layout) || (!a[1].is(CppKind::tuple) && !a[1].is(CppKind::integer)))
    return not_known(a, "tile_to_shape");
  const layout::IntTuple* order = a.size() > 2 && a[2].is(CppKind::tuple) ? &a[2].tuple : nullptr;
  if (a.size() > 2 && !order) return not_known({a[2]}, "tile_to_shape");
  auto out = a[0].layout->map(
      [&](const layout::Layout& atom) { return layout::tile_to_shape(atom, a[1].tuple, order); });
  return out ? CppValue::of(std::move(*out)) : CppValue::unknown("the atom does not tile the shape");
}

CppValue rounded(std::string_view name, const CppValue& a, const CppValue& b) {
  if (a.is(CppKind::tuple) && b.is(CppKind::tuple) && name == "ceil_div") {
    auto out = layout::ceil_div(a.tuple, b.tuple);
    return out ? CppValue::of(std::move(*out)) : CppValue::unknown("the tuples do not match");
  }
  if (!a.integer() || !b.integer() || *b.integer() <= 0) return not_known({a, b}, name);
  const std::int64_t n = (*a.integer() + *b.integer() - 1) / *b.integer();
  return CppValue::of(name == "ceil_div" ? n : n * *b.integer());
}

CppValue extreme(std::string_view name, const std::vector<CppValue>& a) {
  std::optional<std::int64_t> out;
  for (const CppValue& v : a) {
    if (!v.integer()) return not_known(a, name);
    out = !out ? *v.integer() : name == "max" ? std::max(*out, *v.integer()) : std::min(*out, *v.integer());
  }
  return out ? CppValue::of(*out) : CppValue::unknown("nothing is given");
}

CppValue tiled_copy(const std::vector<CppValue>& a) {
  if (a.size() < 2) return not_known(a, "make_tiled_copy");
  const CppValue threads = size_of_value(a[1]);
  if (!threads.known()) return threads;
  CppValue out;
  out.kind = CppKind::threads;
  out.tuple = threads.tuple;
  if (a[0].is(CppKind::type)) out.text = a[0].text;
  return out;
}
/// A member function, called from outside its class by its bare name: another function is meant.
bool of_other_class(Node function, Node call) {
  for (Node up = function.parent(); up && !up.is(NodeKind::function_definition); up = up.parent())
    if (up.is(NodeKind::field_declaration_list)) {
      const Node owner = up.parent().child(Field::name_field);
      const std::string_view callee = call.child(Field::function_field).text();
      return !up.contains(call) && callee.find(std::string(owner.text()) + "::") == std::string_view::npos;
    }
  return false;
}
}  // namespace

CppValue CppFolder::binary(Node n, Frames frame) {
  const CppValue a = evaluate(n.child(Field::left_field), frame);
  const std::string_view op = n.child(Field::operator_token).text();
  if (op == "&&" || op == "||") {
    if (!a.integer()) return a;
    if ((op == "&&") == (*a.integer() == 0)) return CppValue::of(std::int64_t{*a.integer() != 0});
    const CppValue rest = evaluate(n.child(Field::right_field), frame);
    return rest.integer() ? CppValue::of(std::int64_t{*rest.integer() != 0}) : rest;
  }
  const CppValue b = evaluate(n.child(Field::right_field), frame);
  if (a.is(CppKind::type) && b.is(CppKind::type) && (op == "==" || op == "!="))
    return CppValue::of(std::int64_t{(a.text == b.text) == (op == "==")});
  if (!a.integer() || !b.integer()) return not_known({a, b}, op);
  return cpp_arithmetic(op, a, b);
}

CppValue CppFolder::field(Node n, Frames frame) {
  const CppValue object = evaluate(n.child(Field::argument_field), frame);
  const std::string_view name = n.child(Field::field_field).text();
  if (object.is(CppKind::tuple) && object.tuple.rank() == 3 && name.size() == 1 && name[0] >= 'x' &&
      name[0] <= 'z')
    return CppValue::of(object.tuple.mode(name[0] - 'x'));
  for (const auto& [field, value] : object.fields)
    if (field == name) return value;
  if (object.is(CppKind::structure) && object.node)
    if (CppValue there = member_named(object, name, false); there.known() || !there.text.empty())
      return there;
  if (!object.known()) return object;
  return CppValue::unknown("a member that is not known", std::string(n.text().substr(0, 60)), n);
}

std::vector<CppValue> CppFolder::values_of(Node list, Frames frame) {
  std::vector<CppValue> out;
  for (const Node n : cpp_items(list)) out.push_back(evaluate(n, frame));
  return out;
}

CppValue CppFolder::call(Node n, Frames frame) {
  const Node callee = n.child(Field::function_field);
  std::vector<CppValue> arguments = values_of(n.child(Field::arguments_field), frame);
  if (callee.is(NodeKind::field_expression)) {
    const CppValue object = evaluate(callee.child(Field::argument_field), frame);
    if (!object.is(CppKind::structure) || !object.node)
      return object.known() ? CppValue::unknown("a method that is not folded",
                                                std::string(callee.text().substr(0, 60)), n)
                            : object;
    return method_call(n, object, callee.child(Field::field_field).text(), arguments);
  }
  Node name = callee;
  Node template_arguments;
  while (name.is(NodeKind::qualified_identifier) || name.is(NodeKind::template_function) ||
         name.is(NodeKind::template_type)) {
    if (!name.is(NodeKind::qualified_identifier)) template_arguments = name.child(Field::arguments_field);
    name = name.child(Field::name_field);
  }
  const std::string_view called = name.text();
  if (CppValue put_in = macro_call(n, frame); put_in.known() || !put_in.text.empty()) return put_in;
  if (CppValue own = own_call(n, called, arguments, template_arguments, frame);
      own.known() || !own.text.empty())
    return own;
  if (callee.is(NodeKind::template_function) && arguments.size() == 1 && called.ends_with("_cast")) {
    const auto to = cpp_items(template_arguments);
    return as_type(arguments[0], to.empty() ? Node() : to[0], frame);
  }
  return library_call(called, n, std::move(arguments), template_arguments, frame);
}

/// A function or method of these sources; unknown with an empty text: it is none of them.
CppValue CppFolder::own_call(Node n, std::string_view called, const std::vector<CppValue>& arguments,
                             Node template_arguments, Frames frame) {
  const Node callee = n.child(Field::function_field);
  for (Node up = n.parent(); up && callee.is(NodeKind::identifier); up = up.parent())
    if (up.is(NodeKind::field_declaration_list)) {
      CppValue self;
      self.kind = CppKind::structure;
      self.node = up.parent();
      for (Frames f = frame; f; f = f->outer)
        if (!f->runs && f->scope && f->scope.contains(self.node))
          self.fields.insert(self.fields.end(), f->names.begin(), f->names.end());
      Frame members;
      if (const Node method = method_of(self, called, arguments.size(), members);
          method && (!method.contains(n) || running_ > 0))
        return constexpr_call(method, arguments, &members);
    }
  if (callee.is(NodeKind::qualified_identifier)) {
    Node scope = callee.child(Field::scope_field);
    if (callee.child(Field::name_field).is(NodeKind::qualified_identifier)) scope = {};
    const bool of_namespace = scope.is(NodeKind::namespace_identifier) &&
                              (namespaces_.count(scope.text()) || !choose(scope.text(), n));
    const CppValue type = !scope || of_namespace ? CppValue() : evaluate_scope(scope, frame);
    if (type.is(CppKind::structure) && type.node) return method_call(n, type, called, arguments);
    if (of_namespace && (scope.text() == "std" || scope.text() == "cute" || scope.text() == "cutlass"))
      return {};
  }
  const auto found = functions_.find(called);
  Node function;
  for (std::size_t i = 0; found != functions_.end() && i < found->second.size(); ++i) {
    const Node one = found->second[i];
    if (of_other_class(one, n) || !fits_call(one, n)) continue;
    if (special_.count(called)) return CppValue::unknown("a specialized function", std::string(called), n);
    if (function) return CppValue::unknown("one of several functions of that name", std::string(called), n);
    function = one;
  }
  if (!function) return {};
  if (function.contains(n) && running_ == 0)
    return CppValue::unknown("depends on itself", std::string(called), n);
  return constexpr_call(function, arguments, nullptr, values_of(template_arguments, frame));
}

/// The type that `T` of `T::f(…)` is.
CppValue CppFolder::evaluate_scope(Node scope, Frames frame) {
  return scope.is(NodeKind::namespace_identifier) ? named(scope, scope.text(), frame)
                                                  : evaluate(scope, frame);
}

CppValue CppFolder::library_call(std::string_view name, Node n, std::vector<CppValue> a,
                                 Node template_arguments, Frames frame) {
  if (name == "make_shape" || name == "make_stride" || name == "make_step" || name == "make_tile" ||
      name == "make_coord" || name == "make_tuple" || name == "make_dim3")
    return tuple_of(a);
  if (name == "dim3") {
    if (a.size() == 1 && a[0].is(CppKind::tuple)) return a[0];
    while (a.size() < 3) a.push_back(CppValue::of(1));
    return tuple_of(a);
  }
  if (name == "make_layout") return layout_from(a);
  if (name == "tile_to_shape") return tiled(a);
  if (name == "composition") return composed(a);
  if (name == "make_tiled_copy") return tiled_copy(a);
  if (name == "ceil_div" || name == "round_up")
    return a.size() == 2 ? rounded(name, a[0], a[1]) : not_known(a, name);
  if (name == "max" || name == "min") return extreme(name, a);
  if ((name == "size" || name == "get" || name == "cosize" || name == "rank" || name == "shape" ||
       name == "stride") &&
      !a.empty()) {
    CppValue of = a[0];
    if (!of.known()) return of;
    for (const CppValue& mode : values_of(template_arguments, frame)) {
      if (name == "rank" || !mode.integer()) break;
      of = mode_of(of, *mode.integer());
    }
    if (name == "get" || !of.known()) return of;
    if (name == "size") return size_of_value(of);
    if (name == "rank")
      return CppValue::of(std::int64_t{of.is(CppKind::layout) ? of.layout->rank() : of.tuple.rank()});
    if (!of.is(CppKind::layout)) return of;
    if (name == "shape") return CppValue::of(of.layout->shape());
    if (name == "stride") return CppValue::of(of.layout->layout().stride());
    const auto bytes = layout::cosize(of.layout->layout());
    return bytes.known() ? CppValue::of(bytes.value()) : CppValue::unknown("the size is not known");
  }
  if (CppValue made = cpp_layout_call(name, a, values_of(template_arguments, frame));
      made.known() || !made.text.empty())
    return made;
  if (a.size() == 1 && a[0].integer() && cpp_integer_type(name)) return cpp_converted(a[0], name);  // int(x)
  if (a.size() == 1 && cpp_type_named(name).known()) return a[0].integer() ? cpp_converted(a[0], name) : a[0];
  if (a.empty() && (name == "C" || name == "Int")) return evaluate(n.child(Field::function_field), frame);
  if (a.empty()) {
    CppValue named = evaluate(n.child(Field::function_field), frame);  // Layout{}, written Layout()
    if (named.known()) return named;
  }
  return not_known(a, name);
}

}  // namespace cutelab::reading
