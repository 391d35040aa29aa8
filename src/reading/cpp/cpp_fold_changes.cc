#include <algorithm>
#include <cstdint>

#include "reading/cpp/cpp_folder.h"

/// What a variable holds at a use: what it is declared with, and what is assigned to it, to its members or to
/// a reference to it in between. Where that cannot be put in order it is not known.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
constexpr int deepest_alias = 4;

bool has_syntax_error(Node n) {
  for (const Node part : n.children())
    if (part.is(NodeKind::error)) return true;
  return false;
}

bool is_repeated(Node n) {
  return n.is(NodeKind::for_statement) || n.is(NodeKind::while_statement) || n.is(NodeKind::do_statement) ||
         n.is(NodeKind::for_range_loop);
}

/// Under a test of the program's own arguments, which a reading leaves at their defaults.
bool is_of_command_line(Node n) {
  const Node condition = n.enclosing(NodeKind::if_statement).child(Field::condition_field);
  return cpp_has(condition.text(), "arg") && !condition.contains(n);
}

/// `return …;`, `throw …;`, `exit(1);` or a block that ends so.
bool leaves(Node statement) {
  while (statement.is(NodeKind::compound_statement)) {
    const auto parts = cpp_items(statement);
    if (parts.empty()) return false;
    statement = parts.back();
  }
  if (statement.is(NodeKind::return_statement) || statement.kind_name() == "throw_statement") return true;
  const std::string_view called = statement.first().child(Field::function_field).text();
  return called == "exit" || called == "std::exit" || called == "abort" || called == "std::abort";
}

/// The lambda around a place, within `block`.
Node lambda_around(Node n, Node block) {
  for (Node up = n.parent(); up && !(up == block); up = up.parent())
    if (up.is(NodeKind::lambda_expression) && !up.first().contains(n)) return up;  // captures are outside
  return {};
}

/// Whether a lambda works on the variable itself: `[&]`, `[&name]`.
bool by_reference(Node lambda, std::string_view name) {
  const std::string_view capture = lambda.first().text();
  return capture == "[&]" || cpp_has(capture, "[&,") || cpp_has(capture, "&" + std::string(name));
}

/// Kept for later, where what runs it is not told.
bool is_kept(Node lambda) {
  const Node above = lambda.parent();
  return above.is(NodeKind::init_declarator) || above.is(NodeKind::assignment_expression) ||
         above.is(NodeKind::return_statement) || above.is(NodeKind::initializer_list);
}

/// `[&r = x]`, `[r = x]`: the part of a capture that says what is captured.
bool is_capture(Node n) {
  return n.kind_name() == "lambda_capture_initializer" ||
         (n.is(NodeKind::assignment_expression) && n.parent().kind_name() == "lambda_capture_specifier");
}
}  // namespace

bool cpp_is_lambda_parameter(std::string_view name, Node use, Node block) {
  for (Node lambda = lambda_around(use, block); lambda; lambda = lambda_around(lambda, block))
    for (const Node p : cpp_items(lambda.child(Field::declarator_field).child(Field::parameters_field)))
      if (cpp_declared_name(p.child(Field::declarator_field)).text() == name) return true;
  return false;
}

bool CppFolder::is_shadowed(const Variable& variable, Node use) const {
  if (cpp_is_lambda_parameter(variable.name, use, variable.block)) return true;
  const Node nearest = choose(variable.name, use);
  return nearest && !(nearest == variable.declaration) && variable.block && variable.block.contains(nearest);
}

/// `&x` somewhere: bound to a pointer whose writes are its own, or handed to somebody.
void CppFolder::collect_address(Node taken, std::vector<std::string_view> path, int depth,
                                std::vector<Change>& out) {
  Node whole = taken;
  while (whole.parent().is(NodeKind::cast_expression) ||
         whole.parent().is(NodeKind::parenthesized_expression))
    whole = whole.parent();
  const Node above = whole.parent();
  if (above.is(NodeKind::init_declarator) && whole == taken) {
    Variable alias{above, cpp_declared_name(above.child(Field::declarator_field)).text(),
                   above.enclosing(NodeKind::compound_statement), true};
    if (alias.block) return collect_changes(alias, std::move(path), depth + 1, out);
  }
  if (above.is(NodeKind::init_declarator) || above.is(NodeKind::initializer_list))
    if (cpp_has(above.enclosing(NodeKind::declaration).child(Field::type_field).text(), "void")) return;
  const Node call = above.parent();
  if (above.is(NodeKind::argument_list) && call.is(NodeKind::call_expression) &&
      cpp_has(call.child(Field::function_field).text(), "aunch"))
    return;  // a launch reads what it is given
  const Node left = above.child(Field::left_field);
  if (above.is(NodeKind::assignment_expression) && left.child(Field::field_field).text() == "attrs") return;
  out.push_back({above ? above : taken, std::move(path), false, !above.is(NodeKind::argument_list)});
}

