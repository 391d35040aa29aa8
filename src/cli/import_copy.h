#pragma once
#include <string>
#include <vector>

#include "cli/import_write.h"
#include "cli/verb.h"

namespace cutelab::cli {

/// `--copy-helpers`: the program and every file of no library that it consists of, as files of the package
/// below source/, where they lie to each other as they did; the description's program becomes the copy.
/// Errors (kind input): a file cannot be read, they have no folder in common.
Result<std::vector<PackageFile>> copied_sources(kernel::PackageDescription& description,
                                                const std::string& path, const kernel::Exported& exported,
                                                const Context& context);

}  // namespace cutelab::cli
