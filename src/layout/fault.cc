#include "layout/fault.h"

#include <string_view>

#include "base/text.h"

namespace cutelab::layout {
namespace {
constexpr std::string_view prefix = "undetermined, depends on ";
}

Error undetermined(const char* operation, const std::string& question,
                   const std::vector<std::string>& symbols) {
  return Error{ErrorKind::input, operation, fmt::format("{}{}: {}", prefix, join(symbols, ", "), question),
               "", "give the symbols values, or a divisibility such as M{div=128}"};
}

bool is_undetermined(const Error& error) { return error.wrong.rfind(prefix, 0) == 0; }

}  // namespace cutelab::layout
