// Whether the driver is new enough for what Python brings: error 35 comes from nothing else.
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "cli/doctor/items.h"

namespace cutelab::cli::doctor {
namespace {

/// "575.51.03" as numbers; what is missing is 0.
std::array<long long, 3> numbers_of(std::string_view version) {
  std::array<long long, 3> numbers{};
  const auto parts = split(version, '.');
  for (std::size_t i = 0; i < parts.size() && i < numbers.size(); ++i) {
    const auto digits = parts[i].substr(0, parts[i].find_first_not_of("0123456789"));
    const auto first = digits.find_first_not_of('0');
    numbers[i] = first == std::string_view::npos ? 0 : parse_integer(digits.substr(first)).value_or(0);
  }
  return numbers;
}

struct Demand {
  std::string what;    ///< "cuda-bindings 13.0.1"
  std::string driver;  ///< "580.65.06"
};

/// Least drivers for Linux: CUDA release notes, table of toolkits and drivers.
std::string driver_for(const std::array<long long, 3>& cuda) {
  if (cuda[0] >= 13) return "580.65.06";
  if (cuda[0] == 12 && cuda[1] >= 9) return "575.51.03";
  return cuda[0] == 12 ? "525.60.13" : "";
}

std::vector<Demand> demands_of(const std::map<std::string, std::string>& versions) {
  std::vector<Demand> demands;
  for (const auto& [name, version] : versions) {
    if (name == "cuda-python" || name == "cuda-bindings")
      demands.push_back({name + " " + version, driver_for(numbers_of(version))});
    // The CuTe DSL's wheels of flavour cu12 are made with CUDA 12.9.
    if (name.ends_with("libs-cu12")) demands.push_back({"the wheel " + name, driver_for({12, 9, 0})});
    if (name.ends_with("libs-cu13")) demands.push_back({"the wheel " + name, driver_for({13, 0, 0})});
  }
  std::erase_if(demands, [](const Demand& d) { return d.driver.empty(); });
  return demands;
}

}  // namespace

Item driver_fit_item(const std::string& name, const std::string& driver,
                     const std::map<std::string, std::string>& versions) {
  Item item{"CuTe DSL and CUTLASS", name, State::missing, "", "launching CuTe DSL kernels from Python", ""};
  const auto demands = demands_of(versions);
  if (driver.empty() || demands.empty()) {
    item.detail = driver.empty() ? "no driver to compare with" : "neither cuda-python nor a DSL wheel";
    return item;
  }
  std::vector<std::string> too_new, fitting;
  std::string needed;
  for (const Demand& demand : demands) {
    const bool fits = numbers_of(driver) >= numbers_of(demand.driver);
    (fits ? fitting : too_new).push_back(fmt::format("{} needs {}", demand.what, demand.driver));
    if (!fits && numbers_of(demand.driver) > numbers_of(needed)) needed = demand.driver;
  }
  item.state = too_new.empty() ? State::found : State::attention;
  item.detail = fmt::format("driver {}; {}", driver, join(too_new.empty() ? fitting : too_new, ", "));
  if (!too_new.empty())
    item.remedy = fmt::format(
        "update the driver to {} or newer, or take cuda-python 12.9 and the wheel of flavour cu12 (from "
        "575.51.03 on): until then launches end by error 35, whatever its text says of the architecture",
        needed);
  return item;
}

}  // namespace cutelab::cli::doctor
