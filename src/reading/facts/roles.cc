#include <algorithm>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"
#include "reading/facts/remarks.h"
#include "reading/facts/role_names.h"

namespace cutelab::reading {
using evidence::Family;
using source::Assignment;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// What a loop may do and still be set-up: the warp that runs it rejoins the others.
bool is_setup(std::string_view leaf) {
  static constexpr std::string_view names[] = {"mbarrier_init",
                                               "mbarrier_arrive",
                                               "prefetch_descriptor",
                                               "prefetch_tensormap",
                                               "const_expr",
                                               "range",
                                               "range_constexpr",
                                               "subview",
                                               "elect_sync",
                                               "elect_one",
                                               "init",
                                               "advance"};
  return std::find(std::begin(names), std::end(names), leaf) != std::end(names);
}

/// A loop that does a role's work: not a spin on one barrier, not the set-up of descriptors or barriers.
bool works(Node loop) {
  const Node body = loop.child(Field::body_field);
  if (body.first().is(NodeKind::pass_statement)) return false;
  bool calls = false;
  for (std::uint32_t i = body.index(); body && i < body.end_index(); ++i) {
    const Node n = body.tree()->at(i);
    if (n.is(NodeKind::assignment) && n.child(Field::left_field).is(NodeKind::subscript)) return true;
    if (!n.is(NodeKind::call)) continue;
    calls = true;
    if (!is_setup(leaf_name(n.child(Field::function_field).text()))) return true;
  }
  return !calls;
}

/// Functions of cute_ext that loop themselves: over the tiles of k, over the parts of an output tile.
bool loops_in_library(Node call) {
  const auto leaf = leaf_name(call.child(Field::function_field).text());
  return leaf == "mainloop_mma" || leaf == "epilogue_tma_store";
}

bool holds_loop(FactContext& context, Node block) {
  static const std::vector<std::string> work = {"producer_acquire",
                                                "producer_acquire_w_index",
                                                "producer_acquire_w_index_phase",
                                                "producer_acquire_and_get_stage",
                                                "acquire_and_advance",
                                                "consumer_wait",
                                                "consumer_wait_w_index",
                                                "consumer_wait_w_index_phase",
                                                "consumer_wait_and_get_stage",
                                                "wait_and_advance",
                                                "gemm",
                                                "copy"};
  for (std::uint32_t i = block.index(); block && i < block.end_index(); ++i) {
    const Node n = block.tree()->at(i);
    if ((n.is(NodeKind::for_statement) || n.is(NodeKind::while_statement)) && works(n)) return true;
    if (n.is(NodeKind::call) && loops_in_library(n)) return true;
    // A function of the role's own: its loop works on a pipeline or the tensor cores.
    int m = 0, f = -1;
    if (n.is(NodeKind::call) && context.evaluator.callee_function(0, n, &m, &f) &&
        context.function_loops(m, f) && context.function_contains(m, f, work))
      return true;
  }
  return false;
}

/// A condition with its blanks as in running text.
std::string in_running_text(Node condition, std::size_t most) {
  std::string out;
  for (const char c : condition.text()) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ' && out.back() != '(')
      out += ' ';
  }
  out = replace_all(out, " )", ")");
  if (out.size() > most) out = out.substr(0, out.find_last_of(' ', most)) + " …";
  return out;
}

void add_dispatch(FactContext& context, Node condition, Node block, Node statement) {
  RoleBlock role{role_name(context, condition), condition, block, statement,
                 !holds_loop(context, block),   false};
  Draft& draft = context.add(Family::D1, evidence::kind::role, role.name,
                             "only where " + in_running_text(condition, 100), statement);
  draft.construct = "dispatch";
  draft.fact.values["condition"] = evidence::literal(in_running_text(condition, 200));
  draft.fact.values["elected"] = evidence::literal(role.elected);
  if (role.elected && only_prepares(block)) draft.fact.values["prepares"] = evidence::literal(true);
  context.roles.push_back(std::move(role));
}

/// The `else` of a test of the warp is a role when it holds a loop of its own.
void add_other_side(FactContext& context, Node condition, Node other) {
  const Node block = other.child(Field::body_field);
  if (!other.is(NodeKind::else_clause) || !holds_loop(context, block)) return;
  RoleBlock role{"other warps", condition, block, other, false, true};
  Draft& draft = context.add(Family::D1, evidence::kind::role, role.name,
                             "where not " + in_running_text(condition, 100), other);
  draft.construct = "dispatch";
  draft.fact.values["condition"] = evidence::literal("not (" + in_running_text(condition, 200) + ")");
  draft.fact.values["elected"] = evidence::literal(false);
  context.roles.push_back(std::move(role));
}

bool holds_constant(Node condition) { return condition.text().find("const_expr") != std::string_view::npos; }

/// A branch of device code on something the file's configuration decides: with const_expr only one side is
/// traced; a plain if on such a value traces both sides.
void add_branch(FactContext& context, Node statement) {
  const Node condition = statement.child(Field::condition_field);
  const Abstract value = context.evaluator.value_of(0, condition);
  const bool decided = value.is_number() || value.is(Abstract::Kind::none);
  const bool mixed = !decided && holds_constant(condition) && !is_constant(condition);
  const bool compile_time = holds_constant(condition) && !mixed;
  const bool by_launch = !decided && constant_of_kernel(context, condition);
  if (!compile_time && !decided && !by_launch && !mixed) return;
  Draft& draft = context.add(Family::D1, "branch", std::string(condition.text().substr(0, 80)),
                             compile_time ? "decided while tracing: one side is compiled"
                             : mixed      ? "partly known while tracing: what stays is tested at run time"
                                     : "a plain if on a value known while tracing: both sides are compiled",
                             statement);
  draft.construct = "branch";
  draft.fact.optional = !by_launch;
  draft.fact.values["decided"] = evidence::literal(compile_time ? "compile-time" : "run-time");
  const bool passed_by = statement.is(NodeKind::elif_clause) && is_behind_taken(context, statement);
  draft.fact.values["taken"] = passed_by || decided ? evidence::literal(!passed_by && value.number != 0)
                                                    : context.value(value, condition);
}

void add_dispatches(FactContext& context) {
  for (const Node n : context.module().tree().all({NodeKind::if_statement, NodeKind::elif_clause})) {
    const Node condition = n.child(Field::condition_field);
    if (!runs_on_device(context, n)) continue;
    if (mentions_index(context, condition)) {
      add_dispatch(context, condition, n.child(Field::consequence_field), n);
      for (Node next = n.child(Field::alternative_field); next; next = next.next())
        add_other_side(context, condition, next);
    } else if (is_leader(condition.text())) {
      Draft& draft = context.add(Family::D1, evidence::kind::identity,
                                 std::string(condition.text().substr(0, 60)), "leader only", n);
      draft.construct = "leader-test";
    } else {
      add_branch(context, n);
    }
  }
}

bool names_warpgroups(const std::string& low) {
  return low.find("warp_group") != std::string::npos ||
         (low.find("warpgroup") != std::string::npos && !low.ends_with("_warps"));
}

/// warp_group_idx, warpgroup_tidx = tidx % 128: where a thread or warp is, computed from another index.
bool names_index(const std::string& low, Node value) {
  const bool group = low.find("warp_group_idx") != std::string::npos;
  if (value.is(NodeKind::call))
    return group && leaf_name(value.child(Field::function_field).text()) == "make_warp_uniform";
  if (group || low == "warp_idx") return true;
  const std::string_view text = value.text();
  return names_warpgroups(low) &&
         (low.ends_with("_tidx") || low.ends_with("_widx") || low.ends_with("_idx")) &&
         value.is(NodeKind::binary_operator) && text.find("idx") != std::string_view::npos;
}

/// num_mma_warps, convert_warpgroups: a number of them. load_warp_ids, or a tuple: which.
bool counts_warps(const std::string& low, Node value) {
  if (low.find("_id") != std::string::npos || value.is(NodeKind::tuple) || value.is(NodeKind::list))
    return false;
  return low.starts_with("num_") || low.ends_with("_warps") || low.ends_with("_warp_groups") ||
         low.ends_with("_warpgroups");
}

/// Whether a name may be one of those below: most are not.
bool may_tell_roles(const std::string& low) {
  return low.starts_with("is_") || low.find("warp") != std::string::npos ||
         low.find("reg") != std::string::npos || low.find("leader") != std::string::npos;
}

/// self.mma_warp_id = 4, _WARP_PROD = 0, is_leader_cta = …: numbers and tests that roles are told by.
void add_role_constants(FactContext& context) {
  for (const Assignment& a : context.module().assignments()) {
    if (!a.value || a.form != Assignment::Form::plain || !a.slots.empty()) continue;
    const std::string low = to_lower(leaf_name(a.name));
    if (!may_tell_roles(low)) continue;
    const bool id =
        (low.find("warp_id") != std::string::npos && low.find("warp_idx") == std::string::npos) ||
        (low.find("_warp_") != std::string::npos && low.ends_with("_id")) ||
        (low.find("warp_group_id") != std::string::npos && low.find("warp_group_idx") == std::string::npos) ||
        low.find("_warpgroup_id") != std::string::npos || low.starts_with("_warp_") ||
        low.ends_with("_warps") || low.ends_with("_warp_groups") || low.ends_with("_warpgroups") ||
        (low.starts_with("_") && low.ends_with("_warp"));
    if (low.ends_with("_size") || low.ends_with("_threads")) continue;
    const bool registers = low.find("register_requirement") != std::string::npos ||
                           low.starts_with("num_regs") || low.starts_with("num_mma_regs") ||
                           low.starts_with("num_producer_regs");
    const bool flag = is_role_flag(low) || is_leader(low);
    const bool index = names_index(low, a.value);
    if (!id && !registers && !flag && !index) continue;
    const std::string maker =
        a.value.is(NodeKind::call) ? leaf_name(a.value.child(Field::function_field).text()) : "";
    if (maker == "CooperativeGroup" || (low.ends_with("_ids") && !maker.empty() && !names_warpgroups(low)))
      continue;
    const bool count = id && counts_warps(low, a.value);
    const bool groups = names_warpgroups(low);
    Draft& draft =
        context.add(Family::D1,
                    registers       ? evidence::kind::register_budget
                    : flag || index ? evidence::kind::identity
                    : count         ? "warp-count"
                                    : evidence::kind::role,
                    a.name, a.name + " = " + std::string(a.value.text().substr(0, 100)), a.statement);
    draft.fact.values[registers                                ? "registers"
                      : count                                  ? groups ? "warpgroup_count" : "warp_count"
                      : flag && !a.value.is(NodeKind::integer) ? "test"
                      : index                                  ? "index"
                      : groups                                 ? "warpgroups"
                                                               : "warps"] =
        index ? evidence::literal(in_running_text(a.value, 100)) : context.value(a.value);
    draft.construct = registers ? "register-constant"
                      : flag    ? "role-flag"
                      : index   ? "warpgroup-index"
                                : "role-constant";
  }
}

/// Which way a call changes the registers: its name says so, or its second argument
/// ("SetMaxRegisterAction.DECREASE").
evidence::Value register_action(const FactContext& context, const Draft& draft) {
  const bool up =
      draft.construct.find("increase") != std::string::npos || draft.construct.ends_with("reg_alloc");
  if (draft.construct != "setmaxregister") return evidence::literal(up ? "increase" : "decrease");
  Node action = context.keyword(draft.node, "action");
  if (!action) action = context.positional(draft.node, 1);
  const std::string text = action ? to_lower(leaf_name(action.text())) : "";
  if (text == "increase" || text == "decrease") return evidence::literal(text);
  return evidence::literal("change");
}

void complete_register_facts(FactContext& context) {
  for (Draft& draft : context.drafts) {
    if (draft.fact.kind != evidence::kind::register_budget || !draft.node.is(NodeKind::call)) continue;
    const Node count = draft.node.child(Field::arguments_field).first();
    if (count) draft.fact.values["registers"] = context.value(count);
    draft.fact.values["action"] = register_action(context, draft);
    draft.fact.says += spill_remark;
  }
}
/// Whether a function, or one it calls, is the producer of a ring that copies fill; a ring of scores or
/// accumulators is filled by other work.
bool fills_by_copies(const FactContext& context, int function, int depth = 0) {
  if (function < 0 || depth > 3) return false;
  for (const Draft& d : context.drafts) {
    if (d.fact.kind != evidence::kind::acquire || context.module().function_at(d.node) != function) continue;
    const auto named = d.fact.values.find("class");
    const std::string type = named == d.fact.values.end() ? "" : named->second.text();
    if (!type.starts_with("PipelineAsync") && !type.starts_with("PipelineUmma") && !type.starts_with("UMMA"))
      return true;
  }
  for (const evidence::Function::Call& call :
       context.reading.functions[static_cast<std::size_t>(function)].calls)
    if (call.callee != function && fills_by_copies(context, call.callee, depth + 1)) return true;
  return false;
}

/// What a block does, told by the facts on its lines and by the helpers it calls; "" when it does none of the
/// jobs roles are named for.
std::string work_of(FactContext& context, Node block) {
  bool loads = false, multiplies = false, stores = false, writes = false, prefetches = false, fills = false;
  bool loads_always = false;  // and not only where an option asks for it, as for a source of the epilogue
  for (const Draft& d : context.drafts) {
    if (!block.contains(d.node)) continue;
    const auto operation = d.fact.values.find("operation");
    const std::string moved = operation == d.fact.values.end() ? "" : operation->second.text();
    const bool load = d.construct == "tma-load" || moved == "tma-load" || moved == "bulk-load";
    loads = loads || load;
    loads_always =
        loads_always || (load && context.evaluator.active(0, d.node).state == evidence::Tristate::yes);
    multiplies = multiplies || d.fact.kind == evidence::kind::gemm;
    stores = stores || d.construct == "tma-store" || moved == "tma-store" || moved == "tma-reduce" ||
             moved == "bulk-store";
    writes = writes || d.construct == "library-epilogue" || d.construct == "epilogue-helper" ||
             d.construct == "direct-store";
    prefetches = prefetches || d.fact.kind == "descriptor-prefetch";
  }
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (!block.contains(site.call) || site.receiver.empty() || multiplies) continue;
    if (!context.evaluator.callee_function(0, site.call, &m, &f)) continue;
    multiplies = context.function_contains(m, f, {"gemm"});
    fills = fills || (m == 0 ? fills_by_copies(context, f)
                             : context.function_contains(m, f, {"producer_acquire", "acquire_and_advance"}));
  }
  loads = loads || (fills && !multiplies);
  if (multiplies) return loads_always ? "load and mma" : "mma";
  if (loads) return "load";
  if (writes) return "epilogue";
  return stores ? "store" : prefetches ? "prefetch" : "";
}