/// An expression that names a variable or one of its members, where it is no target: may somebody keep it?
void CppFolder::collect_handed(Node expression, std::vector<std::string_view> path, int depth,
                               std::vector<Change>& out) {
  const Node above = expression.parent();
  const auto hand = [&](Node at, bool kept = false) { out.push_back({at, path, false, kept}); };
  if (is_capture(above)) {
    if (above.text().starts_with("&")) hand(above, true);
    return;
  }
  if (keeps_reference(expression)) return hand(above, true);
  if (above.is(NodeKind::pointer_expression) && above.text().starts_with("&"))
    return collect_address(above, std::move(path), depth, out);
  if (above.is(NodeKind::init_declarator) && expression.field() == Field::value_field) {
    const Node declarator = above.child(Field::declarator_field);
    if (!declarator.text().starts_with("&") || cpp_has(cpp_specifiers(above.parent()), "const")) return;
    const Node block = above.enclosing(NodeKind::compound_statement);
    if (const Node binding = cpp_binding_of(declarator); binding && block) {
      std::vector<Change> of_parts;
      for (const Node one : cpp_items(binding))
        collect_changes({above, one.text(), block}, {}, depth + 1, of_parts);
      if (!of_parts.empty()) hand(above, true);
      return;
    }
    if (!block) return hand(above);
    return collect_changes({above, cpp_declared_name(declarator).text(), block, false}, std::move(path),
                           depth + 1, out);
  }
  if (above.kind_name() == "structured_binding_declarator") return;
  if (above.is(NodeKind::argument_list) && takes_reference(expression)) return hand(above.parent());
  if (above.is(NodeKind::for_range_loop) && cpp_has(above.child(Field::declarator_field).text(), "&")) {
    if (!cpp_has(above.text().substr(0, above.text().find(':')), "const")) hand(above);
    return;
  }
  if (above.is(NodeKind::binary_expression) && above.child(Field::operator_token).text() == ">>" &&
      cpp_has(above.text(), "cin"))
    hand(above);
}

void CppFolder::classify_change(Node name, const Variable& variable, std::vector<std::string_view> path,
                                int depth, std::vector<Change>& out) {
  Node expression = name;
  bool behind_pointer = variable.pointer, told = true, chosen = false;
  for (;;) {
    const Node up = expression.parent();
    const bool operand = up.child(Field::argument_field) == expression;
    if (up.is(NodeKind::field_expression) && operand) {
      const bool arrow = up.child(Field::operator_token).text() == "->";
      if (arrow && !behind_pointer) return;  // what it points to is not its own
      behind_pointer = behind_pointer && !arrow;
      path.push_back(up.child(Field::field_field).text());
    } else if (up.is(NodeKind::pointer_expression) && operand && behind_pointer && up.text()[0] == '*') {
      behind_pointer = false;
    } else if (up.is(NodeKind::subscript_expression) && operand) {
      told = false, behind_pointer = false;
    } else if (up.is(NodeKind::conditional_expression) && !(up.child(Field::condition_field) == expression)) {
      told = false, chosen = true;
    } else if (up.is(NodeKind::cast_expression) && up.child(Field::value_field) == expression &&
               cpp_has(up.child(Field::type_field).text(), "&")) {
      told = false;  // as another type holds it
    } else if (!up.is(NodeKind::parenthesized_expression)) {
      break;
    }
    expression = up;
  }
  const Node above = expression.parent();
  if (is_capture(above) && above.child(Field::left_field) == expression) return;
  const bool written =
      (above.is(NodeKind::assignment_expression) && above.child(Field::left_field) == expression) ||
      (above.kind_name() == "update_expression");
  if (behind_pointer) {  // the pointer itself: who keeps it is not followed; a launch and a test do not
    const Node call = above.parent();
    const bool read = above.is(NodeKind::binary_expression) || above.is(NodeKind::condition_clause) ||
                      above.is(NodeKind::unary_expression) ||
                      (above.is(NodeKind::argument_list) && call.is(NodeKind::call_expression) &&
                       (cpp_has(call.child(Field::function_field).text(), "aunch") ||
                        call.first().next().is(NodeKind::kernel_call_syntax)));
    if (!read) out.push_back({above, std::move(path), false});
    return;
  }
  if (written && (has_syntax_error(above) || is_given_to_macro(above))) told = false;
  if (chosen && !written && above.is(NodeKind::init_declarator)) {
    if (above.child(Field::declarator_field).text().starts_with("&") &&
        !cpp_has(cpp_specifiers(above.parent()), "const"))
      out.push_back({above, std::move(path), false, true});
    return;
  }
  if (written) {
    out.push_back({above, std::move(path), told});
  } else if (above.is(NodeKind::call_expression) && above.child(Field::function_field) == expression) {
    if (!path.empty() && method_writes(above))
      path.pop_back(), out.push_back({above, std::move(path), false});
  } else if (depth < deepest_alias) {
    collect_handed(expression, std::move(path), depth, out);
  }
}

