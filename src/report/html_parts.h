#pragma once
#include <map>
#include <string>
#include <vector>

#include "evidence/known.h"
#include "evidence/reading.h"
#include "report/model.h"

/// Parts of the page that html() puts together; not for use outside of it.
namespace cutelab::report {

/// Which anchors the page has: a line links only where its source is on the page.
class Anchors {
 public:
  Anchors(const evidence::Reading& reading, const std::vector<std::string>& texts);
  /// "L480", "L1-12" in helper file 1; empty when that line is not on the page.
  std::string line(const evidence::Location& at) const;
  /// "<a href="#L480">480</a>"; the helper's name before the number; plain text when the line is not on the
  /// page.
  std::string link(const evidence::Location& at) const;
  int line_count(std::size_t file) const { return file < line_counts_.size() ? line_counts_[file] : 0; }

 private:
  const evidence::Reading& reading_;
  std::vector<int> line_counts_;
};

std::string panel_html(const evidence::Reading& reading, const Anchors& anchors,
                       const evidence::Knowledge* knowledge);
std::string kernel_html(const evidence::Reading& reading, const KernelModel& model, const Anchors& anchors);
std::string facts_html(const evidence::Reading& reading, const Anchors& anchors);
std::string source_html(const evidence::Reading& reading, const std::vector<std::string>& texts,
                        const Anchors& anchors);

/// A value for a page: escaped text, "?" with its reason on hover when undetermined.
std::string value_html(const evidence::Value& value);

/// <h2 id="…">title <span class=count>…</span></h2>; title and count are text.
std::string heading_html(const char* id, const std::string& title, const std::string& count = "");

/// A table row by row; cells are HTML. `head` cells are text; a cell class per column.
class HtmlTable {
 public:
  HtmlTable(std::vector<std::string> head, std::vector<std::string> classes);
  void row(const std::vector<std::string>& cells, const std::string& css_class = "");
  bool empty() const { return rows_ == 0; }
  std::string text() const;

 private:
  std::vector<std::string> classes_;
  std::string body_;
  std::string head_;
  int rows_ = 0;
};

}  // namespace cutelab::report
