#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/verb.h"

namespace cutelab::cli {

constexpr std::uint64_t most_record_bytes = 16u << 20;  ///< of export.json and record.json

/// Whether the files that a kept export was made of are as they were; one that is not here is taken on trust.
/// False: there is no record of them that can be read.
bool sources_unchanged(const std::string& folder, const Context& context);

/// The error with the file that has the fault, and what to do.
Error in_file(Error error, const std::string& file);

}  // namespace cutelab::cli
