#include "render/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/html.h"

namespace cutelab::render {
namespace {

constexpr int cell_height = 26;
constexpr int left = 46;
constexpr int top = 44;

int cell_width(const Grid& grid) {
  std::size_t widest = 2;
  for (const GridCell& cell : grid.cells) widest = std::max(widest, display_width(cell.text));
  return static_cast<int>(12 + 7 * widest);
}

// Hues a golden angle apart: any few neighbours differ clearly, and no number repeats a colour soon.
int degrees(int hue) { return static_cast<int>(std::lround(std::fmod(hue * 137.508, 360.0))); }
int lightness(int hue) { return 80 - 7 * (hue / 8 % 3); }

const GridCell& cell_at(const Grid& grid, int row, int column) {
  return grid.cells[static_cast<std::size_t>(row) * grid.columns + column];
}

// 256-colour cube entry near the hue.
int terminal_colour(int hue) {
  const double h = degrees(hue) / 60.0;
  const auto channel = [&](double shift) {
    const double x = std::abs(std::fmod(h + shift, 6.0) - 3.0) - 1.0;
    return 2 + static_cast<int>(std::lround(3.0 * std::clamp(x, 0.0, 1.0)));
  };
  return 16 + 36 * channel(0) + 6 * channel(4) + channel(2);
}

std::string style() {
  return "text{font:12px "
         "ui-monospace,monospace;fill:#111}.edge{fill:#777;font-size:10px}.caption{font-size:13px}"
         "rect{stroke:#fff;stroke-width:1}rect.none{fill:#eee}.dim{opacity:.18}"
         "@media(prefers-color-scheme:dark){.edge,.caption{fill:#bbb}rect{stroke:#222}}";
}

std::string cell_svg(const GridCell& cell, int x, int y, int width) {
  const std::string fill =
      cell.hue < 0 ? std::string(" class=\"none\"")
                   : fmt::format(" style=\"fill:hsl({},65%,{}%)\"", degrees(cell.hue), lightness(cell.hue));
  return fmt::format(
      "<g data-hue=\"{}\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}/>"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text></g>\n",
      cell.hue, html_escape(cell.title), x, y, width, cell_height, fill, x + width / 2,
      y + cell_height / 2 + 4, html_escape(cell.text));
}

std::string edge(int x, int y, int number) {
  return fmt::format("<text class=\"edge\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x, y,
                     number);
}

}  // namespace

std::string grid_text(const Grid& grid, bool colour) {
  std::size_t width = 1;
  for (const GridCell& cell : grid.cells) width = std::max(width, display_width(cell.text));
  width = std::max(width, std::to_string(grid.columns - 1).size());
  const std::size_t margin = std::to_string(grid.rows - 1).size();
  const auto padded = [](const std::string& s, std::size_t to) {
    return std::string(to - std::min(to, display_width(s)), ' ') + s;
  };
  std::string out = printable(grid.caption) + "\n" + std::string(margin + 1, ' ');
  for (int c = 0; c < grid.columns; ++c) out += " " + padded(std::to_string(c), width);
  out += "\n";
  for (int r = 0; r < grid.rows; ++r) {
    out += padded(std::to_string(r), margin) + "|";
    for (int c = 0; c < grid.columns; ++c) {
      const GridCell& cell = cell_at(grid, r, c);
      const std::string text = " " + padded(cell.text, width);
      out += colour && cell.hue >= 0
                 ? fmt::format("\033[48;5;{}m\033[30m{}\033[0m", terminal_colour(cell.hue), text)
                 : text;
    }
    out += "\n";
  }
  return out;
}

std::string grid_svg(const Grid& grid) {
  const int w = cell_width(grid);
  const int caption = static_cast<int>(14 + 8 * display_width(grid.caption));
  const int width = std::max(left + grid.columns * w + 8, caption);
  const int height = top + grid.rows * cell_height + 8;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" "
      "role=\"img\">"
      "<style>{}</style>\n<text class=\"caption\" x=\"8\" y=\"18\">{}</text>\n",
      width, height, width, height, style(), html_escape(grid.caption));
  for (int c = 0; c < grid.columns; ++c) out += edge(left + c * w + w / 2, top - 6, c);
  for (int r = 0; r < grid.rows; ++r) {
    out += edge(left - 18, top + r * cell_height + cell_height / 2 + 4, r);
    for (int c = 0; c < grid.columns; ++c)
      out += cell_svg(cell_at(grid, r, c), left + c * w, top + r * cell_height, w);
  }
  return out + "</svg>\n";
}

std::string grid_html(const Grid& grid, const std::string& title) {
  std::string legend;
  for (std::size_t i = 0; i < grid.legend.size(); ++i)
    legend += fmt::format(
        "<span class=\"key\" data-hue=\"{}\" style=\"background:hsl({},65%,{}%)\">{}</span>", i,
        degrees(static_cast<int>(i)), lightness(static_cast<int>(i)), html_escape(grid.legend[i]));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>\n"
      "body{{margin:16px;font:14px "
      "system-ui,sans-serif;background:#fff;color:#111}}.key{{display:inline-block;padding:1px 7px;"
      "margin:2px;color:#111;border-radius:3px;font:12px "
      "ui-monospace,monospace;cursor:default}}#hover{{min-height:1.4em;"
      "font:13px ui-monospace,monospace}}.wide{{overflow-x:auto}}\n"
      "@media(prefers-color-scheme:dark){{body{{background:#151515;color:#ddd}}}}\n"
      "</style></head><body>\n<h1 style=\"font-size:17px\">{}</h1>\n<p id=\"hover\">Point at a "
      "cell.</p>\n<div class=\"wide\">{}</div>\n"
      "<p>{}</p>\n<script>\n"
      "const cells=[...document.querySelectorAll('g[data-hue]')],at=document.getElementById('hover');\n"
      "function mark(hue){{for(const c of cells)c.classList.toggle('dim',hue!==null&&c.dataset.hue!==hue)}}\n"
      "for(const e of [...cells,...document.querySelectorAll('.key')]){{"
      "e.addEventListener('mouseenter',()=>{{mark(e.dataset.hue==='-1'?null:e.dataset.hue);"
      "at.textContent=e.querySelector('title')?.textContent??e.textContent}});"
      "e.addEventListener('mouseleave',()=>{{mark(null);at.textContent='Point at a cell.'}})}}\n"
      "</script></body></html>\n",
      html_escape(title), html_escape(title), grid_svg(grid), legend);
}

}  // namespace cutelab::render
