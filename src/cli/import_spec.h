#pragma once
#include "cli/verb.h"

namespace cutelab::cli {

/// What `cutelab import` takes: the source of its help, its parsing and its page.
VerbSpec import_spec();

}  // namespace cutelab::cli
