#pragma once
#include <string>
#include <utility>
#include <vector>

namespace cutelab::reading::machine {
class Machine;

/// What torchrun sets in the environment of a program that its text says is started so; empty: it is not.
std::vector<std::pair<std::string, std::string>> variables_of_ranks(Machine& machine);

}  // namespace cutelab::reading::machine
