#pragma once
#include <string>
#include <vector>

#include "kernel/imported_package.h"

namespace cutelab::kernel {

/// How the open points of a package are filled in in its package.json, as lines of Markdown: each member,
/// what is legal there, what to delete then. `call`: the call whose tensors take the roles.
std::vector<std::string> fill_in_lines(const PackageDescription& description, const ExportedCall& call);

}  // namespace cutelab::kernel
