#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Assignment;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

std::string last_part(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  return std::string(dot == std::string_view::npos ? dotted : dotted.substr(dot + 1));
}

bool is_index_name(std::string_view text) {
  const std::string name = last_part(text);
  const std::string low = to_lower(name);
  return low.find("warp_idx") != std::string::npos || low.find("warp_id") != std::string::npos ||
         low.find("warp_group_idx") != std::string::npos || low.find("warpgroup_idx") != std::string::npos ||
         low.find("warp_group_role") != std::string::npos || low == "warp" || low == "wg_idx" ||
         low == "widx" || low.find("warp_group_thread") != std::string::npos || low == "wid" ||
         low == "warp_rank" || low.find("warp_role") != std::string::npos;
}

bool is_role_flag(std::string_view text) {
  const std::string low = to_lower(last_part(text));
  return low.starts_with("is_") &&
         (low.find("warp") != std::string::npos || low.find("producer") != std::string::npos ||
          low.find("consumer") != std::string::npos || low.find("dma") != std::string::npos);
}

bool is_leader(std::string_view text) { return to_lower(text).find("leader") != std::string::npos; }

bool mentions_index(Node condition) {
  for (std::uint32_t i = condition.index(); i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    if (n.is(NodeKind::identifier) && (is_index_name(n.text()) || is_role_flag(n.text()))) return true;
  }
  return false;
}

/// "mma" from self.mma_warp_id, "load" from load_warp_id, "warp 0" from a literal.
std::string role_name(Node condition) {
  for (std::uint32_t i = condition.index(); i < condition.end_index(); ++i) {
    const Node n = condition.tree()->at(i);
    if (!n.is(NodeKind::identifier)) continue;
    std::string name = to_lower(n.text());
    if (name == "self" || name == "warp_idx" || name == "warp_idx_in_wg" || name == "warp_group_idx" ||
        name == "cute" || name == "arch" || name == "const_expr" || name == "cutlass")
      continue;
    if (name.starts_with("is_")) name = name.substr(3);
    for (const char* tail : {"_warp_group_idx", "_warp_group_ids", "_warp_group_id", "_warpgroup_idx",
                             "_warp_group", "_warp_ids", "_warp_id", "_warps", "_warp", "_id", "_ids"})
      if (name.ends_with(tail)) {
        name = name.substr(0, name.size() - std::string_view(tail).size());
        break;
      }
    if (!name.empty() && !is_index_name(name)) return name;
  }
  return std::string(condition.text().substr(0, 40));
}

bool holds_loop(Node block) {
  for (std::uint32_t i = block.index(); block && i < block.end_index(); ++i) {
    const Node n = block.tree()->at(i);
    if (n.is(NodeKind::for_statement) || n.is(NodeKind::while_statement)) return true;
  }
  return false;
}

bool inside_device_code(const FactContext& context, Node n) {
  const source::PythonModule& module = context.module();
  for (int f = module.function_at(n); f >= 0; f = module.functions()[static_cast<std::size_t>(f)].enclosing)
    if (module.functions()[static_cast<std::size_t>(f)].name != "__init__") return true;
  return false;
}

void add_dispatch(FactContext& context, Node condition, Node block, Node statement) {
  RoleBlock role{role_name(condition), condition, block, !holds_loop(block)};
  Draft& draft = context.add(Family::D1, evidence::kind::role, role.name,
                             "only where " + std::string(condition.text().substr(0, 100)), statement);
  draft.construct = "dispatch";
  draft.fact.values["condition"] = evidence::literal(std::string(condition.text().substr(0, 200)));
  draft.fact.values["elected"] = evidence::literal(role.elected);
  context.roles.push_back(std::move(role));
}

/// A branch of device code on something the file's configuration decides: with const_expr only one side is
/// traced; a plain if on such a value traces both sides.
void add_branch(FactContext& context, Node statement) {
  const Node condition = statement.child(Field::condition_field);
  const bool compile_time = condition.text().find("const_expr") != std::string_view::npos;
  const Abstract value = context.evaluator.value_of(0, condition);
  const bool decided = value.is_number() || value.is(Abstract::Kind::none);
  if (!compile_time && !decided) return;
  Draft& draft =
      context.add(Family::D1, "branch", std::string(condition.text().substr(0, 80)),
                  compile_time ? "decided while tracing: one side is compiled"
                               : "a plain if on a value known while tracing: both sides are compiled",
                  statement);
  draft.construct = "branch";
  draft.fact.optional = true;
  draft.fact.values["decided"] = evidence::literal(compile_time ? "compile-time" : "run-time");
  draft.fact.values["taken"] =
      decided ? evidence::literal(value.number != 0) : context.value(value, condition);
}

bool in_device_function(const FactContext& context, Node n) {
  const source::PythonModule& module = context.module();
  for (int f = module.function_at(n); f >= 0; f = module.functions()[static_cast<std::size_t>(f)].enclosing)
    if (module.functions()[static_cast<std::size_t>(f)].has_decorator("kernel")) return true;
  return false;
}

