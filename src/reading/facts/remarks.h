#pragma once

namespace cutelab::reading {

/// Follows what a register budget says: the same number fits one compiler and spills on the next.
inline constexpr const char* spill_remark =
    "; what needs more is spilled to local memory, as only the compiled kernel shows";

}  // namespace cutelab::reading
