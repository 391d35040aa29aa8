#include "cli/kernel_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace cutelab::cli {

Result<kernel::Config> choose_config(const kernel::Package& package, const kernel::Params& params,
                                     const std::string& text) {
  const auto configs = package.plan->autotune_configs(params);
  const std::string asked = fmt::format("kernel {} {}", package.design, params.text());
  if (configs.empty() || !configs[0].legal())
    return Error{ErrorKind::usage, asked, "no configuration can run this problem",
                 configs.empty() ? "" : configs[0].rejected_because,
                 "change the parameters; --dry-run lists the candidates"};
  if (text.empty()) return configs[0];
  const Error bad{
      ErrorKind::usage, asked, fmt::format("--config does not take '{}'", text), "",
      configs[0].values.empty() && configs.size() == 1
          ? std::string("this package has one configuration and nothing to choose: leave --config out")
          : fmt::format("a number from 0 to {}, or name=value,… of: {}", configs.size() - 1,
                        configs[0].text())};
  if (const auto index = parse_integer(text)) {
    if (*index < 0 || *index >= static_cast<long long>(configs.size())) return bad;
    const auto& config = configs[static_cast<std::size_t>(*index)];
    if (config.legal()) return config;
    return Error{ErrorKind::usage, asked, "that configuration is rejected: " + config.rejected_because,
                 config.text(), ""};
  }
  kernel::Config config = configs[0];
  for (const auto part : split(text, ',')) {
    const auto equals = part.find('=');
    const auto value =
        equals == std::string_view::npos ? std::nullopt : parse_integer(part.substr(equals + 1));
    const std::string name(part.substr(0, equals));
    if (!value || !config.values.count(name)) return bad;
    config.values[name] = *value;
  }
  return config;
}

std::string config_text(const kernel::Config& config) { return replace_all(config.text(), " ", ","); }

namespace {

bool has_parameter(const kernel::Package& package, const std::string& name) {
  const auto specs = package.plan->parameters();
  return std::any_of(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == name; });
}

}  // namespace

Result<Contender> parse_contender(const std::string& word, const std::vector<kernel::Package>& packages,
                                  const std::vector<std::pair<std::string, std::string>>& shared) {
  const auto parts = split(word, ',');
  const auto colon = parts[0].find(':');
  const std::string version(colon == std::string_view::npos ? "" : parts[0].substr(colon + 1));
  auto package = kernel::find_package(packages, std::string(parts[0].substr(0, colon)), version);
  if (!package) return package.error();
  Contender contender;
  contender.name = word;
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& [name, value] : shared)
    if (has_parameter(*package, name)) given.emplace_back(name, value);
  std::vector<std::string> config;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = parts[i].find('=');
    const std::string name(parts[i].substr(0, equals));
    if (equals == std::string_view::npos)
      return Error{ErrorKind::usage, "compare " + word, fmt::format("'{}' is not NAME=VALUE", parts[i]), "",
                   "write dense_gemm:v5,tile_n=128"};
    const std::string value(parts[i].substr(equals + 1));
    if (has_parameter(*package, name))
      given.emplace_back(name, value);
    else if (name == "config" && value == "search")
      contender.search = true;
    else
      config.push_back(name == "config" ? value : std::string(parts[i]));
  }
  auto params = kernel::parse_parameters(package->design, package->plan->parameters(), given);
  if (!params) return params.error();
  if (auto s = package->plan->check(*params); !s) return s.error();
  auto chosen = choose_config(*package, *params, join(config, ","));
  if (!chosen) return chosen.error();
  // A library's heuristics are part of it: its best is what one compares with.
  if (package->language == "library" && config.empty()) contender.search = true;
  contender.package = std::move(*package);
  contender.params = std::move(*params);
  contender.config = std::move(*chosen);
  return contender;
}

}  // namespace cutelab::cli
