#include "reading/checklist/checklist.h"

namespace cutelab::reading {

evidence::PatternFinding boundary_handling(FactContext& context) {
  PatternBuilder p(context, "P9", "boundary handling");
  const bool tma =
      p.any([](const Draft& d) { return d.construct == "tma-load" || d.construct == "tma-store"; });
  if (tma) p.finding.values["implicit_tma_oob"] = evidence::literal(true);
  if (!p.cite([](const Draft& d) { return d.fact.family == evidence::Family::B1 && !d.fact.optional; }))
    return p.absent(tma ? "no predicate on the device; TMA clips what lies outside"
                        : "no predicate on the device");
  return p.present("loads, stores or scores are predicated or masked");
}

}  // namespace cutelab::reading
