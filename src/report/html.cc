#include "report/html.h"

#include "generated/page_css.h"
#include "generated/page_js.h"
#include "render/html.h"
#include "report/html_parts.h"

namespace cutelab::report {
namespace {
using render::element;
using render::text_element;

/// What a browser may load: nothing. Style and script stand in the page.
constexpr const char* policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; form-action 'none'; base-uri "
    "'none'";

std::string head_html(const std::string& title) {
  return "<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\">"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         std::string(policy) + "\">" + text_element("title", {}, title + " · reading") + "\n<style>\n" +
         std::string(embedded::page_css) + "</style></head>\n";
}

std::string header_html(const std::string& name, const std::string& path) {
  std::string nav;
  for (const auto& [id, title] : {std::pair{"overview", "Overview"},
                                  {"checklist", "Checklist"},
                                  {"facts", "Facts"},
                                  {"undetermined", "Undetermined"}})
    nav += element("a", {{"href", std::string("#") + id}}, title);
  nav +=
      "<span class=\"faint js-only\"><kbd>j</kbd> <kbd>k</kbd> next, previous fact</span>"
      "<button type=\"button\" id=\"theme\" class=\"js-only\" title=\"light or dark ( t )\">light / "
      "dark</button>";
  return "<a class=\"skip\" href=\"#source\">Skip to the source</a>" +
         element("header", {},
                 text_element("h1", {}, name) + text_element("span", {{"class", "path"}}, path) +
                     element("nav", {{"aria-label", "sections"}}, nav)) +
         "\n";
}

/// Where the source pane opens: the kernel, else the first device function.
std::string opening_line(const evidence::Reading& reading) {
  const evidence::Location* first = nullptr;
  for (const auto& f : reading.functions) {
    if (f.at.file != 0 || !f.at.known()) continue;
    if (f.kind == evidence::Function::Kind::kernel) return "L" + std::to_string(f.at.line());
    if (!first && f.kind != evidence::Function::Kind::host) first = &f.at;
  }
  return first ? "L" + std::to_string(first->line()) : "";
}

}  // namespace

std::string html(const evidence::Reading& reading, const std::vector<std::string>& texts,
                 const evidence::Knowledge* knowledge, const evidence::Comparison* comparison) {
  const Anchors anchors(reading, texts);
  const std::string path = reading.files.empty() ? "?" : reading.files[0].path;
  const std::string name = path.substr(path.rfind('/') + 1);
  const CompiledNotes compiled(reading, comparison);
  const std::string panel = panel_html(reading, anchors, knowledge, compiled);
  return "<!doctype html>\n<html lang=\"en\">" + head_html(name) + "<body>\n" + header_html(name, path) +
         "<main>\n" + compiled.symbols() +
         element("section", {{"id", "panel"}, {"aria-label", "reading"}, {"tabindex", "0"}}, panel) + "\n" +
         element("section",
                 {{"id", "source"},
                  {"aria-label", "source"},
                  {"tabindex", "0"},
                  {"data-open", opening_line(reading)}},
                 source_html(reading, texts, anchors, compiled)) +
         "\n</main>\n<script>\n" + std::string(embedded::page_js) + "</script>\n</body></html>\n";
}

}  // namespace cutelab::report
