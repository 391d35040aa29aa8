#include "base/text.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using evidence::Tristate;

evidence::PatternFinding persistent_loop(FactContext& context) {
  PatternBuilder p(context, "P3", "persistent loop and its scheduler");
  const bool loop =
      p.cite([](const Draft& d) { return d.construct == "tile-loop" || d.fact.kind == "tile-loop"; });
  const bool work =
      p.cite([](const Draft& d) { return d.fact.kind == "work-tile" || d.fact.kind == "next-tile"; });
  if (!loop) return p.absent(work ? "a scheduler, but no loop over its tiles" : "one tile per CTA");
  std::string kind = "custom_static";
  for (const Draft& d : context.drafts) {
    const std::string name = d.path + d.construct;
    if (contains(name, "Clc") || contains(name, "clc")) kind = "clc_dynamic";
    if (contains(name, "StaticPersistent") && kind == "custom_static") kind = "static";
  }
  p.finding.kind = kind;
  evidence::PatternFinding out = p.present("loop over output tiles from a scheduler");
  out.default_active = Tristate::yes;
  for (const Flag& flag : context.flags) {
    if (flag.dest.find("persistent") == std::string::npos) continue;
    out.condition = flag.dest;
    out.default_active = Tristate::no;
    if (flag.default_value) {
      const auto value = context.value(flag.default_value).boolean();
      out.default_active = !value ? Tristate::undetermined : *value ? Tristate::yes : Tristate::no;
    } else if (flag.action.ends_with("store_false")) {
      out.default_active = Tristate::yes;
    }
  }
  return out;
}

}  // namespace cutelab::reading
