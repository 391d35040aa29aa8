#include <cctype>
#include <map>

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
        "producer_warp_role", "warpgroup", "warp_role", "role ==", "wg_idx"})
    if (low.find(word) != std::string::npos) return true;
  // is_producer, and not is_producer_load_needed
  for (const std::string_view word : {"is_producer", "is_consumer"})
    if (const auto at = low.find(word); at != std::string::npos) {
      const char after = at + word.size() < low.size() ? low[at + word.size()] : ' ';
      if (after != '_' && !std::isalnum(static_cast<unsigned char>(after))) return true;
    }
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

/// `threadIdx.x / 32 == 0`: one warp, or one warpgroup, of the block.
bool picks_warp(Node condition) {
  for (std::uint32_t i = condition.index(); condition && i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    if (!n.is(NodeKind::binary_expression) || n.child(Field::operator_token).text() != "/") continue;
    const auto by = parse_integer(n.child(Field::right_field).text());
    if (n.child(Field::left_field).text() == "threadIdx.x" && by && *by >= 32 && *by % 32 == 0) return true;
  }
  return false;
}

/// Whether an expression asks for a CTA's number in its cluster, itself or through a name.
bool asks_for_cta(const CppContext& context, Node n, int depth = 0) {
  for (std::uint32_t i = n.index(); n && i < n.end_index(); ++i) {
    const Node part = n.tree()->at(i);
    if (part.is(NodeKind::identifier) && part.text().find("block_rank_in_cluster") != std::string_view::npos)
      return true;
    if (!part.is(NodeKind::identifier) || depth > 1) continue;
    const Node made = context.folder.definition_of(part);
    if (made.is(NodeKind::init_declarator) && !made.contains(n) && made.tree() == n.tree() &&
        asks_for_cta(context, made.child(Field::value_field), depth + 1))
      return true;
  }
  return false;
}

/// The names in a condition that stand for tests made before: `const bool loader = threadIdx.x >=
/// consumers;`.
std::vector<Node> tests_behind(const CppContext& context, Node condition) {
  std::vector<Node> out;
  for (std::uint32_t i = condition.index(); condition && i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    if (!n.is(NodeKind::identifier)) continue;
    const Node made = context.folder.definition_of(n);
    if (made.is(NodeKind::init_declarator) && !made.contains(condition) && made.tree() == condition.tree() &&
        made.enclosing(NodeKind::function_definition) == condition.enclosing(NodeKind::function_definition))
      out.push_back(made.child(Field::value_field));
  }
  return out;
}

enum class RoleTest { none, warps, through_a_name };

RoleTest role_test(const CppContext& context, Node condition) {
  if (mentions_role(condition.text()) || splits_warps(context, condition)) return RoleTest::warps;
  if (picks_warp(condition)) return RoleTest::through_a_name;
  for (const Node test : tests_behind(context, condition)) {
    const bool alone = condition.is(NodeKind::condition_clause) &&
                       condition.child(Field::value_field).is(NodeKind::identifier);
    if (alone && (mentions_role(test.text()) || splits_warps(context, test))) return RoleTest::warps;
    if (picks_warp(test)) return RoleTest::through_a_name;
    if (test.text().find("==") != std::string_view::npos && asks_for_cta(context, test))
      return RoleTest::through_a_name;
  }
  return RoleTest::none;
}

