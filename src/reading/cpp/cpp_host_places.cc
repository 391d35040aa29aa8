#include <algorithm>

#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_host.h"

/// Objects that expressions name through others: pointers, elements, members, captures, variables of the
/// file.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
bool is_word_of(Node n) {
  return n.is(NodeKind::identifier) || n.is(NodeKind::type_identifier) ||
         n.is(NodeKind::namespace_identifier);
}
}  // namespace

/// The variables of the file, in their order. What a constructor or a function does before main is not
/// followed: then none of them is known.
void CppHostRun::make_globals() {
  std::vector<Node> all;
  for (const Node declaration : tree_.all(NodeKind::declaration)) {
    if (declaration.enclosing(NodeKind::function_definition) ||
        declaration.enclosing(NodeKind::field_declaration_list))
      continue;
    const CppValue type = folder_.evaluate(declaration.child(Field::type_field), nullptr);
    if (type.is(CppKind::structure) && type.node) {
      bool any = false;
      constructor_for(type.node, 0, any);
      globals_open_ = globals_open_ || any || stopped_;
    }
    for (const CppDeclared& one : cpp_declarators(declaration)) {
      for (std::uint32_t i = one.value.index(); one.value && i < one.value.end_index(); ++i)
        globals_open_ = globals_open_ || folder_.functions_.count(tree_.at(i).text()) > 0;
      if (one.declarator.is(NodeKind::function_declarator)) continue;
      all.push_back(one.declarator);
    }
  }
  stopped_ = false;
  for (const Node declared : all)
    if (statics_.size() < 200) global_of(declared);
  globals_open_ = globals_open_ || stopped_ || statics_.size() >= 200;
  if (globals_open_)
    for (auto& [at, one] : statics_) one = unknown("a variable of the file");
  stopped_ = false;
}

/// A variable of the file that the program may write to; null: it is a constant, or no variable.
CppHostRun::Thing* CppHostRun::global(Node name) { return global_of(folder_.choose(name.text(), name)); }

CppHostRun::Thing* CppHostRun::global_of(Node declared) {
  const bool init = declared.is(NodeKind::init_declarator);
  if (!declared || (!init && declared.field() != Field::declarator_field)) return nullptr;
  const Node declaration = declared.parent();
  if (!declaration.is(NodeKind::declaration) || declared.enclosing(NodeKind::function_definition))
    return nullptr;
  const std::string_view head = cpp_specifiers(declaration);
  if (cpp_has(head, "const") || cpp_has(head, "__constant__") || cpp_has(head, "__device__") ||
      declared.is(NodeKind::function_declarator))
    return nullptr;
  if (const auto stays = statics_.find(declared.index()); stays != statics_.end()) return stays->second;
  const Node value = init ? declared.child(Field::value_field) : Node();
  Thing*& out = statics_[declared.index()];
  out = unknown("a variable of the file", declared);
  if (globals_open_) return out;
  if (value && !is_plain(value) && !value.is(NodeKind::initializer_list)) return out;
  Scope& scope = scopes_.emplace_back();
  Thing* one = declared_object(declaration.child(Field::type_field),
                               init ? declared.child(Field::declarator_field) : declared, value, scope);
  if (!value && !one->holds.empty() && one->is(Kind::unknown)) assign(one, of_value(CppValue::of(0)));
  out = one;
  return out;
}

CppHostRun::Thing* CppHostRun::eval_pointer(Node n, Scope& scope) {
  const Node inner = n.child(Field::argument_field);
  if (n.first().text() == "*") {
    Thing* pointer = eval(inner, scope);
    if (pointer->is(Kind::function)) return pointer;
    if (pointer->is(Kind::array) && !pointer->parts.empty() && !pointer->grows)
      return pointer->parts[0].second;
    if (Thing* out = pointed(pointer)) return out;
    return pointer->is(Kind::unknown) ? unknown("what a pointer points to", n) : stop(n);
  }
  if (inner.is(NodeKind::subscript_expression)) {
    Thing* whole = eval(inner.child(Field::argument_field), scope);
    const Things at = arguments_of(cpp_items(inner).back(), scope);
    if (whole->is(Kind::array) && at.size() == 1 && at[0]->value.integer()) {
      Thing* out = made(Kind::pointer);
      out->target = whole;
      out->index = *at[0]->value.integer();
      return out;
    }
  }
  Thing* one = eval(inner, scope);
  if (one->is(Kind::function)) return one;
  Thing* out = made(Kind::pointer);
  out->target = one;
  return out;
}

