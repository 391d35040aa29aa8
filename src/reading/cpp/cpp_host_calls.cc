#include <algorithm>

#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_expand.h"
#include "reading/cpp/cpp_host.h"

/// Calls of the host code: functions and methods of the sources, lambdas, launches.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr int deepest_host_call = 24;
constexpr int most_host_calls = 20'000;

bool is_reference_to(Node declarator) { return declarator.kind_name() == "reference_declarator"; }

/// A member function of a class's body.
bool is_method(Node function) {
  for (Node up = function.parent(); up && !up.is(NodeKind::function_definition); up = up.parent())
    if (up.is(NodeKind::field_declaration_list)) return true;
  return false;
}

/// `a`, `b` of a::b::f.
std::vector<std::string_view> scopes_of(Node callee) {
  std::vector<std::string_view> out;
  for (; callee.is(NodeKind::qualified_identifier); callee = callee.child(Field::name_field))
    if (const Node scope = callee.child(Field::scope_field)) out.push_back(scope.text());
  return out;
}

bool returns_reference(Node function) {
  return function.child(Field::declarator_field).kind_name() == "reference_declarator";
}
}  // namespace

/// Arguments in their order; several that write, or one that writes what another reads, end the run.
CppHostRun::Things CppHostRun::arguments_of(Node list, Scope& scope) {
  Things out;
  const auto items = cpp_items(list);
  const bool ordered = list.is(NodeKind::initializer_list);
  std::size_t writing = items.size();
  bool several = false;
  for (std::size_t i = 0; i < items.size() && !stopped_; ++i) {
    Mark mark{things_.size()};
    marks_.push_back(&mark);
    const bool braces = items[i].is(NodeKind::initializer_list);
    if (braces) poison_mentioned(items[i], scope);
    out.push_back(braces ? unknown("braces", items[i]) : eval(items[i], scope));
    marks_.pop_back();
    if (!mark.wrote) continue;
    several = several || writing < items.size();
    writing = i;
  }
  if (ordered || writing == items.size() || stopped_) return out;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (several || (i != writing && !is_fixed(items[i]))) stop(list);
  return out;
}

CppHostRun::Thing* CppHostRun::eval_call(Node n, Scope& scope) {
  const Node callee = n.child(Field::function_field);
  if (callee.next().is(NodeKind::kernel_call_syntax)) {
    launch_kernel(n, callee.next(), scope);
    return unknown();
  }
  if (++calls_ > most_host_calls || running_calls_ > deepest_host_call) {
    give_up("calls of the host code that are too many or too deep");
    return unknown();
  }
  if (callee.is(NodeKind::field_expression)) return eval_method(n, scope);
  Thing* known = nullptr;
  if (callee.is(NodeKind::identifier)) known = found(callee.text(), scope);
  if (callee.is(NodeKind::lambda_expression) || callee.is(NodeKind::parenthesized_expression) ||
      callee.is(NodeKind::call_expression) || callee.is(NodeKind::subscript_expression))
    known = eval(callee, scope);
  if (!known) return called_by_name(n, callee, scope);
  const Things given = arguments_of(n.child(Field::arguments_field), scope);
  if (stopped_) return unknown();
  if (known->is(Kind::closure)) return called_closure(known, given);
  if (known->is(Kind::function)) return invoke(known->node, given, nullptr, nullptr);
  if (known->is(Kind::pointer) && known->target->is(Kind::function))
    return invoke(known->target->node, given, nullptr, nullptr);
  if (known->is(Kind::record) && known->value.node)
    if (const Node method = method_named(known, "operator()", given.size()))
      return invoke(method, given, known, nullptr);
  if (known->is(Kind::value) && is_plain_arguments(n)) return folded(n, scope);
  return stop(n);
}

bool CppHostRun::is_plain_arguments(Node call) const { return is_plain(call.child(Field::arguments_field)); }

