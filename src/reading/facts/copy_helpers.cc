#include <map>
#include <set>

#include "evidence/names.h"
#include "reading/facts/context.h"

// Helpers that copy between tensors they are given, by an atom they are given: what such a copy is, its
// calls tell, and they may tell different things.

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// Which parameters of a helper its copies take, and where those copies stand.
struct CopyHelper {
  int atom = -1, from = -1, to = -1;
  std::vector<Node> copies;
};

/// The parameter of its function that a tensor is, sliced or whole; -1 = none.
int parameter_behind(const source::PythonFunction& function, Node tensor) {
  while (tensor.is(NodeKind::subscript)) tensor = tensor.child(Field::value_field);
  if (!tensor.is(NodeKind::identifier)) return -1;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    if (function.parameters[i].name == tensor.text()) return static_cast<int>(i);
  return -1;
}

std::map<int, CopyHelper> copy_helpers(const FactContext& context) {
  std::map<int, CopyHelper> out;
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "copy" || site.function < 0 || site.path.find("cute") == std::string::npos) continue;
    const auto& function = context.module().functions()[static_cast<std::size_t>(site.function)];
    if (function.has_decorator("kernel") || !runs_on_device(context, site.call)) continue;
    CopyHelper one;
    one.atom = parameter_behind(function, context.positional(site.call, 0));
    one.from = parameter_behind(function, context.positional(site.call, 1));
    one.to = parameter_behind(function, context.positional(site.call, 2));
    if (one.atom < 0 || one.from < 0 || one.to < 0) continue;
    CopyHelper& known = out.try_emplace(site.function, one).first->second;
    if (known.atom == one.atom && known.from == one.from && known.to == one.to)
      known.copies.push_back(site.call);
  }
  return out;
}

std::string_view whole_name(Node tensor) {
  return tensor.text().substr(0, tensor.text().find_first_of("[("));
}

/// A copy inside the helper is by as many operations as its calls give it: no single one is its own.
void leave_operation_open(FactContext& context, const CopyHelper& helper) {
  for (Draft& d : context.drafts) {
    if (d.fact.kind != evidence::kind::copy || d.construct != "cp-async") continue;
    for (const Node copy : helper.copies)
      if (d.node == copy) {
        d.path.clear();
        d.fact.says =
            "copy by " + d.fact.subject + ": cp.async at some calls of this helper, plain at others";
        d.fact.values["operation"] = evidence::literal("cp-async or plain, by the call");
      }
  }
}

/// What one call copies: the load of a tile by cp.async, or the store of a result.
void add_helper_call(FactContext& context, const CallSite& site, Node from, Node to, bool async) {
  const std::string_view source = whole_name(from), destination = whole_name(to);
  const bool loads = names_global(source) && !names_global(destination);
  const bool stores = names_global(destination) && !names_shared(destination) && !names_global(source);
  if (!(loads && async) && !stores) return;
  Draft& draft = context.add(
      stores ? Family::E1 : Family::D3, stores ? std::string("store") : std::string(evidence::kind::copy),
      std::string(destination.substr(0, 60)),
      (stores ? "store to global memory by " : "cp.async copies by ") + site.leaf, site.call);
  draft.construct = stores ? "direct-store" : "cp-async";
  if (stores)
    draft.fact.values["type"] = evidence::literal("direct_store");
  else
    draft.fact.values["operation"] = evidence::literal(draft.construct);
  draft.fact.values["source"] = evidence::literal(std::string(from.text().substr(0, 80)));
  draft.fact.values["destination"] = evidence::literal(std::string(to.text().substr(0, 80)));
}
/// Whether a call asks its helper for asynchronous copies: is_async=True.
bool asks_for_async(FactContext& context, Node call) {
  const Node arguments = call.child(Field::arguments_field);
  for (const Node argument : arguments.children()) {
    if (!argument.is(NodeKind::keyword_argument)) continue;
    if (argument.child(Field::name_field).text().find("async") == std::string_view::npos) continue;
    if (context.value(argument.child(Field::value_field)).boolean() == true) return true;
  }
  return false;
}

/// Helpers of other local modules that make the atom themselves: copy(from, to, is_async=True).
void add_copies_of_other_modules(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    const Node from = context.positional(site.call, 0), to = context.positional(site.call, 1);
    int m = 0, f = -1;
    if (!from || !to || !asks_for_async(context, site.call) || !runs_on_device(context, site.call) ||
        !context.evaluator.callee_function(0, site.call, &m, &f) || m == 0 ||
        !context.function_contains(m, f, {"copy"}))
      continue;
    bool known = false;
    for (const Draft& d : context.drafts)
      known = known || (d.node == site.call && d.fact.kind == evidence::kind::copy);
    if (!known) add_helper_call(context, site, from, to, true);
  }
}
}  // namespace

void add_copies_of_helpers(FactContext& context) {
  add_copies_of_other_modules(context);
  const std::map<int, CopyHelper> helpers = copy_helpers(context);
  if (helpers.empty()) return;
  std::set<std::string> names;
  for (const auto& helper : helpers)
    names.insert(context.module().functions()[static_cast<std::size_t>(helper.first)].name);
  std::map<int, std::set<bool>> kinds;  // of a helper: whether its calls give it cp.async
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (!names.count(site.leaf) || !runs_on_device(context, site.call) ||
        !context.evaluator.callee_function(0, site.call, &m, &f) || m != 0)
      continue;
    const auto helper = helpers.find(f);
    if (helper == helpers.end()) continue;
    const auto& function = context.module().functions()[static_cast<std::size_t>(f)];
    const auto given = [&](int p) {
      return argument_for(context, function, site.call, static_cast<std::size_t>(p));
    };
    const Node atom = given(helper->second.atom), from = given(helper->second.from),
               to = given(helper->second.to);
    if (!atom || !from || !to) continue;
    const std::string operation = context.operation_of(context.evaluator.value_of(0, atom));
    if (operation.find("Bulk") != std::string::npos) continue;  // by TMA: the copy itself tells it
    const bool async = operation.find("CopyG2SOp") != std::string::npos;
    if (!operation.empty()) kinds[f].insert(async);
    add_helper_call(context, site, from, to, async);
  }
  for (const auto& [f, helper] : helpers)
    if (kinds[f].size() > 1) leave_operation_open(context, helper);
}

}  // namespace cutelab::reading
