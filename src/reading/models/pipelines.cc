#include <string>

#include "reading/models/element_types.h"
#include "reading/models/runtime.h"
#include "reading/models/storage.h"

/// cutlass.pipeline: what a pipeline was made of; its phases are known only at run time.
///
/// Record "pipeline" (path ends in "PipelineTmaAsync.create"): num_stages, producer_group, consumer_group,
/// tx_count, barrier_storage, cta_layout_vmnk, defer_sync, name where the call gives them. Record
/// "CooperativeGroup": agent, size. Record "NamedBarrier": barrier_id, num_threads.
namespace cutelab::reading::machine {
namespace pipeline_models {

std::optional<Value> group(Call& call) {
  return record_of(call, "CooperativeGroup",
                   {{"agent", call.get(0, "agent")}, {"size", call.get(1, "size", Value::integer(1))}});
}

std::optional<Value> named_barrier(Call& call) {
  return record_of(call, "NamedBarrier",
                   {{"barrier_id", call.get(0, "barrier_id")}, {"num_threads", call.get(1, "num_threads")}});
}

/// Barriers of a pipeline that was given no storage are taken at the low end of shared memory.
void take_barriers(Call& call, const Value& stages, std::int64_t per_stage) {
  const Value bytes = call.machine.arithmetic("*", stages, Value::integer(8 * per_stage));
  take_shared(call, bytes, Value::integer(8), Partition::reserved);
}

template <int barriers_per_stage>
std::optional<Value> pipeline(Call& call) {
  Record* made = record_of(call, "pipeline");
  for (const auto& [name, value] : call.keywords) made->fields.at(name) = value;
  if (barriers_per_stage > 0 && call.get(-1, "barrier_storage", Value::none()).is_none())
    take_barriers(call, call.get(-1, "num_stages"), barriers_per_stage);
  return made;
}

std::optional<Value> order(Call& call) {
  Record* made = record_of(call, "pipeline");
  for (const auto& [name, value] : call.keywords) made->fields.at(name) = value;
  const Value stages = call.machine.arithmetic("*", call.get(-1, "depth"), call.get(-1, "length"));
  put(call.machine, made, "num_stages", stages);
  if (call.get(-1, "barrier_storage", Value::none()).is_none()) take_barriers(call, stages, 2);
  return made;
}

std::optional<Value> mbarrier_array(Call& call) {
  return record_of(call, "MbarrierArray",
                   {{"barrier_storage", call.get(0, "barrier_storage")},
                    {"num_stages", call.get(1, "num_stages")},
                    {"agent", call.get(2, "agent")},
                    {"tx_count", call.get(3, "tx_count", Value::integer(0))}});
}

Record* state_of(Call& call, const Value& stages) {
  const auto runtime = [&](const char* what) {
    return call.machine.unknown("a pipeline's state at run time", {}, std::string(call.path) + "." + what);
  };
  return record_of(call, "PipelineState",
                   {{"stages", stages},
                    {"index", runtime("index")},
                    {"count", runtime("count")},
                    {"phase", runtime("phase")}});
}

std::optional<Value> make_state(Call& call) {
  Record* made = state_of(call, call.get(1, "stages"));
  put(call.machine, made, "user", call.get(0, "type"));
  return made;
}

std::optional<Value> new_state(Call& call) { return state_of(call, call.get(0, "stages")); }

/// The producer's or consumer's end: Record "participant" with the pipeline and its side.
Value end_of(Call& call, const Value& pipeline, const char* side) {
  Machine& m = call.machine;
  Record* state = state_of(call, m.field(pipeline.as<Record>(), "num_stages"));
  return record_of(call, "participant", {{"pipeline", pipeline}, {"side", m.text(side)}, {"state", state}});
}

std::optional<Value> producer(Call& call) { return end_of(call, call.self, "producer"); }
std::optional<Value> consumer(Call& call) { return end_of(call, call.self, "consumer"); }

std::optional<Value> participants(Call& call) {
  return call.machine.tuple({end_of(call, call.self, "producer"), end_of(call, call.self, "consumer")});
}

/// A stage in hand: index, barrier, commit or release.
std::optional<Value> handle(Call& call) {
  Machine& m = call.machine;
  const auto runtime = [&](const char* what) {
    return m.unknown("a pipeline's state at run time", {}, std::string(call.path) + "." + what);
  };
  return record_of(call, "stage",
                   {{"index", runtime("index")},
                    {"count", runtime("count")},
                    {"phase", runtime("phase")},
                    {"barrier", shared_pointer(call, element_type(m, "Int64"), runtime("barrier"))},
                    {"participant", call.self}});
}

std::optional<Value> barrier(Call& call) {
  return shared_pointer(call, element_type(call.machine, "Int64"),
                        call.machine.unknown("the stage is known only at run time"));
}

std::optional<Value> copy_of_state(Call& call) {
  const Record* self = call.self.as<Record>();
  return self ? std::optional<Value>(state_of(call, call.machine.field(self, "stages"))) : std::nullopt;
}

std::optional<Value> arrive_count(Machine& m, const Value& self) {
  const Record* group = record_if(self, "CooperativeGroup");
  return group ? std::optional<Value>(m.field(group, "size")) : std::nullopt;
}

void add_methods(Natives& natives) {
  for (const char* name : {"producer_acquire", "producer_commit", "producer_tail", "consumer_wait",
                           "consumer_release", "arrive", "wait", "arrive_and_drop"})
    natives.method("pipeline", name, answer_none);
  for (const char* name : {"producer_try_acquire", "consumer_try_wait"})
    natives.method("pipeline", name, answer_runtime);
  for (const char* name : {"producer_get_barrier", "consumer_get_barrier", "get_barrier"})
    natives.method("pipeline", name, barrier);
  natives.method("pipeline", "make_producer", producer);
  natives.method("pipeline", "make_consumer", consumer);
  natives.method("pipeline", "make_participants", participants);
  for (const char* name : {"acquire", "acquire_and_advance", "wait", "wait_and_advance"})
    natives.method("participant", name, handle);
  for (const char* name : {"advance", "commit", "release", "tail", "reset"})
    natives.method("participant", name, answer_none);
  for (const char* name : {"try_acquire", "try_wait"}) natives.method("participant", name, answer_runtime);
  natives.method("participant", "clone", answer_self);
  natives.method("participant", "current_handle", handle);
  for (const char* name : {"commit", "release"}) natives.method("stage", name, answer_none);
  natives.method("stage", "get_origin", answer_self);
  for (const char* name : {"advance", "reset_count", "reverse"})
    natives.method("PipelineState", name, answer_none);
  natives.method("PipelineState", "clone", copy_of_state);
  for (const char* name : {"arrive", "wait", "arrive_and_wait", "sync", "arrive_unaligned", "wait_unaligned",
                           "arrive_and_drop"}) {
    natives.method("NamedBarrier", name, answer_none);
    natives.method("MbarrierArray", name, answer_none);
  }
  for (const char* name : {"arrive_and_expect_tx", "mbarrier_init", "arrive_mbarrier", "arrive_tcgen05mma"})
    natives.method("MbarrierArray", name, answer_none);
  natives.method("MbarrierArray", "try_wait", answer_runtime);
  natives.method("MbarrierArray", "get_barrier", barrier);
}

}  // namespace pipeline_models

void add_pipelines(Natives& natives) {
  using namespace pipeline_models;
  natives.function("cutlass", "CooperativeGroup", group);
  natives.function("cutlass", "NamedBarrier", named_barrier);
  natives.function("cutlass", "MbarrierArray", mbarrier_array);
  for (const char* name : {"PipelineAsync", "PipelineCpAsync", "PipelineTmaAsync", "PipelineTmaUmma",
                           "PipelineAsyncUmma", "PipelineUmmaAsync", "PipelineTmaMultiConsumersAsync"})
    natives.function("cutlass", std::string(name) + ".create", pipeline<2>);
  natives.function("cutlass", "PipelineClcFetchAsync.create", pipeline<2>);
  natives.function("cutlass", "PipelineTmaStore.create", pipeline<0>);
  natives.function("cutlass", "PipelineOrder.create", order);
  natives.function("cutlass", "make_pipeline_state", make_state);
  natives.function("cutlass", "PipelineState", new_state);
  for (const char* name : {"pipeline_init_arrive", "pipeline_init_wait", "pipeline.sync", "pipeline.arrive",
                           "pipeline.wait", "pipeline.arrive_and_wait", "agent_sync", "helpers.sync",
                           "helpers.arrive", "helpers.wait", "helpers.arrive_and_wait"})
    natives.function("cutlass", name, answer_none);
  natives.getter("CooperativeGroup", "arrive_count", arrive_count);
  add_methods(natives);
}

}  // namespace cutelab::reading::machine
