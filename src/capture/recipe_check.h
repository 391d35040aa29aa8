#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cutelab::capture {

/// What is wrong with the values of an entry's `run` and `set`, and at which member:
/// "run.arguments[0].permute: [0, 5] is no order of 2 modes". Empty: nothing. It looks at form alone; what is
/// called may still refuse.
std::string fault_of_values(const nlohmann::json& entry);

}  // namespace cutelab::capture