/// The identifiers of a tree by their text, in order.
const CppFolder::Mentions& CppFolder::mentions_in(const source::Tree* tree) {
  const auto [place, fresh] = mentions_.try_emplace(tree);
  if (!fresh) return place->second;
  for (std::uint32_t i = 0; i < tree->size(); ++i)
    if (const Node n = tree->at(i); n.is(NodeKind::identifier) || cpp_is_made_with(n) ||
                                    (n.is(NodeKind::type_identifier) && macros_.count(n.text())))
      place->second[n.text()].push_back(i);
  return place->second;
}

/// Whether a block jumps: then no order of its statements is told.
bool CppFolder::jumps(Node block) {
  const auto [place, fresh] = jumps_.try_emplace(std::pair(block.tree(), block.index()), false);
  if (fresh)
    for (std::uint32_t i = block.index(); i < block.end_index() && !place->second; ++i)
      place->second = block.tree()->at(i).kind_name() == "goto_statement";
  return place->second;
}

void CppFolder::collect_changes(const Variable& variable, std::vector<std::string_view> path, int depth,
                                std::vector<Change>& out) {
  const auto look = [&](const source::Tree* tree, std::uint32_t from, std::uint32_t to) {
    const auto& named = mentions_in(tree);
    const auto all = named.find(variable.name);
    if (all == named.end()) return;
    for (auto at = std::lower_bound(all->second.begin(), all->second.end(), from);
         at != all->second.end() && *at < to; ++at) {
      const Node n = tree->at(*at);
      if (n.field() == Field::declarator_field) continue;
      if (!is_shadowed(variable, n)) classify_change(n, variable, path, depth, out);
    }
  };
  for (const std::string_view macro : macros_that_write(variable.name)) {
    const source::Tree* tree = variable.declaration.tree();
    if (const auto all = mentions_in(tree).find(macro); all != mentions_in(tree).end())
      for (const std::uint32_t at : all->second)
        if (!variable.block || (variable.block.contains(tree->at(at)) && at > variable.declaration.index()))
          out.push_back({tree->at(at), {}, false});
  }
  if (variable.block)
    return look(variable.block.tree(), std::max(variable.block.index(), variable.declaration.end_index()),
                variable.block.end_index());
  for (const source::Tree* tree : trees_) look(tree, 0, tree->size());
}

const std::vector<CppFolder::Change>& CppFolder::changes_of(const Variable& variable) {
  const auto key = std::tuple(variable.declaration.tree(), variable.declaration.index(), variable.name);
  const auto [place, fresh] = changes_.try_emplace(key);
  if (!fresh) return place->second;
  std::vector<Change> found;
  collect_changes(variable, {}, 0, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Change& a, const Change& b) { return a.at.index() < b.at.index(); });
  return changes_[key] = std::move(found);
}

/// One step up from a change that does not hold the use: does it happen whatever comes?
CppFolder::When CppFolder::when_around(Node above, Node below, Frames frame) {
  switch (above.kind()) {
    case NodeKind::if_statement: {
      const bool then = below.field() == Field::consequence_field;
      if (!then && below.field() != Field::alternative_field) return When::before;
      const auto condition = evaluate(above.child(Field::condition_field), frame).integer();
      if (condition) return (*condition != 0) == then ? When::before : When::never;
      return leaves(then                       ? below
                    : cpp_items(below).empty() ? Node()
                                               : cpp_items(below)[0])
                 ? When::never
                 : When::perhaps;
    }
    case NodeKind::preproc_if:
    case NodeKind::preproc_elif: {
      const auto condition = directive_value(above.child(Field::condition_field)).integer();
      if (!condition) return When::perhaps;
      return (*condition != 0) == (below.field() != Field::alternative_field) ? When::before : When::never;
    }
    case NodeKind::preproc_ifdef: {
      const CppValue told = reach_of_directive(above, below);
      const bool given = std::any_of(settings_.begin(), settings_.end(), [&](auto& s) {
        return s.first == above.child(Field::name_field).text();
      });
      return !given ? When::perhaps : told.integer() == 0 ? When::never : When::before;
    }
    case NodeKind::conditional_expression:
    case NodeKind::case_statement:
    case NodeKind::for_statement:
    case NodeKind::while_statement:
    case NodeKind::do_statement:
    case NodeKind::for_range_loop:
    case NodeKind::lambda_expression:
    case NodeKind::try_statement:
      return When::perhaps;
    case NodeKind::binary_expression: {
      const std::string_view op = above.child(Field::operator_token).text();
      return op == "&&" || op == "||" ? When::perhaps : When::before;
    }
    default:
      return When::before;
  }
}

