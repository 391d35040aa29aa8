#include "report/layout_drawing.h"

#include <fmt/format.h>

#include <algorithm>

namespace cutelab::report {

using layout::ComposedLayout;
using layout::KnownComposed;
using layout::KnownLayout;
using render::Grid;
using render::GridCell;

namespace {

std::string cut_note(std::int64_t rows, std::int64_t columns) {
  if (rows <= most_drawn_rows && columns <= most_drawn_columns) return "";
  return fmt::format(" (first {}x{} of {}x{})", std::min<std::int64_t>(rows, most_drawn_rows),
                     std::min<std::int64_t>(columns, most_drawn_columns), rows, columns);
}

// Offsets may be negative: classes of them go on below 0.
std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return (a % b + b) % b; }
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return (a - floor_mod(a, b)) / b; }

Grid empty_grid(std::int64_t rows, std::int64_t columns) {
  Grid grid;
  grid.rows = static_cast<int>(std::min<std::int64_t>(rows, most_drawn_rows));
  grid.columns = static_cast<int>(std::min<std::int64_t>(columns, most_drawn_columns));
  grid.cells.resize(static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns));
  return grid;
}

}  // namespace

Result<Grid> draw_layout(const ComposedLayout& layout, LayoutColour colour, std::int64_t bits) {
  auto known = KnownComposed::of(layout);
  if (!known) return known.error();
  if (bits <= 0 || bits > layout::most_element_bits)
    return Error{ErrorKind::input, "draw", fmt::format("elements of {} bits", bits), "",
                 fmt::format("1 to {} bits", layout::most_element_bits)};
  const bool flat = layout.rank() < 2;
  const std::int64_t rows = flat ? 1 : product(layout.shape().view().mode(0)).value();
  const std::int64_t columns = rows == 0 ? 0 : known->size() / rows;
  Grid grid = empty_grid(rows, columns);
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.columns; ++c) {
      const std::int64_t value = (*known)(r + rows * c);
      const std::int64_t bank = floor_mod(floor_div(value * bits, 32), 32);
      GridCell& cell = grid.cells[static_cast<std::size_t>(r) * grid.columns + c];
      cell.text = fmt::format("{}", value);
      cell.title = flat ? fmt::format("index {} → {}", c, value)
                        : fmt::format("({},{}), index {} → {}", r, c, r + rows * c, value);
      if (colour == LayoutColour::bank) cell.title += fmt::format(", bank {}", bank);
      cell.hue = static_cast<int>(colour == LayoutColour::bank ? bank : floor_mod(value, 8));
    }
  grid.caption = fmt::format("{}: {}{}, colour: {}", layout.text(),
                             flat ? "index from left to right" : "rows mode 0, columns the other modes",
                             cut_note(rows, columns), colour == LayoutColour::bank ? "bank" : "value mod 8");
  for (int i = 0; i < (colour == LayoutColour::bank ? 32 : 8); ++i)
    grid.legend.push_back(fmt::format("{} {}", colour == LayoutColour::bank ? "bank" : "mod 8 =", i));
  return grid;
}

Result<Grid> draw_thread_values(const layout::Layout& tv, std::int64_t rows, std::int64_t columns) {
  auto known = KnownLayout::of(tv);
  if (!known) return known.error();
  if (tv.rank() != 2 || rows <= 0 || columns <= 0)
    return Error{ErrorKind::input, "draw", fmt::format("{} has no thread and value mode", tv.text()), "",
                 "give a rank-2 layout"};
  if (known->size() > layout::most_visited_elements || rows > layout::most_visited_elements ||
      columns > layout::most_visited_elements)
    return Error{ErrorKind::input, "draw",
                 fmt::format("{} over a {}x{} tile: more than {} elements", tv.text(), rows, columns,
                             layout::most_visited_elements),
                 "", "draw a part of it"};
  const std::int64_t threads = product(tv.shape().view().mode(0)).value();
  Grid grid = empty_grid(rows, columns);
  std::vector<int> holders(grid.cells.size(), 0);
  for (std::int64_t i = 0; i < known->size(); ++i) {
    const std::int64_t at = (*known)(i);
    if (at < 0 || at >= rows * columns)
      return Error{ErrorKind::input, "draw",
                   fmt::format("value {} lies outside the {}x{} tile", at, rows, columns), "",
                   "name the tile's shape"};
    const std::int64_t r = at % rows;
    const std::int64_t c = at / rows;
    if (r >= grid.rows || c >= grid.columns) continue;
    const auto cell_index = static_cast<std::size_t>(r * grid.columns + c);
    GridCell& cell = grid.cells[cell_index];
    if (holders[cell_index]++ > 0) {
      cell.text = fmt::format("{} T", holders[cell_index]);
      cell.title = fmt::format("({},{}): held by {} threads", r, c, holders[cell_index]);
      cell.hue = -1;
      continue;
    }
    cell.text = fmt::format("T{} V{}", i % threads, i / threads);
    cell.title = fmt::format("({},{}): thread {}, value {}", r, c, i % threads, i / threads);
    cell.hue = static_cast<int>(i % threads);
  }
  grid.caption = fmt::format("{}: who holds each element of the {}x{} tile{}, colour: thread", tv.text(),
                             rows, columns, cut_note(rows, columns));
  for (std::int64_t t = 0; t < std::min<std::int64_t>(threads, 32); ++t)
    grid.legend.push_back(fmt::format("T{}", t));
  return grid;
}

}  // namespace cutelab::report
