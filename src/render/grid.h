#pragma once
#include <string>
#include <vector>

namespace cutelab::render {

/// One cell of a grid. `hue` names a colour class: equal numbers look alike, neighbours differ; -1 = no
/// colour.
struct GridCell {
  std::string text;   ///< short, "12" or "T3 V1"
  std::string title;  ///< shown on hover
  int hue = -1;
};

/// Rows × columns of cells with numbered edges.
struct Grid {
  std::string caption;  ///< "(8,8):(8,1), rows mode 0, columns mode 1, colour: bank"
  int rows = 0;
  int columns = 0;
  std::vector<GridCell> cells;      ///< row by row; rows × columns
  std::vector<std::string> legend;  ///< what hue i stands for; may be empty
};

/// For a terminal: aligned cells, edges numbered; with `colour` backgrounds in 256 colours.
std::string grid_text(const Grid& grid, bool colour);
/// One SVG that stands alone (style included, light and dark).
std::string grid_svg(const Grid& grid);
/// One page that stands alone: the grid, its legend; hovering a cell shows its title and marks all cells of
/// its colour.
std::string grid_html(const Grid& grid, const std::string& title);

}  // namespace cutelab::render
