#pragma once
#include <string>

#include "source/python_module.h"

namespace cutelab::reading {

/// The target that the names of the code speak of, to stand in for the device that the program would run on;
/// sm_100a where they say nothing. Comments and texts do not count.
std::string spoken_target(const source::PythonModule& module);

}  // namespace cutelab::reading
