#include <cctype>

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
  for (const char* word :
       {"warp ==", "warp !=", "warp <", "warp >", "warp_idx", "warp_id", "warp_group_idx", "warp_group_role",
        "producer_warp_role", "warpgroup", "warp_role", "role ==", "is_producer", "is_consumer", "wg_idx"})
    if (low.find(word) != std::string::npos) return true;
  return false;
}

/// `threadIdx.x < 128`, `threadIdx.x >= consumer_threads`: whole warps on either side.
bool splits_warps(const CppContext& context, Node condition) {
  for (std::uint32_t i = condition.index(); condition && i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    if (!n.is(NodeKind::binary_expression) || n.child(Field::left_field).text() != "threadIdx.x") continue;
    const std::string_view op = n.child(Field::operator_token).text();
    if (op != "<" && op != ">=") continue;
    const auto threads = context.folder.value(n.child(Field::right_field)).integer();
    if (threads ? *threads >= 32 && *threads % 32 == 0
                : n.child(Field::right_field).text().find("thread") != std::string_view::npos)
      return true;
  }
  return false;
}

/// The condition behind a name: `const bool loader = threadIdx.x >= consumer_threads;`.
Node behind_name(const CppContext& context, Node condition) {
  const Node name =
      condition.is(NodeKind::condition_clause) ? condition.child(Field::value_field) : condition;
  if (!name.is(NodeKind::identifier)) return condition;
  const Node function = condition.enclosing(NodeKind::function_definition);
  for (std::uint32_t i = function.index(); function && i < condition.index(); ++i) {
    const Node n = context.tree.at(i);
    if (n.is(NodeKind::init_declarator) && n.child(Field::declarator_field).text() == name.text())
      return n.child(Field::value_field);
  }
  return condition;
}

/// Set-up of barriers, by one warp that rejoins the others.
bool initialises(Node block) {
  const std::string_view text = block.text();
  return text.find("init(") != std::string_view::npos ||
         text.find("initialize_barrier") != std::string_view::npos;
}

bool returns(Node block) {
  Node last;
  for (const Node statement : block.children())
    if (!statement.is(NodeKind::op)) last = statement;
  return last.is(NodeKind::return_statement) || block.is(NodeKind::return_statement);
}

/// "load" of `warp == load_warp`, "warp 0" of a number.
std::string constant_of(std::string_view condition) {
  const auto equals = condition.find("==");
  if (equals == std::string_view::npos) return {};
  std::string_view right = trim(condition.substr(equals + 2));
  right = right.substr(0, right.find_first_of(" )&|"));
  std::string name = to_lower(right);
  for (const char* tail : {"_warp_idx", "_warp_id", "_warp_group", "_warpgroup", "_warp"})
    if (name.ends_with(tail)) name.resize(name.size() - std::string_view(tail).size());
  if (name.empty()) return {};
  return parse_integer(name) ? "warp " + name : name;
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
  const std::string constant = constant_of(condition);
  return constant.empty() ? std::string(condition.substr(0, 60)) : constant;
}

CppDraft& add_role(CppContext& context, const std::string& name, Node condition, Node block, Node at,
                   bool rest) {
  const std::string text(condition.text().substr(0, 200));
  CppDraft& draft = context.add(Family::D1, evidence::kind::role, name,
                                (rest ? "not where " : "only where ") + text.substr(0, 120), at);
  draft.construct = "dispatch";
  draft.fact.values["condition"] = evidence::literal(rest ? "not " + text : text);
  const bool loops = cpp_loops(context, block) && !initialises(block);
  draft.fact.values["elected"] = evidence::literal(!loops);
  context.roles.push_back({name, condition, block, loops, rest});
  return draft;
}

/// The other warps: the `else`, or what follows where the role returns.
void add_others(CppContext& context, Node statement, Node condition) {
  const Node other = statement.child(Field::alternative_field);
  if (other) {
    const bool chain = other.is(NodeKind::if_statement) || other.first().next().is(NodeKind::if_statement) ||
                       other.first().is(NodeKind::if_statement);
    if (!chain && cpp_loops(context, other)) add_role(context, "other warps", condition, other, other, true);
    return;
  }
  if (!returns(statement.child(Field::consequence_field))) return;
  for (Node next = statement.next(); next; next = next.next())
    if (cpp_loops(context, next)) {
      add_role(context, "other warps", condition, next, next, true);
      return;
    }
}
}  // namespace

bool cpp_loops(const CppContext& context, Node block) {
  for (std::uint32_t i = block.index(); block && i < block.end_index(); ++i) {
    const Node n = block.tree()->at(i);
    if (is_loop(n)) return true;
    if (!n.is(NodeKind::call_expression)) continue;
    const auto body = context.bodies.find(leaf_name(n.child(Field::function_field)));
    if (body == context.bodies.end() || body->second.contains(block)) continue;
    for (std::uint32_t j = body->second.index(); body->second && j < body->second.end_index(); ++j)
      if (is_loop(block.tree()->at(j))) return true;
  }
  return false;
}

void extract_cpp_roles(CppContext& context) {
  for (std::uint32_t i = 0; i < context.tree.size(); ++i) {
    const Node n = context.tree.at(i);
    if (!n.is(NodeKind::if_statement)) continue;
    const Node condition = n.child(Field::condition_field);
    if (!condition || condition.text().size() > 300) continue;
    const Node test = behind_name(context, condition);
    if (!mentions_role(test.text()) && !splits_warps(context, test)) continue;
    const Node block = n.child(Field::consequence_field);
    add_role(context, role_name(condition.text()), condition, block, n, false);
    add_others(context, n, condition);
  }
}

}  // namespace cutelab::reading
