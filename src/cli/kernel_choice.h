#pragma once
#include <string>
#include <utility>
#include <vector>

#include "kernel/registry.h"

namespace cutelab::cli {

/// A configuration by its text: empty = the preferred one, a number = that one of the plan's list,
/// name=value[,…] = the preferred one changed. Errors (kind usage): no legal one, no such one.
Result<kernel::Config> choose_config(const kernel::Package& package, const kernel::Params& params,
                                     const std::string& text);

/// "tile_m=128,tile_n=256", as --config takes it.
std::string config_text(const kernel::Config& config);

/// What one side of a comparison is.
struct Contender {
  std::string name;  ///< as it was written
  kernel::Package package;
  kernel::Params params;
  kernel::Config config;
  bool search = false;  ///< the best of the legal configurations is looked for on the device first
};

/// "DESIGN[:VERSION][,NAME=VALUE…]", a name being a parameter, a member of the configuration, or `config` (a
/// number of the list, or `search`). `shared` are parameters for all contenders; those that a package does
/// not have are passed over here. Errors (kind usage) name the word.
Result<Contender> parse_contender(const std::string& word, const std::vector<kernel::Package>& packages,
                                  const std::vector<std::pair<std::string, std::string>>& shared);

}  // namespace cutelab::cli
