#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using evidence::Tristate;
namespace {

/// Whether a launch value is a cluster of more than one CTA.
Tristate above_one(const Abstract& cluster) {
  if (cluster.is(Abstract::Kind::none)) return Tristate::no;
  if (!cluster.is(Abstract::Kind::tuple))
    return cluster.is_number() ? (cluster.number > 1 ? Tristate::yes : Tristate::no) : Tristate::undetermined;
  Tristate out = Tristate::no;
  for (const Abstract& item : cluster.items) {
    if (item.is_number() && item.number > 1) return Tristate::yes;
    if (!item.is_number()) out = Tristate::undetermined;
  }
  return out;
}
}  // namespace

evidence::PatternFinding cluster_communication(FactContext& context, const Abstract& unconstrained) {
  PatternBuilder p(context, "P7", "cluster communication");
  if (unconstrained.is(Abstract::Kind::none)) return p.absent("no cluster is launched");
  if (above_one(unconstrained) == Tristate::no) return p.absent("the cluster is fixed to one CTA");
  bool found = p.cite([](const Draft& d) { return d.construct == "launch:cluster"; });
  const auto communication = [](const Draft& d) {
    return d.fact.kind == "multicast-mask" || d.construct == "pipeline_init_arrive" ||
           d.construct == "pipeline_init_wait" || d.construct.starts_with("cluster_arrive") ||
           d.construct == "cluster_wait" || d.construct.starts_with("barrier_cluster") ||
           contains(d.path, "Multicast") || d.construct.starts_with("cluster_shape_to_tma_atom") ||
           d.construct == "operation-choice" || d.construct == "cta-group" ||
           contains(d.construct, "remote") || d.construct == "st_async";
  };
  if (!p.any(communication))
    return p.absent("a cluster, but no multicast, pair of CTAs, remote access or cluster barrier");
  p.cite(communication);
  (void)found;
  evidence::PatternFinding out = p.present("CTAs of a cluster share loads or wait for each other");
  Tristate active = Tristate::no;
  for (const Draft& d : context.drafts) {
    if (d.construct != "launch:cluster") continue;
    const Tristate one = above_one(context.evaluator.value_of(0, d.node.child(source::Field::value_field)));
    if (one == Tristate::yes || (one == Tristate::undetermined && active == Tristate::no)) active = one;
    out.values["cluster"] = context.value(d.node.child(source::Field::value_field));
    out.condition =
        std::string(d.node.child(source::Field::value_field).text().substr(0, 80)) + " != (1, 1, 1)";
  }
  out.default_active = active;
  return out;
}

}  // namespace cutelab::reading
