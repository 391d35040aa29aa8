#include "render/columns.h"

#include <algorithm>
#include <cassert>

#include "base/text.h"

namespace cutelab::render {
namespace {

constexpr int gap = 2;

int width_of(std::string_view text) { return static_cast<int>(display_width(text)); }

/// Bytes of the character at the front: one lead byte and its continuation bytes.
std::size_t character_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return length;
}

/// The longest prefix of at most `width` columns, at least one character.
std::string_view prefix(std::string_view text, int width) {
  std::size_t end = 0;
  int used = 0;
  while (end < text.size()) {
    const std::size_t length = character_length(text.substr(end));
    used += width_of(text.substr(end, length));
    if (used > width && end != 0) break;
    end += length;
  }
  return text.substr(0, end);
}

/// The front of `word` that ends after a mark at which a reader expects a break, if that leaves a third of
/// it.
std::string_view breakable(std::string_view front, std::string_view word) {
  if (front.size() == word.size()) return front;
  const auto mark = front.find_last_of("-_/.,:");
  return mark == std::string_view::npos || mark + 1 <= front.size() / 3 ? front : front.substr(0, mark + 1);
}

/// ":523" of "kernel.py:523"; nothing where the text does not end in a line number.
std::string_view line_number(std::string_view place) {
  const auto digits = place.find_last_not_of("0123456789");
  return digits == std::string_view::npos || digits + 1 == place.size() || place[digits] != ':'
             ? std::string_view()
             : place.substr(digits);
}

class Layout {
 public:
  Layout(const Columns& table, int width, int indent) : table_(table), indent_(indent) {
    for (const ColumnSpec& column : table.columns) widths_.push_back(width_of(column.title));
    numbers_.resize(widths_.size());
    for (const auto& row : table.rows) {
      assert(row.size() <= widths_.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths_[i] = std::max(widths_[i], width_of(one_line(row[i].text)));
        if (row[i].style == Style::place)
          numbers_[i] = std::max(numbers_[i], width_of(line_number(one_line(row[i].text))));
      }
    }
    const int gaps = gap * (static_cast<int>(widths_.size()) - 1);
    for (const Squeeze squeeze : {Squeeze::to_least, Squeeze::text_below_least, Squeeze::titles_too})
      for (const bool wrapping : {true, false}) shrink(width - indent - gaps, wrapping, squeeze);
  }

  std::string line(const std::vector<std::vector<std::string>>& cells, const std::vector<Style>& styles,
                   const Paint& paint, std::size_t number) const {
    std::string out, pending(static_cast<std::size_t>(indent_), ' ');
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      const std::string text = number < cells[i].size() ? cells[i][number] : "";
      const std::string fill(static_cast<std::size_t>(std::max(0, widths_[i] - width_of(text))), ' ');
      const bool right = table_.columns[i].align == Align::right;
      if (right) pending += fill;
      if (!text.empty()) {
        out += pending + paint(styles[i], text);
        pending.clear();
      }
      pending += (right ? "" : fill) + std::string(gap, ' ');
    }
    return out + "\n";
  }

  std::vector<std::string> cell(std::size_t column, const Cell& cell) const {
    const std::string flat = one_line(cell.text);
    if (table_.columns[column].wraps) return wrap(flat, widths_[column]);
    return {cell.style == Style::place ? clip_place(flat, widths_[column]) : clip(flat, widths_[column])};
  }

 private:
  enum class Squeeze { to_least, text_below_least, titles_too };

  int least_of(std::size_t column, Squeeze squeeze) const {
    constexpr int readable = 8;
    const ColumnSpec& spec = table_.columns[column];
    const bool below = squeeze != Squeeze::to_least && spec.wraps;
    return std::max({below ? std::min(spec.least, readable) : spec.least, 1, numbers_[column],
                     squeeze == Squeeze::titles_too ? 0 : width_of(spec.title)});
  }

  /// Takes columns one by one from the widest column of the kind until all fit or all are at their least.
  void shrink(int room, bool wrapping, Squeeze squeeze) {
    int over = -room;
    for (const int width : widths_) over += width;
    for (; over > 0; --over) {
      int widest = -1;
      for (std::size_t i = 0; i < widths_.size(); ++i) {
        if (table_.columns[i].wraps != wrapping || widths_[i] <= least_of(i, squeeze)) continue;
        if (widest < 0 || widths_[i] > widths_[static_cast<std::size_t>(widest)])
          widest = static_cast<int>(i);
      }
      if (widest < 0) return;
      --widths_[static_cast<std::size_t>(widest)];
    }
  }

  const Columns& table_;
  int indent_;
  std::vector<int> widths_;
  std::vector<int> numbers_;  ///< by column: the longest line number of its places, with its colon
};

}  // namespace

std::string one_line(std::string_view text) {
  const std::string flat = replace_all(replace_all(printable(text), "\n", " "), "\t", " ");
  return flat.substr(0, flat.find_last_not_of(' ') + 1);
}

