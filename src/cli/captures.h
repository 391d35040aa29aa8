#pragma once
#include <string>

#include "cli/verb.h"

namespace cutelab::cli {

/// The architecture a program is compiled for: `asked`, CUTE_DSL_ARCH, what its reading says it needs,
/// sm_90a: the first that is known. Error (kind usage): that is no architecture's name.
Result<std::string> target_arch(const std::string& asked, Context& context, const std::string& program);

/// The interpreter with the CuTe DSL: `asked`, CUTELAB_DSL_PYTHON, the part dsl, installed if need be.
Result<std::string> dsl_python(const std::string& asked, Context& context);

}  // namespace cutelab::cli
