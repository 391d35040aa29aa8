#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace cutelab::layout {

/// A pre-condition of `operation` does not hold; `number` is the one in its header.
template <class... Args>
Error fault(const char* operation, int number, fmt::format_string<Args...> format, Args&&... args) {
  return Error{ErrorKind::input, operation,
               fmt::format("pre-condition {}: {}", number, fmt::format(format, std::forward<Args>(args)...)),
               "", ""};
}

/// Whether the operation succeeds depends on symbols.
Error undetermined(const char* operation, const std::string& question,
                   const std::vector<std::string>& symbols);

/// True for errors made by undetermined(): with values for the symbols the operation may succeed.
bool is_undetermined(const Error& error);

}  // namespace cutelab::layout