/// The name of the constant that lists the warps of a branch: self.softmax_warp_ids = (0, 1, 2, 3) where the
/// branch is below the next role's first warp; "" = none, or several do.
std::string constant_with_its_warps(const FactContext& context, const RoleBlock& role) {
  std::string warps, name;
  for (const Draft& d : context.drafts)
    if (d.construct == "dispatch" && d.node == role.statement)
      if (const auto known = d.fact.values.find("warps"); known != d.fact.values.end())
        warps = known->second.text();
  if (warps.empty() || warps.find('?') != std::string::npos) return {};
  for (const Draft& d : context.drafts) {
    const auto known = d.fact.values.find("warps");
    if (d.fact.kind != evidence::kind::role || d.fact.values.count("condition") ||
        known == d.fact.values.end() || known->second.text() != warps)
      continue;
    const std::string one = role_of_constant(d.fact.subject);
    if (one.empty() || (!name.empty() && name != one)) return {};
    name = one;
  }
  return name;
}

/// A branch that singles out a constant is named for it; any other for what it does, or for its warps.
void name_roles_by_work(FactContext& context) {
  for (RoleBlock& role : context.roles) {
    if (role.condition == role.statement) continue;  // a task has its name
    const bool rejoins = alone_and_rejoins(context, role);
    for (Draft& draft : context.drafts)
      if (rejoins && draft.construct == "dispatch" && draft.node == role.statement)
        draft.fact.values["rejoins"] = evidence::literal(true);
    const bool named = !constant_name(context, role.condition).empty();
    const bool flag = role.condition.is(NodeKind::identifier) || role.condition.is(NodeKind::attribute);
    if ((named || flag) && !role.otherwise) continue;
    std::string work = work_of(context, role.block);
    // That it stores says less than the constant whose warps these are: epilog_warp_id = (0, 1, 2, 3).
    const bool telling = !work.empty() && work != "store" && work != "prefetch";
    if (!telling && !named && !flag && !role.otherwise)
      if (std::string constant = constant_with_its_warps(context, role); !constant.empty()) work = constant;
    if (work.empty() || (rejoins && (work == "epilogue" || work == "store"))) continue;  // all store
    for (Draft& draft : context.drafts)
      if (draft.construct == "dispatch" && draft.node == role.statement) draft.fact.subject = work;
    role.name = work;
  }
}

}  // namespace

void name_roles(FactContext& context) { name_roles_by_work(context); }

void extract_roles(FactContext& context) {
  add_dispatches(context);
  extract_tasks(context);
  add_role_constants(context);
  complete_register_facts(context);
}

}  // namespace cutelab::reading
