#pragma once
#include <string>
#include <vector>

#include "corpus/catalog.h"

namespace cutelab::corpus {

/// A run command as the file's docstring gives it, with the script's path corrected to where the file is.
struct RunCommand {
  std::string text;   ///< "python /…/cute/hopper/kernel/dense_gemm/dense_gemm.py --mnkl 8192,8192,8192,1"
  std::string asked;  ///< the path that the docstring spells
  int line = 0;       ///< of the docstring's command
  std::string note;   ///< what is wrong with the docstring's own spelling; empty = nothing
};

std::vector<RunCommand> run_commands(const Example& e, const Catalog& catalog);

}  // namespace cutelab::corpus
