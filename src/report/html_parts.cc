#include "report/html_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "render/html.h"

namespace cutelab::report {
using render::element;
using render::html_escape;
using render::text_element;

Anchors::Anchors(const evidence::Reading& reading, const std::vector<std::string>& texts)
    : reading_(reading) {
  for (const std::string& text : texts)
    line_counts_.push_back(static_cast<int>(std::count(text.begin(), text.end(), '\n')) +
                           (text.empty() || text.back() == '\n' ? 0 : 1));
  line_counts_.resize(std::min(line_counts_.size(), reading.files.size()));
}

std::string Anchors::line(const evidence::Location& at) const {
  if (!at.known() || at.file < 0 || at.line() > line_count(static_cast<std::size_t>(at.file))) return "";
  return at.file == 0 ? fmt::format("L{}", at.line()) : fmt::format("L{}-{}", at.file, at.line());
}

std::string Anchors::link(const evidence::Location& at) const {
  if (!at.known()) return "";
  const std::string text = at.file == 0 ? fmt::format("{}", at.line()) : place(reading_, at);
  const std::string anchor = line(at);
  return anchor.empty() ? html_escape(text) : text_element("a", {{"href", "#" + anchor}}, text);
}

std::string value_html(const evidence::Value& value) {
  if (value.determined()) {
    const std::string text = value.text();
    if (value.formula.empty() || value.formula == text) return text_element("code", {}, text);
    return text_element("code", {{"title", "= " + value.formula}}, text);
  }
  std::string why, formula = value.formula;
  if (const auto* unknown = value.undetermined())
    why = unknown->reason +
          (unknown->depends_on.empty() ? "" : "; depends on " + join(unknown->depends_on, ", "));
  std::string out = text_element("span", {{"class", "warn"}, {"title", why}}, value.text());
  if (!formula.empty()) out += " " + text_element("code", {{"class", "faint"}}, formula);
  return out;
}

std::string heading_html(const char* id, const std::string& title, const std::string& count) {
  return element(
      "h2", {{"id", id}},
      html_escape(title) + (count.empty() ? "" : " " + text_element("span", {{"class", "count"}}, count)));
}

HtmlTable::HtmlTable(std::vector<std::string> head, std::vector<std::string> classes)
    : classes_(std::move(classes)) {
  const bool titled = std::any_of(head.begin(), head.end(), [](auto& title) { return !title.empty(); });
  for (std::size_t i = 0; titled && i < head.size(); ++i)
    head_ +=
        text_element("th", {{"scope", "col"}, {"class", i < classes_.size() ? classes_[i] : ""}}, head[i]);
  if (titled) head_ = "<thead><tr>" + head_ + "</tr></thead>";
}

void HtmlTable::row(const std::vector<std::string>& cells, const std::string& css_class) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i)
    out += element("td", {{"class", i < classes_.size() ? classes_[i] : ""}}, cells[i]);
  body_ += element("tr", {{"class", css_class}}, out);
  ++rows_;
}

std::string HtmlTable::text() const { return "<table>" + head_ + "<tbody>" + body_ + "</tbody></table>\n"; }

}  // namespace cutelab::report
