#pragma once
#include "base/result.h"
#include "evidence/reading.h"
#include "reading/read.h"

namespace cutelab::reading {

/// A CUDA C++ (CuTe C++) source, its text already read. Headers are not followed; templates are not
/// instantiated.
Result<evidence::Reading> read_cpp(const Request& request, std::string text);

}  // namespace cutelab::reading
