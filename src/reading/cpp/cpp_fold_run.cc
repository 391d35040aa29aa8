#include <algorithm>

#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_folder.h"

/// Functions of these sources, run with the arguments of a call: statement by statement, their locals in a
/// frame. What cannot be followed ends the run; its value is unknown then.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr int most_statements = 20'000;
constexpr int most_loop_rounds = 4096;

CppValue not_followed(Node n) {
  return CppValue::unknown("a function that is not followed here", std::string(n.text().substr(0, 60)), n);
}

/// Whether an expression may write to something, as far as its own text tells.
bool may_write(Node n) {
  for (std::uint32_t i = n.index(); i < n.end_index(); ++i) {
    const Node inner = n.tree()->at(i);
    if (inner.is(NodeKind::assignment_expression) || inner.kind_name() == "update_expression" ||
        (inner.is(NodeKind::pointer_expression) && inner.text().starts_with("&")))
      return true;
  }
  return false;
}
}  // namespace

/// Binds the parameters of a template to its arguments; a pack takes all that are left.
void CppFolder::bind_parameters(Node owner, const std::vector<CppValue>& whole, Frame& frame) {
  std::size_t at = 0;
  for (const Node p : cpp_items(owner.child(Field::parameters_field))) {
    const std::string name(cpp_template_parameter_name(p).text());
    if (p.kind_name().find("variadic") != std::string_view::npos) {
      CppValue pack;
      pack.kind = CppKind::pack;
      for (; at < whole.size(); ++at) pack.fields.emplace_back("", whole[at]);
      frame.names.insert_or_assign(name, std::move(pack));
    } else if (at < whole.size()) {
      frame.names.insert_or_assign(name, whole[at++]);
    }
  }
}

/// `sizeof...(T)`
CppValue CppFolder::size_of_pack(Node n, Frames frame) {
  const CppValue pack = evaluate(n.child(Field::value_field), frame);
  if (pack.is(CppKind::pack)) return CppValue::of(static_cast<std::int64_t>(pack.fields.size()));
  return pack.known() ? CppValue::unknown("a parameter pack", std::string(n.text()), n) : pack;
}

/// A function template's parameters: those that a call gives, those with a default that nothing deduces.
void CppFolder::bind_template(Node function, const std::vector<CppValue>& given, Frame& frame) {
  const Node owner = function.parent();
  if (!owner.is(NodeKind::template_declaration)) return;
  std::size_t at = 0;
  for (const Node p : cpp_items(owner.child(Field::parameters_field))) {
    const std::string name(cpp_template_parameter_name(p).text());
    const bool pack = p.kind_name().find("variadic") != std::string_view::npos;
    Node otherwise = p.child(Field::default_value_field);
    if (!otherwise) otherwise = p.child(Field::default_type_field);
    CppValue value = CppValue::unknown("deduced from what a call passes", name, p);
    if (!pack && at < given.size())
      value = as_type(given[at], p.child(Field::type_field), &frame);
    else if (otherwise && cpp_parameters_of(function).text().find(name) == std::string_view::npos)
      value = evaluate(otherwise, &frame);
    frame.names.insert_or_assign(name, std::move(value));
    ++at;
  }
}

CppValue CppFolder::constexpr_call(Node function, const std::vector<CppValue>& arguments, Frames outer,
                                   const std::vector<CppValue>& template_arguments) {
  Frame frame;
  frame.outer = outer;
  frame.scope = function.parent().is(NodeKind::template_declaration) ? function.parent() : function;
  frame.runs = true;
  bind_template(function, template_arguments, frame);
  std::size_t at = 0;
  for (const Node p : cpp_items(cpp_parameters_of(function))) {
    const Node declarator = p.child(Field::declarator_field);
    const std::string name(cpp_declared_name(declarator).text());
    const Node held = declarator.kind_name() == "pointer_declarator" ? Node() : p.child(Field::type_field);
    const Node otherwise = p.child(Field::default_value_field);
    CppValue value = CppValue::unknown("is not given", name, p);
    if (p.kind_name().find("variadic") != std::string_view::npos)
      value = not_followed(function);
    else if (at < arguments.size() || otherwise)
      value = as_type(at < arguments.size() ? arguments[at] : evaluate(otherwise, &frame), held, &frame);
    if (held.text() == "dim3") value = cpp_as_dim3(std::move(value));
    if (!name.empty()) frame.names.insert_or_assign(name, std::move(value));
    ++at;
  }
  const CppValue out = run_body(function, frame);
  const Node declarator = function.child(Field::declarator_field);
  if (!declarator.is(NodeKind::function_declarator)) return out;
  const Node returned = function.child(Field::type_field);
  CppValue typed = as_type(out, returned, &frame);
  return returned.text() == "dim3" ? cpp_as_dim3(std::move(typed)) : typed;
}

