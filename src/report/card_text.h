#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "render/columns.h"
#include "report/model.h"
#include "report/view.h"

namespace cutelab::report {

/// What the parts of the card share: how places, headings and cut tables are written.
class CardText {
 protected:
  using Align = render::Align;
  using Cell = render::Cell;
  using Columns = render::Columns;
  using Style = render::Style;

  CardText(const evidence::Reading& reading, const ViewOptions& options)
      : reading_(reading), options_(options) {}

  /// Longest tables of the card; what is cut is counted and stands in the full report.
  static constexpr std::size_t most_rows = 8;

  const evidence::Location& at(std::size_t fact) const { return reading_.facts[fact].at; }
  Cell line(std::size_t fact) const { return {where(at(fact)), Style::place}; }

  /// ":523" in the file that was asked for, "helpers.py:12" elsewhere.
  std::string where(const evidence::Location& location) const {
    if (location.known() && location.file == 0) return fmt::format(":{}", location.line());
    return place(reading_, location);
  }

  void heading(const std::string& text) {
    out_ += options_.paint(Style::heading, render::clip(render::one_line(text), options_.width)) + "\n";
  }
  void table(const Columns& columns) { out_ += render::columns(columns, options_.width, options_.paint); }

  template <class Row>
  std::size_t shown_rows(const std::vector<Row>& rows) const {
    return std::min(rows.size(), most_rows);
  }

  void more(std::size_t all, std::size_t shown) {
    if (all > shown)
      out_ += options_.paint(Style::faint, fmt::format("  … and {} more (--full)", all - shown)) + "\n";
  }

  const evidence::Reading& reading_;
  const ViewOptions& options_;
  std::string out_;
};

/// The tables of one kernel: launch, roles, pipelines, memory, TMA, MMA, barriers. `named` = a kernel without
/// a name is told apart from others.
std::string kernel_card(const evidence::Reading& reading, const KernelModel& model,
                        const ViewOptions& options, bool named);

}  // namespace cutelab::report
