#pragma once
#include <functional>
#include <string>

#include "base/environment.h"
#include "base/file_source.h"
#include "base/result.h"
#include "kernel/build.h"
#include "kernel/tile_program.h"

namespace cutelab::kernel {

struct TileBuildRequest {
  const FileSource& files;
  std::string source_root;
  std::string folder;  ///< the package's, below the source root
  TileProgram program;
  std::string arch;    ///< "sm_90"
  std::string python;  ///< with cuTile, at the versions of deps/cutile.lock; empty = there is none
  std::function<void()> compiling = {};  ///< told when it begins
};

/// "cuda-tile 1.7.0, nvidia-cuda-tileiras 13.5.37": what deps/cutile.lock pins; empty = it cannot be read.
std::string pinned_tile_compiler(const FileSource& files, const std::string& source_root);

/// Hash of what decides the machine code besides the compiler: kernel.py, the export step, the requests, the
/// architecture.
Result<std::string> tile_source_hash(const TileBuildRequest& request);

/// Compiles kernel.py through kernels/cutile/export.py, or takes from the cache
/// build/kernels/<source hash>/<hash of the versions>/. `library` is the folder's kernel.json (LoadedTile),
/// `cubin` the first step's. Without cuTile a cached build of any version is taken. Errors (kind
/// unavailable): no cuTile and nothing cached, compilation failed (with its words).
Result<BuiltKernel> build_tile_kernel(const TileBuildRequest& request);

}  // namespace cutelab::kernel
