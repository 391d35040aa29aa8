#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/evaluator/folder.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

const std::vector<std::string>& descriptor_makers() {
  static const std::vector<std::string> names = {"make_tiled_tma_atom",
                                                 "make_tiled_tma_atom_A",
                                                 "make_tiled_tma_atom_B",
                                                 "make_im2col_tma_atom",
                                                 "create_tensor_map_tiled",
                                                 "create_tensor_map_tiled_from_view",
                                                 "create_tensor_map_im2col",
                                                 "atom_make_non_exec_tiled_tma_load",
                                                 "atom_make_non_exec_tiled_tma_store"};
  return names;
}

bool is_reduction(const std::string& operation) {
  return operation.find("CopyReduceBulk") != std::string::npos;
}

const char* direction_of(const std::string& operation) {
  if (is_reduction(operation)) return "reduce";
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
  const bool raw = draft.construct.find("non_exec") != std::string::npos ||
                   draft.construct.find("NonExec") != std::string::npos;
  const Node operation_node = raw ? Node() : context.positional(draft.node, 0);
  Node tensor = context.positional(draft.node, raw ? 0 : 1);
  if (draft.construct.ends_with("Trait")) return;  // wraps a descriptor that is made elsewhere
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
        context.module().function_at(draft.node) == function) {
      for (const char* name : {"direction", "multicast", "operation"}) draft.fact.values.erase(name);
      std::erase_if(draft.fact.values, [](const auto& value) {
        return value.first == "multicast_degree" && !value.second.determined();
      });
    }
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
    Node tensor = context.positional(site.call, 0);
    if (tensor && tensor.text().ends_with("op") && context.positional(site.call, 1))
      tensor = context.positional(site.call, 1);  // (operation, tensor, …)
    if (tensor) draft.fact.values["tensor"] = evidence::literal(std::string(tensor.text().substr(0, 60)));
    const Abstract made = context.evaluator.value_of(0, site.call);
    const Abstract& atom = made.is(Abstract::Kind::tuple) && !made.items.empty() ? made.items.front() : made;
    const std::string operation = context.operation_of(atom);
    add_operation(context, draft, operation, site.call);
    if (operation.empty()) {
      const bool store = context.function_contains(m, f, {"atom_make_non_exec_tiled_tma_store"});
      const bool load = context.function_contains(m, f, {"atom_make_non_exec_tiled_tma_load"});
      if (load != store) {
        draft.fact.values["direction"] = evidence::literal(load ? "load" : "store");
        draft.fact.values["multicast"] = evidence::literal(false);
      }
    }
    if (m == 0) leave_to_calls(context, f);
  }
}

