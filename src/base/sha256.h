#pragma once
#include <string>
#include <string_view>

namespace cutelab {

/// SHA-256 (FIPS 180-4) of `bytes` as 64 lower-case hex digits.
std::string sha256(std::string_view bytes);
/// The same without the instructions that some processors have for it, for machines that lack them and for
/// tests.
std::string sha256_in_plain_code(std::string_view bytes);

}  // namespace cutelab
