#include "report/roofline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/svg.h"
#include "render/table.h"

namespace cutelab::report {
namespace {

/// Whole decades that hold everything drawn, on both axes.
struct Axes {
  int x_first = 0, x_last = 1;  ///< powers of ten of flop/byte
  int y_first = 0, y_last = 1;  ///< powers of ten of flop/s
  double x(double intensity) const { return (std::log10(intensity) - x_first) / (x_last - x_first); }
  double y(double rate) const { return (std::log10(rate) - y_first) / (y_last - y_first); }
  double intensity(double at) const { return std::pow(10, x_first + at * (x_last - x_first)); }
};

double highest(const std::vector<Roof>& roofs) {
  double most = 0;
  for (const Roof& roof : roofs) most = std::max(most, roof.per_second);
  return most;
}

double lowest(const std::vector<Roof>& roofs) {
  double least = highest(roofs);
  for (const Roof& roof : roofs) least = std::min(least, roof.per_second);
  return least;
}

Axes axes_of(const Roofline& r) {
  const double ridge =
      highest(r.arithmetic) / lowest(r.memory);  // where the last slope meets the highest roof
  const double left = std::min(r.intensity(), ridge) / 4;
  const double right = std::max(r.intensity(), ridge) * 4;
  double bottom = left * lowest(r.memory);
  if (r.seconds > 0) bottom = std::min(bottom, r.rate());
  Axes axes;
  axes.x_first = static_cast<int>(std::floor(std::log10(left)));
  axes.x_last = static_cast<int>(std::ceil(std::log10(right)));
  axes.y_first = static_cast<int>(std::floor(std::log10(bottom)));
  axes.y_last = static_cast<int>(std::ceil(std::log10(highest(r.arithmetic) * 1.1)));
  return axes;
}

/// The rate that the roofs allow at an intensity: the highest slope under the highest flat roof.
double roof_at(const Roofline& r, double intensity) {
  return std::min(highest(r.arithmetic), highest(r.memory) * intensity);
}

bool drawable(const Roofline& r) {
  return r.flops > 0 && r.bytes > 0 && !r.memory.empty() && !r.arithmetic.empty();
}

std::string rate_text(double per_second, const char* unit) {
  return per_second >= 1e12 ? fmt::format("{:.4g} T{}/s", per_second * 1e-12, unit)
                            : fmt::format("{:.4g} G{}/s", per_second * 1e-9, unit);
}

/// Each roof, what it allows this kernel and how much of that the run reaches.
std::string roofs_text(const Roofline& r) {
  render::Table table{
      {{"Roof"}, {"Rate", render::Align::right}, {"Reached", render::Align::right}, {"Source"}}, {}};
  const auto row = [&](const Roof& roof, const char* unit, double amount) {
    const std::string reached =
        r.seconds > 0 ? fmt::format("{:.1f} %", amount / r.seconds / roof.per_second * 100) : "-";
    table.rows.push_back({roof.name, rate_text(roof.per_second, unit), reached, roof.source});
  };
  for (const Roof& roof : r.memory) row(roof, "B", r.bytes);
  for (const Roof& roof : r.arithmetic) row(roof, "FLOP", r.flops);
  return render::markdown(table);
}

constexpr int columns = 64;
constexpr int rows = 14;

void put(std::vector<std::string>& lines, double x, double y, char mark) {
  const int column = static_cast<int>(std::lround(x * (columns - 1)));
  const int line = rows - 1 - static_cast<int>(std::lround(y * (rows - 1)));
  if (column >= 0 && column < columns && line >= 0 && line < rows)
    lines[static_cast<std::size_t>(line)][static_cast<std::size_t>(column)] = mark;
}

}  // namespace

std::string roofline_text(const Roofline& r) {
  if (!drawable(r)) return "roofline: no rates of the device, or no work, to draw\n";
  const Axes axes = axes_of(r);
  std::vector<std::string> lines(rows, std::string(columns, ' '));
  for (int c = 0; c < columns; ++c) {
    const double at = static_cast<double>(c) / (columns - 1);
    const double roof = roof_at(r, axes.intensity(at));
    put(lines, at, axes.y(roof), roof < highest(r.arithmetic) ? '/' : '-');
  }
  if (r.seconds > 0) put(lines, axes.x(r.intensity()), axes.y(r.rate()), 'o');
  std::string out = fmt::format("{}: {:.3g} flop/byte{}\n", printable(r.title), r.intensity(),
                                r.seconds > 0 ? ", o = " + rate_text(r.rate(), "FLOP") : "");
  for (int line = 0; line < rows; ++line) {
    std::string text = lines[static_cast<std::size_t>(line)];
    text.erase(text.find_last_not_of(' ') + 1);
    const std::string label = line == 0          ? fmt::format("1e{}", axes.y_last)
                              : line == rows - 1 ? fmt::format("1e{}", axes.y_first)
                                                 : "";
    out += fmt::format("{:>6} |{}\n", label, text);
  }
  out += fmt::format("{:>6} +{}\n", "", std::string(columns, '-'));
  out += fmt::format("{:>8}{:<{}}1e{} flop/byte\n\n", "", fmt::format("1e{}", axes.x_first), columns - 4,
                     axes.x_last);
  return out + roofs_text(r);
}

namespace {

constexpr double width = 720, height = 460, left = 70, top = 40, right = 20, bottom = 60;

struct Canvas {
  const Axes& axes;
  render::Svg svg;
  double px(double intensity) const { return left + axes.x(intensity) * (width - left - right); }
  double py(double rate) const { return height - bottom - axes.y(rate) * (height - top - bottom); }
};

void draw_axes(Canvas& c) {
  for (int d = c.axes.x_first; d <= c.axes.x_last; ++d) {
    const double x = c.px(std::pow(10, d));
    c.svg.line(x, top, x, height - bottom, "grid");
    c.svg.text(x, height - bottom + 16, fmt::format("1e{}", d), "edge", "middle");
  }
  for (int d = c.axes.y_first; d <= c.axes.y_last; ++d) {
    const double y = c.py(std::pow(10, d));
    c.svg.line(left, y, width - right, y, "grid");
    c.svg.text(left - 6, y + 4, fmt::format("1e{}", d), "edge", "end");
  }
  c.svg.text(width / 2, height - bottom + 34, "arithmetic intensity (flop/byte)", "edge", "middle");
  c.svg.text(left, top - 8, "flop/s", "edge", "middle");
}

void draw_roofs(Canvas& c, const Roofline& r) {
  const double first = std::pow(10, c.axes.x_first), last = std::pow(10, c.axes.x_last);
  const double floor = std::pow(10, c.axes.y_first);
  for (const Roof& roof : r.memory) {
    const double begin = std::max(first, floor / roof.per_second);
    const double ridge = std::min(last, highest(r.arithmetic) / roof.per_second);
    c.svg.line(c.px(begin), c.py(begin * roof.per_second), c.px(ridge), c.py(ridge * roof.per_second),
               "memory");
    const double middle = std::sqrt(begin * ridge);
    c.svg.text(c.px(middle) - 6, c.py(middle * roof.per_second) - 6,
               roof.name + " " + rate_text(roof.per_second, "B"), "name", "end");
  }
  for (const Roof& roof : r.arithmetic) {
    if (roof.per_second < floor) continue;
    const double ridge = std::max(first, roof.per_second / highest(r.memory));
    c.svg.line(c.px(ridge), c.py(roof.per_second), c.px(last), c.py(roof.per_second), "arithmetic");
    c.svg.text(c.px(last), c.py(roof.per_second) - 5, roof.name + " " + rate_text(roof.per_second, "FLOP"),
               "name", "end");
  }
}

constexpr char roofline_style[] =
    "<style>text{font:12px ui-monospace,monospace;fill:#111}.edge{fill:#777;font-size:11px}.grid{stroke:#ddd}"
    ".memory{stroke:#1f6feb;stroke-width:2}.arithmetic{stroke:#bf3989;stroke-width:2}.run{fill:#d1242f}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.edge{fill:#aaa}.grid{stroke:#333}}</style>";

}  // namespace

std::string roofline_svg(const Roofline& r) {
  render::Svg none;
  if (!drawable(r))
    return none.document(width, 40, "roofline", "no rates of the device, or no work, to draw");
  const Axes axes = axes_of(r);
  Canvas c{axes, {}};
  draw_axes(c);
  draw_roofs(c, r);
  if (r.seconds > 0) {
    c.svg.circle(c.px(r.intensity()), c.py(r.rate()), 5, "run");
    c.svg.text(c.px(r.intensity()) + 9, c.py(r.rate()) + 4, rate_text(r.rate(), "FLOP"), "name");
  }
  c.svg.text(left, 18, r.title, "name");
  const std::string document = c.svg.document(width, height, "roofline", "Roofline of " + r.title);
  const auto after_open = document.find('>') + 1;
  return document.substr(0, after_open) + roofline_style + document.substr(after_open) + "\n";
}

}  // namespace cutelab::report
