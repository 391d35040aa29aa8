#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/import_write.h"
#include "cli/verb.h"

namespace cutelab::cli {

/// A package whose call is not known yet: a program that calls the function on the host lies in it, with what
/// has to be filled in.
struct OpenPackage {
  kernel::PackageDescription description;
  std::vector<PackageFile> files;
  std::string function;  ///< that is to be called
  std::string call;      ///< the file in which that is done, below the repository
  std::string again;     ///< the command that imports it then
};

/// Whether a Python program can be imported as a module, as its call does; else how that ends.
using ImportCheck = std::function<Status(const std::string& path)>;

/// Of a program whose own main makes no call that can be had: `because` says why. Errors: `because` itself,
/// where there is nothing to fill in: a module or an interpreter is missing, options were given that it
/// refuses, it is such a call already, the architecture is the wrong one, or it has no function on the host
/// that launches; that of `importable`.
Result<OpenPackage> open_package(kernel::PackageDescription description, const std::string& path,
                                 const Error& because, const ImportCheck& importable, const Context& context);

}  // namespace cutelab::cli