/// `tma_atom_a, tma_tensor_a = transform.make_a_tma(…)`: an object of unknown class that makes a descriptor,
/// by what the source calls its result.
void add_unknown_makers(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (site.target.find("tma_atom") == std::string::npos || site.target.find(',') == std::string::npos ||
        site.receiver.empty() || site.leaf.find("tma") == std::string::npos)
      continue;
    const bool known = std::any_of(context.drafts.begin(), context.drafts.end(), [&](const Draft& d) {
      return d.fact.kind == evidence::kind::tma_descriptor && d.node == site.call;
    });
    if (known || context.evaluator.callee_function(0, site.call, &m, &f)) continue;
    Draft& draft = context.add(Family::H1, evidence::kind::tma_descriptor, site.target,
                               "TMA descriptor " + site.target + " made by " + site.leaf, site.call);
    draft.construct = "descriptor-of-unknown-maker";
    if (const Node tensor = context.positional(site.call, 0))
      draft.fact.values["tensor"] = evidence::literal(std::string(tensor.text().substr(0, 60)));
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
  const bool reduces = store && is_reduction(operation);
  draft.fact.says = (!tma      ? "cp.async copy by "
                     : reduces ? "TMA reduction by "
                     : store   ? "TMA store by "
                               : "TMA load by ") +
                    draft.fact.subject;
  draft.path = operation;
  draft.fact.values["operation"] = evidence::literal(reduces ? "tma-reduce" : draft.construct);
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
  const Abstract value = context.evaluator.value_of(0, argument);
  // Of the pair that makes a descriptor the second is the tensor.
  const auto tensor = [](const Abstract& a) { return a.path.ends_with("[1]") || a.path.ends_with("[3]"); };
  if (tensor(value) || std::any_of(value.items.begin(), value.items.end(), tensor)) return false;
  return context.operation_of(value).find("CopyBulkTensor") != std::string::npos;
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

/// tma_multicast=…: where the copy is given its multicast, the descriptor's operation does not say it. Cites
/// where it is set up.
void tell_multicast(FactContext& context, Node atom, Node multicast) {
  const Node setup = multicast.is(NodeKind::identifier) ? bound_before(context, multicast) : multicast;
  if (!setup || setup.is(NodeKind::none)) return;
  const Abstract made = context.evaluator.value_of(0, atom);
  std::vector<Node> calls = {made.made_at};
  for (const Frame* f = made.frame; f && f->call; f = f->caller) calls.push_back(f->call);
  for (Draft& d : context.drafts)
    if (d.fact.kind == evidence::kind::tma_descriptor && d.fact.values.count("multicast") &&
        std::find(calls.begin(), calls.end(), d.node) != calls.end())
      d.fact.values["multicast"] = evidence::literal(true);
  if (setup == multicast) return;
  const bool there = std::any_of(context.drafts.begin(), context.drafts.end(), [&](const Draft& d) {
    return d.construct == "multicast-setup" && d.node == setup;
  });
  if (there) return;
  Draft& draft =
      context.add(Family::H1, evidence::kind::multicast_mask, std::string(multicast.text().substr(0, 60)),
                  "multicast given to the copies", setup);
  draft.construct = "multicast-setup";
}

/// `copy_A = gather_get_copy_fn(thr_copy, …)`: each thread copies its own rows by cp.async.
bool gathers(FactContext& context, const CallSite& site, Node atom) {
  return atom && site.leaf.ends_with("copy_fn") &&
         context.operation_of(context.evaluator.value_of(0, atom)).find("CopyG2SOp") != std::string::npos;
}

/// `copy_A = helper(tma_atom_a, …)`: a helper of another module that gives back a function which copies by
/// that atom. What it copies when is up to its callers, so the fact stands where it is made.
void add_copy_functions(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.function < 0 || site.leaf == "copy" || site.leaf == "partial" || site.target.empty()) continue;
    const Node atom = context.positional(site.call, 0);
    int m = 0, f = -1;
    if (gathers(context, site, atom)) {
      Draft& draft = context.add(Family::D3, evidence::kind::copy, site.target,
                                 "function that copies by cp.async, made by " + site.leaf, site.call);
      draft.construct = "cp-async";
      draft.fact.values["operation"] = evidence::literal(draft.construct);
      continue;
    }
    const bool named = to_lower(site.leaf).find("copy") != std::string::npos;
    if (!named || !is_tma_atom(context, atom)) continue;
    const bool resolved = context.evaluator.callee_function(0, site.call, &m, &f);
    if ((resolved && !context.function_contains(m, f, {"copy", "block_copy", "copy_fn"}) &&
         site.leaf.find("copy_fn") == std::string::npos))
      continue;
    Draft& draft =
        context.add(Family::D3, evidence::kind::copy, std::string(atom.text().substr(0, 60)), "", site.call);
    const std::string direction = copy_direction(context, site.call, atom);
    draft.construct = direction == "store" || direction == "reduce" ? "tma-store"
                      : direction.empty()                           ? "tma-copy"
                                                                    : "tma-load";
    draft.fact.says = "function that copies by " + draft.fact.subject + ", made by " + site.leaf;
    draft.fact.values["operation"] =
        evidence::literal(direction == "reduce" ? "tma-reduce" : draft.construct);
    if (const Node multicast = context.keyword(site.call, "tma_multicast")) {
      draft.fact.values["multicast"] = evidence::literal(std::string(multicast.text().substr(0, 60)));
      tell_multicast(context, atom, multicast);
    }
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
/// A function of this file that is one operation (@dsl_user_op): its calls are the copies that it stands for.
bool add_wrapped_copies(FactContext& context) {
  std::map<int, std::string> wrappers;
  for (const Draft& d : context.drafts) {
    if (d.fact.kind != evidence::kind::copy || !d.node.is(NodeKind::call)) continue;
    const int f = context.module().function_at(d.node);
    if (f >= 0 && context.module().functions()[static_cast<std::size_t>(f)].has_decorator("dsl_user_op"))
      wrappers.emplace(f, d.construct);
  }
  if (wrappers.empty()) return false;
  const std::size_t before = context.drafts.size();
  std::set<std::uint32_t> known;
  for (const Draft& d : context.drafts)
    if (d.fact.kind == evidence::kind::copy) known.insert(d.node.index());
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (site.function < 0 || known.count(site.call.index()) ||
        !context.evaluator.callee_function(0, site.call, &m, &f) || m != 0 || !wrappers.count(f))
      continue;
    Draft& draft =
        context.add(Family::D3, evidence::kind::copy, site.leaf, "copy by " + site.leaf, site.call);
    draft.construct = wrappers.at(f);
    draft.fact.values["operation"] = evidence::literal(draft.construct);
  }
  return context.drafts.size() > before;
}

