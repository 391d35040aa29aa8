#include "corpus/words.h"

#include <algorithm>

#include "base/text.h"

namespace cutelab::corpus {
namespace {
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
}  // namespace

std::vector<std::string> split_words(std::string_view text, WordSplit how) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    const bool part = is_letter(c) || (how != WordSplit::letters && is_digit(c)) ||
                      (how == WordSplit::keep_digits_and_star && c == '*');
    if (part) {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool has(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool contains_sequence(const std::vector<std::string>& words, const std::vector<std::string>& needle) {
  return !needle.empty() &&
         std::search(words.begin(), words.end(), needle.begin(), needle.end()) != words.end();
}

std::string_view basename_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view folder_of_path(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view stem_of(std::string_view path) {
  const std::string_view base = basename_of(path);
  const auto dot = base.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? base : base.substr(0, dot);
}

std::string_view extension_of(std::string_view path) {
  const std::string_view base = basename_of(path);
  const auto dot = base.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view{} : base.substr(dot);
}

std::string normalized(std::string_view path) {
  const bool absolute = !path.empty() && path[0] == '/';
  std::vector<std::string> parts;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..")
      parts.pop_back();
    else if (part != ".." || !absolute)
      parts.emplace_back(part);
  }
  return (absolute ? "/" : "") + join(parts, "/");
}

}  // namespace cutelab::corpus
