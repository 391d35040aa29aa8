#include <algorithm>

#include "evidence/names.h"
#include "reading/evaluator/folder.h"
#include "reading/facts/context.h"

// Which pipeline a barrier belongs to, and which buffer of shared memory a copy fills.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {
/// The creation behind a pipeline, its participants and their handles: the call, and those that led to it.
std::vector<Node> creation_of(FactContext& context, Node receiver) {
  Abstract object = context.evaluator.value_of(0, receiver);
  for (int depth = 0; depth < 6; ++depth) {
    // A resource of a task, a queue of work: its pipeline is given to its constructor.
    const bool made = object.known() && object.made_at.is(NodeKind::call);
    if (const Node given = made ? context.keyword(object.made_at, "pipeline_config") : Node())
      object = context.evaluator.argument_of(object, given);
    if (!object.is(Abstract::Kind::object) || !object.made_at.is(NodeKind::call)) return {};
    const Node function = object.made_at.child(Field::function_field);
    const std::string leaf = leaf_name(function.text());
    if (!function.is(NodeKind::attribute) || leaf.starts_with("create") || leaf.ends_with("Pipeline")) {
      std::vector<Node> out = {object.made_at};
      for (const Frame* f = object.frame; f && f->call; f = f->caller) out.push_back(f->call);
      return out;
    }
    object = context.evaluator.argument_of(object, function.child(Field::object_field));
  }
  return {};
}

}  // namespace

std::string pipeline_of(FactContext& context, Node receiver) {
  for (const Node creation : creation_of(context, receiver))
    for (const Draft& d : context.drafts)
      if (d.fact.kind == evidence::kind::pipeline && d.node == creation) return d.fact.subject;
  const std::string text(receiver.text().substr(0, 120));
  for (const Draft& d : context.drafts) {
    if (d.fact.kind != evidence::kind::pipeline) continue;
    const auto sides = d.fact.values.find("participants");
    const auto* names = sides == d.fact.values.end() ? nullptr : sides->second.string();
    if (d.fact.subject == text ||
        (names && (names->starts_with(text + ",") || names->ends_with(", " + text))))
      return d.fact.subject;
  }
  return {};
}

namespace {
/// The allocation or storage member behind a tensor: through subscripts, partitions and grouped modes.
const Draft* buffer_of(const FactContext& context, Node tensor, int depth = 0) {
  if (!tensor || depth > 8) return nullptr;
  if (tensor.is(NodeKind::subscript)) return buffer_of(context, tensor.child(Field::value_field), depth + 1);
  if (tensor.is(NodeKind::identifier)) return buffer_of(context, bound_before(context, tensor), depth + 1);
  if (!tensor.is(NodeKind::call)) return nullptr;
  for (const Draft& d : context.drafts)
    if (d.fact.kind == evidence::kind::allocation && d.node == tensor) return &d;
  const CallSite* site = context.site_of(tensor);
  if (!site) return nullptr;
  if (site->leaf == "tma_partition") return buffer_of(context, context.positional(tensor, 3), depth + 1);
  if (site->leaf == "group_modes" || site->leaf == "filter_zeros" || site->leaf == "slice_")
    return buffer_of(context, context.positional(tensor, 0), depth + 1);
  if (site->leaf != "get_tensor") return nullptr;
  const std::string member = site->receiver.substr(site->receiver.rfind('.') + 1);
  const Draft* found = nullptr;
  for (const Draft& d : context.drafts)
    if (d.fact.kind == evidence::kind::storage_member && d.fact.subject == member) {
      if (found) return nullptr;  // two structs have a member of that name
      found = &d;
    }
  return found;
}

Node block_around(Node n) {
  while (n && !n.is(NodeKind::block) && !n.is(NodeKind::module)) n = n.parent();
  return n;
}
}  // namespace

void extract_copy_targets(FactContext& context) {
  for (std::size_t i = 0; i < context.drafts.size(); ++i) {
    Draft& draft = context.drafts[i];
    if (draft.fact.kind != evidence::kind::copy || draft.construct != "tma-load") continue;
    Node barrier = context.keyword(draft.node, "tma_bar_ptr");
    if (!barrier) continue;
    draft.fact.values["block"] =
        evidence::literal(static_cast<std::int64_t>(block_around(draft.node).line()));
    if (barrier.is(NodeKind::identifier)) barrier = bound_before(context, barrier);
    const Node access = barrier.is(NodeKind::call) ? barrier.child(Field::function_field) : barrier;
    if (access.is(NodeKind::attribute)) {
      const std::string name = pipeline_of(context, access.child(Field::object_field));
      if (!name.empty()) draft.fact.values["pipeline"] = evidence::literal(name);
    }
    if (const Draft* buffer = buffer_of(context, context.positional(draft.node, 2)))
      draft.fact.values["buffer"] = evidence::literal(buffer->fact.subject);
  }
}

}  // namespace cutelab::reading
