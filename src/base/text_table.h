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
  const auto eight = [](const char* at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, 8);
    return bytes;
  };
  const auto four = [](const char* at) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, at, 4);
    return std::uint64_t{bytes};
  };
  const std::size_t size = text.size();
  const char *at = text.data(), *end = at + size;
  if (size >= 8) {
    for (; end - at > 8; at += 8) mix(eight(at));
    mix(eight(end - 8));  // what is left, and some that came before
  } else if (size >= 4) {
    mix(four(at) | four(end - 4) << 32);
  } else if (size > 0) {
    const auto byte = [at](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
    mix(byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16);
  }
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
