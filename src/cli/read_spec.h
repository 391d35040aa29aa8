#pragma once
#include "cli/verb.h"

namespace cutelab::cli {

/// Flags, help and examples of `cutelab read`.
VerbSpec read_spec();

}  // namespace cutelab::cli
