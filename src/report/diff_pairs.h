#pragma once
#include <vector>

#include "report/diff.h"

namespace cutelab::report {

/// Puts together what only the first has and what only the second has where both do the same under other
/// names: rings of loads, accumulators and stores; stages, buffers and tiles whose names say the same; the
/// one MMA, the one scheduler, the one epilogue of each. A pair that says the same on both sides is no
/// difference. Swapping left and right of every difference swaps them in the result.
std::vector<Difference> paired(std::vector<Difference> all);

}  // namespace cutelab::report
