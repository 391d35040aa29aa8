#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

enum class Work { wgmma, bulk_store, async_copy };

bool named_for_multiply(const std::string& leaf) {
  const std::string low = to_lower(leaf);
  return contains(low, "gemm") || contains(low, "mma_fn") || contains(low, "wgmma");
}

bool is_issue(const Draft& d, Work work) {
  switch (work) {
    case Work::wgmma:
      return d.fact.kind == evidence::kind::gemm || d.construct == "gemm" || d.fact.kind == "wgmma-commit" ||
             d.construct == "wgmma_commit_group";
    case Work::bulk_store:
      return contains(d.construct, "bulk_commit") || d.construct == "tma-store" ||
             d.fact.kind == evidence::kind::commit;
    case Work::async_copy:
      return d.construct == "cp_async_commit_group";
  }
  return false;
}

bool repeats(Node n) { return n.is(NodeKind::for_statement) || n.is(NodeKind::while_statement); }

bool issues(FactContext& context, Node loop, Work work) {
  for (const Draft& d : context.drafts)
    if (loop.contains(d.node) && is_issue(d, work)) return true;
  if (work != Work::wgmma) return false;
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (!loop.contains(site.call)) continue;
    // A function handed in under a name of its own, else one that holds the multiply.
    if (named_for_multiply(site.leaf)) return true;
    if (context.evaluator.callee_function(0, site.call, &m, &f) && context.function_contains(m, f, {"gemm"}))
      return true;
  }
  return false;
}

/// A call of a local function that holds the loop: one over stages, not over the blocks of one.
bool calls_loop(FactContext& context, Node statement) {
  for (std::uint32_t i = statement.index(); i < statement.end_index(); ++i) {
    const Node n = statement.tree()->at(i);
    int m = 0, f = -1;
    if (!n.is(NodeKind::call) || !context.evaluator.callee_function(0, n, &m, &f)) continue;
    if (!context.function_contains(m, f,
                                   {"consumer_wait", "wait_and_advance", "consumer_release", "release"}))
      continue;
    const Node body = context.program.module(m).functions()[static_cast<std::size_t>(f)].body;
    for (std::uint32_t j = body.index(); body && j < body.end_index(); ++j)
      if (repeats(body.tree()->at(j)) && context.function_contains(m, f, {"gemm"})) return true;
  }
  return false;
}

bool takes_stage(FactContext& context, Node node) {
  return std::any_of(context.drafts.begin(), context.drafts.end(), [&](const Draft& d) {
    return d.fact.kind == evidence::kind::wait && d.fact.family == evidence::Family::D2 &&
           node.contains(d.node);
  });
}

Node loop_around(Node node) {
  for (Node n = node.parent(); n && !n.is(NodeKind::function_definition); n = n.parent())
    if (repeats(n)) return n;
  return {};
}

/// A loop over the blocks of one stage: the loop around it waits for the stage, itself it waits for none.
/// What follows it there is done for each stage.
bool over_one_stage(FactContext& context, Node loop) {
  if (takes_stage(context, loop)) return false;
  const Node stages = loop_around(loop);
  return stages && takes_stage(context, stages);
}

/// Whether a loop that issues the work, or a call that holds one, ends before `node` in a block around it.
bool after_loop(FactContext& context, Node node, Work work) {
  for (Node n = node; n && !n.is(NodeKind::function_definition); n = n.parent()) {
    for (Node s = n.parent().first(); s && s.index() < n.index(); s = s.next()) {
      if (repeats(s) && issues(context, s, work) && !(work == Work::wgmma && over_one_stage(context, s)))
        return true;
      if (!repeats(s) && work == Work::wgmma && s.is(NodeKind::expression_statement) &&
          calls_loop(context, s))
        return true;
    }
    if (repeats(n.parent()) && issues(context, n.parent(), work)) return false;  // once per step of that loop
  }
  return false;
}

