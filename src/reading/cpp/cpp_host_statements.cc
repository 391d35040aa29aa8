#include <algorithm>

#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_expand.h"
#include "reading/cpp/cpp_host.h"

/// Statements of the host code.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr int most_host_statements = 60'000;
constexpr int deepest_statement = 200;

/// Ends in main's return, throw or exit: who comes behind it did not take it.
bool always_leaves(Node statement, bool of_main) {
  while (statement.is(NodeKind::compound_statement) || statement.is(NodeKind::else_clause)) {
    const auto parts = cpp_items(statement);
    if (parts.empty()) return false;
    statement = parts.back();
  }
  if ((of_main && statement.is(NodeKind::return_statement)) || statement.kind_name() == "throw_statement")
    return true;
  const std::string_view called = statement.first().child(Field::function_field).text();
  return called == "exit" || called == "std::exit" || called == "abort" || called == "std::abort";
}

bool jumps_from(Node region) {
  for (std::uint32_t i = region.index(); i < region.end_index(); ++i) {
    const Node n = region.tree()->at(i);
    if (n.is(NodeKind::return_statement) || n.is(NodeKind::break_statement) ||
        n.is(NodeKind::continue_statement) || n.kind_name() == "goto_statement")
      return true;
  }
  return false;
}
/// Whether what is passed over may leave a pointer or a reference somewhere.
bool may_keep(Node region) {
  for (std::uint32_t i = region.index(); i < region.end_index(); ++i) {
    const Node n = region.tree()->at(i);
    if (n.is(NodeKind::call_expression) || n.is(NodeKind::pointer_expression) ||
        n.is(NodeKind::lambda_expression) || n.kind_name() == "reference_declarator" ||
        n.kind_name() == "pointer_declarator" || n.kind_name() == "new_expression")
      return true;
  }
  return false;
}

/// A return or a jump out of what is passed over.
bool jumps_out(Node region) {
  for (std::uint32_t i = region.index(); i < region.end_index(); ++i) {
    const Node n = region.tree()->at(i);
    if (n.is(NodeKind::return_statement) || n.kind_name() == "goto_statement") return true;
  }
  return false;
}
}  // namespace

bool is_loop_of_host(Node n) {
  return n.is(NodeKind::for_statement) || n.is(NodeKind::while_statement) || n.is(NodeKind::do_statement) ||
         n.is(NodeKind::for_range_loop);
}

CppHostRun::Flow CppHostRun::run_all(Node block, Scope& scope, Node but) {
  for (const Node one : cpp_items(block)) {
    if (one == but) continue;
    const Flow flow = run(one, scope);
    if (stopped_ || flow != Flow::on) return flow;
  }
  return Flow::on;
}

/// Destructors of what a block declares, the last one first.
void CppHostRun::leave(Scope& scope) {
  const Things all = scope.leave;
  for (auto one = all.rbegin(); one != all.rend() && !stopped_; ++one)
    if (const Node destructor = destructor_of((*one)->value.node)) {
      Thing* kept = result_;
      invoke(destructor, {}, *one, nullptr);
      result_ = kept;
    }
}

CppHostRun::Flow CppHostRun::run(Node n, Scope& scope) {
  if (stopped_) return Flow::returned;
  if (++statements_ > most_host_statements || depth_ > deepest_statement) {
    give_up(depth_ > deepest_statement ? "statements that are nested too deep"
                                       : "too many statements of the host code");
    return Flow::returned;
  }
  ++depth_;
  const Flow out = run_one(n, scope);
  --depth_;
  return out;
}

CppHostRun::Flow CppHostRun::run_one(Node n, Scope& scope) {
  Flow out = Flow::on;
  switch (n.kind()) {
    case NodeKind::compound_statement: {
      Scope& inner = scopes_.emplace_back(Scope{&scope});
      out = run_all(n, inner);
      leave(inner);
      break;
    }
    case NodeKind::declaration:
      declare(n, scope);
      break;
    case NodeKind::expression_statement:
      if (!cpp_items(n).empty()) eval(cpp_items(n)[0], scope);
      break;
    case NodeKind::if_statement:
      out = run_if(n, scope);
      break;
    case NodeKind::for_statement:
    case NodeKind::while_statement:
    case NodeKind::do_statement:
      out = run_loop(n, scope);
      break;
    case NodeKind::for_range_loop:
      out = run_range(n, scope);
      break;
    case NodeKind::switch_statement:
      out = run_switch(n, scope);
      break;
    case NodeKind::return_statement:
      out = run_return(n, scope);
      break;
    case NodeKind::break_statement:
      out = Flow::out;
      break;
    case NodeKind::continue_statement:
      out = Flow::next_round;
      break;
    case NodeKind::using_declaration:
      bring(n, scope);
      break;
    case NodeKind::alias_declaration:
      if (found(n.child(Field::name_field).text(), scope)) stop(n);  // hides a variable
      break;
    case NodeKind::type_definition:
    case NodeKind::struct_specifier:
    case NodeKind::class_specifier:
      break;
    default:
      if (n.kind_name() == "enum_specifier")
        enumerate(n, scope);
      else if (n.kind_name() != "static_assert_declaration" && n.kind_name() != "namespace_alias_definition")
        stop(n);
  }
  return out;
}

