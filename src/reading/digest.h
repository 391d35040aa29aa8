#pragma once
#include <string>
#include <string_view>

namespace cutelab::reading {

/// First 16 hex digits of the SHA-256 of the bytes.
std::string digest(std::string_view bytes);

}  // namespace cutelab::reading
