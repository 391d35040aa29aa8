#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

const std::vector<std::string>& descriptor_makers() {
  static const std::vector<std::string> names = {
      "make_tiled_tma_atom",     "make_tiled_tma_atom_A",   "make_tiled_tma_atom_B",
      "make_im2col_tma_atom",    "create_tensor_map_tiled", "create_tensor_map_tiled_from_view",
      "create_tensor_map_im2col"};
  return names;
}

const char* direction_of(const std::string& operation) {
  if (operation.find("CopyReduceBulkTensorTileS2G") != std::string::npos) return "reduce";
  if (operation.find("S2G") != std::string::npos) return "store";
  return operation.empty() ? nullptr : "load";
}

/// Direction, operation and multicast of a descriptor by the qualified name of its copy operation.
void add_operation(FactContext& context, Draft& draft, const std::string& operation, Node where) {
  if (const char* direction = direction_of(operation))
    draft.fact.values["direction"] = evidence::literal(direction);
  if (operation.empty()) return;
  draft.fact.values["operation"] = evidence::literal(operation.substr(operation.find_last_of('.') + 1));
  draft.fact.values["multicast"] = evidence::literal(operation.find("Multicast") != std::string::npos);
  if (operation.find("cluster_shape_to_tma_atom") != std::string::npos)
    draft.fact.values["multicast"] =
        evidence::undetermined("chosen in the library by the cluster shape", {"cluster shape"},
                               context.at(where), std::string(where.text().substr(0, 80)));
}

/// Tensor, direction and operation of a descriptor: what make_tiled_tma_atom* is given.
void complete_descriptor(FactContext& context, Draft& draft) {
  const Node operation_node = context.positional(draft.node, 0);
  Node tensor = context.positional(draft.node, 1);
  if (!tensor) tensor = context.keyword(draft.node, "gmem_tensor");
  if (tensor) draft.fact.values["tensor"] = evidence::literal(std::string(tensor.text().substr(0, 60)));
  if (!operation_node || draft.construct.starts_with("create_tensor_map")) return;
  const Abstract given = context.evaluator.value_of(0, operation_node);
  add_operation(context, draft, context.operation_of(given), operation_node);
  if (const Node degree = context.keyword(draft.node, "num_multicast"))
    draft.fact.values["multicast_degree"] = context.value(degree);
}

/// A descriptor made inside a helper stands for each call of the helper: the calls carry what differs.
void leave_to_calls(FactContext& context, int function) {
  for (Draft& draft : context.drafts)
    if (draft.fact.kind == evidence::kind::tma_descriptor && draft.construct != "descriptor-helper" &&
        context.module().function_at(draft.node) == function)
      for (const char* name : {"direction", "multicast", "operation"}) draft.fact.values.erase(name);
}

/// `tma_atom_a, tma_tensor_a = self._make_tma_atoms(a, …)`: a descriptor through a local helper, at the call.
void add_helper_descriptors(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (site.target.find("tma") == std::string::npos && site.leaf.find("tma") == std::string::npos) continue;
    if (!context.evaluator.callee_function(0, site.call, &m, &f) ||
        !context.function_contains(m, f, descriptor_makers()))
      continue;
    Draft& draft =
        context.add(Family::H1, evidence::kind::tma_descriptor, site.target.empty() ? site.leaf : site.target,
                    "TMA descriptor " + site.target + " made by " + site.leaf, site.call);
    draft.construct = "descriptor-helper";
    const Node tensor = context.positional(site.call, 0);
    if (tensor) draft.fact.values["tensor"] = evidence::literal(std::string(tensor.text().substr(0, 60)));
    const Abstract made = context.evaluator.value_of(0, site.call);
    const Abstract& atom = made.is(Abstract::Kind::tuple) && !made.items.empty() ? made.items.front() : made;
    add_operation(context, draft, context.operation_of(atom), site.call);
    if (m == 0) leave_to_calls(context, f);
  }
}

/// `op = G2SOp() if mcast == 1 else G2SMulticastOp()`: where a helper chooses the operation.
void add_operation_choices(FactContext& context) {
  for (const source::Assignment& a : context.module().assignments()) {
    if (!a.value.is(NodeKind::conditional_expression)) continue;
    const std::string_view text = a.value.text();
    if (text.find("CopyBulkTensorTile") == std::string_view::npos) continue;
    Draft& draft =
        context.add(Family::H1, "tma-operation", a.name, "copy operation chosen here", a.statement);
    draft.construct = "operation-choice";
  }
}

std::string copy_operation(FactContext& context, Node atom, std::string_view text) {
  const Abstract value = context.evaluator.value_of(0, atom);
  std::string operation = context.operation_of(value);
  const bool named_tma = to_lower(text).find("tma") != std::string::npos;
  const auto path_has = [&](const char* part) {
    return value.path.find(part) != std::string::npos || operation.find(part) != std::string::npos;
  };
  if (path_has("tma_atom") || path_has("CopyBulkTensor") || path_has("CopyReduceBulk") || named_tma)
    return operation.empty() ? "tma" : operation;
  if (path_has("CopyG2SOp") || path_has("CopyBulk")) return operation;
  return {};
}