CppHostRun::Thing* CppHostRun::eval_subscript(Node n, Scope& scope) {
  Thing* whole = eval(n.child(Field::argument_field), scope);
  const Things at = arguments_of(cpp_items(n).back(), scope);
  if (stopped_ || at.size() != 1) return stop(n);
  const auto index = at[0]->is(Kind::value) ? at[0]->value.integer() : std::nullopt;
  if (whole->is(Kind::pointer) && index) {
    if (Thing* out = pointed(whole, *index)) return out;
    return stop(n);
  }
  if (whole->is(Kind::array)) {
    if (index && *index >= 0 && *index < static_cast<std::int64_t>(whole->parts.size()))
      return whole->parts[static_cast<std::size_t>(*index)].second;
    poison(whole);  // one of them is meant
    return unknown("an element that is not told", n);
  }
  if (whole->is(Kind::unknown)) return unknown("an element of what is not known", n);
  return stop(n);
}

CppHostRun::Thing* CppHostRun::eval_field(Node n, Scope& scope) {
  Thing* object = eval(n.child(Field::argument_field), scope);
  const std::string_view name = n.child(Field::field_field).text();
  if (n.child(Field::operator_token).text() == "->") {
    Thing* behind = pointed(object);
    if (!behind && !object->is(Kind::unknown)) return stop(n);
    object = behind ? behind : object;
  }
  if (object->is(Kind::record)) {
    if (Thing* one = part(object, name)) return one;
    if (!object->value.node) {  // a record of a library that has more members
      object->parts.emplace_back(std::string(name), unknown("is not set", n));
      return object->parts.back().second;
    }
    return stop(n);
  }
  if (object->is(Kind::unknown)) return unknown("a member of what is not known", n);
  if (object->is(Kind::value) && is_plain(n)) return folded(n, scope);
  return stop(n);
}

/// `[=]`: what a lambda names, as it is now.
void CppHostRun::capture_all(Node lambda, Scope& scope, Scope& own) {
  for (std::uint32_t i = lambda.index(); i < lambda.end_index(); ++i) {
    const Node name = tree_.at(i);
    if (!is_word_of(name) || own.names.count(name.text())) continue;
    if (Thing* held = found(name.text(), scope)) {
      own.names[name.text()] = copy(held);
      own.copied.insert(name.text());
    }
  }
  for (Scope* s = &scope; s && !own.self; s = s->outer) own.self = s->self;
}

CppHostRun::Thing* CppHostRun::eval_lambda(Node n, Scope& scope) {
  Thing* out = made(Kind::closure);
  out->node = n;
  Scope& own = scopes_.emplace_back();
  out->scope = &own;
  for (const Node one : cpp_items(n.first())) {
    const auto at = tree_.text().find_last_not_of(" \n", one.first_byte() - 1);
    const char before = at == std::string::npos ? ' ' : tree_.text()[at];
    const bool reference = before == '&' || one.text().starts_with("&");
    if (one.kind_name() == "lambda_default_capture") {
      if (one.text() == "&")
        own.outer = &scope;
      else
        capture_all(n, scope, own);
    } else if (one.kind_name() == "lambda_capture_initializer") {
      Thing* held = eval(one.child(Field::right_field), scope);
      own.names[one.child(Field::left_field).text()] = reference ? held : converted(held, Node(), scope);
      if (!reference) own.copied.insert(one.child(Field::left_field).text());
    } else if (one.is(NodeKind::identifier)) {
      Thing* held = found(one.text(), scope);
      if (!held) return stop(n);
      own.names[one.text()] = reference ? held : copy(held);
      if (!reference) own.copied.insert(one.text());
    } else if (one.kind_name() == "this" && before != '*') {
      for (Scope* s = &scope; s && !own.self; s = s->outer) own.self = s->self;
    } else {
      return stop(n);
    }
  }
  // What the file and the templates around it name; template arguments stay in sight.
  if (!own.outer)
    for (Scope* s = &scope; s; s = s->outer)
      for (auto& [name, held] : s->names)
        if (held->is(Kind::value) && !held->value.integer()) own.names.try_emplace(name, held);
  return out;
}

}  // namespace cutelab::reading
