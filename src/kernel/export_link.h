#pragma once
#include <string>

#include "base/environment.h"
#include "base/file_source.h"
#include "kernel/build.h"
#include "kernel/imported_package.h"

namespace cutelab::kernel {

/// The export as something to load: kernels/exported_door.c, the exported object, the DSL's runtime archive
/// and the CUDA runtime in one shared library that shows nothing but the door, kept in the export's folder.
/// Without a C compiler, the archive or the CUDA runtime the device code is there all the same, and
/// `not_linked_because` says why the library is not.
BuiltKernel link_export(const Exported& exported, const FileSource& files, const Environment& environment,
                        const std::string& source_root);

/// The static CUDA runtime: of the toolkits, then of the part `cuda-compiler`; empty = none.
std::string find_cuda_runtime(const Environment& environment, const FileSource& files,
                              const std::string& source_root);

}  // namespace cutelab::kernel
