#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

// Who works on a pipeline through functions: a role that hands one side of it on to a call.

namespace cutelab::reading {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// The role that a call stands in, not a part of it; "" = none.
std::string role_holding(const FactContext& context, Node call) {
  const RoleBlock* outermost = nullptr;
  for (const RoleBlock& role : context.roles)
    if (role.block.contains(call) && (!outermost || role.block.contains(outermost->block))) outermost = &role;
  return outermost ? outermost->name : std::string();
}

/// Whether a name is an argument of a call by itself, or an item of a tuple that is one.
bool hands_on(Node call, std::string_view name) {
  for (Node a : call.child(Field::arguments_field).children()) {
    if (a.is(NodeKind::keyword_argument)) a = a.child(Field::value_field);
    if (a.is(NodeKind::identifier) && a.text() == name) return true;
    if (!a.is(NodeKind::tuple)) continue;
    for (const Node item : a.children())
      if (item.is(NodeKind::identifier) && item.text() == name) return true;
  }
  return false;
}
}  // namespace

void extract_handed_sides(FactContext& context) {
  for (Draft& draft : context.drafts) {
    const auto sides = draft.fact.values.find("participants");
    if (draft.fact.kind != evidence::kind::pipeline || sides == draft.fact.values.end()) continue;
    const std::string names = sides->second.text();
    const int own = context.module().function_at(draft.node);
    std::size_t side = 0;
    for (const auto name : split(names, ',')) {
      std::set<std::string> roles;
      for (const CallSite& site : context.calls())
        if (site.function == own && hands_on(site.call, trim(name)))
          if (std::string role = role_holding(context, site.call); !role.empty())
            roles.insert(std::move(role));
      evidence::Value::List list;
      for (const std::string& role : roles) list.push_back(evidence::literal(role));
      const char* key = side++ == 0 ? "producer" : "consumer";
      if (!list.empty() && !draft.fact.values.count(key)) draft.fact.values[key].data = std::move(list);
    }
  }
}

}  // namespace cutelab::reading
