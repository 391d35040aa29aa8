#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "render/highlight.h"
#include "render/html.h"
#include "report/html_parts.h"

namespace cutelab::report {
namespace {
using evidence::Fact;
using evidence::Reading;
using render::element;
using render::html_escape;
using render::text_element;

/// Lines laid out and skipped by the browser together while they are out of sight.
constexpr std::size_t block_lines = 50;
constexpr int line_pixels = 18;
/// A longer statement (a class, a function) gets its mark on the first line only.
constexpr int longest_marked_statement = 40;

class SourcePane {
 public:
  SourcePane(const Reading& reading, std::size_t file, const std::string& text, const CompiledNotes& compiled)
      : reading_(reading), file_(file), compiled_(compiled) {
    const std::string& path = reading.files[file].path;
    const bool python = path.ends_with(".py") || path.ends_with(".pyi");
    lines_ = render::highlight(text, python ? render::SourceLanguage::python : render::SourceLanguage::cpp);
    facts_.resize(lines_.size());
    inside_.resize(lines_.size(), -1);
    for (std::size_t i = 0; i < reading.facts.size(); ++i) mark(i, reading.facts[i].at);
  }

  bool has_facts() const {
    return std::any_of(facts_.begin(), facts_.end(), [](auto& facts) { return !facts.empty(); });
  }

  std::string text() {
    std::string out = "<div class=\"lines\">";
    for (std::size_t i = 0; i < lines_.size(); i += block_lines) {
      const std::size_t end = std::min(i + block_lines, lines_.size());
      out += fmt::format("<div class=\"b\" style=\"contain-intrinsic-size:auto {}px\">\n",
                         (end - i) * line_pixels);
      for (std::size_t n = i; n < end; ++n) line(n, out);
      out += "</div>";
    }
    return out + "</div>\n";
  }

 private:
  void mark(std::size_t index, const evidence::Location& at) {
    if (!at.known() || static_cast<std::size_t>(at.file) != file_ || at.file < 0) return;
    const std::size_t first = at.span.line - 1;
    if (first >= lines_.size()) return;
    facts_[first].push_back(index);
    const int length = static_cast<int>(at.span.end_line) - static_cast<int>(at.span.line);
    if (length > longest_marked_statement) return;
    for (std::size_t n = first; n < std::min<std::size_t>(at.span.end_line, lines_.size()); ++n)
      inside_[n] = static_cast<int>(index);
  }

  /// The line's main fact: one that is not supporting detail, if there is any.
  const Fact& main_fact(std::size_t n) const {
    for (const std::size_t index : facts_[n])
      if (!reading_.facts[index].optional) return reading_.facts[index];
    return reading_.facts[facts_[n][0]];
  }

  void line(std::size_t n, std::string& out) const {
    const std::string anchor = file_ == 0 ? fmt::format("L{}", n + 1) : fmt::format("L{}-{}", file_, n + 1);
    std::string css = "l";
    if (!facts_[n].empty())
      css += fmt::format(" f {}", name_of(main_fact(n).family));
    else if (inside_[n] >= 0)
      css += fmt::format(" in {}", name_of(reading_.facts[static_cast<std::size_t>(inside_[n])].family));
    out += fmt::format("<div class=\"{}\" id=\"{}\"><span class=\"g\">{}</span><code>{}</code>", css, anchor,
                       n + 1, lines_[n]);
    if (!facts_[n].empty()) out += notes(n);
    out += "</div>\n";
  }

  std::string notes(std::size_t n) const {
    std::string out = "<span class=\"m\">";
    for (const std::size_t index : facts_[n]) {
      const Fact& fact = reading_.facts[index];
      const std::string family = name_of(fact.family);
      const std::string look = fmt::format("class=\"{}\" data-f=\"{}\" data-r=\"{}\"{}", family, family,
                                           html_escape(fact.role), fact.optional ? " data-o=\"1\"" : "");
      out += fmt::format("<a href=\"#F{}\" {} title=\"{}\">{}<span class=\"tag\">{}</span> {}</a>", index,
                         look, html_escape(fact.subject + ": " + fact.says), compiled_.mark(fact), family,
                         html_escape(fact.says.empty() ? fact.subject : fact.says));
      if (const std::string more = compiled_.values(fact) + compiled_.drawing(fact); !more.empty())
        out += fmt::format("<div {}>{}</div>", look, more);
    }
    return out + "</span>";
  }

  const Reading& reading_;
  std::size_t file_;
  const CompiledNotes& compiled_;
  std::vector<std::string> lines_;
  std::vector<std::vector<std::size_t>> facts_;  ///< by line, indices into Reading::facts
  std::vector<int> inside_;                      ///< by line, fact whose statement covers it; -1 = none
};

}  // namespace

std::string source_html(const Reading& reading, const std::vector<std::string>& texts, const Anchors& anchors,
                        const CompiledNotes& compiled) {
  std::string out;
  for (std::size_t file = 0; file < std::min(texts.size(), reading.files.size()); ++file) {
    const std::string title =
        fmt::format("{} · {} lines", reading.files[file].path, with_thousands(anchors.line_count(file)));
    SourcePane pane(reading, file, texts[file], compiled);
    if (file == 0)
      out += text_element("div", {{"class", "file"}}, title) + pane.text();
    else
      out += element("details", {}, text_element("summary", {{"class", "file"}}, title) + pane.text());
  }
  return out;
}

}  // namespace cutelab::report
