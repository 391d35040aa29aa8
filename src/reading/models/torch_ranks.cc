#include <algorithm>
#include <cctype>

#include "reading/models/torch_tensor.h"

/// Programs that torchrun starts, once per device: they are read as the first of the ranks that the command
/// in their text names ("torchrun --nproc-per-node 8 …"). Others run alone.
namespace cutelab::reading::machine {
namespace torch_rank_models {

/// Ranks of the command that the main program's text gives; nullopt = it names no torchrun.
std::optional<std::int64_t> ranks(Machine& m) {
  const std::string_view text = m.program().module(0).tree().text();
  const auto command = text.find("torchrun");
  if (command == std::string_view::npos) return std::nullopt;
  auto at = text.find("nproc", command);
  while (at < text.size() && text[at] != '\n' && !std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
  std::int64_t count = 0;
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) && count < 10'000)
    count = 10 * count + (text[at++] - '0');
  return std::max<std::int64_t>(count, 1);
}

std::optional<Value> count(Call& call) { return Value::integer(ranks(call.machine).value_or(1)); }
std::optional<Value> first_rank(Call&) { return Value::integer(0); }

/// os.environ as torchrun sets it. Of programs that it does not start nothing is told.
std::optional<Value> environment(Call& call) {
  Machine& m = call.machine;
  const auto all = ranks(m);
  if (!all) return std::nullopt;
  Dict* out = m.make<Dict>();
  const auto set = [&](const char* name, std::string value) {
    out->items.emplace_back(m.text(name), m.text(std::move(value)));
  };
  for (const char* name : {"RANK", "LOCAL_RANK", "GROUP_RANK"}) set(name, "0");
  for (const char* name : {"WORLD_SIZE", "LOCAL_WORLD_SIZE"}) set(name, std::to_string(*all));
  return Value(out);
}

/// nvshmem.core.tensor(shape, dtype): a tensor of this rank.
std::optional<Value> shared_tensor_of_ranks(Call& call) {
  return call.machine.call(call.machine.external("torch.empty"), call.arguments, call.keywords, call.node,
                           call.module, call.complete);
}

/// The same tensor as another rank or all ranks hold it.
std::optional<Value> of_a_peer(Call& call) { return call.get(0, "tensor"); }
std::optional<Value> of_all(Call& call) { return call.get(1, "tensor"); }

}  // namespace torch_rank_models

void add_torch_ranks(Natives& natives) {
  using namespace torch_rank_models;
  natives.function("torch", "cuda.device_count", count);
  natives.function("torch", "distributed.get_world_size", count);
  natives.function("torch", "distributed.get_rank", first_rank);
  natives.function("os", "environ.__get__", environment);
  natives.function("nvshmem", "core.tensor", shared_tensor_of_ranks);
  natives.function("nvshmem", "core.get_peer_tensor", of_a_peer);
  natives.function("nvshmem", "core.get_multicast_tensor", of_all);
}

}  // namespace cutelab::reading::machine
