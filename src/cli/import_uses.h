#pragma once
#include "base/file_source.h"
#include "kernel/imported_package.h"

namespace cutelab::cli {

/// Which tensors of an exported call its kernels read and write, by the compiler's text that was kept beside
/// the object (compiled/memory_use.h): sets `read` and `written` of each, `uses_known`, `writes_elsewhere`.
/// Where there is no such text, or its arguments are not those of the call, nothing is known.
void note_uses(kernel::Exported& exported, const FileSource& files);

}  // namespace cutelab::cli
