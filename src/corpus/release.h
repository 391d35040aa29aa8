#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace cutelab::corpus {

/// A release number such as 4.5.0. Missing parts are 0.
struct Release {
  int major = 0;
  int minor = 0;
  int patch = 0;
  friend auto operator<=>(const Release&, const Release&) = default;
  std::string text() const;  ///< "4.5.0"
};

/// "4.5.0", "v4.5.0", "4.5"; anything after the third number is ignored. Nothing for other text.
std::optional<Release> parse_release(std::string_view text);

}  // namespace cutelab::corpus
