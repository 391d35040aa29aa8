#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/verb.h"

namespace cutelab::cli {

constexpr int most_seconds = 10'000'000;  ///< of a time limit: 115 days
constexpr int most_listed = 1'000'000;    ///< rows of a list: more than are ever kept

/// A whole number from `least` to `most`; errors (kind usage) name both.
Result<int> bounded_number(const Arguments& arguments, const std::string& verb, const std::string& flag,
                           int otherwise, int least, int most);
/// The same of one word that `flag` was given.
Result<int> bounded_number(std::string_view word, const std::string& verb, const std::string& flag, int least,
                           int most);

/// The number of a GPU that `flag` was given.
Result<int> gpu_number(std::string_view word, const std::string& verb, const std::string& flag);

}  // namespace cutelab::cli
