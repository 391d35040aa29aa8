#pragma once
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file_source.h"
#include "base/result.h"
#include "kernel/exported_call.h"

namespace cutelab::kernel {

/// The launches that the host function in `library` (kernels/example_door.cuh) makes of a call, told without
/// a GPU by a process of its own (kernels/record_launches.c). Errors: (kind unavailable) there is no C
/// compiler; (kind input) the process crashed, did not end, or the call failed; (kind usage) it launches
/// nothing.
Result<std::vector<ExportedCall::Launch>> record_launches(const std::string& library,
                                                          const ExportedCall& call, const FileSource& files,
                                                          const Environment& environment,
                                                          const std::string& source_root);

/// A C compiler: $CC, else cc, gcc, clang; empty = none.
std::string find_c_compiler(const Environment& environment);

/// Launches as record_launches.c prints them; lines before "launches:" are the program's own.
std::vector<ExportedCall::Launch> launches_from(const std::string& printed);

}  // namespace cutelab::kernel