/// Stages whose release the loop put off: after it a statement that issues no work and waits for no stage
/// releases the pipeline that the loop releases too.
bool releases_rest(FactContext& context, const Draft& release) {
  const std::string pipeline = told(release, "pipeline");
  if (release.fact.kind != evidence::kind::release || pipeline.empty()) return false;
  Node statement = source::statement_of(release.node);
  const Node loop = loop_around(statement);  // of its own, or that over tiles
  if (loop && !issues(context, loop, Work::wgmma) && !takes_stage(context, loop)) statement = loop;
  if (issues(context, statement, Work::wgmma) || takes_stage(context, statement)) return false;
  for (Node s = statement.parent().first(); s && s.index() < statement.index(); s = s.next()) {
    if (!repeats(s) || !issues(context, s, Work::wgmma)) continue;
    for (const Draft& d : context.drafts)
      if (d.fact.kind == evidence::kind::release && told(d, "pipeline") == pipeline && s.contains(d.node))
        return true;
  }
  return false;
}

bool in_loop(Node node) {
  for (Node n = node; n && !n.is(NodeKind::function_definition); n = n.parent())
    if (repeats(n)) return true;
  return false;
}

/// A function that a loop calls waits once per step.
bool called_in_loop(FactContext& context, Node node) {
  const int own = context.module().function_at(node);
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (in_loop(site.call) && context.evaluator.callee_function(0, site.call, &m, &f) && m == 0 && f == own)
      return true;
  }
  return false;
}

/// The tail of a pipeline of stores: told by the pipeline it belongs to, by its class, else by its name.
bool of_store_pipeline(const FactContext& context, const Draft& tail) {
  const std::string pipeline = told(tail, "pipeline").empty() ? tail.fact.subject : told(tail, "pipeline");
  for (const Draft& d : context.drafts)
    if ((d.fact.kind == evidence::kind::pipeline || d.fact.kind == "pipeline-helper") &&
        d.fact.subject == pipeline)
      return contains(told(d, "class"), "Store");
  return contains(told(tail, "class"), "Store") || contains(to_lower(tail.fact.subject), "store");
}
}  // namespace

evidence::PatternFinding drain(FactContext& context) {
  PatternBuilder p(context, "P10", "drain");
  const auto zero = [&](const Draft& d) {
    return context.value(d.node.child(Field::arguments_field).first()).integer() == std::int64_t{0};
  };
  bool found = false;
  const auto flag = [&](const char* name, int rank, const PatternBuilder::Test& test) {
    bool active = false;
    for (const Draft& d : context.drafts) active = active || (test(d) && is_active(context, d.node));
    p.flag(name, active);
    found = p.cite(test, rank) || found;
    return active;
  };
  const auto tail = [](const Draft& d) { return d.fact.kind == evidence::kind::tail; };
  const bool producer =
      flag("producer_tail", 0, [&](const Draft& d) { return tail(d) && !of_store_pipeline(context, d); });
  const bool wgmma = flag("wgmma_wait0", 1, [&](const Draft& d) {
    return (d.construct == "wait_group" || d.construct == "wgmma_wait_group") &&
           d.fact.family == evidence::Family::D4 && zero(d) && after_loop(context, d.node, Work::wgmma);
  });
  const bool store = flag("store_drain", 0, [&](const Draft& d) {
    return (tail(d) && of_store_pipeline(context, d)) ||
           (contains(d.construct, "bulk_wait_group") && after_loop(context, d.node, Work::bulk_store));
  });
  const bool copies = flag("cp_async_wait0", 1, [&](const Draft& d) {
    const bool waits =
        d.construct == "cp_async_wait_all" || (d.construct == "cp_async_wait_group" && zero(d));
    return waits && !in_loop(d.node) && after_loop(context, d.node, Work::async_copy) &&
           !called_in_loop(context, d.node);
  });
  if (wgmma) p.cite([&](const Draft& d) { return releases_rest(context, d); }, 2);
  if (!found) {
    const bool waits = p.any([&](const Draft& d) {
      return contains(d.construct, "wait_group") && zero(d) && !in_loop(d.node) &&
             !called_in_loop(context, d.node);
    });
    return p.absent(waits ? "no wait stands after a loop that issues what it waits for"
                          : "nothing after the loop waits for work in flight");
  }
  std::string by;
  for (const auto& [is, name] : {std::pair{producer, "producer tail"},
                                 {wgmma, "wgmma wait_group(0)"},
                                 {store, "wait for the stores"},
                                 {copies, "cp.async wait_group(0)"}})
    if (is) by += (by.empty() ? "" : ", ") + std::string(name);
  return p.present("after the loop: " + (by.empty() ? "a drain that the defaults leave out" : by));
}

}  // namespace cutelab::reading
