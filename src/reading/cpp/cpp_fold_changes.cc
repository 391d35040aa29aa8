#include "reading/cpp/cpp_folder.h"

// What may have another value than the one it is declared with.
namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool is_branch(Node n) {
  return n.is(NodeKind::preproc_if) || n.is(NodeKind::preproc_ifdef) || n.is(NodeKind::preproc_elif) ||
         n.is(NodeKind::preproc_else);
}

Node branch_around(Node n) {
  Node up = n.parent();
  while (up && !is_branch(up)) up = up.parent();
  return up;
}

/// `std::cin >> name`
bool is_read_into(Node n, std::string_view name) {
  return n.is(NodeKind::binary_expression) && n.child(Field::operator_token).text() == ">>" &&
         n.child(Field::right_field).text() == name && n.text().find("cin") != std::string_view::npos;
}

/// `read(&name)`; a launch by address reads what it is given.
bool is_handed_by_address(Node n, std::string_view name) {
  if (!n.is(NodeKind::pointer_expression) || !n.text().starts_with("&") ||
      n.child(Field::argument_field).text() != name)
    return false;
  const Node call = n.parent().parent();
  return call.is(NodeKind::call_expression) &&
         call.child(Field::function_field).text().find("aunch") == std::string_view::npos;
}

}  // namespace

bool same_branches(Node a, Node b) { return branch_around(a) == branch_around(b); }

/// Whether a call's function of these files takes this argument by a reference that it may write to.
bool CppFolder::takes_reference(Node argument) const {
  const Node call = argument.parent().parent();
  if (!call.is(NodeKind::call_expression)) return false;
  const Node function = function_named(call.child(Field::function_field).text());
  if (!function) return false;
  Node declarator = function.child(Field::declarator_field);
  while (declarator && !declarator.child(Field::parameters_field))
    declarator = declarator.child(Field::declarator_field);
  const auto given = cpp_items(argument.parent());
  const auto taken = cpp_items(declarator.child(Field::parameters_field));
  for (std::size_t i = 0; i < given.size() && i < taken.size(); ++i)
    if (given[i] == argument)
      return taken[i].text().find('&') != std::string_view::npos &&
             taken[i].text().find("const") == std::string_view::npos;
  return false;
}

/// Whether anything but a command line changes a variable after it was made: an assignment, a step, a read,
/// a function that is given its address or a reference to it.
bool CppFolder::is_changed(Node init, std::string_view name) const {
  const Node block = init.enclosing(NodeKind::compound_statement);
  const std::uint32_t end = block ? block.end_index() : init.tree()->size();
  for (std::uint32_t i = init.end_index(); i < end; ++i) {
    const Node n = init.tree()->at(i);
    const bool written = n.is(NodeKind::assignment_expression) && n.child(Field::left_field).text() == name;
    const bool stepped =
        n.kind_name() == "update_expression" && n.child(Field::argument_field).text() == name;
    const bool handed =
        is_handed_by_address(n, name) || (n.is(NodeKind::identifier) && n.text() == name &&
                                          n.parent().is(NodeKind::argument_list) && takes_reference(n));
    if (!written && !stepped && !handed && !is_read_into(n, name)) continue;
    const Node condition = n.enclosing(NodeKind::if_statement).child(Field::condition_field);
    if (condition.text().find("arg") == std::string_view::npos) return true;
  }
  return false;
}

}  // namespace cutelab::reading
