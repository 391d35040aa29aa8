#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kernel/plan.h"

namespace cutelab::kernel {

/// The values that one parameter's text names: "7", "1024:65536:x2" (times two, both ends included),
/// "64:512:64" (steps of 64), "1:4" (steps of one), and lists of those: "1,8,64:256:x2". Words: "bf16,fp16".
/// Each value once, in the order given. Errors (kind usage): an empty item, a range without end or that
/// never gets there, more than `most` values.
Result<std::vector<std::string>> sweep_values(const std::string& kernel, const ParameterSpec& spec,
                                              const std::string& text, std::size_t most = 4096);

/// The problems of one command line.
struct Sweep {
  std::vector<Params> problems;  ///< the last parameter given changes fastest
  struct Refused {
    std::string problem;
    std::string because;
  };
  std::vector<Refused> refused;      ///< combinations that KernelPlan::check refuses
  std::vector<std::string> varying;  ///< parameters with more than one value
};

/// Every combination of the values that `given` names, defaults for the rest. A single problem that the plan
/// refuses is an error; of several, refused ones are kept apart. Errors (kind usage): as parse_parameters and
/// sweep_values; no combination is legal; more than 4096.
Result<Sweep> parse_sweep(const std::string& kernel, const KernelPlan& plan,
                          const std::vector<std::pair<std::string, std::string>>& given);

}  // namespace cutelab::kernel