/// Set-up of barriers, by one warp that rejoins the others.
bool initialises(Node block) {
  const std::string_view text = block.text();
  if (text.find("initialize_barrier") != std::string_view::npos ||
      text.find("mbarrier_init(") != std::string_view::npos)
    return true;
  for (auto at = text.find("init("); at != std::string_view::npos; at = text.find("init(", at + 1))
    if (at > 0 && (text[at - 1] == ':' || text[at - 1] == '.' || text[at - 1] == '>')) return true;
  return false;
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

/// Whether the number that a condition asks for is a warpgroup's: by its name, or `threadIdx.x / 128`.
bool counts_warpgroups(const CppContext& context, Node condition) {
  for (std::uint32_t i = condition.index(); condition && i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    if (!n.is(NodeKind::binary_expression) || n.child(Field::operator_token).text() != "==") continue;
    const Node left = n.child(Field::left_field);
    const Node made = left.is(NodeKind::identifier) ? context.folder.definition_of(left) : Node();
    std::string all = to_lower(left.text().substr(0, 80));
    if (made.is(NodeKind::init_declarator) && !made.contains(left))
      all += " " + to_lower(made.child(Field::value_field).text().substr(0, 200));
    return all.find("warpgroup") != std::string::npos || all.find("warp_group") != std::string::npos ||
           all.find("/ 128") != std::string::npos;
  }
  return false;
}

std::string role_name(const CppContext& context, Node test) {
  std::string_view condition = test.text();
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
  if (constant.starts_with("warp ") && counts_warpgroups(context, test))
    return "warpgroup " + constant.substr(5);
  if (!constant.empty()) return constant;
  if (condition.size() > 2 && condition.front() == '(' && condition.back() == ')')
    condition = condition.substr(1, condition.size() - 2);
  return std::string(condition.substr(0, 60));
}

/// A role that only a number tells from the others is called after the function that it runs.
std::string telling_name(const CppContext& context, const std::string& name, Node block) {
  if (name != "other warps" && name.find("threadIdx") == std::string::npos) return name;
  std::string only;
  for (std::uint32_t i = block.index(); block && i < block.end_index(); ++i) {
    const Node n = block.tree()->at(i);
    if (!n.is(NodeKind::call_expression)) continue;
    const std::string leaf = leaf_name(n.child(Field::function_field));
    const auto body = context.bodies.find(leaf);
    if (body == context.bodies.end() || !body->second || body->second.contains(n)) continue;
    if (!cpp_loops(context, body->second) || leaf == only) continue;
    if (!only.empty()) return name;
    only = leaf;
  }
  return only.empty() ? name : only;
}

/// The one thread that runs all that loops in a block; "" = more than one.
std::string one_thread_of(const CppContext& context, Node block) {
  std::string one;
  for (std::uint32_t i = block.index(); block && i < block.end_index(); ++i) {
    const Node n = block.tree()->at(i);
    const auto body = n.is(NodeKind::call_expression)
                          ? context.bodies.find(leaf_name(n.child(Field::function_field)))
                          : context.bodies.end();
    const bool runs = body != context.bodies.end() && body->second && cpp_loops(context, body->second);
    if (!runs && !is_loop(n)) continue;
    const std::string who = cpp_thread_of(context, n);
    if (who.empty() || (!one.empty() && one != who)) return {};
    one = who;
  }
  return one;
}

/// `elected`: one thread of a warp runs it. `rejoins`, where that tells nothing of it: who runs it goes on
/// with the others.
void tell_election(CppDraft& draft, bool elected, bool rejoins) {
  draft.fact.values["elected"] = evidence::literal(elected);
  draft.fact.values.erase("rejoins");
  if (elected != rejoins) draft.fact.values["rejoins"] = evidence::literal(rejoins);
}

CppDraft& add_role(CppContext& context, const std::string& given, Node condition, Node block, Node at,
                   bool rest) {
  const std::string name = telling_name(context, given, block);
  const std::string text(condition.text().substr(0, 200));
  CppDraft& draft = context.add(Family::D1, evidence::kind::role, name,
                                (rest ? "not where " : "only where ") + text.substr(0, 120), at);
  draft.construct = "dispatch";
  draft.fact.values["condition"] = evidence::literal(rest ? "not " + text : text);
  const bool loops = cpp_loops(context, block) && !initialises(block);
  tell_election(draft, !rest && cpp_elects(context, condition), !loops);
  if (std::string by = one_thread_of(context, block); !by.empty())
    draft.fact.values["by"] = evidence::literal(std::move(by));
  if (const auto warps = cpp_warps_of(context, condition, rest); !warps.empty()) {
    evidence::Value::List numbers;
    for (const std::int64_t one : warps) numbers.push_back(evidence::literal(one));
    evidence::Value& told = draft.fact.values["warps"];
    told.data = std::move(numbers);
    told.formula = (rest ? "not " : "") + text;
    told.known_by = evidence::KnownBy::computed;
  }
  context.roles.push_back({name, condition, block, loops, rest});
  return draft;
}

/// Whether a block issues copies or products, or calls what loops: more than set-up by one warp.
bool works(const CppContext& context, Node block) {
  for (const CppDraft& d : context.drafts)
    if ((d.fact.kind == evidence::kind::gemm || d.construct == "tma-load" ||
         d.construct == "tma-store-copy") &&
        block.contains(d.node))
      return true;
  return cpp_loops(context, block) && !initialises(block);
}

bool inside_loop(Node n) {
  for (Node up = n.parent(); up && !up.is(NodeKind::function_definition); up = up.parent())
    if (is_loop(up)) return true;
  return false;
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
      if (is_loop(body->second.tree()->at(j))) return true;
  }
  return false;
}

