#pragma once
#include <string>
#include <string_view>

namespace cutelab::render {

/// Collects SVG elements; coordinates in CSS pixels. Colours come from the classes' style sheet, so that a
/// drawing follows the page's light or dark theme. Text is escaped.
class Svg {
 public:
  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  /// Straight arrow whose head, in the class's colour, ends at (x2, y2).
  void arrow(double x1, double y1, double x2, double y2, std::string_view css_class);
  void rect(double x, double y, double width, double height, std::string_view css_class,
            std::string_view title = "");
  void circle(double x, double y, double radius, std::string_view css_class);
  void path(std::string_view d, std::string_view css_class);
  /// anchor: "start", "middle" or "end".
  void text(double x, double y, std::string_view text, std::string_view css_class,
            std::string_view anchor = "start");
  /// Everything added until end_link() leads to `href`; `title` is read out and shown on hover.
  void begin_link(std::string_view href, std::string_view title);
  void end_link();

  /// The whole <svg> of that size; `label` is what a screen reader says.
  std::string document(double width, double height, std::string_view css_class, std::string_view label) const;

 private:
  std::string body_;
};

}  // namespace cutelab::render
