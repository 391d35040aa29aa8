#pragma once
#include <string>

#include "base/environment.h"
#include "base/file_source.h"

namespace cutelab::kernel {

/// What compiles kernels here. A missing half is said with its reason and how to get it.
struct Toolchain {
  std::string nvcc;             ///< path; empty = none
  std::string nvcc_version;     ///< "nvcc 13.0.88"
  std::string cutlass_include;  ///< folder that holds cute/ and cutlass/; empty = none
  std::string cutlass_version;  ///< "4.2.0"
  std::string missing_because;  ///< empty = complete
  std::string remedy;
  bool complete() const { return missing_because.empty(); }
};

/// nvcc: $CUDACXX, PATH, $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, then the part `cuda-compiler` of `cutelab
/// setup`. CUTLASS headers: $CUTLASS_DIR, third_party/cutlass, then the part `cutlass`.
Toolchain find_toolchain(const Environment& environment, const FileSource& files,
                         const std::string& source_root);

/// Path of a CUDA tool such as cuobjdump: PATH, the CUDA folders, then the part `cuda-tools`; empty = none.
std::string find_cuda_tool(const Environment& environment, const std::string& source_root,
                           const std::string& name);

}  // namespace cutelab::kernel
