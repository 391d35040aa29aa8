#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cutelab {

/// For tables of names in memory: short texts in a few multiplications, inline. The same on every machine of
/// one byte order; not for what is stored, nor against chosen collisions.
inline std::size_t hash_of(std::string_view text) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15u;
  std::uint64_t hash = text.size() * odd;
  const auto mix = [&](std::uint64_t bytes) {
    hash = (hash ^ bytes) * odd;
    hash ^= hash >> 32;
  };
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), 8);
    mix(bytes);
  }
  std::uint64_t rest = 0;
  for (const char c : text) rest = rest << 8 | static_cast<unsigned char>(c);
  mix(rest);
  return static_cast<std::size_t>(hash);
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash_of(text); }
};

/// By text; a view finds its entry without becoming a string.
template <class T>
using TextTable = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

}  // namespace cutelab