/// `loader.load_Q(…)` and then cp_async_commit_group(): what a commit closes was issued by the call before
/// it.
void add_committed_copies(FactContext& context) {
  const std::size_t known = context.drafts.size();
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "cp_async_commit_group") continue;
    const Node commit = source::statement_of(site.call);
    Node before;
    for (Node s = commit.parent().first(); s && !(s == commit); s = s.next())
      if (!s.is(NodeKind::comment)) before = s;
    const Node call = before.is(NodeKind::expression_statement) ? before.first() : Node();
    const CallSite* issued = call.is(NodeKind::call) ? context.site_of(call) : nullptr;
    if (!issued || issued->path.starts_with("cutlass.") || issued->leaf == "copy") continue;
    const bool there =
        std::any_of(context.drafts.begin(), context.drafts.begin() + static_cast<std::ptrdiff_t>(known),
                    [&](const Draft& d) { return d.fact.kind == evidence::kind::copy && d.node == call; });
    if (there) continue;
    Draft& draft = context.add(Family::D3, evidence::kind::copy, issued->leaf,
                               "cp.async copies by " + issued->leaf, call);
    draft.construct = "cp-async";
    draft.fact.values["operation"] = evidence::literal(draft.construct);
  }
}

/// nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp(…): the compiler's own operation, by its name.
void add_compiler_operations(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (!site.leaf.starts_with("CpAsyncBulk") || !site.leaf.ends_with("Op")) continue;
    const auto shared = site.leaf.find("Shared"), global = site.leaf.find("Global");
    if (shared == std::string::npos || global == std::string::npos) continue;
    const bool load = global < shared;
    Draft& draft = context.add(
        Family::D3, evidence::kind::copy, site.leaf,
        std::string(load ? "TMA load" : "TMA store") + " by the compiler's own operation", site.call);
    draft.construct = load ? "tma-load" : "tma-store";
    draft.path = site.path;
    draft.fact.values["operation"] = evidence::literal(draft.construct);
    draft.fact.values["direction"] = evidence::literal(load ? "load" : "store");
  }
}
}  // namespace

void add_copies_of_wrappers(FactContext& context) {
  for (int depth = 0; depth < 3 && add_wrapped_copies(context); ++depth) {
  }
}

void extract_descriptors(FactContext& context) {
  for (Draft& draft : context.drafts)
    if (draft.fact.kind == evidence::kind::tma_descriptor) complete_descriptor(context, draft);
  add_helper_descriptors(context);
  add_unknown_makers(context);
  add_operation_choices(context);
}

void extract_copies(FactContext& context) {
  for (const CallSite& site : context.calls())
    if (site.leaf == "copy" && !site.receiver.starts_with("torch") &&
        site.path.find("cute") != std::string::npos)
      add_copy(context, site);
  add_compiler_operations(context);
  add_copies_of_helpers(context);
  add_committed_copies(context);
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
