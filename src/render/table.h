#pragma once
#include <string>
#include <vector>

namespace cutelab::render {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  int max_width = 0;  ///< 0 = as wide as its content; longer cells end in "…"
};

/// A table of text cells. Rows shorter than the header are filled with empty cells; longer ones are an error
/// (asserted).
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// GitHub-flavoured Markdown whose columns also line up on a terminal (the convention of profilers in this
/// field).
std::string markdown(const Table& table);

/// RFC 4180.
std::string csv(const Table& table);

}  // namespace cutelab::render
