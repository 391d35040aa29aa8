#include <algorithm>
#include <filesystem>

#include "reading/machine/interpreter.h"

// What a name means where it stands: locals, names around them, globals, builtins.
namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;

namespace {
bool holds(const std::vector<Symbol>& names, Symbol name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Python's own __file__: from the root, also of a program that is named from where one stands.
std::string whole_path(const std::string& path) {
  std::error_code failure;
  const auto whole = std::filesystem::absolute(path, failure);
  return failure ? path : whole.lexically_normal().string();
}

/// The names that a target binds; attributes and items of something bind none.
void add_targets(Node target, std::vector<Node>& out) {
  for (std::uint32_t i = target.index(); i < target.end_index();) {
    const Node n = target.tree()->at(i);
    if (n.is(NodeKind::attribute) || n.is(NodeKind::subscript)) {
      i = n.end_index();
      continue;
    }
    if (n.is(NodeKind::identifier)) out.push_back(n);
    ++i;
  }
}

/// The names that a statement binds.
void add_bound(Node n, std::vector<Node>& out) {
  switch (n.kind()) {
    case NodeKind::assignment:
    case NodeKind::augmented_assignment:
    case NodeKind::for_statement:
      return add_targets(n.child(Field::left_field), out);
    case NodeKind::named_expression:
    case NodeKind::function_definition:
    case NodeKind::class_definition:
      return add_targets(n.child(Field::name_field), out);
    case NodeKind::as_pattern_target:
      return add_targets(n, out);
    case NodeKind::aliased_import:
      return add_targets(n.child(Field::alias_field), out);
    case NodeKind::import_statement:
    case NodeKind::import_from_statement:
      for (const Node c : n.children())
        if (c.is(NodeKind::dotted_name) && !(c == n.child(Field::module_name_field)) && c.first())
          out.push_back(c.first());
      return;
    default:
      return;
  }
}
}  // namespace

/// The names that a function's body binds, sorted.
const std::vector<Symbol>& Machine::Interpreter::locals_of(const Function* f) {
  const auto [place, fresh] = locals_[f->node.tree()].try_emplace(f->node.index());
  std::vector<Symbol>& out = place->second;
  if (!fresh) return out;
  std::vector<Node> bound;
  std::vector<Symbol> elsewhere;
  const Node body = f->node.child(Field::body_field);
  for (std::uint32_t i = body.index(); i < body.end_index();) {
    const Node n = body.tree()->at(i);
    add_bound(n, bound);
    if (n.is(NodeKind::global_statement) || n.is(NodeKind::nonlocal_statement))
      for (const Node name : n.children()) elsewhere.push_back(symbol_of(name, f->module));
    const bool inner =
        n.is(NodeKind::function_definition) || n.is(NodeKind::class_definition) || n.is(NodeKind::lambda);
    i = inner ? n.end_index() : i + 1;
  }
  for (const Node n : bound) out.push_back(symbol_of(n, f->module));
  std::erase_if(out, [&](Symbol name) { return holds(elsewhere, name); });
  std::sort(out.begin(), out.end());
  return out;
}

/// Whether the name is the activation's own, though it has no value now.
bool Machine::Interpreter::is_local(Symbol name, Scope* s) {
  const Function* f = s->running;
  if (!f || f->index < 0 || s->lazy || f->module >= Library::first) return false;
  if (!s->locals) s->locals = &locals_of(f);
  return std::binary_search(s->locals->begin(), s->locals->end(), name);
}

namespace {
/// What modules give a name once; a local of its name that has no value yet is not looked for.
bool is_defined_once(const Value& v) {
  const Object* object = v.object();
  return object &&
         (object->type == Type::external || object->type == Type::function || object->type == Type::klass ||
          object->type == Type::module || object->type == Type::record);
}
}  // namespace

/// Whether a scope between the two has the name as a local without a value.
bool Machine::Interpreter::is_hidden(Symbol name, Scope* from, const Scope* to) {
  for (Scope* at = from; at && at != to; at = at->parent)
    if ((!at->is_class || at == from) && is_local(name, at)) return true;
  return false;
}

/// All that the program did so far was followed.
bool Machine::Interpreter::is_followed() const {
  return m.give_ups_.empty() && open_forks_ == 0 && !m.current_launch_ && library_depth == 0 && !stopped_;
}

Value Machine::Interpreter::lookup(Symbol name, Scope* s) {
  for (Scope* at = s; at; at = at->parent) {
    if (at->is_class && at != s) continue;
    if (!at->global_names.empty() && holds(at->global_names, name)) {
      at = module_scope(at->module);
      const Value* found = at->names.find(name);
      return found ? *found : builtin(name);
    }
    if (const Value* found = at->names.find(name))
      return at == s || (is_defined_once(*found) && !is_followed()) || !is_hidden(name, s, at) ? *found
                                                                                               : Value();
    if (at->lazy) {
      const Value made = library_name(at, name);
      if (made.bound()) return made;
    }
  }
  return builtin(name);
}

/// `:=` in a comprehension binds a name outside of it.
Scope* Machine::Interpreter::scope_of_walrus(Scope* s) {
  while (s->parent && !s->running && !s->is_class) s = s->parent;
  return s;
}

Value Machine::Interpreter::name(Node n, Scope* s) {
  const Symbol symbol = symbol_of(n, s->module);
  const Value found = lookup(symbol, s);
  if (found.bound()) return found;
  if (n.text() == "__name__") return m.text(s->module == 0 ? "__main__" : "module");
  if (n.text() == "__file__") return m.text(whole_path(module_of(s->module).path()));
  const std::string text(n.text());
  if (is_local(symbol, scope_of_walrus(s))) {
    if (!is_followed()) return unknown_at("a local name that has no value yet", n);
    return m.raise_error("UnboundLocalError", "'" + text + "' has no value yet", n, s->module);
  }
  if (undefined_for_sure(symbol, s, n))
    return m.raise_error("NameError", "name '" + text + "' is not defined", n, s->module);
  return unknown_at("the name is not defined here", n);
}

/// `__x` in the body of `class C` is `_C__x`.
Symbol Machine::Interpreter::mangled(std::string_view name, Node at) {
  for (Node n = at.parent(); n; n = n.parent()) {
    if (!n.is(NodeKind::class_definition)) continue;
    std::string_view of = n.child(Field::name_field).text();
    while (of.starts_with('_')) of.remove_prefix(1);
    return of.empty() ? m.symbol(name) : m.symbol("_" + std::string(of) + std::string(name));
  }
  return m.symbol(name);
}

}  // namespace cutelab::reading::machine