/// `using a::b;`: what it names hides a variable of that name.
void CppHostRun::bring(Node n, Scope& scope) {
  if (cpp_has(n.text(), "using namespace")) return;
  if (cpp_has(n.text(), "using enum") || cpp_items(n).empty()) {
    stop(n);
    return;
  }
  const Node whole = cpp_items(n).back();
  Node last = whole;
  while (last.is(NodeKind::qualified_identifier)) last = last.child(Field::name_field);
  if (found(last.text(), scope)) scope.names[last.text()] = of_value(fold(whole, scope));
}

/// The names of an enumeration in a block.
void CppHostRun::enumerate(Node enumeration, Scope& scope) {
  const std::string_view head = enumeration.text().substr(0, 16);
  if (head.starts_with("enum class") || head.starts_with("enum struct")) return;
  for (const Node one : cpp_items(enumeration.child(Field::body_field))) {
    const Node value = one.child(Field::value_field);
    Thing* held = value ? of_value(fold(value, scope)) : of_value(folder_.enumerator(one, nullptr));
    scope.names[one.child(Field::name_field).text()] = held;
  }
}

CppHostRun::Flow CppHostRun::run_if(Node n, Scope& outer) {
  Scope& scope = scopes_.emplace_back(Scope{&outer});
  const Node clause = n.child(Field::condition_field);
  if (const Node first = clause.child(Field::initializer_field)) run_all(first, scope);
  const Node condition = clause.child(Field::value_field);
  Thing* told = nullptr;
  if (condition.is(NodeKind::declaration)) {
    declare(condition, scope);
    told = found(cpp_declared_name(condition.child(Field::declarator_field)).text(), scope);
  } else {
    told = eval(condition, scope);
  }
  const Node then = n.child(Field::consequence_field), otherwise = n.child(Field::alternative_field);
  if (stopped_ || !told) return stop(n), Flow::returned;
  std::optional<std::int64_t> is = told->is(Kind::pointer) ? std::optional<std::int64_t>(1) : std::nullopt;
  if (told->is(Kind::value)) is = told->value.integer();
  const Node lambda = n.enclosing(NodeKind::lambda_expression);
  const bool of_main = n.enclosing(NodeKind::function_definition) == main_ && !main_.contains(lambda);
  Flow out = Flow::on;
  if (is) {
    Node taken = *is ? then : otherwise;
    if (taken.is(NodeKind::else_clause)) taken = cpp_items(taken).empty() ? Node() : cpp_items(taken)[0];
    if (taken) out = run(taken, scope);
  } else if (always_leaves(then, of_main) || (otherwise && always_leaves(otherwise, of_main))) {
    const bool first = always_leaves(then, of_main);
    open_launches(first ? then : otherwise, &scope);
    if (first && otherwise && always_leaves(otherwise, of_main)) return stop(n), Flow::returned;
    Node rest = first ? otherwise : then;
    if (rest.is(NodeKind::else_clause)) rest = cpp_items(rest).empty() ? Node() : cpp_items(rest)[0];
    if (rest) out = run(rest, scope);
  } else {
    if (jumps_from(n)) return stop(n), Flow::returned;
    poison_mentioned(then, scope, may_keep(n));
    if (otherwise) poison_mentioned(otherwise, scope, may_keep(n));
  }
  leave(scope);
  return out;
}

CppHostRun::Flow CppHostRun::run_loop(Node n, Scope& outer) {
  Scope& scope = scopes_.emplace_back(Scope{&outer});
  Node condition = n.child(Field::condition_field);
  const Node body = n.child(Field::body_field), first = n.child(Field::initializer_field);
  if (condition.is(NodeKind::condition_clause)) condition = condition.child(Field::value_field);
  if (condition.is(NodeKind::declaration)) return stop(n), Flow::returned;
  if (first.is(NodeKind::declaration))
    run(first, scope);
  else if (first)
    eval(first, scope);
  for (int round = 0; !stopped_; ++round) {
    if (condition && !(n.is(NodeKind::do_statement) && round == 0)) {
      const Thing* told = eval(condition, scope);
      if (!stopped_ && (!told->is(Kind::value) || !told->value.integer())) {
        if (jumps_out(body)) return stop(n), Flow::returned;
        poison_mentioned(n, scope, may_keep(n));
        return Flow::on;
      }
      if (stopped_ || *told->value.integer() == 0) break;
    }
    const Flow flow = run(body, scope);
    if (flow == Flow::out) break;
    if (stopped_ || flow == Flow::returned) return flow;
    if (const Node update = n.child(Field::update_field)) eval(update, scope);
    if (++statements_ > most_host_statements) give_up("too many rounds of the host code's loops");
  }
  leave(scope);
  return stopped_ ? Flow::returned : Flow::on;
}

