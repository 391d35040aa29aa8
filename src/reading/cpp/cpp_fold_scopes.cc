#include <algorithm>

#include "base/text.h"
#include "reading/cpp/cpp_arithmetic.h"
#include "reading/cpp/cpp_folder.h"

/// Which declaration a name stands for: namespaces, enumerations, specializations, macros.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using CppKind = CppValue::Kind;
namespace {
constexpr int most_macro_steps = 60;

/// Whether a directive's branch that holds one place holds the other too: neither stands behind its #else.
bool in_same_branch(Node directive, Node a, Node b) {
  const Node otherwise = directive.child(Field::alternative_field);
  return !otherwise || otherwise.contains(a) == otherwise.contains(b);
}

bool ends_with(const std::vector<std::string_view>& whole, const std::vector<std::string_view>& end) {
  return whole.size() >= end.size() && std::equal(end.rbegin(), end.rend(), whole.rbegin());
}

bool at_namespace_scope(Node declaration) {
  for (Node up = declaration.parent(); up; up = up.parent()) {
    if (up.is(NodeKind::compound_statement) || up.is(NodeKind::field_declaration_list) ||
        up.is(NodeKind::for_statement))
      return false;
    if (up.is(NodeKind::namespace_definition)) break;
  }
  return true;
}
}  // namespace

