#include <algorithm>

#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using evidence::Family;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool stores_by_bulk_copy(const Draft& d) {
  return d.construct == "tma-store" || d.construct == "tma_store" || d.construct == "epilogue_tma_store" ||
         contains(d.construct, "global_shared") || contains(d.construct, "reduce_bulk");
}

bool is_helper(const Draft& d) {
  return d.construct == "epilogue-helper" || d.construct == "library-epilogue";
}

bool is_store(const Draft& d) {
  return stores_by_bulk_copy(d) || is_helper(d) || (d.fact.family == Family::E1 && d.fact.kind == "store");
}

/// Whether a call's function, of this file, holds a store of its own.
bool shown_inside(FactContext& context, const Draft& call) {
  int m = 0, f = -1;
  if (!context.evaluator.callee_function(0, call.node, &m, &f) || m != 0) return false;
  const Node body = context.module().functions()[static_cast<std::size_t>(f)].body;
  for (const Draft& d : context.drafts)
    if (is_store(d) && !is_helper(d) && body.contains(d.node)) return true;
  return false;
}

Node innermost_loop_or_function(Node n) {
  while (n && !n.is(NodeKind::for_statement) && !n.is(NodeKind::while_statement) &&
         !n.is(NodeKind::function_definition))
    n = n.parent();
  return n;
}

/// Staging for the output: a store of the same function reads it. What a second matrix multiply reads is no
/// epilogue: that one follows in the same loop.
bool stages_output(const FactContext& context, const Draft& staging) {
  const Node loop = innermost_loop_or_function(staging.node);
  const int function = context.module().function_at(staging.node);
  bool stored = false;
  for (const Draft& d : context.drafts) {
    if (d.fact.kind == evidence::kind::gemm && loop.contains(d.node) && d.node.index() > staging.node.index())
      return false;
    stored = stored || (is_store(d) && context.module().function_at(d.node) == function);
  }
  return stored;
}

/// A pipeline of bulk stores that the defaults create.
bool has_store_pipeline(FactContext& context) {
  for (const Draft& d : context.drafts) {
    const bool pipeline = d.fact.kind == evidence::kind::pipeline || d.fact.kind == "pipeline-helper";
    const std::string type = told(d, "class");
    const bool stores = contains(type, "PipelineTmaStore") || contains(type, "TMAStorePipeline");
    if (pipeline && stores && is_active(context, d.node)) return true;
  }
  return false;
}

/// How the default path stores: by TMA when some store of it does, else directly; "" = not told.
std::string type_of(FactContext& context, const std::vector<const Draft*>& stores) {
  bool direct = false, helper = false, open_bulk = false, open_direct = false;
  for (const Draft* d : stores) {
    const Activity activity = activity_of(context, d->node);
    if (activity.state == evidence::Tristate::no) continue;
    const bool sure = activity.state == evidence::Tristate::yes;
    const std::string given = told(*d, "type");
    const bool bulk = stores_by_bulk_copy(*d) || given == "smem_tma_store";
    if (bulk && sure) return "smem_tma_store";
    if (bulk)
      open_bulk = true;
    else if (given.empty() && is_helper(*d))
      helper = true;
    else
      (sure ? direct : open_direct) = true;
  }
  if (helper && has_store_pipeline(context)) return "smem_tma_store";
  if (direct) return "direct_store";
  if (open_bulk != open_direct) return open_bulk ? "smem_tma_store" : "direct_store";
  return open_bulk ? "smem_tma_store or direct_store" : "";
}
}  // namespace

evidence::PatternFinding epilogue(FactContext& context) {
  PatternBuilder p(context, "P8", "epilogue");
  std::vector<const Draft*> stores;
  for (const Draft& d : context.drafts)
    if (is_store(d)) stores.push_back(&d);
  const auto is_flag = [](const Draft* d) { return d->construct == "flag-store"; };
  if (!std::all_of(stores.begin(), stores.end(), is_flag)) std::erase_if(stores, is_flag);
  if (stores.empty()) return p.absent("no store to global memory found");
  const std::string type = type_of(context, stores);
  for (const Draft* d : stores) {
    const bool bulk = stores_by_bulk_copy(*d) || told(*d, "type") == "smem_tma_store";
    const bool main = bulk == (type != "direct_store");
    p.cite_node(d->node, is_helper(*d) && shown_inside(context, *d) ? 3 : main || is_helper(*d) ? 0 : 2);
  }
  p.cite([&](const Draft& d) { return d.fact.kind == "staging" && stages_output(context, d); }, 1);
  p.finding.kind = type;
  return p.present("stores the output: " + (type.empty() ? "how is not told" : type));
}

}  // namespace cutelab::reading