CppHostRun::Thing* CppHostRun::called_closure(Thing* closure, const Things& given) {
  const Node lambda = closure->node;
  Scope& scope = scopes_.emplace_back(Scope{closure->scope});
  const Node declarator = lambda.child(Field::declarator_field);
  if (!bind(declarator.child(Field::parameters_field), given, scope)) return stop(lambda);
  const bool changes = cpp_has(declarator.text(), "mutable");
  ++running_calls_;
  result_ = nullptr;
  run(lambda.child(Field::body_field), scope);
  --running_calls_;
  Thing* out = result_;
  result_ = nullptr;
  (void)changes;
  if (stopped_) return unknown();
  if (!out) return unknown("nothing is returned", lambda);
  for (const Node part : declarator.children())
    if (part.kind_name() == "trailing_return_type") {
      if (cpp_has(part.text(), "&") || cpp_has(part.text(), "decltype")) return out;
      const Node type = cpp_items(part).empty() ? Node() : cpp_items(part).back();
      return converted(out, type.is(NodeKind::type_descriptor) ? type.child(Field::type_field) : type, scope);
    }
  return copy(out);
}

/// The parameters of a call, in `inner`; false: they cannot be told.
bool CppHostRun::bind(Node parameters, const Things& given, Scope& inner) {
  std::size_t at = 0;
  for (const Node p : cpp_items(parameters)) {
    const Node declarator = p.child(Field::declarator_field), otherwise = p.child(Field::default_value_field);
    if (p.kind_name() == "variadic_parameter_declaration") {
      if (at < given.size() || declarator) return false;
      continue;
    }
    if (at >= given.size() && !otherwise && p.child(Field::type_field).text() == "void") continue;
    if (at >= given.size() && !otherwise) return false;
    Thing* one = at < given.size() ? given[at] : eval(otherwise, inner);
    ++at;
    if (stopped_) return false;
    const std::string_view name = cpp_declared_name(declarator).text();
    const bool reference = is_reference_to(declarator) || cpp_has(declarator.text(), "(&");
    if (declarator.is(NodeKind::array_declarator) && !reference) {
      Thing* pointer = made(Kind::pointer);
      pointer->target = one;
      pointer->index = 0;
      one = one->is(Kind::array) ? pointer : one;
    } else if (!reference) {
      const bool pointer = declarator.kind_name() == "pointer_declarator";
      if (pointer && one->is(Kind::array)) {
        Thing* begin = made(Kind::pointer);
        begin->target = one;
        begin->index = 0;
        one = begin;
      }
      const bool own = one->number + 1 >= things_.size() && one->is(Kind::closure);
      one = pointer ? copy(one) : own ? one : converted(one, p.child(Field::type_field), inner);
    }
    if (!name.empty()) inner.names[name] = one;
  }
  return at >= given.size();
}

/// What the parameters of a template are at a call: given, by the type of what is passed, by default.
void CppHostRun::bind_types(Node function, const Things& given, const std::vector<CppValue>& of_template,
                            Scope& inner) {
  const Node owner = function.parent();
  if (!owner.is(NodeKind::template_declaration)) return;
  std::size_t at = 0;
  for (const Node p : cpp_items(owner.child(Field::parameters_field))) {
    const std::string_view name = cpp_template_parameter_name(p).text();
    Node otherwise = p.child(Field::default_value_field);
    if (!otherwise) otherwise = p.child(Field::default_type_field);
    CppValue value = CppValue::unknown("deduced from what a call passes", std::string(name), p);
    const bool pack = cpp_has(p.kind_name(), "variadic");
    std::size_t position = 0;
    if (!pack && at < of_template.size()) {
      value = of_template[at];
      if (p.child(Field::type_field) && value.integer()) {
        Thing* one = converted(of_value(value), p.child(Field::type_field), inner);
        value = value_of(one);
      }
    } else if (!pack) {
      bool deduced = false;
      for (const Node taken : cpp_items(cpp_parameters_of(function))) {
        const Node declarator = taken.child(Field::declarator_field);
        if (taken.child(Field::type_field).text() == name && position < given.size() &&
            (!declarator || declarator.is(NodeKind::identifier) || is_reference_to(declarator)) && !deduced) {
          const Thing* one = given[position];
          deduced = true;
          if (one->is(Kind::record) && one->value.node) value = one->value;
          if (one->is(Kind::value) && one->value.integer() && !one->holds.empty())
            value = cpp_type_named(one->holds == "long" ? "int64_t" : one->holds);
        }
        deduced = deduced || cpp_has(taken.text(), name);
        ++position;
      }
      if (!deduced && otherwise) value = fold(otherwise, inner);
    }
    inner.names[name] = of_value(std::move(value));
    ++at;
  }
}

