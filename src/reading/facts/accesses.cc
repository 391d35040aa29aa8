#include <set>

#include "evidence/names.h"
#include "reading/facts/context.h"

/// How kernels reach for things that rules ask about: members of shared storage, barriers of other CTAs.
namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// storage.sA.get_tensor(layout): where a member of the struct is opened, and the condition that only some
/// warps fulfil around it.
void add_member_accesses(FactContext& context) {
  std::set<std::string> members;
  for (const Draft& d : context.drafts)
    if (d.fact.kind == evidence::kind::storage_member) members.insert(d.fact.subject);
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "get_tensor" || site.function < 0) continue;
    const Node object = site.call.child(Field::function_field).child(Field::object_field);
    if (!object.is(NodeKind::attribute) || !object.child(Field::object_field).is(NodeKind::identifier))
      continue;
    if (!members.count(std::string(object.child(Field::attribute_field).text()))) continue;
    Draft& draft = context.add(Family::H3, "storage-access", std::string(object.text().substr(0, 60)),
                               "opens a member of shared storage", site.call);
    draft.construct = "storage-access";
    draft.fact.optional = true;
    for (const RoleBlock& role : context.roles)
      if (role.block.contains(site.call) && role.condition &&
          role.condition.text().find("const_expr") == std::string_view::npos)
        draft.fact.values["branch"] = evidence::literal(std::string(role.condition.text().substr(0, 80)));
  }
}

/// mbarrier_arrive(mapa(bar, rank), scope=…): an arrive on another CTA's barrier.
void add_remote_arrives(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (!site.leaf.starts_with("mbarrier_arrive") || site.function < 0) continue;
    const Node barrier = context.positional(site.call, 0);
    if (!barrier || !leaf_name(context.evaluator.value_of(0, barrier).path).starts_with("mapa")) continue;
    const Node scope = context.keyword(site.call, "scope");
    Draft& draft = context.add(Family::D5, "remote-arrive", std::string(barrier.text().substr(0, 60)),
                               "arrives on another CTA's barrier", site.call);
    draft.construct = "remote-arrive";
    draft.fact.optional = true;
    draft.fact.values["scope"] =
        scope ? evidence::literal(leaf_name(scope.text()))
              : evidence::undetermined("the operation's own default", {"scope"}, context.at(site.call), "");
  }
}
}  // namespace

void extract_accesses(FactContext& context) {
  add_member_accesses(context);
  add_remote_arrives(context);
}

}  // namespace cutelab::reading
