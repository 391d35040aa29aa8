#include <algorithm>
#include <functional>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using evidence::PatternFinding;
using evidence::Tristate;
namespace {
using Test = std::function<bool(const CppDraft&)>;

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// A pattern of a template source: what is written is compiled when the template is instantiated, so it
/// counts as active, unless constants or macros around it say otherwise; a value that only an instantiation
/// tells is undetermined.
class CppPattern {
 public:
  CppPattern(CppContext& shared, const char* id, const char* title) : context_(shared) {
    finding_.id = id;
    finding_.title = title;
  }
  bool any(const Test& test) const {
    return std::any_of(context_.drafts.begin(), context_.drafts.end(), test);
  }
  bool cite(const Test& test) {
    bool found = false;
    for (const CppDraft& d : context_.drafts) {
      if (!test(d)) continue;
      found = true;
      note(d.active, d.condition);
      if (finding_.at.size() < 8) finding_.at.push_back(d.fact.at);
    }
    return found;
  }
  /// One more place that makes the pattern.
  void note(Tristate active, const std::string& condition) {
    if (active == Tristate::undetermined && !is_cited(Tristate::yes)) finding_.condition = condition;
    if (active == Tristate::yes) finding_.condition.clear();
    cited_[static_cast<int>(active)] = true;
  }
  bool is_cited(Tristate active) const { return cited_[static_cast<int>(active)]; }
  void decide(bool is, const char* present, const char* absent) {
    finding_.present = is;
    const bool off = !is_cited(Tristate::yes) && is_cited(Tristate::no);
    finding_.default_active = !is || (off && !is_cited(Tristate::undetermined)) ? Tristate::no
                              : !is_cited(Tristate::yes) && is_cited(Tristate::undetermined)
                                  ? Tristate::undetermined
                                  : Tristate::yes;
    finding_.says = is ? present : absent;
    if (!is) finding_.at.clear(), finding_.condition.clear();
    context_.reading.patterns.push_back(finding_);
  }
  PatternFinding& finding() { return finding_; }

