#include <algorithm>
#include <cctype>

#include "reading/models/surroundings.h"
#include "reading/models/torch_tensor.h"

/// Programs that torchrun starts, once per device: they are read as the first of the ranks that the command
/// in their text names ("torchrun --nproc-per-node 8 …"; "auto" is read as a host of 8). Others run alone.
namespace cutelab::reading::machine {
namespace torch_rank_models {

constexpr std::string_view option = "--nproc";
constexpr std::int64_t devices_of_a_host = 8;

/// Ranks of the command that the main program's text gives; nullopt = it gives none.
std::optional<std::int64_t> ranks(Machine& m) {
  const std::string_view text = m.program().module(0).tree().text();
  auto at = text.find(option);
  if (at == std::string_view::npos) return std::nullopt;
  if (m.options().alone) return 1;
  at = text.find_first_of("= \n", at);
  if (at == std::string_view::npos || text.substr(at + 1).starts_with("auto")) return devices_of_a_host;
  std::int64_t count = 0;
  for (++at; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) && count < 10'000; ++at)
    count = 10 * count + (text[at] - '0');
  return std::max<std::int64_t>(count, 1);
}

std::optional<Value> count(Call& call) { return Value::integer(ranks(call.machine).value_or(1)); }
std::optional<Value> first_rank(Call&) { return Value::integer(0); }

/// nvshmem.core.tensor(shape, dtype), symm_mem.empty(shape, dtype=): a tensor of this rank.
std::optional<Value> shared_tensor_of_ranks(Call& call) {
  return call.machine.call(call.machine.external("torch.empty"), call.arguments, call.keywords, call.node,
                           call.module, call.complete);
}

/// The same tensor as another rank or all ranks hold it.
std::optional<Value> of_a_peer(Call& call) { return call.get(0, "tensor"); }
std::optional<Value> of_all(Call& call) { return call.get(1, "tensor"); }

/// cutlass.torch.as_tensor(pointer, shape, type): a tensor over memory that is there.
std::optional<Value> over_pointer(Call& call) {
  Machine& m = call.machine;
  std::vector<std::pair<Symbol, Value>> type{{m.symbol("dtype"), call.get(2, "torch_type")}};
  return m.call(m.external("torch.empty"), {call.get(1, "shape")}, std::move(type), call.node, call.module);
}

std::optional<Value> supported(Call&) { return Value::boolean(true); }

}  // namespace torch_rank_models

std::vector<std::pair<std::string, std::string>> variables_of_ranks(Machine& machine) {
  const auto all = torch_rank_models::ranks(machine);
  std::vector<std::pair<std::string, std::string>> out;
  if (!all) return out;
  for (const char* name : {"RANK", "LOCAL_RANK", "GROUP_RANK"}) out.emplace_back(name, "0");
  for (const char* name : {"WORLD_SIZE", "LOCAL_WORLD_SIZE"}) out.emplace_back(name, std::to_string(*all));
  return out;
}

void add_torch_ranks(Natives& natives) {
  using namespace torch_rank_models;
  natives.function("torch", "cuda.device_count", count);
  natives.function("torch", "distributed.get_world_size", count);
  natives.function("torch", "distributed.get_rank", first_rank);
  natives.function("torch", "_symmetric_memory.empty", shared_tensor_of_ranks);
  natives.function("torch", "_SymmetricMemory.has_multicast_support", supported);
  natives.function("cutlass", "torch.as_tensor", over_pointer);
  natives.function("nvshmem", "core.tensor", shared_tensor_of_ranks);
  natives.function("nvshmem", "core.get_peer_tensor", of_a_peer);
  natives.function("nvshmem", "core.get_multicast_tensor", of_all);
}

}  // namespace cutelab::reading::machine
