#include <algorithm>
#include <array>

#include "reading/models/runtime.h"

/// cutlass.experimental.task_scheduling: resources and their shared-memory layout run as the library writes
/// them (memory.py, resources.py); the manager of tasks, whose sources check and build compiled operations,
/// is told here as far as it takes shared memory. Record "TaskManager": tasks, smem_allocator, setup (a
/// flag).
namespace cutelab::reading::machine {
namespace task_scheduling_models {

std::optional<Value> in_library(Call&) { return std::nullopt; }

constexpr std::array<std::pair<std::string_view, int>, 7> task_parts = {{{"src_resources", 0},
                                                                         {"dst_resources", 1},
                                                                         {"warp_idx", 2},
                                                                         {"num_warps", 3},
                                                                         {"schedule", -1},
                                                                         {"num_registers", -1},
                                                                         {"name", -1}}};

std::optional<Value> task(Call& call) {
  Record* made = record_of(call, "Task");
  for (const auto& [name, position] : task_parts)
    put(call.machine, made, name, call.get(position, name, Value::none()));
  return made;
}

/// `super().__init__(…)` of a class derived from Task.
std::optional<Value> derived_task(Call& call) {
  Instance* self = call.self.as<Instance>();
  if (!self) return std::nullopt;
  for (const auto& [name, position] : task_parts)
    call.machine.set(self->attributes, call.machine.symbol(name), call.get(position, name, Value::none()));
  return Value::none();
}

Value part_of(Machine& m, const Value& task, std::string_view name) {
  if (const Record* record = record_if(task, "Task")) return m.field(record, name);
  const Instance* derived = task.as<Instance>();
  const Value* found = derived ? derived->attributes.find(m.symbol(name)) : nullptr;
  return found ? *found : m.unknown("a task that is not known", std::string(name));
}

std::optional<Value> manager(Call& call) {
  return record_of(
      call, "TaskManager",
      {{"tasks", call.get(0, "tasks")}, {"smem_allocator", call.get(4, "smem_allocator", Value::none())}});
}

/// The resources of all tasks, each once, in the order in which the tasks name them; nullopt = not known.
std::optional<std::vector<Value>> resources_of(Machine& m, const Record* manager) {
  const auto tasks = m.items(m.field(manager, "tasks"));
  if (!tasks) return std::nullopt;
  std::vector<Value> out;
  for (const Value& one : *tasks) {
    for (const char* side : {"src_resources", "dst_resources"}) {
      const auto resources = m.items(part_of(m, one, side));
      if (!resources) return std::nullopt;
      for (const Value& resource : *resources) {
        if (!resource.as<Instance>()) return std::nullopt;
        const bool there =
            std::any_of(out.begin(), out.end(), [&](const Value& known) { return known.same(resource); });
        if (!there) out.push_back(resource);
      }
    }
  }
  return out;
}

void not_known(Machine& m) {
  if (m.current_launch()) m.current_launch()->allocated_known = false;
}

/// A pipeline group shares barriers among its members: what it takes is not told here.
bool grouped(Machine& m, const Value& resource) {
  const Value* group = resource.as<Instance>()->attributes.find(m.symbol("pipeline_group"));
  return group && !group->is_none();
}

/// One block of shared memory for what the allocator laid out, then each resource makes its pipeline.
std::optional<Value> setup(Call& call) {
  Machine& m = call.machine;
  const Record* self = record_if(call.self, "TaskManager");
  const auto resources = resources_of(m, self);
  if (!resources) {
    not_known(m);
    return Value::none();
  }
  const auto run = [&](const Value& object, const char* name) {
    const Value method = m.attribute(object, name, call.node, call.module);
    if (!method.as<Method>()) not_known(m);  // the library's sources are not at hand
    return m.call(method, {}, {}, call.node, call.module);
  };
  const Value allocator = m.field(self, "smem_allocator");
  if (!allocator.is_none()) {
    if (!allocator.as<Instance>() || run(allocator, "allocate").is_unknown()) not_known(m);
    run(allocator, "assign_barrier_ptrs");
  }
  for (const Value& resource : *resources) {
    if (m.raising()) return Value();
    if (grouped(m, resource)) not_known(m);
    run(resource, "create");
  }
  return m.raising() ? Value() : Value::none();
}

void run_schedule(Call& call, const Record* schedule) {
  Machine& m = call.machine;
  std::vector<std::pair<Symbol, Value>> keywords;
  for (const auto& [name, value] : m.field(schedule, "keywords").as<Dict>()->items)
    keywords.emplace_back(m.symbol(text_in(name).value_or("")), value);
  m.call(m.field(schedule, "function"), m.field(schedule, "arguments").as<Tuple>()->items,
         std::move(keywords), schedule->made_at, schedule->made_in);
}

/// Each task's schedule, once: what it takes of shared memory is taken as often as its work is made into
/// code.
std::optional<Value> run_tasks(Call& call) {
  Machine& m = call.machine;
  const auto tasks = m.items(m.field(record_if(call.self, "TaskManager"), "tasks"));
  if (!tasks) return Value::none();
  const std::int64_t taken = m.current_launch() ? m.current_launch()->allocated : 0;
  for (const Value& one : *tasks) {
    if (const Record* schedule = record_if(part_of(m, one, "schedule"), "Schedule"))
      run_schedule(call, schedule);
    if (m.raising()) return Value();
  }
  if (m.current_launch() && m.current_launch()->allocated != taken) not_known(m);
  return Value::none();
}

}  // namespace task_scheduling_models

void add_task_scheduling(Natives& natives) {
  using namespace task_scheduling_models;
  for (const char* name : {"memory.SmemAllocator", "memory.TmemAllocator"})
    natives.function("cutlass", name, in_library);
  natives.function("cutlass", "task.Task", task);
  natives.function("cutlass", "task.Task.__init__", derived_task);
  natives.function("cutlass", "task_manager.TaskManager", manager);
  natives.method("TaskManager", "setup_resources_and_tasks", setup);
  natives.method("TaskManager", "run", run_tasks);
  // Schedules are recorded here and made into code when the manager runs; none of it takes shared memory.
  for (const char* name :
       {"schedule_builder.domain_loop", "schedule_builder.work_tile_loop", "task_scheduling.domain_loop",
        "task_scheduling.work_tile_loop", "resources.TaskLocalVariable", "TaskLocalVariable.uninitialized",
        "resources.StageInfo"})
    natives.function("cutlass", name, answer_runtime);
}

}  // namespace cutelab::reading::machine
