#include "evidence/names.h"
#include "reading/checklist/checklist.h"
#include "reading/evaluator/folder.h"

namespace cutelab::reading {
using evidence::PatternFinding;
using source::Node;
using NodeKind = source::Kind;

evidence::PatternFinding tma_pipeline(FactContext& context) {
  PatternBuilder p(context, "P1", "TMA multi-stage pipeline");
  const auto load = [](const Draft& d) {
    return d.construct == "tma-load" || d.construct == "tma_load" || d.construct == "tma_load_multicast" ||
           contains(d.construct, "cp_async_bulk_tensor");
  };
  // One stage by default is a ring all the same where an input of the file makes it deeper.
  Folder anything(context.program, {}, Folder::Inputs::anything);
  const auto one_stage = [](const Draft& d) {
    const auto stages = d.fact.values.find("stages");
    return stages != d.fact.values.end() && stages->second.integer() == std::int64_t{1};
  };
  const auto fixed = [&](const Draft& d) {
    const Node stages = d.node.is(NodeKind::call) ? context.keyword(d.node, "num_stages") : Node();
    return !stages || anything.value_of(0, stages).is_number();
  };
  const auto ring = [&](const Draft& d) {
    if (d.fact.kind != evidence::kind::pipeline && d.fact.kind != "pipeline-helper") return false;
    const std::string& name = d.path + d.fact.says;
    const bool single = one_stage(d) && fixed(d);
    return (contains(name, "Tma") || contains(name, "TMA") || contains(name, "tma")) &&
           !contains(name, "Store") && !single;
  };
  const auto raw_wait = [](const Draft& d) {
    return d.construct.starts_with("mbarrier_try_wait") || d.construct == "mbarrier_wait";
  };
  const auto stages = [](const Draft& d) {
    if (d.fact.kind != evidence::kind::stages) return false;
    const auto n = d.fact.values.at("stages").integer();
    return !n || *n > 1;
  };
  if (!p.any(load) &&
      !p.any([&](const Draft& d) { return d.fact.kind == evidence::kind::tma_descriptor && p.any(ring); }))
    return p.absent("no TMA load");
  if (p.cite(ring)) {
    p.cite(load);
    p.cite([](const Draft& d) { return d.fact.kind == evidence::kind::acquire; });
    for (const Draft& d : context.drafts)
      if (ring(d) && d.fact.values.count("stages"))
        p.finding.values.emplace("stages", d.fact.values.at("stages"));
    PatternFinding out = p.present("TMA loads fill a ring of stages guarded by full and empty barriers");
    if (!p.any([&](const Draft& d) { return ring(d) && !one_stage(d); })) {
      out.default_active = evidence::Tristate::no;
      out.condition = "more than one stage";
      out.says = "TMA loads fill a ring whose number of stages is an input; by default it has one";
    }
    return out;
  }
  if (p.any(raw_wait) && p.any(stages)) {
    p.cite(load);
    p.cite(raw_wait);
    return p.present("TMA loads fill a ring of stages guarded by raw mbarriers");
  }
  return p.absent("TMA loads, but no ring of several stages");
}

}  // namespace cutelab::reading
