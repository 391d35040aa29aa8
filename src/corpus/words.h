#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace cutelab::corpus {

enum class WordSplit {
  letters,              ///< "mla_decode_fp16" -> mla decode fp: digits separate
  keep_digits,          ///< -> mla decode fp16
  keep_digits_and_star  ///< and '*' belongs to a word
};

/// Lower-case words of a name, path or text.
std::vector<std::string> split_words(std::string_view text, WordSplit how);

/// Whether `item` is one of `list`.
bool has(const std::vector<std::string>& list, std::string_view item);

/// Whether `needle`'s words stand one after another in `words`.
bool contains_sequence(const std::vector<std::string>& words, const std::vector<std::string>& needle);

std::string_view basename_of(std::string_view path);
std::string_view folder_of_path(
    std::string_view path);                            ///< without the trailing slash; empty for a bare name
std::string_view stem_of(std::string_view path);       ///< basename without its extension
std::string_view extension_of(std::string_view path);  ///< ".py"; empty if none

/// A path without "." and ".." components and doubled slashes, by text alone.
std::string normalized(std::string_view path);

}  // namespace cutelab::corpus
