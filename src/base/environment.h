#pragma once
#include <map>
#include <optional>
#include <string>

namespace cutelab {

/// The process environment as a value: read once in main, passed down, faked in tests. Nothing below main
/// calls getenv.
class Environment {
 public:
  Environment() = default;
  explicit Environment(std::map<std::string, std::string> variables) : variables_(std::move(variables)) {}
  static Environment of_process();

  /// Unset and empty are the same.
  std::optional<std::string> get(const std::string& name) const;

  std::string config_home() const;  ///< $XDG_CONFIG_HOME/cutelab, else ~/.config/cutelab
  std::string cache_home() const;   ///< $XDG_CACHE_HOME/cutelab, else ~/.cache/cutelab
  std::string data_home() const;    ///< $XDG_DATA_HOME/cutelab, else ~/.local/share/cutelab

 private:
  std::string home_folder(const char* xdg, const char* below_home) const;
  std::map<std::string, std::string> variables_;
};

}  // namespace cutelab
