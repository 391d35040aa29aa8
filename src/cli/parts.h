#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/verb.h"

namespace cutelab::cli {

/// Folder in which an optional part of deps/parts.json ("dsl", "cuda-tools" …) lies once it is installed.
std::string part_folder(const std::string& name, const Context& context);

/// Every part that deps/parts.json names; empty where it cannot be read.
std::vector<std::string> part_names(const Context& context);

/// Whether the part is there, in the state that deps/parts.json asks for.
bool has_part(const std::string& name, const Context& context);

/// Whether fetching is forbidden: CUTELAB_OFFLINE is set.
bool is_offline(const Context& context);

/// Makes sure that an optional part is installed: at once if it is there, else it is fetched, with progress
/// on stderr. Error (kind unavailable) if it cannot be had or if `offline` (or CUTELAB_OFFLINE) forbids
/// fetching; its remedy is the command that installs the part.
Status require_part(const std::string& name, const Context& context, bool offline = false);

/// Runs a program with our own streams and waits. argv[0] is looked up on PATH. Exit code of the child, 128 +
/// n if signal n ended it; error (kind unavailable) if it cannot be started.
Result<int> run_attached(const std::vector<std::string>& argv);

}  // namespace cutelab::cli
