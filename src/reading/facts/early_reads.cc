#include <algorithm>
#include <map>

#include "evidence/names.h"
#include "reading/facts/context.h"

// Reads of global memory by threads in kernels that wait for the kernel ahead: what stands before the wait
// may see what that kernel has not written yet.

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool in_global(FactContext& context, Node tensor) {
  const std::string space = memory_space(context, tensor);
  return space == "global" || (space.empty() && names_global(tensor.text().substr(0, 80)));
}

/// gA[i, j]: one element; None and slices leave a tensor.
bool takes_element(Node subscript) {
  for (std::uint32_t i = subscript.index() + 1; i < subscript.end_index(); ++i) {
    const Node n = subscript.tree()->at(i);
    if (n.is(NodeKind::none) || n.is(NodeKind::slice)) return false;
  }
  return true;
}

bool is_written(Node subscript) {
  const Node above = subscript.parent();
  return above.is(NodeKind::assignment) && subscript.field() == Field::left_field;
}

/// The tensor that a statement reads by threads; no node = it reads none.
Node read_by_threads(FactContext& context, Node n) {
  if (n.is(NodeKind::subscript) && !is_written(n) && takes_element(n)) {
    const Node object = n.child(Field::value_field);
    return object.is(NodeKind::identifier) ? object : Node();
  }
  if (!n.is(NodeKind::call)) return {};
  const Node function = n.child(Field::function_field);
  const std::string leaf = leaf_name(function.text());
  if (leaf == "load" && function.is(NodeKind::attribute)) return function.child(Field::object_field);
  if (leaf == "autovec_copy" || leaf == "basic_copy" || leaf == "basic_copy_if")
    return context.positional(n, leaf == "basic_copy_if" ? 1 : 0);
  return {};
}
}  // namespace

void extract_early_reads(FactContext& context) {
  std::map<int, std::uint32_t> first_wait;  // by function
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "griddepcontrol_wait" || site.function < 0) continue;
    const auto [known, fresh] = first_wait.emplace(site.function, site.call.index());
    if (!fresh) known->second = std::min(known->second, site.call.index());
  }
  for (const auto& [function, wait] : first_wait) {
    const Node body = context.module().functions()[static_cast<std::size_t>(function)].body;
    for (std::uint32_t i = body.index(); body && i < wait; ++i) {
      const Node n = context.module().tree().at(i);
      const Node tensor = read_by_threads(context, n);
      if (!tensor || context.module().function_at(n) != function || !in_global(context, tensor)) continue;
      Draft& draft = context.add(Family::D5, "early-read", std::string(tensor.text().substr(0, 60)),
                                 "reads global memory ahead of the wait for the kernel ahead", n);
      draft.construct = "early-read";
      draft.fact.optional = true;
    }
  }
}

}  // namespace cutelab::reading
