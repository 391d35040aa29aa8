#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/verb.h"
#include "kernel/imported_package.h"

namespace cutelab::cli {

/// kernels/cute_python/<layer>/<design>/<design>[_vN] below the repository; cute_cpp for a program in CUDA
/// C++.
std::string package_folder(const kernel::PackageDescription& description);

/// Errors (kind usage): the layer or the design is no plain name, the folder is there, another package has
/// the name. `replace`: an imported package of this name may give way.
Status check_package_name(const kernel::PackageDescription& description, bool replace, Context& context);

/// "CuTe DSL 4.7.0", "nvcc 13.0.88, CUTLASS 4.7.0".
std::string compiled_with(const kernel::PackageDescription& description);

/// The package's README: what it is, what was found, what was assumed, what has to be filled in.
std::string package_readme(const kernel::PackageDescription& description, const kernel::Exported& exported);

/// A file of a package: its name and what it holds.
using PackageFile = std::pair<std::string, std::string>;

/// Writes package.json and the other files beside the place where the package goes and moves them there as a
/// whole: a failure leaves nothing behind. Errors (kind input): it cannot be written.
Status write_package(const kernel::PackageDescription& description, const std::vector<PackageFile>& files,
                     const Context& context);

/// A program's words with the checkout as "$CUTLASS_DIR" and the repository left out: a package is read on
/// other machines too.
std::string without_machines_paths(const std::string& text, const Context& context);

}  // namespace cutelab::cli
