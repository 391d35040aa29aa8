#pragma once
#include "base/result.h"
#include "evidence/reading.h"
#include "reading/read.h"

namespace cutelab::reading {

/// A CUDA C++ (CuTe C++) source, its text already read. Headers that lie beside it are followed for the
/// constants, types and helpers they define; template parameters are what the file itself instantiates them
/// with.
Result<evidence::Reading> read_cpp(const Request& request, const FileSource& files, std::string text);

}  // namespace cutelab::reading
