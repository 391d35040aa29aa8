#pragma once
#include <nlohmann/json_fwd.hpp>

#include "evidence/reading.h"

namespace cutelab::report {

/// The reduced form of a reading for comparison with hand labels: key numbers under the file's own defaults
/// (null = undetermined), a verdict per pattern, and the lines that each fact family cites in the file that
/// was asked for.
nlohmann::ordered_json card(const evidence::Reading& reading);

}  // namespace cutelab::report
