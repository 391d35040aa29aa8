#include "render/table.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "base/text.h"
#include "render/columns.h"

namespace cutelab::render {
namespace {

std::string cell_text(const std::string& raw, const Column& column) {
  const std::string text = replace_all(replace_all(printable(raw), "\n", " "), "|", "\\|");
  return column.max_width > 0 ? clip(text, column.max_width) : text;
}

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string fill(width - std::min(width, display_width(cell)), ' ');
  return align == Align::right ? fill + cell : cell + fill;
}

}  // namespace

std::string markdown(const Table& table) {
  std::vector<std::vector<std::string>> cells(1);
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) cells[0].push_back(cell_text(column.title, column));
  for (const auto& row : table.rows) {
    assert(row.size() <= table.columns.size());
    auto& line = cells.emplace_back();
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      line.push_back(i < row.size() ? cell_text(row[i], table.columns[i]) : "");
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = 3;
    for (const auto& line : cells) width = std::max(width, display_width(line[i]));
    widths.push_back(width);
  }
  std::string out;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      out += (i == 0 ? "| " : " | ") + padded(cells[r][i], widths[i], table.columns[i].align);
    out += " |\n";
    if (r != 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i)
      out += "|" + std::string(widths[i] + 1, '-') + (table.columns[i].align == Align::right ? ":" : "-");
    out += "|\n";
  }
  return out;
}

std::string csv(const Table& table) {
  const auto quoted = [](const std::string& cell) {
    if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
    return "\"" + replace_all(cell, "\"", "\"\"") + "\"";
  };
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out += (i ? "," : "") + quoted(table.columns[i].title);
  out += "\r\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      out += (i ? "," : "") + (i < row.size() ? quoted(row[i]) : "");
    out += "\r\n";
  }
  return out;
}

}  // namespace cutelab::render
