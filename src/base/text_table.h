#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cutelab {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// By text; a view finds its entry without becoming a string.
template <class T>
using TextTable = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

}  // namespace cutelab