/// Runs a function of the sources. `around`: what is in sight besides the file; `self`: of a method.
CppHostRun::Thing* CppHostRun::invoke(Node function, const Things& given, Thing* self, Scope* around,
                                      const std::vector<CppValue>& of_template) {
  const Node body = function.child(Field::body_field);
  if (stopped_ || !body || running_calls_ > deepest_host_call) {
    if (!stopped_ && body) give_up("calls of the host code that are too deep");
    return stop(function);
  }
  Scope& scope = scopes_.emplace_back(Scope{around});
  scope.self = self;
  if (self)
    for (const auto& [name, value] : self->value.fields)
      scope.names[std::string_view(name)] = of_value(value);
  bind_types(function, given, of_template, scope);
  if (!bind(cpp_parameters_of(function), given, scope)) return stop(function);
  ++running_calls_;
  result_ = nullptr;
  run(body, scope);
  --running_calls_;
  Thing* out = result_;
  result_ = nullptr;
  if (stopped_) return unknown();
  if (!out) return unknown("nothing is returned", function);
  if (returns_reference(function)) return out;
  if (!function.child(Field::declarator_field).is(NodeKind::function_declarator)) return copy(out);
  const Node type = function.child(Field::type_field);
  if (type.kind_name() == "placeholder_type_specifier") {
    for (const Node part : function.child(Field::declarator_field).children())
      if (part.kind_name() == "trailing_return_type" && cpp_has(part.text(), "&")) return out;
    if (cpp_has(type.text(), "decltype")) return stop(function);
  }
  return converted(out, type, scope);
}

/// The function of the sources that a call by name means; no node: none, or the run ends.
Node CppHostRun::function_called(std::string_view name, Node call, std::size_t given) {
  const auto all = folder_.functions_.find(name);
  if (all == folder_.functions_.end()) return {};
  Node out;
  const auto path = scopes_of(call.child(Field::function_field));
  for (const Node one : all->second) {
    if (is_method(one)) continue;
    if (!CppFolder::fits_call(one, call)) continue;
    const auto around = namespaces_around(one);
    if (!path.empty() &&
        !std::equal(path.rbegin(), path.rend(), around.rbegin(),
                    around.rbegin() + static_cast<long>(std::min(path.size(), around.size()))))
      continue;
    if (out || folder_.special_.count(name)) {
      stop(call);
      return {};
    }
    out = one;
  }
  if (!out && given > 0 && !std::all_of(all->second.begin(), all->second.end(), is_method)) stop(call);
  return out;
}

CppHostRun::Thing* CppHostRun::called_by_name(Node n, Node callee, Scope& scope) {
  Node name = callee, of_template;
  while (name.is(NodeKind::qualified_identifier) || name.is(NodeKind::template_function) ||
         name.is(NodeKind::template_type)) {
    if (!name.is(NodeKind::qualified_identifier)) of_template = name.child(Field::arguments_field);
    name = name.child(Field::name_field);
  }
  const std::string_view called = name.text();
  if (called == cpp_open_place) return stop(n);
  if (of_template && called.ends_with("_cast")) {
    const auto to = cpp_items(of_template), what = cpp_items(n.child(Field::arguments_field));
    return to.size() == 1 && what.size() == 1 ? eval_cast(to[0], what[0], scope) : stop(n);
  }
  const std::string_view space = callee.child(Field::scope_field).text();
  const bool of_library = space == "std" || space == "cute" || space == "cutlass";
  // A method of the object that runs.
  if (callee.is(NodeKind::identifier))
    for (Scope* s = &scope; s; s = s->outer)
      if (s->self && s->self->is(Kind::record) && s->self->value.node) {
        const Things given = arguments_of(n.child(Field::arguments_field), scope);
        if (const Node method = method_named(s->self, called, given.size()))
          return invoke(method, given, s->self, nullptr);
        if (stopped_) return unknown();
        return free_function(n, called, of_template, given, scope);
      }
  if (callee.is(NodeKind::qualified_identifier) && !of_library) {
    const CppValue type = fold(callee.child(Field::scope_field), scope);
    if (type.is(CppKind::structure) && type.node) {
      Thing* self = made(Kind::record);
      self->value = type;
      const Things given = arguments_of(n.child(Field::arguments_field), scope);
      const Node method = method_named(self, called, given.size());
      if (!method || !cpp_has(method.text().substr(0, 200), "static")) return stop(n);
      return invoke(method, given, self, nullptr);
    }
  }
  const Things given = arguments_of(n.child(Field::arguments_field), scope);
  if (stopped_) return unknown();
  if (of_library) return library_function(n, called, of_template, given, scope);
  return free_function(n, called, of_template, given, scope);
}

