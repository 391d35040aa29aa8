#include "base/counted.h"

namespace cutelab {

std::string counted(long long n, std::string_view one, std::string_view many) {
  const std::string word(n == 1 || many.empty() ? one : many);
  return std::to_string(n) + " " + word + (n != 1 && many.empty() ? "s" : "");
}

}  // namespace cutelab
