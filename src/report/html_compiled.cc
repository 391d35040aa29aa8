#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "layout/parse.h"
#include "layout/smem.h"
#include "render/html.h"
#include "report/comparison.h"
#include "report/html_parts.h"
#include "report/layout_drawing.h"

namespace cutelab::report {
namespace {
using evidence::Agreement;
using evidence::ComparedFact;
using evidence::Fact;
using render::element;
using render::html_escape;
using render::text_element;

/// Side of a cell in the margin; a swizzle's pattern of 8 rows must be seen.
constexpr int cell_pixels = 3;
constexpr int most_rows = 24;
constexpr int banks_of_a_unit = 4;  // 16 bytes: what a swizzle moves as one

std::string note_key(const std::string& kind, const std::string& subject, const evidence::Location& at) {
  return fmt::format("{}|{}|{}:{}", kind, subject, at.file, at.line());
}

std::string compiled_layout(const Fact& fact) {
  const auto value = fact.values.find("layout");
  const bool compiled = value != fact.values.end() && value->second.string() != nullptr &&
                        value->second.known_by == evidence::KnownBy::compiled;
  return compiled ? *value->second.string() : "";
}

/// Digits of "f16", "i64", "bf16", "f8E4M3FN", "tf32" tell how wide an element is; 0 where there are none.
std::int64_t element_bits(const std::string& type) {
  const auto at = type.find_first_of("0123456789");
  if (at == std::string::npos) return 0;
  const long bits = std::strtol(type.c_str() + at, nullptr, 10);
  return bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
}

/// One path for each hue, of runs of cells; a grid of 64 x 64 stays some kilobytes.
std::string runs_svg(const render::Grid& grid, bool units) {
  std::map<int, std::string> paths;
  const auto hue_at = [&](int row, int column) {
    const int hue = grid.cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.columns) +
                               static_cast<std::size_t>(column)]
                        .hue;
    return units && hue >= 0 ? hue / banks_of_a_unit : hue;
  };
  for (int row = 0; row < grid.rows; ++row)
    for (int begin = 0, end = 0; begin < grid.columns; begin = end) {
      const int hue = hue_at(row, begin);
      for (end = begin + 1; end < grid.columns && hue_at(row, end) == hue;) ++end;
      const int width = (end - begin) * cell_pixels;
      paths[hue] +=
          fmt::format("M{} {}h{}v{}h-{}z", begin * cell_pixels, row * cell_pixels, width, cell_pixels, width);
    }
  std::string out;
  for (const auto& [hue, path] : paths) out += fmt::format("<path class=\"u{}\" d=\"{}\"/>", hue & 7, path);
  return out;
}

/// Of a shared-memory layout, whose swizzle counts bytes, the offsets in elements.
Result<layout::ComposedLayout> in_elements(const layout::ComposedLayout& layout, std::int64_t bits) {
  if (layout.swizzle().identity()) return layout;
  return layout::element_form(layout, bits);
}

}  // namespace

CompiledNotes::CompiledNotes(const evidence::Reading& reading, const evidence::Comparison* comparison)
    : comparison_(comparison) {
  if (comparison == nullptr) return;
  for (const ComparedFact& fact : comparison->facts)
    compared_.emplace(note_key(fact.kind, fact.subject, fact.at), &fact);
  for (const Fact& fact : reading.facts)
    if (const auto element = fact.values.find("element"); element != fact.values.end())
      if (const std::string layout = compiled_layout(fact); !layout.empty())
        elements_.emplace(layout, element->second.text());
  for (const Fact& fact : reading.facts)
    if (const std::string layout = compiled_layout(fact); !layout.empty() && !drawn_.contains(layout))
      draw(layout, elements_.contains(layout) ? elements_.at(layout) : "");
}

