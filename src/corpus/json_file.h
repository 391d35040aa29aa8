#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"

namespace cutelab::corpus {

/// A JSON file of data/. Errors (kind internal: the data is ours): missing, not JSON, not an object.
Result<nlohmann::json> load_data_file(const FileSource& files, const std::string& path);

/// A list of strings under `key`; absent = empty.
std::vector<std::string> string_list(const nlohmann::json& object, const char* key);

/// A string under `key`; absent = empty.
std::string string_of(const nlohmann::json& object, const char* key);

}  // namespace cutelab::corpus
