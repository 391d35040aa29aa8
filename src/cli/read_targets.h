#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/file_source.h"

namespace cutelab::cli {

/// Finds the file that an example's name means; adds to `notes` what it corrected.
using ResolveName =
    std::function<Result<std::string>(const std::string& name, std::vector<std::string>& notes)>;

/// The files that the words of a command line name, in their order, each once.
struct ReadTargets {
  std::vector<std::string> paths;
  std::vector<Error> errors;  ///< words that name nothing that can be read; the others count all the same
  std::vector<std::string> notes;  ///< corrected names, folders passed over: for stderr
};

/// A word is a file, a folder (its .py, .cu and .cuh files below), or, when there is no such path, an
/// example's name.
ReadTargets read_targets(const std::vector<std::string>& words, const FileSource& files,
                         const ResolveName& resolve);

}  // namespace cutelab::cli
