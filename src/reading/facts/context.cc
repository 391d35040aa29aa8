#include "reading/facts/context.h"

#include <algorithm>

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr std::size_t usual_facts = 256;

std::string leaf_of(const std::string& path) {
  const auto dot = path.rfind('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

/// What `x = call(…)` or `a, b = call(…)` binds; "" when the call is part of something larger.
std::string target_of(Node call) {
  Node n = call;
  while (n.parent().is(NodeKind::parenthesized_expression)) n = n.parent();
  const Node above = n.parent();
  if (n.field() == Field::right_field && above.is(NodeKind::assignment))
    return std::string(above.child(Field::left_field).text());
  if (n.field() == Field::value_field && above.is(NodeKind::keyword_argument))
    return std::string(above.child(Field::name_field).text());
  return {};
}

/// partial(sm90.gemm_zero_init, …): a call to come, of a helper named for what it wraps.
bool binds_one_of(Node partial, const std::vector<std::string>& leaves) {
  const Node first = partial.child(Field::arguments_field).first();
  const std::string leaf = leaf_of(std::string(first.text().substr(0, 120)));
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](const std::string& l) { return leaf == l || leaf.starts_with(l + "_"); });
}
}  // namespace

std::string leaf_name(std::string_view dotted) { return std::string(last_part(dotted)); }

Node argument_for(const FactContext& context, const source::PythonFunction& function, Node call,
                  std::size_t parameter) {
  const std::string& name = function.parameters[parameter].name;
  if (const Node given = context.keyword(call, name)) return given;
  const bool bound = !function.parameters.empty() && function.parameters[0].name == "self";
  return context.positional(call, static_cast<int>(parameter) - (bound ? 1 : 0));
}

FactContext::FactContext(source::Program& p, Evaluator& e, const std::vector<Flag>& f, evidence::Reading& r)
    : program(p), evaluator(e), flags(f), reading(r) {
  drafts.reserve(usual_facts);
  collect_calls();
}

void FactContext::collect_calls() {
  const source::Tree& tree = module().tree();
  const source::Tree::Nodes all = tree.all(NodeKind::call);
  calls_.reserve(all.size());
  call_by_node_.assign(tree.size(), -1);
  for (const Node n : all) {
    const Node function = n.child(Field::function_field);
    CallSite site;
    site.call = n;
    site.function = module().function_at(n);
    site.path = evaluator.callee_path(0, n);
    if (function.is(NodeKind::attribute)) {
      site.receiver = function.child(Field::object_field).text();
      site.leaf = function.child(Field::attribute_field).text();
    } else {
      const std::string qualified = module().qualified(function);
      site.leaf = leaf_of(qualified);
      if (qualified == function.text())
        if (std::string name = evaluator.called_name(0, n); !name.empty()) site.leaf = std::move(name);
    }
    site.target = target_of(n);
    call_by_node_[n.index()] = static_cast<std::int32_t>(calls_.size());
    calls_.push_back(std::move(site));
  }
}

const CallSite* FactContext::site_of(Node call) const {
  if (call.tree() != &module().tree()) return nullptr;
  const std::int32_t found = call_by_node_[call.index()];
  return found >= 0 ? &calls_[static_cast<std::size_t>(found)] : nullptr;
}

evidence::Location FactContext::at(Node node) const {
  evidence::Location location;
  location.span = node.span();
  for (int m = 0; m < program.size(); ++m)  // a reading's files are the program's modules, in loading order
    if (&program.module(m).tree() == node.tree()) {
      location.file = m;
      break;
    }
  return location;
}

evidence::Value FactContext::value(Node expression) {
  evidence::Value out = value(evaluator.value_of(0, expression), expression);
  if (out.determined() && out.known_by == evidence::KnownBy::computed)
    out.formula += helpers_of_formula(*this, expression);
  return out;
}

evidence::Value FactContext::value(const Abstract& a, Node expression) const {
  evidence::Value out;
  using Kind = Abstract::Kind;
  switch (a.kind) {
    case Kind::boolean:
      out.data = a.number != 0;
      break;
    case Kind::integer:
      out.data = a.number;
      break;
    case Kind::real:
      out.data = a.real;
      break;
    case Kind::text:
      out.data = a.text;
      break;
    case Kind::none:
      out.data = std::string("None");
      break;
    case Kind::name:
      out.data = leaf_of(a.path);
      break;
    case Kind::tuple: {
      evidence::Value::List items;
      for (const Abstract& item : a.items) items.push_back(value(item, {}));
      out.data = std::move(items);
      break;
    }
    default: {
      evidence::Undetermined why;
      why.reason = a.is(Kind::unknown) ? a.text : "needs evaluation: " + a.path;
      why.depends_on = a.depends_on;
      std::sort(why.depends_on.begin(), why.depends_on.end());
      why.depends_on.erase(std::unique(why.depends_on.begin(), why.depends_on.end()), why.depends_on.end());
      if (why.depends_on.size() > 6) why.depends_on.resize(6);
      if (why.depends_on.empty() && expression)
        why.depends_on.push_back(std::string(expression.text().substr(0, 80)));
      const Node stopped = a.made_at ? a.made_at : expression;
      if (stopped) why.at = at(stopped);
      out.data = std::move(why);
    }
  }
  const bool plain = expression.is(NodeKind::integer) || expression.is(NodeKind::string) ||
                     expression.is(NodeKind::true_literal) || expression.is(NodeKind::false_literal) ||
                     expression.is(NodeKind::float_literal);
  if (expression && !plain) {
    out.formula = std::string(expression.text().substr(0, 400));
    out.known_by = evidence::KnownBy::computed;
  }
  return out;
}

