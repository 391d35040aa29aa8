#include "reading/cpp/cpp_reach.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "reading/cpp/cpp_folder.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
using NameSet = std::unordered_set<std::string_view>;

bool is_structure(Node n) {
  return n.is(NodeKind::struct_specifier) || n.is(NodeKind::class_specifier) ||
         n.is(NodeKind::union_specifier);
}

/// What stands at namespace scope as one piece.
bool is_unit(Node n) {
  return n.is(NodeKind::template_declaration) || n.is(NodeKind::function_definition) || is_structure(n) ||
         n.is(NodeKind::alias_declaration) || n.is(NodeKind::type_definition) ||
         n.is(NodeKind::declaration) || n.is(NodeKind::preproc_def) || n.is(NodeKind::preproc_function_def);
}

/// `Feed` of Feed<…>, of Feed<…>::next and of ns::Feed.
void add_names(Node n, NameSet& out) {
  for (std::uint32_t i = n.index(); n && i < n.end_index(); ++i) {
    const Node part = n.tree()->at(i);
    if (part.is(NodeKind::template_argument_list) || part.is(NodeKind::parameter_list)) break;
    if (part.is(NodeKind::identifier) || part.is(NodeKind::type_identifier) ||
        part.is(NodeKind::namespace_identifier))
      out.insert(part.text());
  }
}

/// The names that a unit defines. A member function written outside its class goes by the class's name too.
NameSet defined_by(Node unit) {
  NameSet out;
  Node n = unit;
  for (int depth = 0; depth < 8 && n.is(NodeKind::template_declaration); ++depth) {
    Node inner;
    for (const Node child : n.children())
      if (is_unit(child)) inner = child;
    n = inner;
  }
  if (n.is(NodeKind::function_definition)) {
    add_names(cpp_function_name(n), out);
  } else if (is_structure(n) || n.is(NodeKind::alias_declaration) || n.is(NodeKind::preproc_def) ||
             n.is(NodeKind::preproc_function_def)) {
    add_names(n.child(Field::name_field), out);
  } else if (n.is(NodeKind::declaration) || n.is(NodeKind::type_definition)) {
    if (const Node type = n.child(Field::type_field); is_structure(type))
      add_names(type.child(Field::name_field), out);
    for (const Node child : n.children())
      if (child.field() == Field::declarator_field)
        if (const Node name = cpp_declared_name(child)) out.insert(name.text());
  }
  return out;
}

std::vector<Node> units_of(const source::Tree& tree) {
  std::vector<Node> out;
  for (std::uint32_t i = 0; i < tree.size();) {
    const Node n = tree.at(i);
    if (!is_unit(n)) {
      ++i;
      continue;
    }
    out.push_back(n);
    i = n.end_index();
  }
  return out;
}

/// The names in a macro's text.
void add_words(std::string_view text, NameSet& out) {
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    if (end > at) out.insert(text.substr(at, end - at));
    at = end > at ? end : at + 1;
  }
}

/// Parameters and variables of a unit's functions: their names stand for nothing outside.
NameSet locals_of(Node unit) {
  NameSet out;
  for (std::uint32_t i = unit.index(); i < unit.end_index(); ++i) {
    const Node n = unit.tree()->at(i);
    const bool declares = n.is(NodeKind::parameter_declaration) ||
                          n.is(NodeKind::optional_parameter_declaration) || n.is(NodeKind::init_declarator) ||
                          n.is(NodeKind::declaration);
    if (!declares || (n == unit) || !n.enclosing(NodeKind::function_definition)) continue;
    const Node declarator = n.child(Field::declarator_field);
    if (declarator.is(NodeKind::function_declarator)) continue;  // `Storage s(…);` too: as a use
    if (const Node name = cpp_declared_name(declarator)) out.insert(name.text());
  }
  return out;
}

/// The names that a unit uses and does not make itself.
NameSet mentioned_by(Node unit) {
  NameSet out;
  for (std::uint32_t i = unit.index(); i < unit.end_index(); ++i) {
    const Node n = unit.tree()->at(i);
    if (n.is(NodeKind::identifier) || n.is(NodeKind::type_identifier) || n.is(NodeKind::namespace_identifier))
      out.insert(n.text());
    else if (n.is(NodeKind::preproc_arg))
      add_words(n.text(), out);
  }
  for (const std::string_view local : locals_of(unit)) out.erase(local);
  return out;
}

class Reach {
 public:
  Reach(const std::vector<const source::Tree*>& trees, const std::vector<bool>& whole)
      : trees_(trees), whole_(whole) {
    for (std::size_t t = 0; t < trees.size(); ++t)
      if (own(t))
        for (const Node unit : units_of(*trees[t])) own_.merge(defined_by(unit));
    for (std::size_t t = 1; t < trees.size(); ++t)
      for (const Node unit : own(t) ? std::vector<Node>() : units_of(*trees[t])) {
        const std::size_t number = units_.size();
        units_.push_back(unit);
        for (const std::string_view name : defined_by(unit))
          if (!own_.count(name)) by_name_[name].push_back(number);
      }
    reached_.assign(units_.size(), false);
  }

  std::vector<CppPart> parts() {
    for (std::size_t t = 0; t < trees_.size(); ++t)
      if (own(t))
        for (const Node unit : units_of(*trees_[t])) follow(unit);
    while (!waiting_.empty()) {
      const std::size_t next = waiting_.front();
      waiting_.pop_front();
      follow(units_[next]);
    }
    std::vector<CppPart> out;
    for (std::size_t t = 0; t < trees_.size(); ++t)
      if (own(t)) out.push_back({trees_[t], 0, trees_[t]->size()});
    for (std::size_t u = 0; u < units_.size(); ++u)
      if (reached_[u]) out.push_back({units_[u].tree(), units_[u].index(), units_[u].end_index()});
    return out;
  }

 private:
  bool own(std::size_t t) const { return t == 0 || (t < whole_.size() && whole_[t]); }

  void follow(Node unit) {
    if (by_name_.empty()) return;
    for (const std::string_view name : mentioned_by(unit)) {
      const auto found = by_name_.find(name);
      if (found == by_name_.end()) continue;
      for (const std::size_t u : found->second)
        if (!reached_[u]) {
          reached_[u] = true;
          waiting_.push_back(u);
        }
    }
  }

  const std::vector<const source::Tree*>& trees_;
  const std::vector<bool>& whole_;
  NameSet own_;
  std::vector<Node> units_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name_;
  std::vector<bool> reached_;
  std::deque<std::size_t> waiting_;
};
}  // namespace

std::vector<CppPart> cpp_reached_parts(const std::vector<const source::Tree*>& trees,
                                       const std::vector<bool>& whole) {
  return Reach(trees, whole).parts();
}

}  // namespace cutelab::reading