void add_copy(FactContext& context, const CallSite& site) {
  const Node atom = context.positional(site.call, 0);
  if (!atom) return;
  const std::string operation = copy_operation(context, atom, atom.text());
  const bool plain_bulk =
      operation.find("CopyBulk") != std::string::npos && operation.find("Tensor") == std::string::npos;
  const bool tma = !operation.empty() && operation.find("CopyG2SOp") == std::string::npos;
  if (operation.empty()) return;
  Draft& draft =
      context.add(Family::D3, evidence::kind::copy, std::string(atom.text().substr(0, 60)), "", site.call);
  const bool load = context.keyword(site.call, "tma_bar_ptr") || context.keyword(site.call, "mbar_ptr");
  const bool store = tma && !load && !plain_bulk;
  draft.construct = !tma ? "cp-async" : store ? "tma-store" : "tma-load";
  draft.fact.says = (!tma    ? "cp.async copy by "
                     : store ? "TMA store by "
                             : "TMA load by ") +
                    draft.fact.subject;
  draft.path = operation;
  draft.fact.values["operation"] = evidence::literal(draft.construct);
  if (const Node source_tensor = context.positional(site.call, 1))
    draft.fact.values["source"] = evidence::literal(std::string(source_tensor.text().substr(0, 80)));
  if (const Node destination = context.positional(site.call, 2))
    draft.fact.values["destination"] = evidence::literal(std::string(destination.text().substr(0, 80)));
  if (const Node mask = context.keyword(site.call, "mcast_mask"))
    draft.fact.values["multicast_mask"] = evidence::literal(std::string(mask.text()));
}

bool is_tma_atom(FactContext& context, Node argument) {
  if (!argument.is(NodeKind::identifier) && !argument.is(NodeKind::attribute)) return false;
  const std::string name = to_lower(argument.text());
  if (name.find("tma") != std::string::npos)
    return name.find("atom") != std::string::npos || name.ends_with("tma");
  return context.operation_of(context.evaluator.value_of(0, argument)).find("CopyBulkTensor") !=
         std::string::npos;
}

/// "store" where the atom's operation says so, else where shared memory is the source; "" where neither
/// tells.
std::string copy_direction(FactContext& context, Node call, Node atom) {
  const std::string operation = context.operation_of(context.evaluator.value_of(0, atom));
  if (const char* known = direction_of(operation)) return known;
  const auto shared = [](Node n) {
    const std::string_view text = n.text();
    return text.size() > 1 && text[0] == 's' && text[1] >= 'A' && text[1] <= 'Z';
  };
  for (const auto& [key, direction] :
       {std::pair{"src_tensor", "store"}, {"dst_tensor", "load"}, {"src", "store"}, {"dst", "load"}})
    if (shared(context.keyword(call, key))) return direction;
  // (atom, …, source, destination): what comes last is written.
  Node last;
  for (const Node a : call.child(Field::arguments_field).children())
    if (!a.is(NodeKind::keyword_argument)) last = a;
  return shared(last) && call.text().find("get_copy_fn") != std::string_view::npos ? "load" : "";
}

/// `copy_A = helper(tma_atom_a, …)`: a helper of another module that gives back a function which copies by
/// that atom. What it copies when is up to its callers, so the fact stands where it is made.
void add_copy_functions(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.function < 0 || site.leaf == "copy" || site.leaf == "partial" || site.target.empty()) continue;
    const Node atom = context.positional(site.call, 0);
    int m = 0, f = -1;
    if (!is_tma_atom(context, atom)) continue;
    const bool resolved = context.evaluator.callee_function(0, site.call, &m, &f);
    const bool named = to_lower(site.leaf).find("copy") != std::string::npos;
    if (!named || (resolved && !context.function_contains(m, f, {"copy", "block_copy", "copy_fn"}) &&
                   site.leaf.find("copy_fn") == std::string::npos))
      continue;
    Draft& draft =
        context.add(Family::D3, evidence::kind::copy, std::string(atom.text().substr(0, 60)), "", site.call);
    const std::string direction = copy_direction(context, site.call, atom);
    draft.construct = direction == "store" || direction == "reduce" ? "tma-store"
                      : direction.empty()                           ? "tma-copy"
                                                                    : "tma-load";
    draft.fact.says = "function that copies by " + draft.fact.subject + ", made by " + site.leaf;
    draft.fact.values["operation"] = evidence::literal(draft.construct);
    if (const Node multicast = context.keyword(site.call, "tma_multicast"))
      draft.fact.values["multicast"] = evidence::literal(std::string(multicast.text().substr(0, 60)));
  }
}

/// `load_q(tma_bar_ptr=…)`: a call of such a function.
void add_copy_calls(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.function < 0 || site.leaf == "copy" || !site.receiver.empty()) continue;
    int m = 0, f = -1;
    if (!context.keyword(site.call, "tma_bar_ptr") || context.evaluator.callee_function(0, site.call, &m, &f))
      continue;
    Draft& draft =
        context.add(Family::D3, evidence::kind::copy, site.leaf, "TMA load by " + site.leaf, site.call);
    draft.construct = "tma-load";
    draft.fact.values["operation"] = evidence::literal(draft.construct);
  }
}
}  // namespace

void extract_descriptors(FactContext& context) {
  for (Draft& draft : context.drafts)
    if (draft.fact.kind == evidence::kind::tma_descriptor) complete_descriptor(context, draft);
  add_helper_descriptors(context);
  add_operation_choices(context);
}

void extract_copies(FactContext& context) {
  for (const CallSite& site : context.calls())
    if (site.leaf == "copy" && !site.receiver.starts_with("torch") &&
        site.path.find("cute") != std::string::npos)
      add_copy(context, site);
  add_copy_functions(context);
  add_copy_calls(context);
  // The statement that makes a cp.async atom or tiled copy tells width and operation.
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "make_copy_atom" || site.call.text().find("CopyG2SOp") == std::string_view::npos)
      continue;
    Draft& draft =
        context.add(Family::D3, evidence::kind::copy, site.target, "cp.async atom " + site.target, site.call);
    draft.construct = "cp-async-atom";
  }
}

}  // namespace cutelab::reading