Node FactContext::keyword(Node call, std::string_view name) const {
  for (const Node a : call.child(Field::arguments_field).children())
    if (a.is(NodeKind::keyword_argument) && a.child(Field::name_field).text() == name)
      return a.child(Field::value_field);
  return {};
}

Node FactContext::positional(Node call, int position) const {
  for (const Node a : call.child(Field::arguments_field).children()) {
    if (a.is(NodeKind::keyword_argument)) continue;
    if (position-- == 0) return a;
  }
  return {};
}

Draft& FactContext::add(evidence::Family family, std::string kind, std::string subject, std::string says,
                        Node node) {
  Draft draft;
  draft.fact.family = family;
  draft.fact.kind = std::move(kind);
  draft.fact.subject = std::move(subject);
  draft.fact.says = std::move(says);
  draft.fact.at = at(node);
  draft.node = node;
  drafts.push_back(std::move(draft));
  return drafts.back();
}

std::string FactContext::operation_of(const Abstract& object, int depth) {
  if (depth > 12) return {};
  if (object.path.find("Op") != std::string::npos ||
      object.path.find("cluster_shape_to_tma_atom") != std::string::npos)
    return object.path;
  for (const Abstract& alternative : object.items) {
    std::string inner = operation_of(alternative, depth + 1);
    if (!inner.empty()) return inner;
  }
  if (!object.made_at || !object.is(Abstract::Kind::object) || !object.made_at.is(NodeKind::call)) return {};
  const Node first = object.made_at.child(Field::arguments_field).first();
  const Node argument = first.is(NodeKind::keyword_argument) ? first.child(Field::value_field) : first;
  if (argument) {
    std::string inner = operation_of(evaluator.argument_of(object, argument), depth + 1);
    if (!inner.empty()) return inner;
  }
  // A method on the object that holds the operation: tiled_copy.get_slice(tidx)
  const Node function = object.made_at.child(Field::function_field);
  if (function.is(NodeKind::attribute))
    return operation_of(evaluator.argument_of(object, function.child(Field::object_field)), depth + 1);
  return {};
}

std::vector<FactContext::InnerCall>& FactContext::calls_in(int m, int function) {
  const auto [known, fresh] = calls_in_.try_emplace({m, function});
  std::vector<InnerCall>& out = known->second;
  if (!fresh) return out;
  const source::PythonModule& owner = program.module(m);
  const Node body = owner.functions()[static_cast<std::size_t>(function)].body;
  for (std::uint32_t i = body.index(); body && i < body.end_index(); ++i) {
    const Node n = owner.tree().at(i);
    if (!n.is(NodeKind::call)) continue;
    const Node callee = n.child(Field::function_field);
    out.push_back(
        {n, callee.is(NodeKind::attribute) ? callee.child(Field::attribute_field).text() : callee.text()});
  }
  return out;
}

bool FactContext::runs_function(int m, int function, InnerCall& inner) {
  if (!inner.asked_for) {
    inner.asked_for = true;
    if (!evaluator.callee_function(m, inner.call, &inner.module, &inner.function) ||
        (inner.module == m && inner.function == function))
      inner.function = -1;
  }
  return inner.function >= 0;
}

bool FactContext::function_loops(int m, int function, int depth) {
  if (depth > 3 || function < 0) return false;
  const source::PythonModule& owner = program.module(m);
  const Node body = owner.functions()[static_cast<std::size_t>(function)].body;
  std::vector<InnerCall>& calls = calls_in(m, function);
  std::size_t next = 0;
  for (std::uint32_t i = body.index(); body && i < body.end_index(); ++i) {
    const Node n = owner.tree().at(i);
    if (n.is(NodeKind::for_statement) || n.is(NodeKind::while_statement)) return true;
    if (!n.is(NodeKind::call)) continue;
    InnerCall& inner = calls[next++];
    if (runs_function(m, function, inner) && function_loops(inner.module, inner.function, depth + 1))
      return true;
  }
  return false;
}

bool FactContext::function_contains(int m, int function, const std::vector<std::string>& leaves, int depth) {
  if (depth > 4 || function < 0) return false;
  for (InnerCall& inner : calls_in(m, function)) {
    if (std::find(leaves.begin(), leaves.end(), inner.leaf) != leaves.end()) return true;
    if (inner.leaf == "partial" && binds_one_of(inner.call, leaves)) return true;
    if (runs_function(m, function, inner) &&
        function_contains(inner.module, inner.function, leaves, depth + 1))
      return true;
  }
  return false;
}

bool FactContext::function_assembles(int m, int function, const std::vector<const char*>& instructions,
                                     int depth) {
  if (depth > 4 || function < 0) return false;
  for (InnerCall& inner : calls_in(m, function)) {
    if (inner.leaf == "inline_asm") {
      const std::string_view text = inner.call.text();
      for (const char* one : instructions)
        if (text.find(one) != std::string_view::npos) return true;
    } else if (runs_function(m, function, inner) &&
               function_assembles(inner.module, inner.function, instructions, depth + 1)) {
      return true;
    }
  }
  return false;
}

bool runs_on_device(const FactContext& context, Node node) {
  const int f = context.module().function_at(node);
  return f >= 0 && context.on_device[static_cast<std::size_t>(f)];
}

}  // namespace cutelab::reading