void CompiledNotes::draw(const std::string& layout, const std::string& element) {
  auto parsed = layout::parse_layout(layout);
  if (!parsed) return;
  const std::int64_t bits = element_bits(element);
  const bool banked = bits > 0;
  if (!banked && !parsed->swizzle().identity()) return;  // the swizzle's unit is not known
  auto whole = in_elements(*parsed, bits);
  if (!whole) return;
  auto grid = draw_layout(*whole, banked ? LayoutColour::bank : LayoutColour::value, banked ? bits : 32);
  if (!grid || grid->cells.empty()) return;
  grid->rows = std::min(grid->rows, most_rows);
  Drawn& drawn = drawn_[layout];
  drawn.number = drawn_.size();
  drawn.width = grid->columns * cell_pixels;
  drawn.height = grid->rows * cell_pixels;
  drawn.svg = runs_svg(*grid, banked);
  drawn.caption = fmt::format("{}first {}x{}: rows mode 0, columns the other modes; colour: {}",
                              banked ? element + ", " : "", grid->rows, grid->columns,
                              banked ? "the 16 bytes of a 128-byte row" : "offset mod 8");
}

std::string CompiledNotes::symbols() const {
  std::string out;
  for (const auto& [layout, drawn] : drawn_)
    out += fmt::format("<symbol id=\"layout{}\" viewBox=\"0 0 {} {}\">{}</symbol>", drawn.number, drawn.width,
                       drawn.height, drawn.svg);
  return out.empty() ? "" : "<svg class=\"symbols\" aria-hidden=\"true\">" + out + "</svg>\n";
}

std::string CompiledNotes::mark(const Fact& fact) const {
  const auto found = compared_.find(note_key(fact.kind, fact.subject, fact.at));
  if (found == compared_.end()) return "";
  const Agreement agreement = found->second->agreement;
  return element("b",
                 {{"class", agreement == Agreement::differ ? "differ" : "mark"},
                  {"title", replace_all(name_of(agreement), "-", " ")}},
                 mark_of(agreement)) +
         " ";
}

std::string CompiledNotes::values(const Fact& fact) const {
  if (!any() || fact.family == evidence::Family::M1) return "";
  std::map<std::string, std::string> texts;
  if (const auto found = compared_.find(note_key(fact.kind, fact.subject, fact.at)); found != compared_.end())
    for (const auto& value : found->second->values)
      texts[value.name] = value.agreement == Agreement::differ
                              ? value.source.text() + ", compiled " + value.compiled.text()
                              : value.compiled.text();
  for (const auto& [name, value] : fact.values)
    if ((value.known_by == evidence::KnownBy::compiled || value.known_by == evidence::KnownBy::recorded) &&
        value.determined())
      texts.emplace(name, value.text());
  std::string out;
  for (const auto& [name, text] : texts)
    if (name != "layout" && name != "through" && name != "inside")
      out += (out.empty() ? "" : ", ") + text_element("i", {}, name) + " " + html_escape(text);
  return out.empty() ? "" : element("span", {{"class", "stated"}}, out);
}

std::string CompiledNotes::drawing(const Fact& fact) const {
  const std::string layout = any() ? compiled_layout(fact) : "";
  if (layout.empty()) return "";
  std::string out = text_element("code", {}, layout);
  if (const auto drawn = drawn_.find(layout); drawn != drawn_.end())
    out += fmt::format(
        "<svg width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"{2}\"><title>{2}</title>"
        "<use href=\"#layout{3}\"/></svg>",
        drawn->second.width, drawn->second.height, html_escape(layout + ": " + drawn->second.caption),
        drawn->second.number);
  return element("span", {{"class", "layout"}}, out);
}

std::string CompiledNotes::section(const Anchors& anchors) const {
  if (!any()) return "";
  std::vector<std::string> counts;
  HtmlTable table({"line", "", "fact", "values"}, {"tight", "tight", "", ""});
  for (const Agreement agreement : {Agreement::agree, Agreement::filled, Agreement::differ,
                                    Agreement::source_only, Agreement::compiled_only})
    counts.push_back(
        fmt::format("{} {}", comparison_->count(agreement), replace_all(name_of(agreement), "-", " ")));
  for (const ComparedFact& fact : comparison_->facts) {
    if (fact.agreement == Agreement::agree) continue;
    table.row({anchors.link(fact.at), mark_of(fact.agreement),
               html_escape(fact.kind) + " " + text_element("code", {}, short_name(fact.subject)),
               html_escape(comparison_words(fact))},
              fact.agreement == Agreement::source_only ? "absent" : "");
  }
  return heading_html("compiled", "Compiled for " + comparison_->arch, comparison_->compiler) +
         text_element("p", {}, join(counts, ", ")) + (table.empty() ? "" : table.text());
}

}  // namespace cutelab::report