 private:
  CppContext& context_;
  PatternFinding finding_;
  bool cited_[3] = {};  ///< by Tristate
};

/// Whether facts of a kind are there at all, and turned on.
Tristate on(const CppContext& context, const Test& test) {
  Tristate out = Tristate::no;
  for (const CppDraft& d : context.drafts)
    if (test(d) && d.active != Tristate::no) {
      if (d.active == Tristate::yes) return Tristate::yes;
      out = Tristate::undetermined;
    }
  return out;
}

bool tma_load(const CppDraft& d) {
  return d.fact.kind == "copy" &&
         (has(d.construct, "TMA_LOAD") || has(d.construct, "tma_load") || d.construct == "tma-load");
}
bool builder(const CppDraft& d) {
  return d.construct == "CollectiveBuilder" || d.construct == "CollectiveMma";
}
/// A main loop that the builder makes for Hopper or later: TMA, warp roles and accumulators are the
/// library's.
bool modern_builder(const CppDraft& d) { return builder(d) && d.fact.values.count("architecture"); }

void pipeline_and_roles(CppContext& context) {
  CppPattern p1(context, "P1", "TMA multi-stage pipeline");
  const bool barriers = p1.any([](const CppDraft& d) {
    return d.fact.kind == "barrier-type" ||
           (d.fact.kind == "pipeline" && !has(d.construct, "Store") && !has(d.construct, "CpAsync"));
  });
  const bool loads = p1.any([](const CppDraft& d) {
    // A kernel's schedule says so of the collective that it drives.
    return tma_load(d) || has(d.construct, "make_tma_copy") || has(d.construct, "make_tma_atom") ||
           d.construct.starts_with("KernelTma");
  });
  // A ring: a pipeline state that goes round, a library pipeline, or a stage count above one.
  const bool several = p1.any([](const CppDraft& d) {
    if (d.fact.kind == "pipeline-state" || d.construct.starts_with("Pipeline")) return true;
    if (d.fact.kind == "ring") return true;
    if (d.fact.kind != "stages") return false;
    const auto n = d.fact.values.at("stages").integer();
    return n && *n > 1;
  });
  const bool ring = (barriers && loads && several) || p1.any(builder);
  if (ring) {
    p1.cite([](const CppDraft& d) {
      return d.fact.kind == "pipeline" || d.fact.kind == "barrier-type" || builder(d);
    });
    p1.cite(tma_load);
    p1.cite([](const CppDraft& d) { return d.fact.kind == "barrier-wait" || d.fact.kind == "ring"; });
    for (const CppDraft& d : context.drafts)
      if (d.fact.kind == "ring") p1.finding().values.emplace("stages", d.fact.values.at("stages"));
    for (const CppDraft& d : context.drafts)
      if (d.fact.kind == "stages") p1.finding().values.emplace("stages", d.fact.values.at("stages"));
  }
  p1.decide(ring, "TMA loads fill a ring of stages guarded by barriers",
            loads ? "TMA loads, but no ring of several stages" : "no TMA load");

  CppPattern p2(context, "P2", "warp specialization");
  std::vector<const CppRole*> roles;
  for (const CppRole& role : context.roles)
    if (role.loops &&
        std::none_of(roles.begin(), roles.end(), [&](auto* r) { return r->block.contains(role.condition); }))
      roles.push_back(&role);
  const bool registers =
      p2.any([](const CppDraft& d) { return d.fact.kind == evidence::kind::register_budget; });
  const bool schedule = p2.any([](const CppDraft& d) { return has(d.construct, "WarpSpecialized"); });
  for (const CppRole* role : roles) {
    p2.finding().at.push_back(context.at(role->rest ? role->block : role->condition));
    const CppValue told = context.folder.reach(role->block);
    p2.note(!told.known()         ? Tristate::undetermined
            : told.integer() == 0 ? Tristate::no
                                  : Tristate::yes,
            join(told.depends_on, ", "));
  }
  if (registers || schedule)
    p2.cite([](const CppDraft& d) {
      return d.fact.kind == evidence::kind::register_budget || has(d.construct, "WarpSpecialized");
    });
  p2.decide(roles.size() > 1 || registers || schedule, "different warps run different code",
            "no role code of its own for some warps");
}

void persistence(CppContext& context) {
  CppPattern p3(context, "P3", "persistent loop and its scheduler");
  const bool loop = p3.cite([](const CppDraft& d) { return d.fact.family == evidence::Family::S1; });
  const Tristate own = on(context, [](const CppDraft& d) { return d.fact.kind == "persistent-loop"; });
  const Tristate counter = on(context, [](const CppDraft& d) { return d.fact.kind == "work-counter"; });
  const bool asks = p3.any([](const CppDraft& d) { return d.construct == "collective-clc-scheduler"; });
  const bool counted =
      counter == Tristate::yes || (counter == Tristate::undetermined && own == Tristate::no) ||
      (own == Tristate::no && p3.any([](const CppDraft& d) { return d.fact.kind == "work-counter"; }));
  if (own == Tristate::undetermined && counter == Tristate::undetermined) {
    // One of both it is, whatever the build says.
    p3.decide(loop, "", "");
    PatternFinding& found = context.reading.patterns.back();
    found.default_active = Tristate::yes;
    found.says = "CTAs stay; " + found.condition +
                 " says whether they walk over the tiles, a grid's width apart, or take their work from a "
                 "counter in global memory";
    found.condition.clear();  // of the scheduler; the loop is there with and without it
    return;
  }
  const bool walks =
      own != Tristate::no || p3.any([](const CppDraft& d) { return d.fact.kind == "persistent-loop"; });
  const bool width = p3.any([](const CppDraft& d) { return d.fact.says == cpp_steps_of_grid; });
  p3.finding().kind = !loop     ? ""
                      : counted ? "custom_dynamic"
                      : walks   ? "custom_static"
                      : asks    ? "clc_dynamic"
                                : "static";
  p3.decide(loop,
            counted ? "CTAs stay and take their work from a counter in global memory"
            : walks ? (width ? "CTAs stay and walk over the tiles, a grid's width apart"
                             : "CTAs stay and walk over the tiles")
                    : "loop over output tiles from a scheduler",
            "no tile scheduler");
}

/// The class, else the function, that a fact of a header stands in.
source::Node owner_of(const CppDraft& d) {
  const source::Node structure = d.node.enclosing(source::Kind::struct_specifier);
  return structure ? structure : d.node.enclosing(source::Kind::function_definition);
}

/// In a header, a maximum and an exponential of different functions have nothing to do with each other: an
/// activation and a largest magnitude.
bool part_of_softmax(const CppContext& context, const CppDraft& d) {
  if (d.node.tree() == &context.tree) return true;
  const auto& all = context.drafts;
  return std::any_of(all.begin(), all.end(), [&](const CppDraft& other) {
    const bool the_other = (d.fact.kind == "running-maximum" && other.fact.kind == "exponential") ||
                           (d.fact.kind == "exponential" && other.fact.kind == "running-maximum");
    return the_other && other.node.tree() == d.node.tree() && owner_of(other) == owner_of(d);
  });
}

void accumulation(CppContext& context) {
  CppPattern p4(context, "P4", "online softmax or streaming accumulation");
  const bool softmax = p4.cite(
      [&](const CppDraft& d) { return d.fact.kind == "running-maximum" && part_of_softmax(context, d); });
  const bool exponent =
      p4.any([&](const CppDraft& d) { return d.fact.kind == "exponential" && part_of_softmax(context, d); });
  p4.decide(softmax && exponent, "running maximum with exponentials", "no running maximum with rescaling");

  CppPattern p5(context, "P5", "register-level accumulator management");
  bool managed = p5.cite([](const CppDraft& d) {
    const bool in_registers = d.fact.kind == "mma" && !has(d.construct, "SM100") &&
                              !has(d.construct, "UMMA") && d.construct.starts_with("SM");
    return d.fact.kind == evidence::kind::register_budget || d.fact.kind == "tmem-copy" ||
           d.fact.kind == "accumulator" || in_registers;
  });
  // wgmma adds to registers, whoever made them.
  if (!managed) managed = p5.cite([](const CppDraft& d) { return d.fact.kind == "wgmma-commit"; });
  if (!managed) managed = p5.cite(modern_builder);
  p5.decide(managed, "accumulators are moved or kept in registers", "no accumulators named");

  CppPattern p6(context, "P6", "shared-memory swizzle");
  p6.decide(p6.cite([](const CppDraft& d) {
    if (d.fact.family != evidence::Family::D6) return false;
    const auto layout = d.fact.values.find("layout");
    const bool known = layout != d.fact.values.end() && layout->second.determined();
    if (known) return layout->second.text().find("Sw<") != std::string::npos;
    return d.fact.kind == evidence::kind::shared_layout && d.construct != "plain-layout" &&
           d.construct != "tile_to_shape";
  }),
            "swizzled shared-memory layouts", "no swizzled layout");
}

/// Whether a launch of this file gives a cluster above one CTA.
Tristate launched_cluster(const CppContext& context) {
  Tristate out = Tristate::undetermined;
  for (const CppDraft& d : context.drafts) {
    const auto given = d.fact.values.find("cluster");
    if (d.fact.kind != evidence::kind::cluster || given == d.fact.values.end() || !given->second.list())
      continue;
    for (const evidence::Value& extent : *given->second.list())
      if (extent.integer().value_or(1) > 1) return Tristate::yes;
    const auto& all = *given->second.list();
    if (std::all_of(all.begin(), all.end(), [](auto& v) { return v.integer().has_value(); }))
      out = Tristate::no;
  }
  return out;
}

/// Whether what a flag of a pattern names is there and turned on.
evidence::Value flag(const CppContext& context, const Test& test) {
  const Tristate told = on(context, test);
  if (told != Tristate::undetermined) return evidence::literal(told == Tristate::yes);
  for (const CppDraft& d : context.drafts)
    if (test(d) && d.active == Tristate::undetermined) return d.fact.values.at("active");
  return evidence::literal(false);
}

void cluster(CppContext& context) {
  CppPattern p7(context, "P7", "cluster communication");
  const Tristate launched = launched_cluster(context);
  const auto multicast = [](const CppDraft& d) {
    return has(d.construct, "MULTICAST") || has(d.construct, "multicast");
  };
  const auto barrier = [](const CppDraft& d) {
    return has(d.construct, "cluster_arrive") || has(d.construct, "cluster_sync") ||
           has(d.construct, "cluster_wait");
  };
  const auto pairs = [](const CppDraft& d) { return has(d.construct, "2SM") || has(d.construct, "2Sm"); };
  const auto remote = [](const CppDraft& d) {
    return d.construct == "remote-memory" || d.construct == "store_shared_remote";
  };
  const auto arrives = [](const CppDraft& d) { return d.construct == "remote-arrive"; };
  const bool together = p7.cite(
      [&](const CppDraft& d) { return multicast(d) || barrier(d) || pairs(d) || remote(d) || arrives(d); });
  // A collective of the library shares its loads in any cluster that it is given.
  const bool clusters =
      launched != Tristate::no && (together || (launched == Tristate::yes && p7.any(builder)));
  if (clusters) p7.cite([](const CppDraft& d) { return d.fact.kind == evidence::kind::cluster; });
  p7.decide(clusters, "CTAs of a cluster share loads or wait for each other",
            together ? "every cluster of this file is one CTA" : "no cluster communication");
  if (clusters) {
    PatternFinding& found = context.reading.patterns.back();
    if (found.default_active != Tristate::no) found.default_active = launched;
    for (const auto& [name, test] : {std::pair<const char*, Test>{"multicast", multicast},
                                     {"two_cta", pairs},
                                     {"dsmem", remote},
                                     {"remote_arrive", arrives},
                                     {"cluster_barrier", barrier}})
      found.values[name] = flag(context, test);
  }
}

void end_of_kernel(CppContext& context) {
  CppPattern p8(context, "P8", "epilogue");
  const bool stores = p8.cite([](const CppDraft& d) {
    return (d.fact.family == evidence::Family::E1 && d.fact.kind != "epilogue-step") ||
           d.construct == "tma-store-copy" || (d.fact.kind == "copy" && has(d.construct, "STORE"));
  });
  const bool by_tma = p8.any([](const CppDraft& d) {
    return d.construct == "tma-store" || d.construct == "tma-store-copy" ||
           (d.fact.kind == "copy" && has(d.construct, "TMA_STORE"));
  });
  // The library's epilogue does it, by a schedule that is not told here.
  const bool told = by_tma || p8.any([](const CppDraft& d) {
    return d.fact.family == evidence::Family::E1 && d.construct != "collective-store";
  });
  if (stores && told) p8.finding().kind = by_tma ? "smem_tma_store" : "direct_store";
  p8.decide(stores,
            by_tma ? "stores the output: smem_tma_store"
            : told ? "stores the output: direct_store"
                   : "stores the output: how is not told",
            "no store of an output found");

  CppPattern p9(context, "P9", "boundary handling");
  p9.decide(p9.cite([](const CppDraft& d) { return d.fact.family == evidence::Family::B1; }),
            "loads or stores are predicated", "no predicate on the device");

  CppPattern p10(context, "P10", "drain");
  bool drained = p10.cite(
      [](const CppDraft& d) { return d.fact.kind == evidence::kind::tail || d.fact.kind == "drain"; });
  // The library's main loop drains its pipeline itself.
  if (!drained) drained = p10.cite(modern_builder);
  const bool waits = p10.any([](const CppDraft& d) { return d.construct == "tma_store_wait"; });
  p10.decide(drained, "what is in flight is waited for after the loop",
             waits && !drained ? "no wait stands after a loop that issues what it waits for"
                               : "nothing after the loop waits for work in flight");
}
}  // namespace

void check_cpp_patterns(CppContext& context) {
  pipeline_and_roles(context);
  persistence(context);
  accumulation(context);
  cluster(context);
  end_of_kernel(context);
}

}  // namespace cutelab::reading
