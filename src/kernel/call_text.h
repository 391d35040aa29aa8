#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "kernel/exported_call.h"
#include "kernel/operators.h"

namespace cutelab::kernel {

/// "a, b, c and 5 more": the first `most` where there is more than one more.
std::string listed(const std::vector<std::string>& names, std::size_t most = 3);

/// A line for each tensor of the call, with its role: "x Float16 (8, 4) : (4, 1): a (m, k)". Of those that
/// lie behind one table the first three with the same role, then how many more there are like them. `quoted`:
/// names stand between backticks.
std::vector<std::string> tensor_lines(const Operator& op, const ExportedCall& call, bool quoted);

}  // namespace cutelab::kernel
