#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using evidence::Family;
using evidence::Tristate;

evidence::PatternFinding epilogue(FactContext& context) {
  PatternBuilder p(context, "P8", "epilogue");
  std::string type;
  const auto final_store = [](const Draft& d) {
    return (d.fact.family == Family::E1 && d.fact.kind != "staging") || d.construct == "tma-store" ||
           d.construct == "tma_store" || d.construct == "epilogue_tma_store" ||
           contains(d.construct, "shared_cta");
  };
  // The store of the default path comes last in the source more often than first.
  // A helper without a known way of storing says nothing; the pipeline of stores that feeds it does.
  const bool bulk = p.any([&](const Draft& d) {
    const auto name = d.fact.values.find("class");
    return (d.fact.kind == "pipeline" || d.fact.kind == "pipeline-helper") && name != d.fact.values.end() &&
           contains(name->second.text(), "PipelineTmaStore") &&
           context.evaluator.active(0, d.node).state != Tristate::no;
  });
  std::vector<const Draft*> stores;
  for (const Draft& d : context.drafts)
    if (final_store(d)) stores.push_back(&d);
  for (auto it = stores.rbegin(); it != stores.rend(); ++it) {
    p.cite_node((*it)->node);
    const auto given = (*it)->fact.values.find("type");
    if (type.empty() && context.evaluator.active(0, (*it)->node).state != Tristate::no)
      type = given != (*it)->fact.values.end()                                         ? given->second.text()
             : contains((*it)->construct, "tma") || contains((*it)->construct, "bulk") ? "smem_tma_store"
             : (*it)->construct != "epilogue-helper"                                   ? "direct_store"
             : bulk                                                                    ? "smem_tma_store"
                                                                                       : "";
  }
  if (stores.empty()) return p.absent("no store to global memory found");
  p.cite([](const Draft& d) { return d.fact.kind == "staging"; });
  p.finding.kind = type;
  return p.present("stores the output: " + (type.empty() ? "kind undetermined" : type));
}

}  // namespace cutelab::reading
