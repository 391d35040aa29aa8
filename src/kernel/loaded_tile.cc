#include "kernel/loaded_tile.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file_source.h"
#include "device/cuda_api.h"
#include "kernel/tile_program.h"

namespace cutelab::kernel {
namespace {

constexpr std::uint64_t most_code_bytes = 256u << 20;

struct LoadedStep {
  void* module = nullptr;
  void* function = nullptr;
  std::string symbol;
  std::vector<std::size_t> sizes;  ///< of each argument, bytes
};

Error not_whole(const std::string& record, std::string wrong) {
  return Error{ErrorKind::input, "load a compiled cuTile kernel", std::move(wrong), record,
               "delete the folder and run again: the kernel is compiled anew"};
}

bool fits(const TileLaunch& launch, const LoadedStep& step) {
  if (launch.parameters.size() != step.sizes.size()) return false;
  for (std::size_t i = 0; i < step.sizes.size(); ++i)
    if (launch.parameters[i].size() != step.sizes[i]) return false;
  return true;
}

}  // namespace

struct LoadedTile::State {
  device::SharedLibrary library;
  device::CudaApi cuda;
  std::string record;
  std::vector<LoadedStep> steps;
  /// Of each stream: launches on two of them run at once and must not write into one memory.
  struct Workspace {
    unsigned long long at = 0;
    std::int64_t bytes = 0;
  };
  mutable std::map<void*, Workspace> workspaces;
  mutable std::mutex providing;

  Status add(const std::string& folder, const std::string& cubin, LoadedStep step);
  Result<unsigned long long> provide(std::int64_t bytes, void* stream) const;
  Status start(const LoadedStep& step, TileLaunch launch, unsigned long long workspace, void* stream) const;
};

Status LoadedTile::State::add(const std::string& folder, const std::string& cubin, LoadedStep step) {
  auto code = DiskFileSource().read(folder + "/" + cubin, most_code_bytes);
  if (!code) return code.error();
  if (auto s = cuda.checked(cuda.module_load(&step.module, code->data()), ("load " + step.symbol).c_str());
      !s)
    return s;
  steps.push_back(step);  // from here on the module is unloaded with the object
  return cuda.checked(cuda.module_function(&steps.back().function, step.module, step.symbol.c_str()),
                      ("find " + step.symbol).c_str());
}

/// Enough memory for the steps' own arrays.
Result<unsigned long long> LoadedTile::State::provide(std::int64_t bytes, void* stream) const {
  if (bytes <= 0) return 0ULL;
  const std::lock_guard<std::mutex> one(providing);
  Workspace& workspace = workspaces[stream];
  if (bytes <= workspace.bytes) return workspace.at;
  if (workspace.at) cuda.release(workspace.at);
  workspace = {};
  const auto asked = fmt::format("allocate a workspace of {} bytes", bytes);
  if (auto s = cuda.checked(cuda.allocate(&workspace.at, static_cast<std::size_t>(bytes)), asked.c_str()); !s)
    return s.error();
  workspace.bytes = bytes;
  return workspace.at;
}

Status LoadedTile::State::start(const LoadedStep& step, TileLaunch launch, unsigned long long workspace,
                                void* stream) const {
  for (const std::size_t i : launch.in_workspace) {
    std::uint64_t offset = 0;
    std::memcpy(&offset, launch.parameters[i].data(), sizeof offset);
    offset += workspace;
    std::memcpy(launch.parameters[i].data(), &offset, sizeof offset);
  }
  std::vector<void*> values;
  for (auto& value : launch.parameters) values.push_back(value.data());
  const auto& grid = launch.grid;
  const auto asked = fmt::format("launch {} on {}×{}×{} tile blocks", step.symbol, grid[0], grid[1], grid[2]);
  // A tile block is one "thread" of the launch; the driver starts as many as the code was compiled for.
  return cuda.checked(
      cuda.launch(step.function, grid[0], grid[1], grid[2], 1, 1, 1, 0, stream, values.data(), nullptr),
      asked.c_str());
}

LoadedTile::LoadedTile(std::unique_ptr<State> state) : state_(std::move(state)) {}

LoadedTile::~LoadedTile() {
  if (!state_) return;
  for (const auto& [stream, workspace] : state_->workspaces)
    if (workspace.at) state_->cuda.release(workspace.at);
  for (const LoadedStep& step : state_->steps) state_->cuda.module_unload(step.module);
}

Result<std::unique_ptr<LoadedTile>> LoadedTile::load(const std::string& record, const std::string& driver) {
  auto text = DiskFileSource().read(record, max_source_bytes);
  if (!text) return text.error();
  const auto document = nlohmann::json::parse(*text, nullptr, false);
  if (!document.is_object() || document.value("schema", "") != "cutelab.tile_kernel" ||
      document.value("schema_version", 0) != 1 || !document.contains("steps"))
    return not_whole(record, "it is not of schema cutelab.tile_kernel 1");
  auto state = std::make_unique<State>();
  state->record = record;
  state->library = device::SharedLibrary(driver, device::SharedLibrary::Stay::for_good);
  auto cuda = device::load_cuda(state->library);
  if (!cuda) return cuda.error();
  state->cuda = *cuda;
  std::unique_ptr<LoadedTile> loaded(new LoadedTile(std::move(state)));
  const std::string folder = record.substr(0, record.rfind('/'));
  for (const auto& step : document["steps"]) {
    LoadedStep one;
    if (!step.is_object() || !step.contains("parameters") || !step["parameters"].is_array())
      return not_whole(record, "a step has no parameters");
    one.symbol = step.value("symbol", "");
    for (const auto& size : step["parameters"])
      one.sizes.push_back(size.is_number_unsigned() ? size.get<std::size_t>() : 0);
    if (auto s = loaded->state_->add(folder, step.value("cubin", ""), std::move(one)); !s) return s.error();
  }
  return Result<std::unique_ptr<LoadedTile>>(std::move(loaded));
}

Status LoadedTile::launch(const std::vector<std::byte>& arguments, const LaunchShape&, void* stream) const {
  std::int64_t workspace_bytes = 0;
  auto launches = tile_launches(arguments, workspace_bytes);
  bool as_compiled = launches.size() == state_->steps.size();
  for (std::size_t i = 0; as_compiled && i < launches.size(); ++i)
    as_compiled = fits(launches[i], state_->steps[i]);
  if (!as_compiled)
    return Error{ErrorKind::internal, "launch a cuTile kernel",
                 "the arguments are not those of the compiled code", state_->record, ""};
  const auto workspace = state_->provide(workspace_bytes, stream);
  if (!workspace) return workspace.error();
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (auto s = state_->start(state_->steps[i], std::move(launches[i]), *workspace, stream); !s) return s;
  return {};
}

}  // namespace cutelab::kernel