std::string clip(std::string_view text, int width) {
  if (width_of(text) <= width) return std::string(text);
  if (width <= 1) return "…";
  const std::string_view kept = prefix(text, width - 1);
  const auto space = text[kept.size()] == ' ' ? kept.size() : kept.rfind(' ');
  const bool between_words = space != std::string_view::npos && space >= kept.size() / 2;
  return std::string(between_words && space + 1 <= kept.size() ? kept.substr(0, space + 1) : kept) + "…";
}

std::string clip_middle(std::string_view text, int width) {
  if (width_of(text) <= width) return std::string(text);
  if (width <= 3) return clip(text, width);
  const std::string_view front = prefix(text, (width - 1) / 3);
  std::string_view back = text.substr(front.size());
  while (width_of(back) > width - 1 - width_of(front)) back.remove_prefix(character_length(back));
  return std::string(front) + "…" + std::string(back);
}

std::string clip_place(std::string_view text, int width) {
  const std::string_view number = line_number(text);
  if (width_of(text) <= width || number.empty()) return clip(text, width);
  const std::string_view file = text.substr(0, text.size() - number.size());
  const int room = width - width_of(number);
  return (room < 1 ? std::string() : clip_middle(file, room)) + std::string(number);
}

std::string paragraph(const std::string& text, int width) {
  if (width <= 0 || width_of(text) <= width) return text + "\n";
  std::string out;
  for (const std::string& line : wrap(text, std::max(20, width - 2)))
    out += (out.empty() ? "" : "  ") + line + "\n";
  return out;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) lines.push_back(line);
    line.clear();
  };
  for (std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && width_of(line) + 1 + width_of(word) > width) flush();
    while (width_of(word) > width) {
      const std::string_view part = breakable(prefix(word, width), word);
      if (part.size() == word.size()) break;
      lines.emplace_back(part);
      word.remove_prefix(part.size());
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  flush();
  if (lines.empty()) lines.emplace_back();
  return lines;
}

namespace {

/// The table without the columns in which no row says anything.
Columns without_empty_columns(const Columns& table) {
  Columns out;
  out.rows.resize(table.rows.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto says = [&](const std::vector<Cell>& row) { return i < row.size() && !row[i].text.empty(); };
    if (!table.rows.empty() && std::none_of(table.rows.begin(), table.rows.end(), says)) continue;
    out.columns.push_back(table.columns[i]);
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      out.rows[r].push_back(i < table.rows[r].size() ? table.rows[r][i] : Cell());
  }
  return out;
}

int longest_word(const std::string& text) {
  int longest = 0;
  for (const std::string_view word : split(text, ' ')) longest = std::max(longest, width_of(word));
  return longest;
}

}  // namespace

std::string fitted(const Table& table, int width) {
  const std::string text = markdown(table);
  if (width <= 0 || width_of(text.substr(0, text.find('\n'))) <= width) return text;
  Columns out;
  const int room = width - gap * (static_cast<int>(table.columns.size()) - 1);
  std::vector<int> words;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    int word = width_of(table.columns[i].title);
    for (const auto& row : table.rows)
      if (i < row.size()) word = std::max(word, longest_word(row[i]));
    words.push_back(word);
    out.columns.push_back({table.columns[i].title, table.columns[i].align, true});
  }
  // Words stay whole up to the greatest length for which all columns fit.
  int whole = width;
  const auto taken = [&] {
    int sum = 0;
    for (const int word : words) sum += std::min(word, whole);
    return sum;
  };
  while (whole > 4 && taken() > room) --whole;
  for (std::size_t i = 0; i < words.size(); ++i) out.columns[i].least = std::min(words[i], whole);
  for (const auto& row : table.rows) {
    auto& cells = out.rows.emplace_back();
    for (const std::string& text_of_cell : row) cells.push_back({text_of_cell});
  }
  return columns(out, width, Paint(), 0);
}

std::string columns(const Columns& all, int width, const Paint& paint, int indent) {
  const Columns table = without_empty_columns(all);
  const Layout layout(table, width, indent);
  const std::size_t count = table.columns.size();
  std::string out;
  if (std::any_of(table.columns.begin(), table.columns.end(), [](auto& c) { return !c.title.empty(); })) {
    std::vector<std::vector<std::string>> titles;
    for (std::size_t i = 0; i < count; ++i)
      titles.push_back({layout.cell(i, {table.columns[i].title}).front()});
    out += layout.line(titles, std::vector<Style>(count, Style::faint), paint, 0);
  }
  for (const auto& row : table.rows) {
    std::vector<std::vector<std::string>> cells(count);
    std::vector<Style> styles(count, Style::plain);
    std::size_t lines = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells[i] = layout.cell(i, row[i]);
      styles[i] = row[i].style;
      lines = std::max(lines, cells[i].size());
    }
    for (std::size_t n = 0; n < lines; ++n) out += layout.line(cells, styles, paint, n);
  }
  return out;
}

}  // namespace cutelab::render
