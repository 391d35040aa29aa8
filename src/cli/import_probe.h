#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel/imported_package.h"

namespace cutelab::cli {

/// What one option of a program, or one component of it, does to the call that the program makes: found by
/// running the program once more with another value. A later one outweighs an earlier one.
enum class FlagEffect { refused, nothing, kernel, problem };

/// One parameter in the making.
struct ProbedFlag {
  kernel::ImportedParameter parameter;
  std::vector<std::string> tried;  ///< other values, in the order of trial
  FlagEffect effect = FlagEffect::nothing;
  std::string because;                                  ///< of `refused`: the program's words
  std::map<std::string, std::set<std::size_t>> scaled;  ///< tensor → modes whose extent doubled with it
  std::map<std::string, std::string> outcome;  ///< value → why it was refused; empty = the program took it
};

/// How the runs of a probe are made.
struct ProbeRequest {
  const kernel::Exporter& exporter;
  kernel::ExportWanted base;  ///< with the fixed flags
  int jobs = 2;
  std::function<void(const std::string&)> progress;  ///< told each run; may be empty
};

/// Every option of the program that can be a parameter, with what it does. `passed_over` gets the others and
/// why. `reserved` are names that parameters must not have.
std::vector<ProbedFlag> probe_flags(const ProbeRequest& request, const kernel::ExportedCall& base,
                                    const std::set<std::string>& reserved,
                                    std::vector<std::string>& passed_over);

/// What differs between two calls.
FlagEffect difference(const kernel::ExportedCall& base, const kernel::ExportedCall& other);

/// "--tile_mn" with three components or two: "tile_m", "tile_n"; "--mnk": "m", "n", "k"; others are numbered.
std::vector<std::string> component_names(const std::string& option, std::size_t count);

/// Puts probed flags into the description: problem parameters, configuration with what was tried of it.
void describe_parameters(const std::vector<ProbedFlag>& flags, kernel::PackageDescription& description);

/// A small problem with odd extents that the program takes, for the check: tries remainders 8, 16, 32 and 64
/// beside a quarter thousand. Empty: it takes none, or has no extents.
std::map<std::string, std::string> probe_ragged(const ProbeRequest& request,
                                                const std::vector<ProbedFlag>& flags,
                                                const kernel::PackageDescription& description);

}  // namespace cutelab::cli
