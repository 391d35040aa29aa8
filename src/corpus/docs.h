#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cutelab::corpus {

/// One section of a documentation page: Markdown or reStructuredText heading, or a notebook's markdown
/// heading.
struct DocSection {
  std::string title;
  int line = 0;  ///< 1-based line in the file; in a notebook the number of its cell
  std::vector<std::pair<std::string, int>>
      words;  ///< lower-case identifiers and words with their count, sorted by word
  friend bool operator==(const DocSection&, const DocSection&) = default;
};

struct DocPage {
  std::string path;  ///< relative to the corpus root
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::vector<DocSection> sections;
  friend bool operator==(const DocPage&, const DocPage&) = default;
};

/// Splits a page by its headings. `path` decides the format.
DocPage scan_page(std::string_view path, std::string_view text);

}  // namespace cutelab::corpus
