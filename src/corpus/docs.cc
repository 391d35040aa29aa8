#include "corpus/docs.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "corpus/json_file.h"
#include "corpus/scan_support.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

/// Lines of text become sections; a heading closes the one before.
class Sections {
 public:
  void heading(std::string_view title, int line) {
    close();
    title_ = std::string(trim(title));
    line_ = line;
    open_ = true;
    add(title_);
  }

  void add(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      if (!is_identifier_start(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_identifier_part(text[end])) ++end;
      if (end - at > 2 && end - at < 60) ++words_[to_lower(text.substr(at, end - at))];
      at = end;
    }
  }

  std::vector<DocSection> take() {
    close();
    return std::move(sections_);
  }

 private:
  void close() {
    if (open_) sections_.push_back({title_, line_, {words_.begin(), words_.end()}});
    words_.clear();
    open_ = false;
  }

  std::vector<DocSection> sections_;
  std::map<std::string, int> words_;
  std::string title_;
  int line_ = 1;
  bool open_ = false;
};

std::string plain_title(std::string_view markdown) {
  std::string title = replace_all(replace_all(std::string(markdown), "`", ""), "**", "");
  return std::string(trim(title));
}

void markdown_lines(std::string_view text, int first_line, bool count_lines, Sections& out) {
  bool fenced = false;
  int line = first_line;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view trimmed = trim(raw);
    if (trimmed.starts_with("```")) fenced = !fenced;
    const auto hashes = raw.find_first_not_of('#');
    if (!fenced && hashes != std::string_view::npos && hashes > 0 && hashes <= 6 && raw[hashes] == ' ')
      out.heading(plain_title(raw.substr(hashes)), line);
    else
      out.add(raw);
    if (count_lines) ++line;
  }
}

bool is_rst_ruler(std::string_view line) {
  return line.size() >= 3 && std::string_view("=-~^\"'`#*+.:_").find(line[0]) != std::string_view::npos &&
         line.find_first_not_of(line[0]) == std::string_view::npos;
}

void rst_lines(std::string_view text, Sections& out) {
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trim(lines[i]);
    const std::string_view next = i + 1 < lines.size() ? trim(lines[i + 1]) : std::string_view{};
    const bool title = !line.empty() && !is_rst_ruler(line) && lines[i][0] != ' ' && lines[i][0] != '.' &&
                       is_rst_ruler(next) && next.size() + 1 >= line.size();
    if (title)
      out.heading(plain_title(line), static_cast<int>(i) + 1);
    else
      out.add(line);
  }
}

void notebook_cells(std::string_view text, Sections& out) {
  const auto notebook = nlohmann::json::parse(text, nullptr, false);
  if (!notebook.is_object() || !notebook.contains("cells") || !notebook["cells"].is_array()) return;
  int number = 0;
  for (const auto& cell : notebook["cells"]) {
    ++number;
    if (!cell.is_object() || !cell.contains("source")) continue;
    std::string source;
    if (cell["source"].is_string()) source = cell["source"].get<std::string>();
    if (cell["source"].is_array())
      for (const auto& line : cell["source"])
        if (line.is_string()) source += line.get<std::string>();
    if (string_of(cell, "cell_type") == "markdown")
      markdown_lines(source, number, false, out);
    else
      out.add(source);
  }
}

}  // namespace

DocPage scan_page(std::string_view path, std::string_view text) {
  Sections sections;
  const std::string_view extension = extension_of(path);
  if (extension == ".ipynb") {
    notebook_cells(text, sections);
  } else {
    sections.heading(stem_of(path), 1);  // what stands before the first heading
    if (extension == ".rst")
      rst_lines(text, sections);
    else
      markdown_lines(text, 1, true, sections);
  }
  DocPage page;
  page.path = std::string(path);
  page.sections = sections.take();
  const auto empty = [](const DocSection& s) { return s.words.size() < 2 && s.line == 1; };
  page.sections.erase(std::remove_if(page.sections.begin(), page.sections.end(), empty), page.sections.end());
  return page;
}

}  // namespace cutelab::corpus
