#pragma once
#include <map>
#include <string>
#include <vector>

#include "kernel/exported_call.h"
#include "kernel/operators.h"

namespace cutelab::kernel {

/// "a, b, c and 5 more": the first three where there are more than four.
std::string listed(const std::vector<std::string>& names);

/// A line for each tensor of the call, with its role: "x Float16 (8, 4) : (4, 1): a (m, k)". Of those that
/// lie behind one table the first three with the same role, then how many more there are like them. `quoted`:
/// names stand between backticks.
std::vector<std::string> tensor_lines(const Operator& op, const ExportedCall& call, bool quoted);

}  // namespace cutelab::kernel
