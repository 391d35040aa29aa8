#pragma once
#include <map>
#include <string>
#include <vector>

#include "evidence/comparison.h"
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

/// What a compiler stated, for the margin: marks of agreement, values, and layouts drawn once each.
class CompiledNotes {
 public:
  /// `comparison` may be null: there is nothing to note.
  CompiledNotes(const evidence::Reading& reading, const evidence::Comparison* comparison);
  bool any() const { return comparison_ != nullptr; }
  /// Heading, counts, and every fact on which the two readings do not agree; empty without a comparison.
  std::string section(const Anchors& anchors) const;
  /// "= ", "≠ " … before a note; empty for a fact that the comparison does not name.
  std::string mark(const evidence::Fact& fact) const;
  /// What the compiler states for the fact, as one line; empty if nothing.
  std::string values(const evidence::Fact& fact) const;
  /// The drawing of the fact's layout, with its text; empty if it has none that can be drawn.
  std::string drawing(const evidence::Fact& fact) const;
  /// The drawings themselves, which drawing() refers to; once per page.
  std::string symbols() const;

 private:
  void draw(const std::string& layout, const std::string& element);

  const evidence::Comparison* comparison_;
  std::map<std::string, const evidence::ComparedFact*> compared_;  ///< by kind, subject and line
  std::map<std::string, std::string> elements_;  ///< element type by layout, where one is stated
  struct Drawn {
    int width = 0, height = 0;
    std::string svg, caption;
    std::size_t number = 0;
  };
  std::map<std::string, Drawn> drawn_;  ///< by layout
};

std::string panel_html(const evidence::Reading& reading, const Anchors& anchors,
                       const evidence::Knowledge* knowledge, const CompiledNotes& compiled);
std::string kernel_html(const evidence::Reading& reading, const KernelModel& model, const Anchors& anchors);
std::string facts_html(const evidence::Reading& reading, const Anchors& anchors);
std::string source_html(const evidence::Reading& reading, const std::vector<std::string>& texts,
                        const Anchors& anchors, const CompiledNotes& compiled);

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
