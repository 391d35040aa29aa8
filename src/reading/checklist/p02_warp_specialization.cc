#include <set>

#include "reading/checklist/checklist.h"

namespace cutelab::reading {

evidence::PatternFinding warp_specialization(FactContext& context) {
  PatternBuilder p(context, "P2", "warp specialization");
  std::set<std::string> conditions;
  std::vector<const RoleBlock*> roles;
  for (const RoleBlock& role : context.roles) {
    if (role.elected) continue;
    bool nested = false;
    for (const RoleBlock* outer : roles) nested = nested || outer->block.contains(role.condition);
    if (nested) continue;
    const std::string key = (role.otherwise ? "not " : "") + std::string(role.condition.text());
    if (conditions.insert(key).second) roles.push_back(&role);
  }
  // Registers move between roles only where warpgroups run different code.
  std::set<std::string> directions;
  for (const Draft& d : context.drafts)
    if (d.fact.kind == "register-budget" && d.fact.values.count("action"))
      directions.insert(d.fact.values.at("action").text());
  const bool reallocates = directions.size() > 1;
  const bool tasks = p.cite([](const Draft& d) { return d.construct == "Task"; });
  if (roles.size() < 2 && !reallocates && !tasks)
    return p.absent(context.roles.empty() ? "no branch on warp or warpgroup"
                                          : "elected warps rejoin the others");
  for (const RoleBlock* role : roles) p.cite_node(role->otherwise ? role->statement : role->condition);
  if (reallocates)
    for (const RoleBlock& role : context.roles) p.cite_node(role.otherwise ? role.statement : role.condition);
  p.finding.values["roles"] = evidence::literal(static_cast<std::int64_t>(roles.size()));
  return p.present("different warps run different loops");
}

}  // namespace cutelab::reading