CppHostRun::Flow CppHostRun::run_range(Node n, Scope& outer) {
  Scope& scope = scopes_.emplace_back(Scope{&outer});
  const Node declarator = n.child(Field::declarator_field), right = n.child(Field::right_field);
  Thing* over = nullptr;
  if (right.is(NodeKind::initializer_list)) {
    over = made(Kind::array);
    for (const Node one : cpp_items(right)) over->parts.emplace_back("", copy(eval(one, scope)));
  } else {
    over = eval(right, scope);
  }
  if (n.child(Field::initializer_field)) return stop(n), Flow::returned;
  if (stopped_) return Flow::returned;
  if (!over->is(Kind::array)) {
    if (jumps_out(n.child(Field::body_field))) return stop(n), Flow::returned;
    poison(over);
    poison_mentioned(n, scope, may_keep(n));
    return Flow::on;
  }
  const bool reference = declarator.kind_name() == "reference_declarator";
  const auto elements = over->parts;
  for (const auto& [name, element] : elements) {
    Scope& round = scopes_.emplace_back(Scope{&scope});
    Thing* one = reference ? element : copy(element);
    if (const Node binding = cpp_binding_of(declarator))
      declare_binding(binding, one, reference, round);
    else
      round.names[cpp_declared_name(declarator).text()] =
          reference ? one : converted(one, n.child(Field::type_field), scope);
    const Flow flow = run(n.child(Field::body_field), round);
    if (stopped_ || flow == Flow::returned) return flow;
    if (over->parts.size() != elements.size()) return stop(n), Flow::returned;
    if (flow == Flow::out) break;
  }
  return Flow::on;
}

CppHostRun::Flow CppHostRun::run_switch(Node n, Scope& outer) {
  Scope& scope = scopes_.emplace_back(Scope{&outer});
  const Node clause = n.child(Field::condition_field);
  if (const Node first = clause.child(Field::initializer_field)) run_all(first, scope);
  if (clause.child(Field::value_field).is(NodeKind::declaration)) return stop(n), Flow::returned;
  const Thing* told = eval(clause.child(Field::value_field), scope);
  const auto cases = cpp_items(n.child(Field::body_field));
  if (stopped_) return Flow::returned;
  if (!told->is(Kind::value) || !told->value.integer()) {
    if (jumps_out(n.child(Field::body_field))) return stop(n), Flow::returned;
    poison_mentioned(n.child(Field::body_field), scope, may_keep(n));
    return Flow::on;
  }
  const std::int64_t wanted = *told->value.integer();
  std::size_t from = cases.size(), otherwise = cases.size();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].is(NodeKind::case_statement)) return stop(n), Flow::returned;
    const Node value = cases[i].child(Field::value_field);
    const auto one = value ? fold(value, scope).integer() : std::nullopt;
    if (!value)
      otherwise = i;
    else if (!one)
      return stop(n), Flow::returned;
    else if (from == cases.size() && *one == wanted)
      from = i;
  }
  for (std::size_t i = from < cases.size() ? from : otherwise; i < cases.size(); ++i) {
    const Flow flow = run_all(cases[i], scope, cases[i].child(Field::value_field));
    if (flow == Flow::out) break;
    if (stopped_ || flow != Flow::on) return flow;
  }
  leave(scope);
  return Flow::on;
}

CppHostRun::Flow CppHostRun::run_return(Node n, Scope& scope) {
  const auto items = cpp_items(n);
  result_ = nullptr;
  if (items.empty()) return Flow::returned;
  const Node value = items.back();
  const Node function = n.enclosing(NodeKind::function_definition);
  const Node lambda = n.enclosing(NodeKind::lambda_expression);
  const bool of_lambda = lambda && function.contains(lambda);
  if (!value.is(NodeKind::initializer_list)) {
    result_ = eval(value, scope);
    if (!of_lambda && function.child(Field::declarator_field).is(NodeKind::function_declarator) &&
        value.is(NodeKind::identifier))
      result_ = copy(result_);  // before the locals are gone
    return Flow::returned;
  }
  if (of_lambda) poison_mentioned(value, scope);
  result_ = of_lambda ? unknown() : declared_object(function.child(Field::type_field), Node(), value, scope);
  return Flow::returned;
}

}  // namespace cutelab::reading
