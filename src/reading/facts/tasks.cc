#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"
#include "reading/facts/remarks.h"

// Roles of the task scheduler: which warps a task takes and the registers it asks for.

namespace cutelab::reading {
using evidence::Family;
using source::Node;
using NodeKind = source::Kind;
namespace {

/// Task(warp_idx=0, num_warps=4): warps 0 to 3.
void add_task_warps(FactContext& context, Draft& draft, Node task) {
  const evidence::Value first = context.value(context.keyword(task, "warp_idx"));
  draft.fact.values["warps"] = first;
  const Node count_node = context.keyword(task, "num_warps");
  if (!count_node) return;
  const evidence::Value count = context.value(count_node);
  draft.fact.values["warp_count"] = count;
  if (!count.integer() || !first.integer() || *count.integer() < 1 || *count.integer() > 32) return;
  evidence::Value threads = evidence::literal(*count.integer() * 32);
  threads.known_by = evidence::KnownBy::computed;
  threads.formula = count.text() + " * 32";
  draft.fact.values["threads"] = threads;
  if (*count.integer() == 1) return;
  evidence::Value::List warps;
  for (std::int64_t w = 0; w < *count.integer(); ++w)
    warps.push_back(evidence::literal(*first.integer() + w));
  draft.fact.values["warps"].data = std::move(warps);
}
}  // namespace

/// Task(warp_idx=4, num_warps=1, schedule=…): the task scheduler's roles. The body is the function that makes
/// the task, as its schedule is defined there.
void extract_tasks(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    if (site.leaf != "Task" || !context.keyword(site.call, "warp_idx")) continue;
    std::string name;
    const Node given = context.keyword(site.call, "name");
    if (given.is(NodeKind::string)) {
      name = to_lower(source::string_value(given));
      if (name.ends_with("task") && name.size() > 4) name.resize(name.size() - 4);
    } else if (site.function >= 0) {
      name = context.module().functions()[static_cast<std::size_t>(site.function)].name;
    }
    while (name.ends_with("_")) name.pop_back();
    Draft& draft = context.add(Family::D1, evidence::kind::role, name, "task " + name, site.call);
    draft.construct = "Task";
    add_task_warps(context, draft, site.call);
    const Node registers = context.keyword(site.call, "num_registers");
    if (registers) draft.fact.values["registers"] = context.value(registers);
    draft.fact.values["elected"] = evidence::literal(false);
    draft.fact.values["condition"] = evidence::literal("the task scheduler's warps");
    if (registers) {
      Draft& budget = context.add(Family::D1, evidence::kind::register_budget, name,
                                  "register budget of task " + name + spill_remark, registers.parent());
      budget.construct = "task-registers";
      budget.fact.values["registers"] = context.value(registers);
      budget.fact.values["action"] = evidence::literal("change");
    }
    if (site.function < 0) continue;
    const Node body = context.module().functions()[static_cast<std::size_t>(site.function)].body;
    context.roles.push_back({name, site.call, body, site.call, false, false});
  }
}

}  // namespace cutelab::reading
