#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Node;
namespace {

/// griddepcontrol(GridDepAction.WAIT): which of its two halves a call is.
void complete_dependent_launches(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != "dependent-launch" || !draft.node.is(source::Kind::call)) continue;
    std::string text(draft.node.text().substr(0, 200));
    for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    const bool waits = text.find("wait") != std::string::npos;
    const bool launches = text.find("launch") != std::string::npos;
    if (waits == launches) continue;
    draft.fact.values["action"] = evidence::literal(waits ? "wait" : "launch");
    draft.fact.says = waits ? "waits for the kernel before it" : "lets the kernel after it start";
  }
}
}  // namespace

namespace {
/// `hook_fn=cute.arch.cluster_wait`: a barrier that the callee is to run.
Node handed_barrier(Node value) {
  if (value.is(source::Kind::conditional_expression)) value = value.first();
  if (!value.is(source::Kind::attribute)) return {};
  const std::string leaf = leaf_name(value.text());
  const bool barrier = leaf == "cluster_wait" || leaf == "cluster_arrive" ||
                       leaf == "cluster_arrive_relaxed" || leaf == "sync_threads";
  return barrier ? value : Node();
}

void add_handed_barriers(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    const Node arguments = site.call.child(source::Field::arguments_field);
    if (site.function < 0 || !arguments) continue;
    for (const Node argument : arguments.children()) {
      if (!argument.is(source::Kind::keyword_argument)) continue;
      const Node barrier = handed_barrier(argument.child(source::Field::value_field));
      if (!barrier) continue;
      Draft& draft = context.add(Family::D5, evidence::kind::barrier, std::string(barrier.text()),
                                 site.leaf + " is to run " + std::string(barrier.text()), barrier);
      // Handed on only under a condition, it is not the kernel's own need.
      const bool always = barrier == argument.child(source::Field::value_field);
      draft.construct = always ? leaf_name(barrier.text()) : "handed-" + leaf_name(barrier.text());
    }
  }
}
}  // namespace

/// Calls of helpers in other local modules that synchronise: their barriers lie in another file.
void extract_helper_barriers(FactContext& context) {
  static const std::vector<std::string> barriers = {
      "sync_threads", "barrier",         "mbarrier_wait",  "cluster_wait",
      "barrier_sync", "arrive_and_wait", "cluster_arrive", "cluster_arrive_relaxed"};
  complete_dependent_launches(context);
  add_handed_barriers(context);
  const source::PythonModule& module = context.module();
  for (const CallSite& site : context.calls()) {
    if (site.function < 0) continue;
    const auto& caller = module.functions()[static_cast<std::size_t>(site.function)];
    if (!caller.has_decorator("kernel") && !caller.has_decorator("jit")) continue;
    int m = 0, f = -1;
    if (!context.evaluator.callee_function(0, site.call, &m, &f) || m == 0 ||
        !context.function_contains(m, f, barriers))
      continue;
    Draft& draft = context.add(Family::D5, "barrier", site.leaf,
                               site.leaf + " synchronises in " + context.program.module(m).path(), site.call);
    draft.construct = "helper-barrier";
    draft.fact.optional = site.target.find("pipe") != std::string::npos;
  }
}

}  // namespace cutelab::reading