std::vector<std::string_view> namespaces_around(Node n) {
  std::vector<std::string_view> out;
  for (Node up = n.enclosing(NodeKind::namespace_definition); up;
       up = up.parent().enclosing(NodeKind::namespace_definition)) {
    const auto parts = split(up.child(Field::name_field).text(), ':');
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      if (!trim(*part).empty()) out.push_back(trim(*part));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

CppValue CppFolder::in_namespace(Node n, const std::vector<std::string_view>& path, Node name, Frames frame) {
  const auto found = declarations_.find(name.text());
  if (found == declarations_.end()) return {};
  Node one;
  for (const Node d : found->second) {
    if (!at_namespace_scope(d)) continue;
    const auto around = namespaces_around(d);
    if (path.empty() ? !around.empty() : !ends_with(around, path)) continue;
    if (one) return CppValue::unknown("declared more than once", std::string(n.text().substr(0, 60)), n);
    one = d;
  }
  return one ? declared(one, n, frame) : CppValue();
}

/// Of an enumeration: a type of its own, as wide as what it is made of.
CppValue CppFolder::of_enumeration(Node enumeration) {
  CppValue out;
  out.kind = CppKind::type;
  out.node = enumeration;
  out.text = enumeration.child(Field::name_field).text();
  out.bits = 32;
  for (const Node n : enumeration.children())
    if (n.field() == Field::no_field && !n.is(NodeKind::op))
      if (const auto base = cpp_integer_type(n.text())) out.bits = std::max(8, base->bits);
  return out;
}

/// Its own value, or one more than that before it.
CppValue CppFolder::enumerator(Node one, Frames frame) {
  std::int64_t behind = 0;
  Node base;
  for (const Node n : one.parent().children()) {
    if (n.is(NodeKind::op)) continue;
    if (n.child(Field::value_field)) base = n.child(Field::value_field), behind = 0;
    if (n == one) break;
    ++behind;
  }
  if (!base) return CppValue::of(behind);
  const CppValue from = evaluate(base, frame);
  return from.integer() ? cpp_arithmetic("+", from, CppValue::of(behind)) : from;
}

/// A value as an object of a declared type holds it; as it is where the type says nothing of it.
CppValue CppFolder::as_type(CppValue value, Node type, Frames frame) {
  if (!value.integer() || !type) return value;
  const std::string_view written = type.text();
  if (cpp_integer_type(written)) return cpp_converted(value, written);
  if (written == "float" || written == "double") return cpp_converted(value, written);
  if (!type.is(NodeKind::type_identifier) && !type.is(NodeKind::qualified_identifier) &&
      !type.is(NodeKind::type_descriptor))
    return value;
  const CppValue meant = evaluate(type, frame);
  if (!meant.is(CppKind::type) || meant.node || !cpp_type_named(meant.text).known()) return value;
  return cpp_converted(value, meant.text);
}

bool CppFolder::macro_hides(std::string_view name, Node declaration, Node use) const {
  const auto found = macros_.find(name);
  if (found == macros_.end()) return false;
  Node last;
  const auto look = [&](const std::vector<Node>& all) {
    for (const Node n : all)
      if (n.tree() == use.tree() && n.index() < use.index() && (!last || last.index() < n.index())) last = n;
  };
  look(found->second);
  if (const auto undone = undefined_.find(name); undone != undefined_.end()) look(undone->second);
  return last.is(NodeKind::preproc_def) &&
         !(declaration.tree() == use.tree() && declaration.index() > last.index());
}

/// The arguments that a template is given, with what its parameters say of those left out.
std::vector<CppValue> CppFolder::all_arguments(Node owner, std::vector<CppValue> given, Frames frame) {
  Frame bound;
  bound.outer = frame;
  std::size_t at = 0;
  for (const Node p : cpp_items(owner.child(Field::parameters_field))) {
    if (p.kind_name().find("variadic") != std::string_view::npos) break;
    Node otherwise = p.child(Field::default_value_field);
    if (!otherwise) otherwise = p.child(Field::default_type_field);
    if (at >= given.size() && !otherwise) break;
    if (at >= given.size()) given.push_back(evaluate(otherwise, &bound));
    given[at] = as_type(given[at], p.child(Field::type_field), &bound);
    bound.names.emplace(std::string(cpp_template_parameter_name(p).text()), given[at]);
    ++at;
  }
  return given;
}

/// Whether a specialization's argument, as written, stands for one that is given: 1 with what it binds, 0, or
/// not told.
CppValue CppFolder::matched(Node pattern, const CppValue& given, const std::vector<std::string_view>& open,
                            CppValue& bound) {
  const CppValue not_told =
      CppValue::unknown("which specialization is meant is not told", std::string(pattern.text()), pattern);
  const auto is_open = [&](Node n) { return std::find(open.begin(), open.end(), n.text()) != open.end(); };
  if (is_open(pattern)) {
    for (const auto& [name, value] : bound.fields)
      if (name == pattern.text()) return CppValue::of(std::int64_t{cpp_same_value(value, given)});
    bound.fields.emplace_back(std::string(pattern.text()), given);
    return CppValue::of(1);
  }
  bool mentions = false;
  for (std::uint32_t i = pattern.index(); i < pattern.end_index(); ++i)
    mentions = mentions || is_open(pattern.tree()->at(i));
  if (!given.known()) return not_told;
  if (!mentions) {
    const CppValue wanted = evaluate(pattern, nullptr);
    return wanted.known() ? CppValue::of(std::int64_t{cpp_same_value(wanted, given)}) : not_told;
  }
  const auto parts = cpp_items(pattern);
  if (!pattern.is(NodeKind::type_descriptor) || parts.empty()) return not_told;
  const Node type = pattern.child(Field::type_field), shape = pattern.child(Field::declarator_field);
  const bool constant = pattern.text().find("const") != std::string_view::npos;
  CppValue inner = given;
  if (shape.kind_name() == "abstract_pointer_declarator" ||
      shape.kind_name() == "abstract_reference_declarator") {
    if (!cpp_items(shape).empty()) return not_told;
    const char* kind = shape.kind_name() == "abstract_pointer_declarator" ? "*" : "&";
    const auto found = std::find_if(given.fields.begin(), given.fields.end(), [&](auto& field) {
      return given.is(CppKind::type) && field.first == kind;
    });
    if (found == given.fields.end()) return CppValue::of(0);
    inner = found->second;
    if (!inner.known()) return not_told;
  } else if (shape) {
    return not_told;
  }
  if (constant && !inner.constant) return CppValue::of(0);
  if (constant) inner.constant = false;
  return is_open(type) ? matched(type, inner, open, bound) : not_told;
}

/// The struct of one specialization with the parameters that its arguments bind; an integer 0 where the
/// arguments are others, unknown where that cannot be told.
CppValue CppFolder::specialized(Node special, const std::vector<CppValue>& given) {
  const auto written = cpp_items(special.child(Field::name_field).child(Field::arguments_field));
  std::vector<std::string_view> open;
  for (const Node p : cpp_items(special.parent().child(Field::parameters_field)))
    open.push_back(cpp_template_parameter_name(p).text());
  CppValue out;
  out.kind = CppKind::structure;
  out.node = special;
  out.text = special.child(Field::name_field).child(Field::name_field).text();
  const CppValue not_told = CppValue::unknown("which specialization is meant is not told", out.text, special);
  if (written.size() != given.size()) return open.empty() ? CppValue::of(0) : not_told;
  CppValue open_one;
  for (std::size_t i = 0; i < written.size(); ++i) {
    Node pattern = written[i];
    if (pattern.is(NodeKind::type_descriptor) && cpp_items(pattern).size() == 1 &&
        pattern.text() == cpp_items(pattern)[0].text())
      pattern = cpp_items(pattern)[0];
    CppValue fit = matched(pattern, given[i], open, out);
    if (fit.integer() == 0) return fit;
    if (!fit.known()) open_one = std::move(fit);
  }
  return open_one.text.empty() ? out : open_one;
}

CppValue CppFolder::chosen_template(Node primary, std::string_view name, const std::vector<CppValue>& given,
                                    Frames frame) {
  CppValue best;
  const auto specials = special_.find(name);
  const auto whole = all_arguments(primary.parent(), given, frame);
  if (specials != special_.end())
    for (const Node one : specials->second) {
      CppValue fit = specialized(one, whole);
      if (!fit.known()) return fit;
      if (fit.integer()) continue;
      if (fit.fields.empty()) return fit;  // all of its arguments are given
      if (best.known())
        return CppValue::unknown("which specialization is meant is not told", std::string(name), one);
      best = std::move(fit);
    }
  if (best.known()) return best;
  best.kind = CppKind::structure;
  best.node = primary;
  best.text = name;
  Frame bound;
  bind_parameters(primary.parent(), whole, bound);
  for (const Node p : cpp_items(primary.parent().child(Field::parameters_field)))
    if (const auto one = bound.names.find(cpp_template_parameter_name(p).text()); one != bound.names.end())
      best.fields.emplace_back(one->first, one->second);
  return best;
}

/// Whether a use of a template's name means one of its specializations, or is the name of one.
bool CppFolder::is_specialized_use(Node site, Node primary) {
  if (site.parent().child(Field::body_field) && site.field() == Field::name_field) return true;
  const auto specials = special_.find(site.child(Field::name_field).text());
  if (specials == special_.end()) return false;
  const auto given =
      all_arguments(primary.parent(), values_of(site.child(Field::arguments_field), nullptr), nullptr);
  return std::any_of(specials->second.begin(), specials->second.end(),
                     [&](Node one) { return specialized(one, given).is(CppKind::structure); });
}

/// `#ifndef FILE_H` around a whole header, which defines it first.
bool CppFolder::is_include_guard(Node directive) const {
  const auto defines = macros_.find(directive.child(Field::name_field).text());
  return directive.text().starts_with("#ifndef") && defines != macros_.end() &&
         std::any_of(defines->second.begin(), defines->second.end(),
                     [&](Node one) { return one.parent() == directive; });
}

/// Unknown where an `#ifdef OTHER` around a place asks for what only the build can define; else empty.
CppValue CppFolder::behind_ifdef(Node place) const {
  for (Node up = place.parent(); up; up = up.parent()) {
    if (!up.is(NodeKind::preproc_ifdef) || is_include_guard(up)) continue;
    const std::string_view asked = up.child(Field::name_field).text();
    const bool given =
        std::any_of(settings_.begin(), settings_.end(), [&](auto& s) { return s.first == asked; });
    if (!given) return CppValue::unknown("defined or not by the build", std::string(asked), up);
  }
  return {};
}

Node CppFolder::directive_before(std::string_view name, Node use) const {
  Node last;
  for (const auto* all : {&macros_, &undefined_})
    if (const auto found = all->find(name); found != all->end())
      for (const Node n : found->second)
        if (n.tree() == use.tree() && n.index() < use.index() && (!last || last.index() < n.index()))
          last = n;
  for (Node up = last.parent(); last && up; up = up.parent()) {
    const bool branch = up.is(NodeKind::preproc_if) || up.is(NodeKind::preproc_ifdef) ||
                        up.is(NodeKind::preproc_elif) || up.is(NodeKind::preproc_else);
    if (branch && (!up.contains(use) || !in_same_branch(up, last, use))) return {};
  }
  return last;
}

/// The #defines of a name that are compiled: where one stands unguarded, `#ifndef name` keeps the others out.
std::vector<Node> CppFolder::live_defines(std::string_view name, Node use, CppValue* open) {
  std::vector<Node> firm, guarded;
  const auto found = macros_.find(name);
  if (found == macros_.end()) return {};
  if (const Node last = directive_before(name, use); last.is(NodeKind::preproc_def)) return {last};
  for (const Node define : found->second) {
    const CppValue told = reach(define);
    if (told.integer() == 0) continue;
    if (!told.known()) *open = told;
    if (CppValue asked = behind_ifdef(define); !asked.text.empty()) *open = std::move(asked);
    const Node around = define.parent();
    const bool guards = around.is(NodeKind::preproc_ifdef) && around.text().starts_with("#ifndef") &&
                        around.child(Field::name_field).text() == name;
    (guards ? guarded : firm).push_back(define);
  }
  if (open->text.empty() && !firm.empty()) return firm;
  firm.insert(firm.end(), guarded.begin(), guarded.end());
  return firm;
}

namespace {
/// What a #define puts in place of its name: the line, up to a comment.
std::string_view macro_text(Node define) {
  const std::string_view text = define.child(Field::value_field).text();
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    const std::string_view two = text.substr(i, 2);
    if (!quoted && (two == "//" || two == "/*")) return trim(text.substr(0, i));
  }
  return trim(text);
}
}  // namespace

/// The text of a macro as a number or a type, through macros that stand for macros.
CppValue CppFolder::macro(std::string_view name, Node use) {
  for (int step = 0; step < most_macro_steps; ++step) {
    CppValue open;
    const auto defines = live_defines(name, use, &open);
    if (defines.empty()) break;
    const std::string_view text = macro_text(defines.front());
    for (const Node other : defines)
      if (macro_text(other) != text)
        return !open.text.empty()
                   ? open
                   : CppValue::unknown("a macro that is defined more than once", std::string(name), use);
    if (CppValue number = cpp_literal(text); number.known()) return number;
    const auto colon = text.rfind(':');
    const std::string_view last = colon == std::string_view::npos ? text : text.substr(colon + 1);
    if (CppValue type = cpp_type_named(last); type.known()) return type;
    if (!macros_.count(text))
      if (CppValue made = macro_expression(defines.front(), use); made.known()) return made;
    name = text;
  }
  return CppValue::unknown("a macro that is no number", std::string(use.text().substr(0, 60)), use);
}

}  // namespace cutelab::reading
