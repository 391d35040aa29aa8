#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "render/paint.h"
#include "render/table.h"

namespace cutelab::render {

struct Cell {
  std::string text;
  Style style = Style::plain;
};

struct ColumnSpec {
  std::string title;
  Align align = Align::left;
  bool wraps =
      false;      ///< long text goes on below in its column; otherwise it ends in "…" when there is no room
  int least = 4;  ///< not narrower than this, if its content is not and there is room
};

/// A table for a terminal of a given width: aligned columns, two spaces between them, a faint title line if
/// any title is set.
struct Columns {
  std::vector<ColumnSpec> columns;
  std::vector<std::vector<Cell>> rows;  ///< shorter rows are filled with empty cells
};

/// Post-conditions:
///   1. No line is wider than `width` columns of the terminal, if the `least` widths (of columns that wrap at
///   most 8) and the gaps fit in it. Titles are cut only where their whole widths do not fit.
///   2. Every cell starts at its column's position in every row.
///   3. The text of a wrapping cell appears whole; without control characters whatever its bytes were.
///   4. No line ends in a space.
///   5. The line number of a place (Style::place) in a cell that may not wrap appears whole; with 1., it
///   counts as the least width of its column.
///   6. A column in which no row says anything is left out.
std::string columns(const Columns& table, int width, const Paint& paint, int indent = 2);

/// The table as Markdown where that fits in `width` columns (0 = always), else laid out in columns whose text
/// goes on below.
std::string fitted(const Table& table, int width);

/// printable() on one line, without blanks at its end: what a cell shows of a text.
std::string one_line(std::string_view text);

/// `text` and a line end; longer than `width` columns (0 = any) it goes on below, two columns in.
std::string paragraph(const std::string& text, int width);

/// `text` broken between words into lines of at most `width` columns; a word longer than that is broken
/// inside, after a mark (- _ / . , :) where that leaves at least a third of the line.
std::vector<std::string> wrap(std::string_view text, int width);

/// `text` cut to `width` columns, its last one "…" if anything was cut; between words where that costs no
/// more than half of it.
std::string clip(std::string_view text, int width);

/// Cut in the middle instead, so that both ends stay readable: "folder/…/dense_gemm.py".
std::string clip_middle(std::string_view text, int width);

/// A place, "dense_gemm.py:523", cut so that its line number stays whole whatever the width: "den…m.py:523",
/// ":523". A text that does not end in a line number is clipped.
std::string clip_place(std::string_view text, int width);

}  // namespace cutelab::render
