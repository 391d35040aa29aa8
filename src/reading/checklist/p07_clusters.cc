#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using evidence::Tristate;
using source::Node;
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

/// PTX written by hand: the text of the instruction tells.
bool assembles(const CallSite& site, const std::vector<const char*>& instructions) {
  if (site.leaf != "inline_asm") return false;
  const std::string text(site.call.text().substr(0, 2000));
  for (const char* one : instructions)
    if (contains(text, one)) return true;
  return false;
}

/// The ways in which CTAs of a cluster work together; each cites its lines.
class Communication {
 public:
  explicit Communication(PatternBuilder& p) : p_(p) {
    for (const CallSite& site : p.context.calls()) {
      int m = 0, f = -1;
      if (runs_on_device(p.context, site.call) && p.context.evaluator.callee_function(0, site.call, &m, &f) &&
          m > 0)
        elsewhere_[{m, f}].push_back(site.call);
    }
    multicast = way("multicast", 1, multicast_draft, {".multicast::cluster"});
    two_cta = way("two_cta", 2, two_cta_draft, {"cta_group::2"});
    dsmem = way("dsmem", 1, dsmem_draft, {"mapa", "st.async", "shared::cluster.mbarrier::complete_tx"});
    barrier = way("cluster_barrier", 3, barrier_draft, {"barrier.cluster"});
  }
  bool any() const { return multicast || two_cta || dsmem || barrier; }
  std::string text() const {
    std::string out;
    for (const auto& [is, name] : {std::pair{multicast, "multicast"},
                                   {two_cta, "MMA by pairs of CTAs"},
                                   {dsmem, "remote shared memory"},
                                   {barrier, "cluster barrier"}})
      if (is) out += (out.empty() ? "" : ", ") + std::string(name);
    return out;
  }
  bool multicast = false, two_cta = false, dsmem = false, barrier = false;

 private:
  static bool multicast_draft(const Draft& d) {
    return d.fact.kind == "multicast-mask" || d.construct == "operation-choice" ||
           d.construct == "tma_load_multicast" || contains(d.path, "Multicast") ||
           d.construct.starts_with("cluster_shape_to_tma_atom") ||
           d.fact.values.count("multicast_mask") > 0 ||
           (d.fact.kind == evidence::kind::copy && d.fact.values.count("multicast") > 0 &&
            told(d, "multicast") != "None" && told(d, "multicast") != "false");
  }
  static bool two_cta_draft(const Draft& d) {
    return d.construct == "cta-group" && d.node.text().find("TWO") != std::string_view::npos;
  }
  static bool dsmem_draft(const Draft& d) {
    return contains(d.construct, "remote") || d.construct == "st_async" || d.construct.starts_with("mapa");
  }
  static bool barrier_draft(const Draft& d) {
    return d.construct == "pipeline_init_arrive" || d.construct == "pipeline_init_wait" ||
           d.construct.starts_with("cluster_arrive") || d.construct == "cluster_wait" ||
           d.construct.starts_with("handed-cluster") || d.construct.starts_with("barrier_cluster");
  }

  /// The flag says whether some line of it is compiled under the defaults.
  bool way(const char* name, int rank, const PatternBuilder::Test& test,
           const std::vector<const char*>& instructions) {
    bool found = false, active = false;
    for (const Draft& d : p_.context.drafts) {
      if (!test(d)) continue;
      const Node mask =
          d.fact.kind == evidence::kind::copy ? p_.context.keyword(d.node, "mcast_mask") : Node();
      p_.cite_node(mask ? mask : d.node, rank);
      found = true;
      active = active || is_active(p_.context, d.node);
    }
    for (const CallSite& site : p_.context.calls()) {
      if (!assembles(site, instructions)) continue;
      p_.cite_node(site.call, rank);
      found = true;
      active = active || is_active(p_.context, site.call);
    }
    for (const auto& [helper, calls] : elsewhere_) {
      if (!p_.context.function_assembles(helper.first, helper.second, instructions)) continue;
      for (const Node call : calls) {
        p_.cite_node(call, rank);
        active = active || is_active(p_.context, call);
      }
      found = true;
    }
    p_.flag(name, active);
    return found;
  }
  PatternBuilder& p_;
  /// Calls in device code of functions of other modules, by module and function.
  std::map<std::pair<int, int>, std::vector<Node>> elsewhere_;
};

/// A helper that launches nothing: whether there is a cluster is up to who calls it.
evidence::PatternFinding of_helper(PatternBuilder& p) {
  const Communication by(p);
  if (!by.multicast && !by.dsmem && !by.barrier) {
    p.finding.values.clear();
    return p.absent("nothing is launched here, and no CTA reaches another");
  }
  evidence::PatternFinding out = p.present("CTAs of the caller's cluster work together by " + by.text());
  out.default_active = Tristate::undetermined;
  out.condition = "a caller that launches a cluster";
  return out;
}
}  // namespace

evidence::PatternFinding cluster_communication(FactContext& context, const Abstract& unconstrained) {
  PatternBuilder p(context, "P7", "cluster communication");
  const bool launches = p.any([](const Draft& d) { return d.fact.kind == evidence::kind::launch; });
  const bool kernels = std::any_of(context.reading.functions.begin(), context.reading.functions.end(),
                                   [](auto& f) { return f.kind == evidence::Function::Kind::kernel; });
  if (!launches && !kernels) return of_helper(p);
  if (unconstrained.is(Abstract::Kind::none)) return p.absent("no cluster is launched");
  if (above_one(unconstrained) == Tristate::no) return p.absent("the cluster is fixed to one CTA");
  p.cite([](const Draft& d) { return d.construct == "launch:cluster"; });
  const Communication by(p);
  if (!by.any()) {
    p.finding.values.clear();
    return p.absent("a cluster, but no multicast, pair of CTAs, remote access or cluster barrier");
  }
  p.cite([](const Draft& d) { return d.construct == "leader-test"; }, 4);
  Tristate active = Tristate::no;
  for (const Draft& d : context.drafts) {
    if (d.construct != "launch:cluster") continue;
    const Node given = d.node.child(source::Field::value_field);
    const Tristate one = above_one(context.evaluator.value_of(0, given));
    if (one == Tristate::yes || (one == Tristate::undetermined && active == Tristate::no)) active = one;
    p.finding.values["cluster"] = context.value(given);
    p.finding.condition = std::string(given.text().substr(0, 80)) + " != (1, 1, 1)";
  }
  if (active == Tristate::no) p.keep_inactive();
  const std::string condition = p.finding.condition;
  evidence::PatternFinding out = p.present("CTAs of a cluster work together by " + by.text());
  out.condition = condition;
  out.default_active = active;
  return out;
}

}  // namespace cutelab::reading
