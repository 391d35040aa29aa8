#pragma once
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file_source.h"

namespace cutelab::kernel {

/// Headers that a package includes beside CUDA's and CUTLASS's.
struct LibraryHeaders {
  std::vector<std::string> folders;  ///< for the compiler, in order
  std::string versions;              ///< "cudnn-frontend 1.18.0, cuDNN 9.19.0"; empty = none wanted
  std::string missing_because;       ///< empty = all are there
  std::string remedy;
};

/// The headers of the libraries named ("cudnn", "cub"), each looked for in its own variable
/// (CUDNN_FRONTEND_DIR, CUDNN_DIR, CCCL_DIR), the CUDA folders ($CUDA_HOME, $CUDA_PATH, /usr/local/cuda),
/// /usr/include, then in the part of `cutelab setup` that has it.
LibraryHeaders find_headers(const std::vector<std::string>& names, const Environment& environment,
                            const FileSource& files, const std::string& source_root);

/// Folders in which a package's libraries are looked for when the dynamic loader does not know them: the CUDA
/// folders and the parts of `cutelab setup`.
std::vector<std::string> library_folders(const Environment& environment, const std::string& source_root);

/// $CUDA_HOME, $CUDA_PATH, /usr/local/cuda.
std::vector<std::string> cuda_folders(const Environment& environment);

/// "4.2.0" from the `#define NAME number` lines of a header, one number for each name; empty = one is
/// missing.
std::string version_from(const std::string& header, const std::vector<std::string>& names);

}  // namespace cutelab::kernel
