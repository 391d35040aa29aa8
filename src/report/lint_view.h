#pragma once
#include <string>

#include "report/view.h"

namespace cutelab::report {

/// What the rules found, worst first, and how many places they could not decide, with the most frequent
/// reasons; `everything` names each undecided place and how every tiled mode stays inside its tensor.
/// ```
/// rules: 1 error, 1 note; 46 places held to 24 rules, 12 could not be decided
///   error  :24  register-budget  the roles ask for 66560 registers, 384 threads
///               start with at most 168 each
///               128 * 40 + 256 * 240 = 66560 > 384 * 168 = 64512
///   undecided: x: stages: known only at run time (8), …
/// ```
std::string lints(const evidence::Reading& reading, const ViewOptions& options, bool everything);

}  // namespace cutelab::report
