#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace cutelab {

/// FileSource::list of the machine's own files. A walk that meets more than `most_entries` files and folders
/// is given up (kind input): "/" or a data disk was named, no source tree.
Result<std::vector<std::string>> list_files(const std::string& folder, std::vector<std::string>* unreadable,
                                            std::size_t most_entries = 200'000);

}  // namespace cutelab
