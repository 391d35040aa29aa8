#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/checklist/checklist.h"

namespace cutelab::reading {
using source::Node;
namespace {
namespace kind = evidence::kind;

bool names_tma_ring(const std::string& name) {
  return contains(to_lower(name), "tma") && !contains(name, "Store") && !contains(name, "store");
}

bool is_load(const Draft& d) {
  return d.construct == "tma-load" || d.construct == "tma_load" || d.construct == "tma_load_multicast" ||
         contains(d.construct, "shared_cta_global") || contains(d.construct, "shared_cluster_global") ||
         contains(d.construct, "bulk_tensor_global_to_shared") || d.construct == "cp_async_bulk_tensor_tile";
}

Node stages_of(const FactContext& context, const Draft& d) {
  Node out;
  for (const char* key : {"num_stages", "stages", "num_stage", "depth"})
    if (!out && d.node.is(source::Kind::call)) out = context.keyword(d.node, key);
  return out;
}

/// The rings that TMA loads fill: pipelines whose class says so, and those that a load names.
class Rings {
 public:
  Rings(FactContext& context, Evaluator& anything) {
    std::vector<std::string> filled;
    for (const Draft& d : context.drafts)
      if (is_load(d)) filled.push_back(told(d, "pipeline"));
    for (const Draft& d : context.drafts) {
      if (d.fact.kind != kind::pipeline && d.fact.kind != "pipeline-helper") continue;
      const std::string name = told(d, "class").empty() ? d.path + d.fact.says : told(d, "class");
      const bool named =
          !d.fact.subject.empty() && std::find(filled.begin(), filled.end(), d.fact.subject) != filled.end();
      if (!names_tma_ring(name) && !named) continue;
      const auto stages = d.fact.values.find("stages");
      const bool one = stages != d.fact.values.end() && stages->second.integer() == std::int64_t{1};
      const Node given = stages_of(context, d);
      const bool fixed = one && (!given || anything.value_of(0, given).is_number());
      if (fixed) {
        single_.push_back(&d);
        continue;
      }
      rings.push_back(&d);
      if (one) by_default_one.push_back(&d);
    }
  }

  /// Whether an acquire, wait or release works on one of the rings: by the pipeline it names, by its class,
  /// else by the name of the object.
  bool holds(const Draft& d) const {
    const std::string pipeline = told(d, "pipeline");
    if (!pipeline.empty()) return named(rings, pipeline) && !named(single_, pipeline);
    const std::string type = told(d, "class");
    const std::string object = last_part(d.fact.subject);
    if (named(single_, object)) return false;
    if (named(rings, object)) return true;
    return type != "PipelineAsync" && names_tma_ring(type) && single_.empty();
  }

  /// Whether a load fills one: it names no pipeline of one stage.
  bool filled_by(const Draft& load) const {
    const std::string pipeline = told(load, "pipeline");
    return pipeline.empty() || named(rings, pipeline) || !named(single_, pipeline);
  }

  std::vector<const Draft*> rings;
  std::vector<const Draft*> by_default_one;  ///< of one stage unless an argument asks for more

 private:
  static std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

  static bool named(const std::vector<const Draft*>& all, const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const Draft* d) {
      if (last_part(d->fact.subject) == last_part(name)) return true;
      const std::string sides = told(*d, "participants");
      const auto both = split(sides.empty() ? d->fact.subject : sides, ',');
      return both.size() == 2 && (trim(both[0]) == name || trim(both[1]) == name);
    });
  }

  std::vector<const Draft*> single_;
};

/// "a ring of 6 stages", "rings of 2, 5 stages"; of those that the defaults create.
std::string rings_text(FactContext& context, const std::vector<const Draft*>& rings) {
  std::vector<std::string> counts;
  for (const Draft* ring : rings) {
    const std::string stages = told(*ring, "stages");
    if (ring->fact.kind == kind::pipeline && !stages.empty() && is_active(context, ring->node))
      counts.push_back(stages);
  }
  if (counts.empty()) return "a ring of stages";
  return (counts.size() == 1 ? "a ring of " : "rings of ") + join(counts, ", ") +
         (counts == std::vector<std::string>{"1"} ? " stage" : " stages");
}

evidence::PatternFinding with_pipelines(PatternBuilder& p, const Rings& rings) {
  for (const Draft* ring : rings.rings) p.cite_node(ring->node, 0);
  const auto side = [&](const char* which, int rank) {
    p.cite([&](const Draft& d) { return d.fact.kind == which && rings.holds(d); }, rank);
  };
  side(kind::acquire, 1);
  p.cite([&](const Draft& d) { return is_load(d) && rings.filled_by(d); }, 2);
  side(kind::wait, 3);
  side(kind::release, 4);
  for (const Draft* ring : rings.rings)
    if (ring->fact.values.count("stages") && is_active(p.context, ring->node))
      p.finding.values.emplace("stages", ring->fact.values.at("stages"));
  evidence::PatternFinding out = p.present("TMA loads fill " + rings_text(p.context, rings.rings) +
                                           ", full and empty barriers guard it");
  if (!rings.rings.empty() && rings.by_default_one.size() == rings.rings.size()) {
    out.default_active = evidence::Tristate::no;
    const Node given = stages_of(p.context, *rings.rings.front());
    out.condition = std::string(given.text().substr(0, 80)) + " > 1";
  }
  return out;
}
}  // namespace

evidence::PatternFinding tma_pipeline(FactContext& context, Evaluator& anything) {
  PatternBuilder p(context, "P1", "TMA multi-stage pipeline");
  const Rings rings(context, anything);
  const auto raw_wait = [](const Draft& d) {
    return d.construct.starts_with("mbarrier_try_wait") || d.construct == "mbarrier_wait";
  };
  const auto stages = [](const Draft& d) {
    if (d.fact.kind != kind::stages) return false;
    const auto n = d.fact.values.at("stages").integer();
    return !n || *n > 1;
  };
  const bool loads = p.any(is_load);
  const bool described = p.any([](const Draft& d) { return d.fact.kind == kind::tma_descriptor; });
  if (!loads && !(described && !rings.rings.empty())) return p.absent("no TMA load");
  if (!rings.rings.empty()) return with_pipelines(p, rings);
  if (p.any(raw_wait) && p.any(stages)) {
    p.cite(is_load, 0);
    p.cite(raw_wait, 1);
    p.cite([](const Draft& d) { return d.construct.starts_with("mbarrier_arrive"); }, 2);
    return p.present("TMA loads fill a ring of stages guarded by raw mbarriers");
  }
  return p.absent("TMA loads, but no ring of several stages");
}

}  // namespace cutelab::reading
