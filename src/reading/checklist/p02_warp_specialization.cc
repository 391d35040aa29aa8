#include <algorithm>
#include <map>
#include <set>

#include "reading/checklist/checklist.h"

namespace cutelab::reading {
namespace {
using Roles = std::vector<const RoleBlock*>;

/// Role branches by the kernel they stand in: of blocks in blocks the outer one, of equal tests one.
std::map<int, Roles> outer_roles(FactContext& context) {
  std::map<int, Roles> out;
  std::map<int, std::set<std::string>> seen;
  for (const RoleBlock& role : context.roles) {
    if (role.elected || !is_active(context, role.statement)) continue;
    const int kernel = kernel_holding(context, role.statement);
    bool nested = false;
    for (const RoleBlock* outer : out[kernel]) nested = nested || outer->block.contains(role.statement);
    const std::string key = (role.otherwise ? "not " : "") + std::string(role.condition.text());
    if (!nested && seen[kernel].insert(key).second) out[kernel].push_back(&role);
  }
  return out;
}

/// Registers move between roles only where warpgroups run different code.
bool reallocates_registers(const FactContext& context) {
  std::set<std::string> directions;
  for (const Draft& d : context.drafts)
    if (d.fact.kind == "register-budget" && d.fact.values.count("action"))
      directions.insert(d.fact.values.at("action").text());
  return directions.size() > 1;
}
}  // namespace

evidence::PatternFinding warp_specialization(FactContext& context) {
  PatternBuilder p(context, "P2", "warp specialization");
  const std::map<int, Roles> by_kernel = outer_roles(context);
  // Branches in functions that a kernel calls count where no kernel branches itself.
  const Roles* most = nullptr;
  for (const auto& [kernel, roles] : by_kernel)
    if (kernel >= 0 && (!most || roles.size() > most->size())) most = &roles;
  const auto elsewhere = by_kernel.find(-1);
  if ((!most || most->empty()) && elsewhere != by_kernel.end()) most = &elsewhere->second;
  const std::size_t roles = most ? most->size() : 0;
  const bool reallocates = reallocates_registers(context);
  const bool tasks = p.cite([](const Draft& d) { return d.construct == "Task"; });
  if (roles < 2 && !reallocates && !tasks)
    return p.absent(context.roles.empty() ? "no branch on warp or warpgroup"
                                          : "elected warps rejoin the others");
  if (most)
    for (const RoleBlock* role : *most) p.cite_node(role->otherwise ? role->statement : role->condition);
  const auto inside = [&](const RoleBlock& role) {
    return most && std::any_of(most->begin(), most->end(),
                               [&](const RoleBlock* outer) { return outer->block.contains(role.statement); });
  };
  for (const RoleBlock& role : context.roles)  // loops of their own inside a role
    if (!role.elected && inside(role)) p.cite_node(role.otherwise ? role.statement : role.condition, 1);
  p.finding.values["roles"] = evidence::literal(static_cast<std::int64_t>(roles));
  return p.present(roles > 1 ? std::to_string(roles) + " roles run different loops"
                             : "different warps run different loops");
}

}  // namespace cutelab::reading
