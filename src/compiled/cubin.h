#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "compiled/resources.h"
#include "compiled/sass.h"

namespace cutelab::compiled {

/// One kernel of a cubin, fatbin, object file or executable, for one architecture.
struct CompiledKernel {
  Resources resources;
  InstructionMix mix;
};

/// Asks cuobjdump (which calls nvdisasm) about `file`. `cuobjdump` is its path; `nvdisasm_folder` is put on
/// the child's PATH before `path`. Errors: kind unavailable if a tool cannot be run, kind input if it finds
/// no device code.
Result<std::vector<CompiledKernel>> inspect_binary(const std::string& cuobjdump,
                                                   const std::string& nvdisasm_folder,
                                                   const std::string& path, const std::string& file);

}  // namespace cutelab::compiled
