#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {

evidence::PatternFinding tma_pipeline(FactContext& context) {
  PatternBuilder p(context, "P1", "TMA multi-stage pipeline");
  const auto load = [](const Draft& d) {
    return d.construct == "tma-load" || d.construct == "tma_load" || d.construct == "tma_load_multicast" ||
           contains(d.construct, "cp_async_bulk_tensor");
  };
  const auto ring = [](const Draft& d) {
    if (d.fact.kind != evidence::kind::pipeline && d.fact.kind != "pipeline-helper") return false;
    const std::string& name = d.path + d.fact.says;
    const auto stages = d.fact.values.find("stages");
    const bool single = stages != d.fact.values.end() && stages->second.integer() == std::int64_t{1};
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
    return p.present("TMA loads fill a ring of stages guarded by full and empty barriers");
  }
  if (p.any(raw_wait) && p.any(stages)) {
    p.cite(load);
    p.cite(raw_wait);
    return p.present("TMA loads fill a ring of stages guarded by raw mbarriers");
  }
  return p.absent("TMA loads, but no ring of several stages");
}

}  // namespace cutelab::reading
