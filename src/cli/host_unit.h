#pragma once
#include <string>

#include "cli/host_main.h"
#include "kernel/exported_call.h"

namespace cutelab::cli {

/// The call as the kernel room knows calls: tensors behind the pointers, one argument for each number that is
/// passed. Tensors are column-major with the extent that a parameter `ldA` beside `A` names, turned where
/// `transA` says 'T'; or have the layout that is passed beside them; else they are one run of elements.
/// Errors (kind input): an argument that main's text does not determine.
Result<kernel::ExportedCall> exported_host_call(const std::string& path, const HostCall& call);

/// The translation unit that includes the program at `path` with its main renamed and makes this call with
/// arguments out of a block (kernels/example_door.cuh). It is the same for every problem of the program.
/// Errors (kind input): the path cannot be written in an #include.
Result<std::string> host_unit(const std::string& path, const HostCall& call);

}  // namespace cutelab::cli
