#include "render/svg.h"

#include <fmt/format.h>

#include <cmath>

#include "render/html.h"

namespace cutelab::render {

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  body_ += fmt::format("<line class=\"{}\" x1=\"{:.5g}\" y1=\"{:.5g}\" x2=\"{:.5g}\" y2=\"{:.5g}\"/>",
                       html_escape(css_class), x1, y1, x2, y2);
}

void Svg::arrow(double x1, double y1, double x2, double y2, std::string_view css_class) {
  constexpr double head = 7, half = 3.5;
  const double length = std::hypot(x2 - x1, y2 - y1);
  if (length == 0) return;
  const double ux = (x2 - x1) / length, uy = (y2 - y1) / length;
  const double bx = x2 - ux * head, by = y2 - uy * head;
  line(x1, y1, bx, by, css_class);
  path(fmt::format("M{:.5g} {:.5g}L{:.5g} {:.5g}L{:.5g} {:.5g}Z", x2, y2, bx - uy * half, by + ux * half,
                   bx + uy * half, by - ux * half),
       fmt::format("{} head", css_class));
}

void Svg::rect(double x, double y, double width, double height, std::string_view css_class,
               std::string_view title) {
  body_ += fmt::format("<rect class=\"{}\" x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\"",
                       html_escape(css_class), x, y, width, height);
  body_ += title.empty() ? "/>" : fmt::format("><title>{}</title></rect>", html_escape(title));
}

void Svg::circle(double x, double y, double radius, std::string_view css_class) {
  body_ += fmt::format("<circle class=\"{}\" cx=\"{:.5g}\" cy=\"{:.5g}\" r=\"{:.5g}\"/>",
                       html_escape(css_class), x, y, radius);
}

void Svg::path(std::string_view d, std::string_view css_class) {
  body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", html_escape(css_class), html_escape(d));
}

void Svg::text(double x, double y, std::string_view text, std::string_view css_class,
               std::string_view anchor) {
  body_ += fmt::format("<text class=\"{}\" x=\"{:.5g}\" y=\"{:.5g}\" text-anchor=\"{}\">{}</text>",
                       html_escape(css_class), x, y, html_escape(anchor), html_escape(text));
}

void Svg::begin_link(std::string_view href, std::string_view title) {
  body_ += fmt::format("<a href=\"{}\"><title>{}</title>", html_escape(href), html_escape(title));
}

void Svg::end_link() { body_ += "</a>"; }

std::string Svg::document(double width, double height, std::string_view css_class,
                          std::string_view label) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{}\" width=\"{:.5g}\" height=\"{:.5g}\" viewBox=\"0 "
      "0 {:.5g} {:.5g}\" "
      "role=\"img\" aria-label=\"{}\">{}</svg>",
      html_escape(css_class), width, height, width, height, html_escape(label), body_);
}

}  // namespace cutelab::render