void extract_cpp_roles(CppContext& context) {
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::if_statement)) continue;
    const Node condition = n.child(Field::condition_field);
    if (!condition || condition.text().size() > 300) continue;
    const RoleTest test = role_test(context, condition);
    if (test == RoleTest::none) continue;
    const Node block = n.child(Field::consequence_field);
    CppDraft& draft = add_role(context, role_name(context, condition), condition, block, n, false);
    if (test == RoleTest::warps) {
      add_others(context, n, condition);
      continue;
    }
    // One warp, or one CTA, elected for some statements of a loop that all run: it rejoins the others.
    draft.fact.optional = !works(context, block);
    if (!inside_loop(n)) continue;
    tell_election(draft, cpp_elects(context, condition), true);
    context.roles.back().loops = false;
  }
}

namespace {
/// The innermost role around a node; none where it stands in no role's block.
const CppRole* role_around(const CppContext& context, Node n) {
  const CppRole* innermost = nullptr;
  for (const CppRole& role : context.roles)
    if (role.block.contains(n) && (!innermost || innermost->block.contains(role.block))) innermost = &role;
  return innermost;
}

/// Calls of this file's functions outside themselves, by the function's name.
std::map<std::string, std::vector<Node>> calls_of_functions(const CppContext& context) {
  std::map<std::string, std::vector<Node>> out;
  for (const Node n : context.nodes()) {
    if (!n.is(NodeKind::call_expression)) continue;
    const auto body = context.bodies.find(leaf_name(n.child(Field::function_field)));
    if (body != context.bodies.end() && !body->second.contains(n)) out[body->first].push_back(n);
  }
  return out;
}

/// The role that runs each function of this file: that of all its calls.
std::map<std::string, std::string> roles_of_functions(const CppContext& context) {
  const auto calls = calls_of_functions(context);
  std::map<std::string, std::string> out;
  for (int level = 0; level < 3; ++level)
    for (const auto& [name, sites] : calls) {
      if (out.count(name)) continue;
      std::string role;
      bool one = true;
      for (const Node site : sites) {
        const CppRole* around = role_around(context, site);
        std::string who = around ? around->name : std::string();
        const Node caller = site.enclosing(NodeKind::function_definition);
        if (who.empty() && caller)
          if (const auto known = out.find(leaf_name(cpp_function_name(caller))); known != out.end())
            who = known->second;
        one = one && !who.empty() && (role.empty() || role == who);
        role = who;
      }
      if (one && !role.empty()) out.emplace(name, role);
    }
  return out;
}
}  // namespace

void name_cpp_roles(CppContext& context) {
  std::map<std::string, std::string> functions;
  if (!context.roles.empty()) functions = roles_of_functions(context);
  for (CppDraft& draft : context.drafts) {
    if (const CppRole* role = role_around(context, draft.node)) {
      draft.fact.role = role->name;
      continue;
    }
    const Node function = draft.node.enclosing(NodeKind::function_definition);
    if (!function || draft.fact.family == Family::D1) continue;
    const std::string name = leaf_name(cpp_function_name(function));
    if (const auto runs = functions.find(name); runs != functions.end())
      draft.fact.role = runs->second;
    else if (draft.fact.family == Family::D2 && function_kind(function) == evidence::Function::Kind::device &&
             context.roles.empty())
      draft.fact.role = name;  // who calls it is not in this file
  }
}

}  // namespace cutelab::reading