/// A function of the file, the making of an object, or a function of a library.
CppHostRun::Thing* CppHostRun::free_function(Node n, std::string_view called, Node of_template,
                                             const Things& given, Scope& scope) {
  if (const Node function = function_called(called, n, given.size())) {
    std::vector<CppValue> values;
    for (const Node one : cpp_items(of_template)) values.push_back(fold(one, scope));
    return invoke(function, given, nullptr, nullptr, values);
  }
  if (stopped_) return unknown();
  if (called == "dim3") return extents(given);
  const Node callee = n.child(Field::function_field);
  if (cpp_integer_type(called) && given.size() == 1) return converted(given[0], callee, scope);
  const CppValue type = fold(callee, scope);
  if (type.is(CppKind::structure) && type.node) return object(type, callee, given, Node(), scope);
  if (type.is(CppKind::type) && !type.node && given.size() == 1 && given[0]->value.integer())
    return converted(given[0], callee, scope);
  return library_function(n, called, of_template, given, scope);
}

/// A class's own method of that name, or its one base's; the run ends where several may be meant.
Node CppHostRun::method_named(Thing* object, std::string_view name, std::size_t given) {
  const Node structure = object->value.node;
  Node out;
  for (const Node one : methods_of_class(structure)) {
    if (cpp_function_name(one).text() != name) continue;
    if (!cpp_takes(one, given)) continue;
    if (out) {
      stop(one);
      return {};
    }
    out = one;
  }
  if (out && cpp_has(out.text().substr(0, 100), "virtual")) stop(out);
  if (!out && !bases_of_class(structure).empty()) stop(structure);
  return stopped_ ? Node() : out;
}

CppHostRun::Thing* CppHostRun::eval_method(Node n, Scope& scope) {
  const Node callee = n.child(Field::function_field);
  Thing* object = eval(callee.child(Field::argument_field), scope);
  if (callee.child(Field::operator_token).text() == "->") {
    Thing* behind = pointed(object);
    if (!behind && !object->is(Kind::unknown)) return stop(n);
    object = behind ? behind : object;
  }
  const Node named = callee.child(Field::field_field);
  std::string_view name = named.text();
  Node of_template;
  for (std::uint32_t i = named.index(); i < named.end_index(); ++i)
    if (const Node one = tree_.at(i); one.is(NodeKind::template_method)) {
      name = one.child(Field::name_field).text();
      of_template = one.child(Field::arguments_field);
      break;
    }
  const Things given = arguments_of(n.child(Field::arguments_field), scope);
  if (stopped_) return unknown();
  if (object->is(Kind::record) && object->value.node) {
    const Node method = method_named(object, name, given.size());
    if (!method) return stop(n);
    std::vector<CppValue> values;
    for (const Node one : cpp_items(of_template)) values.push_back(fold(one, scope));
    return invoke(method, given, object, nullptr, values);
  }
  if (object->is(Kind::value) && is_plain_arguments(n)) return folded(n, scope);
  return library_method(object, name, given, n);
}

/// A <<<…>>>: what it is made with this time.
void CppHostRun::launch_kernel(Node call, Node syntax, Scope& scope) {
  std::vector<CppValue> parts;
  std::size_t at = 0;
  for (const Node part : syntax.children()) {
    if (part.is(NodeKind::op)) continue;
    const bool extended = at < 2 && part.is(NodeKind::initializer_list);
    Thing* one = extended ? extents(arguments_of(part, scope)) : eval(part, scope);
    if (at++ < 2 && one->is(Kind::record) && one->value.node) {  // a class that is made into extents
      stop(call);
    }
    if (stopped_) return;
    parts.push_back(value_of(one));
  }
  arguments_of(call.child(Field::arguments_field), scope);
  if (stopped_) return;
  const auto [place, fresh] = launches_.try_emplace(syntax.index());
  Launch& launch = place->second;
  if (fresh) launch.parts = parts;
  for (std::size_t i = 0; i < launch.parts.size() && i < 3; ++i)
    if (!cpp_same_value(launch.parts[i], parts[i])) launch.open = true;
}

}  // namespace cutelab::reading
