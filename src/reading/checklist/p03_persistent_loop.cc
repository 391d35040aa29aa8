#include "base/text.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using evidence::Tristate;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// Whether the function behind `advance_to_next_work()` only notes that the one tile is done: it counts
/// nothing up, asks nobody.
bool only_ends(const FactContext& context, int module, int function) {
  const source::PythonModule& in = context.program.module(module);
  const Node body = in.functions()[static_cast<std::size_t>(function)].body;
  bool sets = false;
  for (std::uint32_t i = body.index(); body && i < body.end_index(); ++i) {
    const Node n = in.tree().at(i);
    if (n.is(NodeKind::augmented_assignment)) return false;
    if (n.is(NodeKind::call) &&
        !leaf_name(n.child(source::Field::function_field).text()).starts_with("get_current"))
      return false;
    if (!n.is(NodeKind::assignment)) continue;
    const std::string_view right = n.child(source::Field::right_field).text();
    if (right != "False" && right != "True") return false;
    sets = true;
  }
  return sets;
}

/// What the source itself says of the loop: a scheduler that ends after its first tile, or is_persistent= as
/// it is passed to one.
Tristate told_by_scheduler(FactContext& context) {
  Tristate out = Tristate::undetermined;
  for (const Draft& d : context.drafts) {
    int m = 0, f = -1;
    if (d.fact.kind == "next-tile" && context.evaluator.callee_function(0, d.node, &m, &f) &&
        only_ends(context, m, f))
      return Tristate::no;
  }
  for (const CallSite& site : context.calls()) {
    if (to_lower(site.leaf).find("sched") == std::string::npos) continue;
    const Node given = context.keyword(site.call, "is_persistent");
    if (!given) continue;
    const auto value = context.value(given).boolean();
    if (value) out = *value ? Tristate::yes : Tristate::no;
  }
  return out;
}
}  // namespace

evidence::PatternFinding persistent_loop(FactContext& context) {
  PatternBuilder p(context, "P3", "persistent loop and its scheduler");
  const bool loop =
      p.cite([](const Draft& d) { return d.construct == "tile-loop" || d.fact.kind == "tile-loop"; });
  const bool work =
      p.cite([](const Draft& d) { return d.fact.kind == "work-tile" || d.fact.kind == "next-tile"; }, 1);
  if (!loop) return p.absent(work ? "a scheduler, but no loop over its tiles" : "one tile per CTA");
  std::string kind = "custom_static";
  for (const Draft& d : context.drafts) {
    const std::string name = d.path + d.construct;
    if (contains(name, "Clc") || contains(name, "clc")) kind = "clc_dynamic";
    if (contains(name, "StaticPersistent") && kind == "custom_static") kind = "static";
  }
  p.finding.kind = kind;
  evidence::PatternFinding out = p.present("loop over output tiles from a scheduler");
  const Tristate said = told_by_scheduler(context);
  out.default_active = said == Tristate::no ? said : Tristate::yes;
  if (said == Tristate::no) out.condition = "is_persistent";
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
