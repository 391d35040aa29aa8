#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "evidence/reading.h"
#include "evidence/run.h"

namespace cutelab::evidence {

/// The versioned JSON form, documented in docs/schema.md. Every object that stands for a place has file,
/// line, end_line, column.
nlohmann::ordered_json to_json(const Reading& reading);
nlohmann::ordered_json to_json(const Run& run);
nlohmann::ordered_json to_json(const Value& value, const Reading& reading);

/// The inverse, for stored readings and runs. Errors (kind input): not JSON, another schema version, a member
/// of wrong type.
Result<Reading> reading_from_json(const std::string& text);
Result<Run> run_from_json(const std::string& text);

}  // namespace cutelab::evidence
