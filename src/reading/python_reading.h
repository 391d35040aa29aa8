#pragma once
#include "base/result.h"
#include "evidence/reading.h"
#include "reading/read.h"

namespace cutelab::reading {

/// A CuTe DSL (Python) source, its text already read.
Result<evidence::Reading> read_python(const Request& request, const FileSource& files, std::string text);

}  // namespace cutelab::reading