void add_dispatches(FactContext& context) {
  const source::Tree& tree = context.module().tree();
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const Node n = tree.at(i);
    if (!n.is(NodeKind::if_statement) && !n.is(NodeKind::elif_clause)) continue;
    const Node condition = n.child(Field::condition_field);
    if (!inside_device_code(context, n)) continue;
    if (mentions_index(condition)) {
      add_dispatch(context, condition, n.child(Field::consequence_field), n);
    } else if (is_leader(condition.text())) {
      Draft& draft = context.add(Family::D1, evidence::kind::identity,
                                 std::string(condition.text().substr(0, 60)), "leader only", n);
      draft.construct = "leader-test";
    } else if (in_device_function(context, n)) {
      add_branch(context, n);
    }
  }
}

/// self.mma_warp_id = 4, _WARP_PROD = 0, is_leader_cta = …: numbers and tests that roles are told by.
void add_role_constants(FactContext& context) {
  for (const Assignment& a : context.module().assignments()) {
    if (!a.value || a.form != Assignment::Form::plain || !a.slots.empty()) continue;
    const std::string low = to_lower(last_part(a.name));
    const bool id = (low.find("warp_id") != std::string::npos && low.find("warp_idx") == std::string::npos) ||
                    (low.find("_warp_") != std::string::npos && low.ends_with("_id")) ||
                    low.find("warp_group_id") != std::string::npos || low.starts_with("_warp_") ||
                    low.ends_with("_warps") || low.ends_with("_warp_groups");
    const bool registers = low.find("register_requirement") != std::string::npos ||
                           low.starts_with("num_regs") || low.starts_with("num_mma_regs") ||
                           low.starts_with("num_producer_regs");
    const bool flag = is_role_flag(low) || is_leader(low);
    const bool index =
        (low.find("warp_group_idx") != std::string::npos || low == "warp_idx") && !a.value.is(NodeKind::call);
    if (!id && !registers && !flag && !index) continue;
    if (low.ends_with("_ids") && a.value.is(NodeKind::call)) continue;
    Draft& draft =
        context.add(Family::D1,
                    registers       ? evidence::kind::register_budget
                    : flag || index ? evidence::kind::identity
                                    : evidence::kind::role,
                    a.name, a.name + " = " + std::string(a.value.text().substr(0, 100)), a.statement);
    draft.fact.values[registers ? "registers" : "warps"] = context.value(a.value);
    draft.construct = registers ? "register-constant"
                      : flag    ? "role-flag"
                      : index   ? "warpgroup-index"
                                : "role-constant";
  }
}

void complete_register_facts(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != evidence::kind::register_budget || !draft.node.is(NodeKind::call)) continue;
    const Node count = draft.node.child(Field::arguments_field).first();
    if (count) draft.fact.values["registers"] = context.value(count);
    const bool up =
        draft.construct.find("increase") != std::string::npos || draft.construct.ends_with("reg_alloc");
    draft.fact.values["action"] = evidence::literal(up                                    ? "increase"
                                                    : draft.construct == "setmaxregister" ? "change"
                                                                                          : "decrease");
  }
}
/// What a block does, told by the facts on its lines and by the helpers it calls; "" when it does none of the
/// jobs roles are named for.
std::string work_of(FactContext& context, Node block) {
  bool loads = false, multiplies = false, stores = false, prefetches = false;
  for (const Draft& d : context.drafts) {
    if (!block.contains(d.node)) continue;
    loads = loads || d.construct == "tma-load" || d.construct.find("shared_cluster") != std::string::npos;
    multiplies = multiplies || d.fact.kind == evidence::kind::gemm;
    stores = stores || d.construct == "tma-store";
    prefetches = prefetches || d.fact.kind == "descriptor-prefetch";
  }
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (!block.contains(site.call) || site.receiver.empty() || (multiplies && loads)) continue;
    if (!context.evaluator.callee_function(0, site.call, &m, &f)) continue;
    multiplies = multiplies || context.function_contains(m, f, {"gemm"});
  }
  if (multiplies) return loads ? "load and mma" : "mma";
  if (loads) return "load";
  return stores ? "store" : prefetches ? "prefetch" : "";
}

/// A branch on `==` or `in` is named for its constant; any other for what it does.
void name_roles_by_work(FactContext& context) {
  for (RoleBlock& role : context.roles) {
    const std::string_view condition = role.condition.text();
    const bool named =
        condition.find("self.") != std::string_view::npos &&
        (condition.find("==") != std::string_view::npos || condition.find(" in ") != std::string_view::npos);
    const bool flag = role.condition.is(NodeKind::identifier) || role.condition.is(NodeKind::attribute);
    if (named || flag) continue;
    const std::string work = work_of(context, role.block);
    if (work.empty()) continue;
    for (Draft& draft : context.drafts)
      if (draft.construct == "dispatch" && draft.node.child(Field::condition_field) == role.condition)
        draft.fact.subject = work;
    role.name = work;
  }
}

}  // namespace

void name_roles(FactContext& context) { name_roles_by_work(context); }

void extract_roles(FactContext& context) {
  add_dispatches(context);
  add_role_constants(context);
  complete_register_facts(context);
}

}  // namespace cutelab::reading
