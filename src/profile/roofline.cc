#include "profile/roofline.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace cutelab::profile {
namespace {

using Json = nlohmann::json;

Rate rate_of(const Json& j) { return {j.at("per_second").get<double>(), j.at("source").get<std::string>()}; }

DeviceFacts facts_of(const Json& j) {
  DeviceFacts facts;
  facts.name = j.at("name").get<std::string>();
  facts.arch = j.at("arch").get<std::string>();
  facts.aliases = j.value("aliases", std::vector<std::string>{});
  if (j.contains("dram_peak_bytes")) facts.dram_peak = rate_of(j.at("dram_peak_bytes"));
  if (j.contains("dram_measured_bytes")) facts.dram_measured = rate_of(j.at("dram_measured_bytes"));
  const Json none = Json::object();
  for (const auto& [unit, rate] : (j.contains("dense_flops") ? j.at("dense_flops") : none).items())
    facts.flops[unit] = rate_of(rate);
  for (const auto& [unit, rate] : (j.contains("measured_flops") ? j.at("measured_flops") : none).items())
    facts.flops_measured[unit] = rate_of(rate);
  return facts;
}

std::optional<Floor> floor_at(const std::map<std::string, Rate>& flops, const std::optional<Rate>& memory,
                              const kernel::Work& work) {
  Floor floor;
  if (memory) {
    floor.memory = Microseconds(static_cast<double>(work.compulsory.count()) / memory->per_second * 1e6);
    floor.memory_rate_source = memory->source;
    floor.bound = "memory";
  }
  for (const auto& [unit, count] : work.flops) {
    const auto it = flops.find(unit);
    if (it == flops.end()) continue;
    const Microseconds time(count / it->second.per_second * 1e6);
    if (time > floor.arithmetic) {
      floor.arithmetic = time;
      floor.arithmetic_rate_source = it->second.source;
    }
    if (time > floor.memory && time == floor.arithmetic) floor.bound = unit;
  }
  if (floor.bound.empty()) return std::nullopt;
  return floor;
}

}  // namespace

Result<std::vector<DeviceFacts>> load_device_facts(const FileSource& files, const std::string& path) {
  auto text = files.read(path, max_source_bytes);
  if (!text) return text.error();
  std::vector<DeviceFacts> all;
  try {
    const Json document = Json::parse(*text);
    for (const Json& device : document.at("devices")) all.push_back(facts_of(device));
  } catch (const Json::exception& e) {
    return Error{ErrorKind::input, "read device facts", e.what(), path,
                 "restore the file from the repository"};
  }
  return all;
}

const DeviceFacts* find_facts(const std::vector<DeviceFacts>& all, const std::string& name) {
  const auto same = [&](const std::string& other) { return to_lower(other) == to_lower(name); };
  for (const DeviceFacts& facts : all)
    if (same(facts.name) || std::any_of(facts.aliases.begin(), facts.aliases.end(), same)) return &facts;
  return nullptr;
}

std::optional<Floor> peak_floor(const DeviceFacts& facts, const kernel::Work& work) {
  return floor_at(facts.flops, facts.dram_peak, work);
}

std::optional<Floor> ceiling_floor(const DeviceFacts& facts, const kernel::Work& work) {
  auto flops = facts.flops_measured;
  flops.insert(facts.flops.begin(), facts.flops.end());  // the datasheet's where nothing was measured
  return floor_at(flops, facts.dram_measured ? facts.dram_measured : facts.dram_peak, work);
}

}  // namespace cutelab::profile
