#include "cli/numbers.h"

#include <fmt/format.h>

#include "base/text.h"

namespace cutelab::cli {

Result<int> bounded_number(std::string_view word, const std::string& verb, const std::string& flag, int least,
                           int most) {
  const auto number = parse_integer(word);
  if (number && *number >= least && *number <= most) return static_cast<int>(*number);
  return Error{ErrorKind::usage, verb, fmt::format("{} does not take '{}'", flag, word), "",
               fmt::format("it takes a whole number from {} to {}", least, most)};
}

Result<int> bounded_number(const Arguments& arguments, const std::string& verb, const std::string& flag,
                           int otherwise, int least, int most) {
  if (!arguments.has(flag)) return otherwise;
  return bounded_number(arguments.get(flag), verb, flag, least, most);
}

Result<int> gpu_number(std::string_view word, const std::string& verb, const std::string& flag) {
  constexpr int most_gpu = 4095;
  auto number = bounded_number(word, verb, flag, 0, most_gpu);
  if (number) return number;
  Error error = number.error();
  error.remedy += "; `cutelab device` lists the GPUs";
  return error;
}

}  // namespace cutelab::cli
