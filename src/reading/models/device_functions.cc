#include "reading/models/element_types.h"
#include "reading/models/runtime.h"

/// cute.arch and the loops and conditions of device code: what a thread finds out is known only at run time.
namespace cutelab::reading::machine {
namespace device_models {

std::optional<Value> three(Call& call) {
  std::vector<Value> out;
  for (int i = 0; i < 3; ++i)
    out.push_back(call.machine.unknown("known only at run time", {},
                                       std::string(call.path) + "[" + std::to_string(i) + "]"));
  return call.machine.tuple(std::move(out));
}

/// Extents of the launch that runs, ones added; unknown where it is not known.
std::optional<Value> extents(Call& call, const Value& given) {
  const auto* items = sequence_of(given);
  if (!items || items->size() > 3) return three(call);
  std::vector<Value> out = *items;
  while (out.size() < 3) out.push_back(Value::integer(1));
  return call.machine.tuple(std::move(out));
}

std::optional<Value> block_dim(Call& call) {
  const Launch* launch = call.machine.current_launch();
  return launch ? extents(call, launch->block) : three(call);
}

std::optional<Value> grid_dim(Call& call) {
  const Launch* launch = call.machine.current_launch();
  return launch ? extents(call, launch->grid) : three(call);
}

std::optional<Value> cluster_dim(Call& call) {
  const Launch* launch = call.machine.current_launch();
  if (launch && (!launch->cluster.bound() || launch->cluster.is_none()))
    return call.machine.tuple({Value::integer(1), Value::integer(1), Value::integer(1)});
  return launch ? extents(call, launch->cluster) : three(call);
}

std::optional<Value> cluster_size(Call& call) {
  const auto dim = cluster_dim(call);
  const auto* items = dim ? sequence_of(*dim) : nullptr;
  return items ? std::optional<Value>(product(call.machine, *items)) : std::nullopt;
}

std::optional<Value> first_argument(Call& call) {
  return call.arguments.empty() ? std::nullopt : std::optional<Value>(call.arguments.front());
}

/// cutlass.min and cutlass.max are Python's for what is known.
std::optional<Value> extreme(Call& call) {
  const std::string name = "builtins." + std::string(leaf_name(call.path));
  return call.machine.call(call.machine.external(name), call.arguments, call.keywords, call.node,
                           call.module);
}

/// `with cute.arch.elect_one():`
std::optional<Value> election(Call& call) { return record_of(call, "context"); }

template <bool unrolled>
std::optional<Value> range(Call& call) {
  Range* made = call.machine.make<Range>();
  if (call.arguments.empty() || call.count() > 3) return std::nullopt;
  if (call.count() == 1) {
    made->end = call.arguments[0];
  } else {
    made->begin = call.arguments[0];
    made->end = call.arguments[1];
    if (call.count() == 3) made->step = call.arguments[2];
  }
  made->unrolled = unrolled;
  made->dynamic = !unrolled;
  return made;
}

/// Answered by the hardware.
constexpr const char* known_when_running[] = {"arch.warp_idx",
                                              "arch.lane_idx",
                                              "arch.block_idx_in_cluster",
                                              "arch.mbarrier_try_wait",
                                              "arch.mbarrier_test_wait",
                                              "arch.mbarrier_conditional_try_wait",
                                              "arch.dynamic_smem_size",
                                              "arch.shuffle_sync",
                                              "arch.shuffle_sync_bfly",
                                              "arch.shuffle_sync_down",
                                              "arch.shuffle_sync_up",
                                              "arch.vote_ballot_sync",
                                              "arch.vote_any_sync",
                                              "arch.vote_all_sync",
                                              "arch.popc",
                                              "arch.fmax",
                                              "arch.fmin",
                                              "arch.exp2",
                                              "arch.rcp_approx",
                                              "arch.warp_reduction",
                                              "arch.warp_reduction_max",
                                              "arch.warp_reduction_sum",
                                              "arch.atomic_add",
                                              "arch.atomic_max",
                                              "arch.atomic_fmax",
                                              "arch.load",
                                              "arch.clc_response",
                                              "arch.map_dsmem_ptr"};
/// Done for their effect.
constexpr const char* without_value[] = {"arch.mbarrier_init",
                                         "arch.mbarrier_init_fence",
                                         "arch.mbarrier_arrive",
                                         "arch.mbarrier_wait",
                                         "arch.mbarrier_expect_tx",
                                         "arch.mbarrier_arrive_and_expect_tx",
                                         "arch.cp_async_mbarrier_arrive_noinc",
                                         "arch.fence_proxy",
                                         "arch.fence_acq_rel_cta",
                                         "arch.fence_acq_rel_cluster",
                                         "arch.fence_acq_rel_gpu",
                                         "arch.fence_view_async_shared",
                                         "arch.fence_view_async_tmem_load",
                                         "arch.fence_view_async_tmem_store",
                                         "arch.sync_threads",
                                         "arch.sync_warp",
                                         "arch.barrier",
                                         "arch.barrier_arrive",
                                         "arch.cluster_arrive",
                                         "arch.cluster_arrive_relaxed",
                                         "arch.cluster_wait",
                                         "arch.cp_async_commit_group",
                                         "arch.cp_async_wait_group",
                                         "arch.cp_async_bulk_commit_group",
                                         "arch.cp_async_bulk_wait_group",
                                         "arch.setmaxregister_increase",
                                         "arch.setmaxregister_decrease",
                                         "arch.warpgroup_reg_alloc",
                                         "arch.warpgroup_reg_dealloc",
                                         "arch.griddepcontrol_wait",
                                         "arch.griddepcontrol_launch_dependents",
                                         "arch.issue_clc_query",
                                         "arch.store",
                                         "arch.store_async_dsmem",
                                         "arch.nanosleep"};

}  // namespace device_models

void add_device_functions(Natives& natives) {
  using namespace device_models;
  for (const char* name : {"arch.thread_idx", "arch.block_idx", "arch.block_idx_in_cluster_xyz",
                           "arch.cluster_idx", "arch.block_in_cluster_idx"})
    natives.function("cutlass", name, three);
  natives.function("cutlass", "arch.block_dim", block_dim);
  natives.function("cutlass", "arch.grid_dim", grid_dim);
  natives.function("cutlass", "arch.cluster_dim", cluster_dim);
  natives.function("cutlass", "arch.block_in_cluster_dim", cluster_dim);
  natives.function("cutlass", "arch.cluster_size", cluster_size);
  for (const char* name : device_models::known_when_running)
    natives.function("cutlass", name, answer_runtime);
  natives.function("cutlass", "arch.make_warp_uniform", first_argument);
  natives.function("cutlass", "arch.elect_one", election);
  for (const char* name : device_models::without_value) natives.function("cutlass", name, answer_none);
  natives.function("cutlass", "range", range<false>);
  natives.function("cutlass", "range_dynamic", range<false>);
  natives.function("cutlass", "range_constexpr", range<true>);
  for (const char* name : {"core._pack_shape", "core._pack_coord", "core._pack_tile", "core._pack_int_tuple",
                           "core._unpack_x_tuple"})
    natives.function("cutlass", name, first_argument);
  for (const char* name : {"min", "max"}) natives.function("cutlass", name, extreme);
  natives.function("cutlass", "const_expr", first_argument);
  natives.function("cutlass", "dynamic_expr", first_argument);
  natives.function("cutlass", "as_numeric", first_argument);
}

}  // namespace cutelab::reading::machine