CppValue CppFolder::run_body(Node function, const Frame& frame) {
  const Node body = function.child(Field::body_field);
  if (!body || running_ > 12) return not_followed(function);
  ++running_;
  CppValue result = not_followed(function);
  const Flow flow = run(body, frame, &result);
  --running_;
  if (flow == Flow::returned || (flow == Flow::stopped && !result.known())) return result;
  return not_followed(function);
}

CppFolder::Flow CppFolder::run(Node n, const Frame& frame, CppValue* result) {
  const auto stopped = [&] {
    *result = not_followed(n);
    return Flow::stopped;
  };
  if (++statements_ > most_statements) return stopped();
  switch (n.kind()) {
    case NodeKind::compound_statement: {
      const Frame inner{&frame, frame.scope, {}, true};
      for (const Node one : cpp_items(n))
        if (const Flow flow = run(one, inner, result); flow != Flow::on) return flow;
      return Flow::on;
    }
    case NodeKind::declaration:
      return run_declaration(n, frame, result);
    case NodeKind::expression_statement:
      return cpp_items(n).empty() ? Flow::on : run_expression(cpp_items(n)[0], frame, result);
    case NodeKind::if_statement:
      return run_if(n, frame, result);
    case NodeKind::for_statement:
    case NodeKind::while_statement:
    case NodeKind::do_statement:
      return run_loop(n, frame, result);
    case NodeKind::switch_statement:
      return run_switch(n, frame, result);
    case NodeKind::return_statement: {
      const auto items = cpp_items(n);
      if (items.empty() || may_write(n)) return stopped();
      if (items.back().is(NodeKind::initializer_list)) {
        Node function = n.enclosing(NodeKind::function_definition);
        const CppValue type = evaluate(function.child(Field::type_field), &frame);
        *result = function.child(Field::type_field).text() == "dim3"
                      ? library_call("dim3", n, values_of(items.back(), &frame), {}, &frame)
                      : object(type, items.back(), &frame);
        return Flow::returned;
      }
      *result = evaluate(items.back(), &frame);
      return Flow::returned;
    }
    case NodeKind::break_statement:
      return Flow::out;
    case NodeKind::continue_statement:
      return Flow::next_round;
    case NodeKind::alias_declaration:
    case NodeKind::using_declaration:
    case NodeKind::type_definition:
      return Flow::on;
    default:
      return n.kind_name() == "static_assert_declaration" || n.kind_name() == ";" ? Flow::on : stopped();
  }
}

CppFolder::Flow CppFolder::run_declaration(Node n, const Frame& frame, CppValue* result) {
  const std::string_view head = cpp_specifiers(n);
  const bool fixed = head.find("const") != std::string_view::npos;
  for (const CppDeclared& one : cpp_declarators(n)) {
    const Node name = cpp_declared_name(one.declarator);
    const bool init = one.declarator.is(NodeKind::init_declarator);
    const Node inner = init ? one.declarator.child(Field::declarator_field) : one.declarator;
    const bool bound = inner.kind_name() == "reference_declarator";
    const bool followed = inner.is(NodeKind::identifier) || (bound && fixed);
    if (!followed || (!fixed && head.find("static") != std::string_view::npos) ||
        (one.value && may_write(one.value))) {
      *result = not_followed(n);
      return Flow::stopped;
    }
    CppValue value = init ? initializer(one.declarator, name, &frame)
                          : CppValue::unknown("is not set where it is declared", std::string(name.text()), n);
    if (!init && n.child(Field::type_field).text() == "dim3") value = cpp_as_dim3(CppValue::of(1));
    if (!init && n.child(Field::type_field).text() != "dim3")
      if (const CppValue made = evaluate(n.child(Field::type_field), &frame); made.is(CppKind::structure))
        value = made.node ? object(made, Node(), &frame) : made;
    frame.names.insert_or_assign(std::string(name.text()), std::move(value));
  }
  return Flow::on;
}

