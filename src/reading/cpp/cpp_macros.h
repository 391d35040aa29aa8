#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cutelab::reading {

struct CppMacro {
  bool called = false, open_end = false;
  bool open = false;  ///< defined or not by the build
  std::vector<std::string> parameters;
  std::string text;
};

constexpr std::size_t most_expanded_bytes = 6'000'000;

/// The macros that hold at one place of a source, and what they make of a text.
class CppMacros {
 public:
  using Hidden = std::set<std::string, std::less<>>;
  std::map<std::string, CppMacro, std::less<>> all;
  std::set<std::string, std::less<>> undefined;  ///< by an #undef
  const char* limit = nullptr;                   ///< what ended an expansion early

  std::string expanded(std::string_view text, const Hidden& hidden, int depth);
  /// Puts in what the word at `at` stands for; where to go on: the word's end where it is no macro.
  std::size_t word(std::string_view text, std::size_t at, const Hidden& hidden, int depth, std::string& out);

 private:
  std::size_t plain(std::string_view text, std::size_t end, const CppMacro& macro, const Hidden& hidden,
                    int depth, std::string& out);
  std::string put_in(const CppMacro& macro, const std::vector<std::string_view>& given, const Hidden& hidden,
                     int depth);
  int count_ = 0;
};

/// Where the word at `at` ends.
std::size_t cpp_end_of_word(std::string_view text, std::size_t at);
bool cpp_opens_word(char c);
/// Where a comment, a literal or a number that begins at `at` ends; `at` where none does.
std::size_t cpp_end_of_inert(std::string_view text, std::size_t at);
bool cpp_is_comment(std::string_view text, std::size_t at);
/// Behind white space and comments.
std::size_t cpp_skip_spaces(std::string_view text, std::size_t at);

}  // namespace cutelab::reading
