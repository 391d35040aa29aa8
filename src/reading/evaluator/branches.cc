#include "reading/evaluator/folder.h"

namespace cutelab::reading {
using evidence::Tristate;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
Tristate both(Tristate a, Tristate b) {
  if (a == Tristate::no || b == Tristate::no) return Tristate::no;
  return a == Tristate::yes && b == Tristate::yes ? Tristate::yes : Tristate::undetermined;
}
Tristate opposite(Tristate t) {
  return t == Tristate::undetermined ? t : t == Tristate::yes ? Tristate::no : Tristate::yes;
}
std::string shortened(Node n) { return std::string(n.text().substr(0, 100)); }
}  // namespace

Tristate Folder::truth(Node condition, const Frame* frame) {
  const Abstract& value = evaluate(condition, frame);
  switch (value.kind) {
    case Kind::none:
      return Tristate::no;
    case Kind::boolean:
    case Kind::integer:
      return value.number != 0 ? Tristate::yes : Tristate::no;
    case Kind::real:
      return value.real != 0 ? Tristate::yes : Tristate::no;
    case Kind::text:
      return value.text.empty() ? Tristate::no : Tristate::yes;
    case Kind::tuple:
      return value.items.empty() ? Tristate::no : Tristate::yes;
    default:
      return Tristate::undetermined;
  }
}

/// `branch` is a direct child of an if statement: its consequence block, an elif or an else clause.
Tristate Folder::branch_taken(Node branch, const Frame* frame) {
  const Node statement = branch.parent();
  if (statement.is(NodeKind::elif_clause)) {
    return branch.field() == Field::condition_field ? Tristate::yes
                                                    : truth(statement.child(Field::condition_field), frame);
  }
  if (branch.is(NodeKind::case_clause) || branch.is(NodeKind::except_clause)) return Tristate::undetermined;
  if (!statement.is(NodeKind::if_statement)) return Tristate::yes;
  if (branch.field() == Field::condition_field) return Tristate::yes;
  const Tristate first = truth(statement.child(Field::condition_field), frame);
  if (branch.field() == Field::consequence_field) return first;
  Tristate none_before = opposite(first);
  for (const Node c : statement.children()) {
    if (c == branch) break;
    if (c.is(NodeKind::elif_clause))
      none_before = both(none_before, opposite(truth(c.child(Field::condition_field), frame)));
  }
  return none_before;
}

/// What has to hold for a branch: its own condition; of `elif` and `else` that none before it does.
std::string Folder::condition_of(Node branch) {
  const Node owner = branch.parent();
  if (branch.is(NodeKind::case_clause) || branch.is(NodeKind::except_clause))
    return shortened(branch).substr(0, shortened(branch).find(':'));
  const Node first = owner.child(Field::condition_field);
  if (!branch.is(NodeKind::elif_clause) && !branch.is(NodeKind::else_clause)) return shortened(first);
  std::string all;
  const auto add = [&](Node condition) {
    const bool simple = condition.is(NodeKind::call) || condition.is(NodeKind::identifier) ||
                        condition.is(NodeKind::attribute) || condition.is(NodeKind::comparison_operator);
    if (all.size() > 300) return;
    all += all.empty() ? "not " : " and not ";
    all += simple ? shortened(condition) : "(" + shortened(condition) + ")";
  };
  if (first) add(first);
  for (const Node before : owner.children()) {
    if (before == branch) break;
    if (before.is(NodeKind::elif_clause)) add(before.child(Field::condition_field));
  }
  return all;
}

Activity Folder::branches_around(Node node, Node stop, const Frame* frame) {
  Activity out;
  for (Node n = node; n && !(n == stop); n = n.parent()) {
    if (n.is(NodeKind::function_definition) || n.is(NodeKind::class_definition)) {
      if (!(n == node)) break;
    }
    const Tristate taken = branch_taken(n, frame);
    if (taken == Tristate::yes) continue;
    if (out.condition.empty() || taken == Tristate::no)  // the outermost that does not hold
      out.condition = condition_of(n);
    out.state = both(out.state, taken);
  }
  return out;
}

Tristate Folder::reaches(Node statement, Node use, const Frame* frame) {
  Tristate out = Tristate::yes;
  for (Node n = statement; n; n = n.parent()) {
    const Node above = n.parent();
    if (above.contains(use) && !(statement == use)) {
      // Both under `above`: in different branches of one if statement neither reaches the other.
      if (above.is(NodeKind::if_statement) && n.field() == Field::consequence_field && !n.contains(use) &&
          !above.child(Field::condition_field).contains(use))
        return Tristate::no;
      if (above.is(NodeKind::if_statement) && n.is(NodeKind::elif_clause)) return Tristate::no;
      return out;
    }
    if (n.is(NodeKind::function_definition)) return out;
    if (n.is(NodeKind::for_statement) || n.is(NodeKind::while_statement)) continue;
    out = both(out, branch_taken(n, frame));
    if (out == Tristate::no) return out;
  }
  return out;
}

Activity Folder::active(int module, Node node) {
  const int function = program_.module(module).function_at(node);
  const Frame* frame = root(module, function);
  Activity here = branches_around(node, {}, frame);
  if (here.state == Tristate::no || function < 0) return here;
  const Activity whole = function_active(module, function);
  if (whole.state != Tristate::yes) {
    here.state = both(here.state, whole.state);
    if (here.condition.empty() || whole.state == Tristate::no) here.condition = whole.condition;
  }
  return here;
}

/// A function runs when some call of it does; one that nobody here calls is an entry point and counts as run.
Activity Folder::function_active(int module, int function) {
  const auto key = std::make_pair(module, function);
  if (const auto known = function_activity_.find(key); known != function_activity_.end())
    return known->second;
  function_activity_[key] = {};  // a cycle counts as run
  const auto sites = call_sites(module, function);
  Activity best;
  bool first = true;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Activity one = active(sites[i].module, sites[i].call);
    if (first || one.state == Tristate::yes ||
        (one.state == Tristate::undetermined && best.state == Tristate::no))
      best = one;
    first = false;
    if (best.state == Tristate::yes) break;
  }
  return function_activity_[key] = best;
}

}  // namespace cutelab::reading
