#pragma once
#include <string>
#include <vector>

#include "source/python_module.h"

namespace cutelab::reading {

/// One `add_argument` of the source.
struct Flag {
  std::string name;  ///< "--mma_tiler_mn", or a positional's name
  std::string dest;  ///< "mma_tiler_mn"
  std::string help;
  std::string action;  ///< "store_true", …
  source::Node call;
  source::Node default_value;  ///< no node = none given
  source::Node type;
  source::Node choices;
};

std::vector<Flag> flags_of(const source::PythonModule& module);

}  // namespace cutelab::reading
