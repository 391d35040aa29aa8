#pragma once
#include "cli/verb.h"

namespace cutelab::cli {

// One factory per verb, defined in verb_<name>.cc.
std::unique_ptr<Verb> make_layout_verb();

}  // namespace cutelab::cli
