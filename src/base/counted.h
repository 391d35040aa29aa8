#pragma once
#include <string>
#include <string_view>

namespace cutelab {

/// "1 run", "2 runs"; `many` for plurals that take more than an s: counted(2, "entry", "entries").
std::string counted(long long n, std::string_view one, std::string_view many = {});

}  // namespace cutelab
