#pragma once

namespace cutelab::reading {
struct CppContext;

/// Ways of CuTe C++ kernels to keep units busy: stores under the products of the next tile, warpgroups that
/// take turns, sums added to a second set of registers, rows exchanged within four lanes.
void extract_cpp_overlap(CppContext& context);

}  // namespace cutelab::reading
