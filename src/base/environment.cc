#include "base/environment.h"

#include <cstring>

extern "C" char** environ;

namespace cutelab {

Environment Environment::of_process() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry && *entry; ++entry)
    if (const char* equals = std::strchr(*entry, '='))
      variables[std::string(*entry, static_cast<std::size_t>(equals - *entry))] = equals + 1;
  return Environment(std::move(variables));
}

std::optional<std::string> Environment::get(const std::string& name) const {
  const auto it = variables_.find(name);
  if (it == variables_.end() || it->second.empty()) return std::nullopt;
  return it->second;
}

std::string Environment::home_folder(const char* xdg, const char* below_home) const {
  if (const auto folder = get(xdg)) return *folder + "/cutelab";
  return get("HOME").value_or(".") + "/" + below_home + "/cutelab";
}

std::string Environment::config_home() const { return home_folder("XDG_CONFIG_HOME", ".config"); }
std::string Environment::cache_home() const { return home_folder("XDG_CACHE_HOME", ".cache"); }
std::string Environment::data_home() const { return home_folder("XDG_DATA_HOME", ".local/share"); }

}  // namespace cutelab
