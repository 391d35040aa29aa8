#include "base/text.h"
#include "evidence/names.h"
#include "reading/cpp/cpp_facts.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

bool mentions_role(std::string_view condition) {
  const std::string low = to_lower(condition);
  for (const char* word : {"warp_idx", "warp_id", "warp_group_idx", "warp_group_role", "producer_warp_role",
                           "warpgroup", "warp_role", "role ==", "is_producer", "is_consumer", "wg_idx"})
    if (low.find(word) != std::string::npos) return true;
  return false;
}

bool block_loops(Node block) {
  for (std::uint32_t i = block.index(); block && i < block.end_index(); ++i) {
    const NodeKind kind = block.tree()->at(i).kind();
    if (kind == NodeKind::for_statement || kind == NodeKind::while_statement ||
        kind == NodeKind::do_statement)
      return true;
  }
  return false;
}

std::string role_name(std::string_view condition) {
  for (const char* end : {"Role::", "role::"}) {
    const auto at = condition.find(end);
    if (at == std::string_view::npos) continue;
    std::size_t stop = at + std::string_view(end).size();
    const std::size_t begin = stop;
    while (stop < condition.size() &&
           (std::isalnum(static_cast<unsigned char>(condition[stop])) || condition[stop] == '_'))
      ++stop;
    return to_lower(condition.substr(begin, stop - begin));
  }
  return std::string(condition.substr(0, 60));
}
}  // namespace

void extract_cpp_roles(CppContext& context) {
  for (std::uint32_t i = 0; i < context.tree.size(); ++i) {
    const Node n = context.tree.at(i);
    if (!n.is(NodeKind::if_statement)) continue;
    const Node condition = n.child(Field::condition_field);
    if (!mentions_role(condition.text()) || condition.text().size() > 300) continue;
    const Node block = n.child(Field::consequence_field);
    const std::string name = role_name(condition.text());
    CppDraft& draft = context.add(Family::D1, evidence::kind::role, name,
                                  "only where " + std::string(condition.text().substr(0, 120)), n);
    draft.construct = "dispatch";
    draft.fact.values["condition"] = evidence::literal(std::string(condition.text().substr(0, 200)));
    context.roles.push_back({name, condition, block, block_loops(block)});
  }
}

}  // namespace cutelab::reading