/// An assignment or a step of a local; any other expression that writes to nothing is passed over.
CppFolder::Flow CppFolder::run_expression(Node n, const Frame& frame, CppValue* result) {
  const bool assigns = n.is(NodeKind::assignment_expression), steps = n.kind_name() == "update_expression";
  if (n.kind_name() == "comma_expression") {
    const Flow left = run_expression(n.child(Field::left_field), frame, result);
    return left == Flow::on ? run_expression(n.child(Field::right_field), frame, result) : left;
  }
  *result = not_followed(n);
  if (!assigns && !steps) {
    for (std::uint32_t i = n.index(); i < n.end_index(); ++i)
      if (const Node inner = n.tree()->at(i);
          inner.parent().is(NodeKind::argument_list) && takes_reference(inner))
        return Flow::stopped;
    const Node callee = n.child(Field::function_field);
    const bool method = callee.is(NodeKind::field_expression) && method_writes(n);
    return may_write(n) || method || n.is(NodeKind::lambda_expression) ? Flow::stopped : Flow::on;
  }
  Change change{n, {}, true};
  Node target = n.child(assigns ? Field::left_field : Field::argument_field);
  if (assigns && may_write(n.child(Field::right_field))) return Flow::stopped;
  for (; target.is(NodeKind::field_expression) && target.child(Field::operator_token).text() == ".";
       target = target.child(Field::argument_field))
    change.path.insert(change.path.begin(), target.child(Field::field_field).text());
  if (!target.is(NodeKind::identifier)) return Flow::stopped;
  for (Frames f = &frame; f && f->runs && f->scope == frame.scope; f = f->outer)
    if (const auto found = f->names.find(target.text()); found != f->names.end()) {
      const Node made = choose(target.text(), target);
      const Node type =
          made.parent().is(NodeKind::declaration) ? made.parent().child(Field::type_field) : Node();
      found->second = applied(found->second, change, 0, type, &frame);
      return Flow::on;
    }
  return Flow::stopped;
}

CppFolder::Flow CppFolder::run_if(Node n, const Frame& outer, CppValue* result) {
  const Frame frame{&outer, outer.scope, {}, true};
  const Node condition = n.child(Field::condition_field);
  if (const Node first = condition.child(Field::initializer_field))
    for (const Node one : cpp_items(first))
      if (const Flow flow = run(one, frame, result); flow != Flow::on) return flow;
  if (may_write(condition.child(Field::value_field))) {
    *result = not_followed(n);
    return Flow::stopped;
  }
  const CppValue told = evaluate(condition, &frame);
  if (!told.integer()) {
    *result = told.known() ? not_followed(condition) : told;
    return Flow::stopped;
  }
  Node taken = n.child(*told.integer() ? Field::consequence_field : Field::alternative_field);
  if (taken.is(NodeKind::else_clause)) taken = cpp_items(taken).empty() ? Node() : cpp_items(taken)[0];
  return taken ? run(taken, frame, result) : Flow::on;
}

CppFolder::Flow CppFolder::run_loop(Node n, const Frame& outer, CppValue* result) {
  const Frame frame{&outer, outer.scope, {}, true};
  const Node condition = n.child(Field::condition_field), body = n.child(Field::body_field);
  const Node update = n.child(Field::update_field), first = n.child(Field::initializer_field);
  if (first) {
    const Flow flow =
        first.is(NodeKind::declaration) ? run(first, frame, result) : run_expression(first, frame, result);
    if (flow != Flow::on) return flow;
  }
  for (int round = 0; round < most_loop_rounds && statements_ < most_statements; ++round) {
    if (condition && !(n.is(NodeKind::do_statement) && round == 0)) {
      const CppValue told = evaluate(condition, &frame);
      if (!told.integer() || may_write(condition)) {
        *result = told.known() ? not_followed(condition) : told;
        return Flow::stopped;
      }
      if (*told.integer() == 0) return Flow::on;
    }
    const Flow flow = run(body, frame, result);
    if (flow == Flow::out) return Flow::on;
    if (flow == Flow::returned || flow == Flow::stopped) return flow;
    if (update)
      if (const Flow stepped = run_expression(update, frame, result); stepped != Flow::on) return stepped;
  }
  *result = not_followed(n);
  return Flow::stopped;
}

CppFolder::Flow CppFolder::run_switch(Node n, const Frame& outer, CppValue* result) {
  const Frame frame{&outer, outer.scope, {}, true};
  const CppValue told = evaluate(n.child(Field::condition_field), &frame);
  const auto cases = cpp_items(n.child(Field::body_field));
  *result = told.known() ? not_followed(n) : told;
  if (!told.integer()) return Flow::stopped;
  std::size_t from = cases.size(), otherwise = cases.size();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].is(NodeKind::case_statement)) return Flow::stopped;
    const Node value = cases[i].child(Field::value_field);
    if (!value) {
      otherwise = i;
      continue;
    }
    const CppValue one = evaluate(value, &frame);
    if (!one.integer()) return Flow::stopped;
    if (from == cases.size() && one.integer() == told.integer()) from = i;
  }
  for (std::size_t i = from < cases.size() ? from : otherwise; i < cases.size(); ++i)
    for (const Node one : cpp_items(cases[i])) {
      if (one == cases[i].child(Field::value_field)) continue;
      const Flow flow = run(one, frame, result);
      if (flow == Flow::out) return Flow::on;
      if (flow != Flow::on) return flow;
    }
  return Flow::on;
}

}  // namespace cutelab::reading
