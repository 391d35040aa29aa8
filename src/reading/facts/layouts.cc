#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// The swizzle a call applies: swizzle=, swizzle_=, the second argument of recast_ptr, or the fourth of
/// allocate_tensor (None there is the default).
Node swizzle_given(const FactContext& context, const CallSite& site) {
  for (const char* name : {"swizzle", "swizzle_"})
    if (const Node given = context.keyword(site.call, name)) return given;
  if (site.leaf == "allocate_tensor") {
    const Node given = context.positional(site.call, 3);
    return given && !given.is(NodeKind::none) ? given : Node();
  }
  return site.leaf == "recast_ptr" ? context.positional(site.call, 1) : Node();
}

/// TensorMapSwizzle.none, SWIZZLE_NONE: a member of an enumeration of swizzles that is none of them.
bool names_no_swizzle(const std::string& text) {
  const std::string low = to_lower(text);
  return low.find("swizzle") != std::string::npos && low.ends_with("none");
}

void add_unswizzled(FactContext& context, const CallSite& site, const std::string& text) {
  Draft& draft = context.add(Family::D6, evidence::kind::shared_layout, site.target,
                             "the tile of " + site.target + " has no swizzle", site.call);
  draft.construct = "plain-layout";
  draft.fact.optional = true;
  draft.fact.values["swizzle"] = evidence::literal(text);
}

void add_swizzle(FactContext& context, const CallSite& site, Node swizzle) {
  const std::string text(swizzle.text().substr(0, 120));
  if (names_no_swizzle(text)) return add_unswizzled(context, site, text);
  const bool removed = swizzle.is(NodeKind::none);
  Draft& draft = context.add(
      Family::D6, removed ? "swizzle-removed" : "swizzle-applied",
      site.target.empty() ? site.receiver.substr(0, 60) : site.target,
      removed ? "the pointer is used without its swizzle" : "swizzle " + text.substr(0, 80) + " applied",
      site.call);
  draft.fact.optional = removed;
  draft.construct = removed ? "swizzle-removed" : "swizzle-applied";
  if (!removed) draft.fact.values["swizzle"] = evidence::literal(text);
}

/// "S<3,4,3> o …" is swizzled, "S<0,4,3> o …" is not.
bool names_swizzle(std::string_view layout) {
  return (layout.starts_with("S<") || layout.starts_with("Sw<")) && !layout.starts_with("S<0,") &&
         !layout.starts_with("Sw<0,");
}

/// A view of storage by a layout that carries its swizzle itself: storage.sQ.get_tensor(sQ_layout).
bool is_swizzled(FactContext& context, Node layout) {
  const Abstract value = context.evaluator.value_of(0, layout);
  if (value.is(Abstract::Kind::text)) return names_swizzle(value.text);
  return value.path.ends_with("make_composed_layout");
}

/// The same by a layout that the run knows, or that make_layout made: no swizzle.
void add_applied_rows(FactContext& context, const CallSite& site, Node layout) {
  if (layout.is(NodeKind::tuple) || layout.is(NodeKind::integer)) return;  // a shape
  const Abstract value = context.evaluator.value_of(0, layout);
  const bool known = value.is(Abstract::Kind::text) || value.path.ends_with("make_layout") ||
                     value.path.ends_with("make_ordered_layout");
  if (!known || site.target.empty()) return;
  add_unswizzled(context, site, "none");
  evidence::Fact& fact = context.drafts.back().fact;
  fact.optional = false;
  fact.values["layout"] = context.value(layout);
}

void add_applied_layout(FactContext& context, const CallSite& site) {
  const Node layout = context.positional(site.call, site.leaf == "get_tensor" ? 0 : 1);
  const Node given = layout ? layout : context.keyword(site.call, "layout");
  if (!given) return;
  if (!is_swizzled(context, given)) return add_applied_rows(context, site, given);
  Draft& draft =
      context.add(Family::D6, "swizzle-applied", site.target,
                  "swizzled layout " + std::string(given.text().substr(0, 80)) + " applied", site.call);
  draft.construct = "swizzle-applied";
  draft.fact.values["layout"] = context.value(given);
}

