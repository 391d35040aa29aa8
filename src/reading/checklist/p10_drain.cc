#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool issues(FactContext& context, Node loop, bool wgmma) {
  for (const Draft& d : context.drafts) {
    if (!loop.contains(d.node)) continue;
    if (wgmma ? d.fact.kind == "gemm" || d.construct == "gemm"
              : contains(d.construct, "bulk_commit") || d.construct == "tma-store" ||
                    d.fact.kind == evidence::kind::commit)
      return true;
  }
  if (!wgmma) return false;
  for (std::uint32_t i = loop.index(); i < loop.end_index(); ++i) {
    const Node n = loop.tree()->at(i);
    int m = 0, f = -1;
    if (n.is(NodeKind::call) && context.evaluator.callee_function(0, n, &m, &f) &&
        context.function_contains(m, f, {"gemm"}))
      return true;
  }
  return false;
}

/// A call of a local function that holds the loop.
bool calls_loop(FactContext& context, Node statement) {
  for (std::uint32_t i = statement.index(); i < statement.end_index(); ++i) {
    const Node n = statement.tree()->at(i);
    int m = 0, f = -1;
    if (!n.is(NodeKind::call) || !context.evaluator.callee_function(0, n, &m, &f)) continue;
    const Node body = context.program.module(m).functions()[static_cast<std::size_t>(f)].body;
    for (std::uint32_t j = body.index(); body && j < body.end_index(); ++j)
      if (body.tree()->at(j).is(NodeKind::for_statement) && context.function_contains(m, f, {"gemm"}))
        return true;
  }
  return false;
}

/// Whether a loop that issues the work, or a call that holds one, ends before `node` in a block around it.
bool after_loop(FactContext& context, Node node, bool wgmma) {
  for (Node n = node; n && !n.is(NodeKind::function_definition); n = n.parent())
    for (Node s = n.parent().first(); s && s.index() < n.index(); s = s.next()) {
      const bool loop = s.is(NodeKind::for_statement) || s.is(NodeKind::while_statement);
      if (loop && issues(context, s, wgmma)) return true;
      if (!loop && wgmma && s.is(NodeKind::expression_statement) && calls_loop(context, s)) return true;
    }
  return false;
}
}  // namespace

evidence::PatternFinding drain(FactContext& context) {
  PatternBuilder p(context, "P10", "drain");
  const auto zero = [&](const Draft& d) {
    return context.value(d.node.child(Field::arguments_field).first()).integer() == std::int64_t{0};
  };
  const bool tail = p.cite([](const Draft& d) { return d.fact.kind == evidence::kind::tail; });
  const bool wgmma = p.cite([&](const Draft& d) {
    return (d.construct == "wait_group" || d.construct == "wgmma_wait_group") &&
           d.fact.family == evidence::Family::D4 && zero(d) && after_loop(context, d.node, true);
  });
  const bool bulk = p.cite([&](const Draft& d) {
    return contains(d.construct, "bulk_wait_group") && after_loop(context, d.node, false);
  });
  p.finding.values["producer_tail"] = evidence::literal(tail);
  p.finding.values["wgmma_wait0"] = evidence::literal(wgmma);
  p.finding.values["store_drain"] = evidence::literal(bulk);
  return tail || wgmma || bulk ? p.present("what is in flight is waited for after the loop")
                               : p.absent("nothing after the loop waits for work in flight");
}

}  // namespace cutelab::reading
