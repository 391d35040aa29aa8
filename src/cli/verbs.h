#pragma once
#include "cli/verb.h"

namespace cutelab::cli {

// One factory per verb, defined in verb_<name>.cc.

}  // namespace cutelab::cli