/// sO = make_tensor(sQ.iterator, sO_layout): the storage of another tensor under a swizzled layout of its
/// own.
void add_layout_over_storage(FactContext& context, const CallSite& site) {
  const Node storage = context.positional(site.call, 0), layout = context.positional(site.call, 1);
  const bool iterator =
      storage.is(NodeKind::attribute) && storage.child(source::Field::attribute_field).text() == "iterator";
  if (!iterator || !layout || site.target.empty() || !is_swizzled(context, layout) ||
      memory_space(context, storage) != "shared")
    return;
  Draft& draft = context.add(Family::D6, "swizzle-applied", site.target,
                             "swizzled layout " + std::string(layout.text().substr(0, 80)) +
                                 " applied to the storage of " +
                                 std::string(storage.child(source::Field::object_field).text().substr(0, 60)),
                             site.call);
  draft.construct = "swizzle-applied";
  draft.fact.values["layout"] = context.value(layout);
}

/// self.sfa_smem_layout_staged = make_layout(…): a layout of shared memory without a swizzle.
void add_plain_layout(FactContext& context, const CallSite& site) {
  const std::string low = to_lower(site.target);
  if (low.find("smem") == std::string::npos || low.find("layout") == std::string::npos ||
      low.find("cluster") != std::string::npos)
    return;
  Draft& draft = context.add(Family::D6, evidence::kind::shared_layout, site.target,
                             "shared-memory layout " + site.target + ", no swizzle", site.call);
  draft.construct = "plain-layout";
}
bool any_swizzled(const Abstract& layouts) {
  if (layouts.is(Abstract::Kind::text)) return names_swizzle(layouts.text);
  return std::any_of(layouts.items.begin(), layouts.items.end(), any_swizzled);
}

/// sm120_make_smem_layout_sfa(…), compute_smem_layout(…): the library's own makers of such layouts, by name.
void add_layout_of_library(FactContext& context, const CallSite& site) {
  if (site.function < 0 || !site.path.starts_with("cutlass.")) return;
  for (const Draft& d : context.drafts)
    if (d.node == site.call && d.fact.family == Family::D6) return;
  Draft& draft =
      context.add(Family::D6, evidence::kind::shared_layout, site.target.empty() ? site.leaf : site.target,
                  "shared-memory layout " + site.target.substr(0, 80) + " by " + site.leaf, site.call);
  const Abstract made = context.evaluator.value_of(0, site.call);
  const bool plain = made.is(Abstract::Kind::text) || made.is(Abstract::Kind::tuple)
                         ? !any_swizzled(made)
                         : site.leaf.find("_sf") != std::string::npos;
  draft.construct = plain ? "plain-layout" : "library-layout";
}

/// sA = smem.allocate_tensor(type, sA_layout): the layout that the host made and passes to the kernel.
void add_layout_passed(FactContext& context, const CallSite& site) {
  Node given = context.keyword(site.call, "layout");
  if (!given) given = context.positional(site.call, 1);
  if (!given.is(NodeKind::identifier)) return;
  const Node made = context.evaluator.value_of(0, given).made_at;
  const CallSite* maker = made ? context.site_of(made) : nullptr;
  if (!maker || made.tree() != site.call.tree() ||
      (maker->leaf != "make_layout" && maker->leaf != "make_ordered_layout"))
    return;
  for (const Draft& d : context.drafts)
    if (d.node == made && d.fact.kind == evidence::kind::shared_layout) return;
  Draft& draft = context.add(Family::D6, evidence::kind::shared_layout, maker->target,
                             "shared-memory layout " + maker->target + ", no swizzle", made);
  draft.construct = "plain-layout";
  draft.fact.values["layout"] = context.value(made);
}
}  // namespace

void extract_layouts(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (const Node swizzle = swizzle_given(context, site)) {
      add_swizzle(context, site, swizzle);
    } else if (site.leaf == "allocate_tensor") {
      add_layout_passed(context, site);
      Draft& draft = context.add(Family::D6, evidence::kind::shared_layout, site.target,
                                 "layout of " + site.target + ", no swizzle", site.call);
      draft.construct = "plain-layout";
    } else if (site.leaf == "get_tensor" && context.site_of(site.call)) {
      add_applied_layout(context, site);
    } else if (site.leaf == "make_tensor") {
      add_layout_over_storage(context, site);
    } else if (site.leaf == "make_layout" || site.leaf == "make_ordered_layout") {
      add_plain_layout(context, site);
    } else if (site.leaf.find("smem_layout") != std::string::npos) {
      add_layout_of_library(context, site);
    }
  }
  for (Draft& draft : context.drafts) {
    if (draft.construct != "make_swizzle") continue;
    evidence::Value::List numbers;
    for (const Node a : draft.node.child(source::Field::arguments_field).children())
      numbers.push_back(context.value(a));
    draft.fact.values["swizzle"].data = std::move(numbers);
  }
}

}  // namespace cutelab::reading
