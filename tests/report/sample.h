#pragma once
#include <string>

#include "evidence/reading.h"

namespace cutelab::report::testing {

/// A kernel of our own with two roles and a ring, as text, and a reading of it written by hand: views are
/// tested on it without the reading engine.
std::string sample_source();
evidence::Reading sample_reading();

/// Several kernels, roles beyond the columns, places in a helper file, and text that attacks terminals and
/// pages.
evidence::Reading hostile_reading();
std::string hostile_source();

}  // namespace cutelab::report::testing
