#pragma once
#include <string>

namespace cutelab::source {

/// CUDA C++ with attribute-like macros (CUTLASS_DEVICE, CUTE_HOST_DEVICE, CUTLASS_PRAGMA_UNROLL, …)
/// overwritten by spaces, byte for byte, so that a parser that cannot expand macros keeps offsets and lines.
/// Comments and string literals are left alone.
std::string blank_macros(std::string text);

}  // namespace cutelab::source
