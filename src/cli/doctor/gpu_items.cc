#include <fmt/format.h>

#include "base/text.h"
#include "cli/doctor/items.h"

namespace cutelab::cli::doctor {
namespace {

constexpr const char* gpu_group = "GPU and CUDA";
constexpr std::uint64_t small_file = 1u << 16;

/// "NVIDIA H200, 9.0, 143771 MiB" lines of nvidia-smi.
Item gpu_item(const Host& host) {
  Item item{gpu_group,
            "GPU",
            State::missing,
            "none seen",
            "measuring kernels; reading and selecting need none",
            "reading, selecting, importing and --prof_type=compiled work without one"};
  const auto text =
      host.ask({"nvidia-smi", "--query-gpu=name,compute_cap,memory.total", "--format=csv,noheader"});
  if (!text || trim(*text).empty()) return item;
  std::vector<std::string> devices;
  for (const auto line : split(trim(*text), '\n')) {
    if (split(line, ',').size() == 3) devices.emplace_back(trim(line));
  }
  if (devices.empty()) {
    item.state = State::attention;
    item.detail = "nvidia-smi answers, but names no GPU";
    item.remedy = "look at what `nvidia-smi` prints; `" + host.program + " device` asks the driver itself";
    return item;
  }
  item.state = State::found;
  item.detail = join(devices, "; ");
  item.remedy.clear();
  return item;
}

Item driver_item(const Host& host) {
  Item item{gpu_group,           "driver",
            State::missing,      "no NVIDIA kernel driver is loaded",
            "measuring kernels", "install NVIDIA's driver (580 or newer for CUDA 13)"};
  const auto text = host.files.read("/proc/driver/nvidia/version", small_file);
  if (!text) return item;
  const auto version = version_in(*text);
  item.state = State::found;
  item.detail = version.value_or(std::string(trim(split(*text, '\n')[0])));
  item.remedy.clear();
  return item;
}

/// Who may read hardware counters, as the driver's parameters say.
Item counters_item(const Host& host) {
  Item item{
      gpu_group, "counters", State::missing, "no driver to ask", "hardware counters (TC%, DRAM%, occupancy)",
      ""};
  const auto text = host.files.read("/proc/driver/nvidia/params", small_file);
  if (!text) return item;
  const bool only_admin = text->find("RmProfilingAdminOnly: 1") != std::string::npos;
  item.state = only_admin ? State::attention : State::found;
  item.detail = only_admin ? "only root may read them (RmProfilingAdminOnly: 1)" : "open to every user";
  if (only_admin) item.remedy = "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0";
  return item;
}

struct Tool {
  std::string name;
  std::string needed_for;
  std::string part;    ///< a part that brings it; empty if none does
  std::string remedy;  ///< where no part brings it
};

/// In $PATH, below $CUDA_HOME or the usual place, or in an installed part.
std::optional<std::string> find_tool(const Host& host, const Tool& tool) {
  if (const auto path = host.find(tool.name)) return path;
  std::vector<std::string> places;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto home = host.environment.get(variable)) places.push_back(*home + "/bin/" + tool.name);
  places.push_back("/usr/local/cuda/bin/" + tool.name);
  if (!tool.part.empty())
    places.push_back(fmt::format("{}/build/deps/{}/bin/{}", host.source_root, tool.part, tool.name));
  for (const std::string& place : places)
    if (host.files.status(place)) return place;
  return std::nullopt;
}

/// Of `… release 13.0, V13.0.88` the exact one, of other texts the first version.
std::optional<std::string> tool_version(const std::string& text) {
  const auto exact = text.find(", V");
  return version_in(exact == std::string::npos ? text : text.substr(exact + 3));
}

Item tool_item(const Host& host, const Tool& tool) {
  Item item{gpu_group, tool.name, State::missing, "", tool.needed_for, tool.remedy};
  if (!tool.part.empty()) item.remedy = fmt::format("{} setup {}", host.program, tool.part);
  const auto path = find_tool(host, tool);
  if (!path) return item;
  const auto text = host.ask({*path, "--version"});
  const auto version = text ? tool_version(*text) : std::nullopt;
  item.state = version ? State::found : State::attention;
  item.detail = version ? fmt::format("{} ({})", *version, *path)
                : text  ? fmt::format("{} tells no version of its own: is it {}?", *path, tool.name)
                        : *path + " does not run";
  if (version) item.remedy.clear();
  return item;
}

}  // namespace

std::vector<Item> gpu_items(const Host& host) {
  std::vector<Item> items = {gpu_item(host), driver_item(host), counters_item(host)};
  const std::string toolkit = "from NVIDIA's CUDA toolkit or its own package";
  const std::vector<Tool> tools = {
      {"nvcc", "building native kernel packages", "cuda-compiler", ""},
      {"cuobjdump", "registers and spills of compiled kernels", "cuda-tools", ""},
      {"nvdisasm", "instruction mix of compiled kernels", "cuda-tools", ""},
      {"ncu", "--prof_type=ncu", "", "Nsight Compute, " + toolkit},
      {"nsys", "comparing with Nsight Systems; our own timeline needs none", "",
       "Nsight Systems, " + toolkit},
      {"compute-sanitizer", "memory and race checks of kernels", "", toolkit}};
  for (const Tool& tool : tools) items.push_back(tool_item(host, tool));
  return items;
}

}  // namespace cutelab::cli::doctor