CppFolder::When CppFolder::when(const Change& change, const Variable& variable, Node use, Frames frame) {
  const Node block = variable.block;
  if (!block) return When::perhaps;  // of the file: any call may come first
  if (is_of_command_line(change.at)) return When::never;
  const Node written_in = lambda_around(change.at, block), used_in = lambda_around(use, block);
  if (written_in && !by_reference(written_in, variable.name) && !written_in.contains(use)) return When::never;
  for (Node up = use.parent(); up && !(up == block); up = up.parent())
    if (is_repeated(up) && up.contains(change.at)) return When::perhaps;
  if (written_in && !written_in.contains(use))
    return written_in.index() < use.index() ? When::perhaps : When::never;
  if (written_in && is_kept(written_in)) return When::perhaps;
  if (used_in && !used_in.contains(change.at) && is_kept(used_in) && by_reference(used_in, variable.name))
    return When::perhaps;
  if (jumps(block)) return When::perhaps;
  if (change.at.contains(use) || change.at.index() > use.index()) return When::never;
  Node below = change.at;
  for (Node up = change.at.parent(); up && !up.contains(use); up = up.parent()) {
    if (const When told = when_around(up, below, frame); told != When::before) return told;
    below = up;
  }
  return When::before;
}

/// What comes behind the preorder number that this gives is never before the use: that of the use itself,
/// unless a loop or a lambda that is kept around it runs again.
std::uint32_t CppFolder::horizon(const Variable& variable, Node use) {
  std::uint32_t out = use.end_index();
  for (Node up = use.parent(); up && variable.block && !(up == variable.block); up = up.parent())
    if (is_repeated(up) || up.is(NodeKind::lambda_expression)) out = up.end_index();
  const Node lambda = variable.block ? lambda_around(use, variable.block) : Node();
  return !variable.block || (lambda && is_kept(lambda)) || jumps(variable.block) ? UINT32_MAX : out;
}

namespace {
/// `auto c = 'a';`: integers that are narrower than what folding holds them in.
bool is_narrow_auto(Node type, Node value) {
  if (type.kind_name() != "placeholder_type_specifier" || !value) return false;
  const std::string_view op = value.child(Field::operator_token).text();
  return value.is(NodeKind::char_literal) || value.is(NodeKind::true_literal) ||
         value.is(NodeKind::false_literal) || value.is(NodeKind::cast_expression) ||
         cpp_has(value.text(), "_cast") || (value.is(NodeKind::unary_expression) && op == "!") ||
         (value.is(NodeKind::binary_expression) && (cpp_has("== != <= >= && ||", op)) && op.size() > 1) ||
         (value.is(NodeKind::binary_expression) && (op == "<" || op == ">")) ||
         value.is(NodeKind::call_expression) || value.is(NodeKind::identifier) ||
         value.is(NodeKind::qualified_identifier);
}
}  // namespace

CppValue CppFolder::changed(const Variable& variable, Node use, CppValue start, Frames frame) {
  const std::vector<Change>& changes = changes_of(variable);
  if (changes.empty()) return start;
  const Node type = variable.declaration.is(NodeKind::parameter_declaration) ||
                            variable.declaration.is(NodeKind::optional_parameter_declaration)
                        ? variable.declaration.child(Field::type_field)
                        : variable.declaration.parent().child(Field::type_field);
  // From the last one back: what is set for certain hides what was there before.
  std::vector<Change> made, later;
  std::vector<const std::vector<std::string_view>*> set;
  const std::uint32_t last = horizon(variable, use);
  std::uint32_t set_at = 0;
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    if (change->at.index() > last) continue;
    const bool hidden = std::any_of(set.begin(), set.end(), [&](auto* path) {
      return path->size() <= change->path.size() &&
             std::equal(path->begin(), path->end(), change->path.begin());
    });
    if (hidden && !runs_later(*change, variable, set_at, last)) continue;
    const When at = when(*change, variable, use, frame);
    if (at == When::never) continue;
    (hidden ? later : made).push_back(*change);
    if (hidden) {
      later.back().told = false;
      continue;
    }
    made.back().told =
        change->told && at == When::before &&
        !(start.integer() && is_narrow_auto(type, variable.declaration.child(Field::value_field)));
    if (made.back().told && change->at.child(Field::operator_token).text() == "=" &&
        change->at.is(NodeKind::assignment_expression))
      set.push_back(&change->path), set_at = change->at.index();
  }
  made.insert(made.begin(), later.begin(), later.end());
  for (auto change = made.rbegin(); change != made.rend(); ++change)
    start = applied(std::move(start), *change, 0, type, frame);
  return start;
}

}  // namespace cutelab::reading
