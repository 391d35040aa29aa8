#include "report/tensor_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "report/fact_values.h"

namespace cutelab::report {
namespace {
using evidence::Fact;
using evidence::Value;

constexpr std::int64_t all_columns = 512, column_bytes = 128 * 4;

/// The numbers of a value: one, or one per call of a helper.
std::vector<std::optional<std::int64_t>> numbers_of(const Fact& fact, const char* name) {
  const Value* value = value_of(fact, {name});
  std::vector<std::optional<std::int64_t>> out;
  if (value && value->list())
    for (const Value& item : *value->list()) out.push_back(item.integer());
  else
    out.push_back(value ? value->integer() : std::nullopt);
  return out;
}

std::vector<TensorMemoryRow> rows_of(std::size_t i, const Fact& fact) {
  std::vector<TensorMemoryRow> out;
  const auto first = numbers_of(fact, "first_column"), columns = numbers_of(fact, "columns");
  for (std::size_t k = 0; k < std::max(first.size(), columns.size()); ++k) {
    TensorMemoryRow row;
    row.fact = i;
    row.name = fact.subject;
    row.first = first[std::min(k, first.size() - 1)];
    row.columns = columns[std::min(k, columns.size() - 1)];
    row.type = text_of(fact, {"type"});
    if (const Value* lane = value_of(fact, {"first_lane"})) row.first_lane = lane->integer().value_or(0);
    if (const Value* lanes = value_of(fact, {"lanes"})) row.lanes = lanes->integer().value_or(row.lanes);
    row.of_allocation = text_of(fact, {"from"}) == "allocation";
    row.by_call = std::max(first.size(), columns.size()) > 1;
    out.push_back(std::move(row));
  }
  return out;
}

bool same_place(const TensorMemoryRow& a, const TensorMemoryRow& b) {
  return a.first == b.first && a.columns == b.columns && a.first_lane == b.first_lane && a.lanes == b.lanes;
}

bool placed(const TensorMemoryRow& row) { return row.first && row.columns; }

bool overlap(const TensorMemoryRow& a, const TensorMemoryRow& b) {
  return placed(a) && placed(b) && *a.first < *b.first + *b.columns && *b.first < *a.first + *a.columns &&
         a.first_lane < b.first_lane + b.lanes && b.first_lane < a.first_lane + a.lanes;
}

bool before(const TensorMemoryRow& a, const TensorMemoryRow& b) {
  if (placed(a) != placed(b)) return placed(a);
  if (!placed(a) || a.first != b.first) return a.first.value_or(all_columns) < b.first.value_or(all_columns);
  return *a.columns > *b.columns;
}

/// Rows of one place become one, with each name once.
std::vector<TensorMemoryRow> joined(std::vector<TensorMemoryRow> rows) {
  std::vector<TensorMemoryRow> out;
  for (TensorMemoryRow& row : rows) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const TensorMemoryRow& known) {
      return placed(row) ? same_place(known, row) : !placed(known) && known.name == row.name;
    });
    if (same == out.end()) {
      out.push_back(std::move(row));
      continue;
    }
    const auto names = split(same->name, ',');
    if (std::none_of(names.begin(), names.end(), [&](auto name) { return trim(name) == row.name; }))
      same->name += ", " + row.name;
  }
  return out;
}

/// What of the columns is drawn in one row of the map: no two over each other.
std::vector<const TensorMemoryRow*> lowest_level(std::vector<const TensorMemoryRow*>& open) {
  std::vector<const TensorMemoryRow*> taken, left;
  for (const TensorMemoryRow* row : open) {
    const bool free = taken.empty() || *taken.back()->first + *taken.back()->columns <= *row->first;
    (free ? taken : left).push_back(row);
  }
  open = std::move(left);
  return taken;
}

}  // namespace

std::vector<TensorMemoryRow> tensor_memory_rows(const evidence::Reading& reading,
                                                const std::vector<std::size_t>& facts) {
  std::vector<TensorMemoryRow> rows, by_call;
  for (const std::size_t i : facts) {
    if (!reading.facts[i].values.count("first_column")) continue;
    for (TensorMemoryRow& row : rows_of(i, reading.facts[i]))
      (row.by_call ? by_call : rows).push_back(std::move(row));
  }
  for (TensorMemoryRow& row : by_call)
    if (std::none_of(rows.begin(), rows.end(), [&](auto& known) { return same_place(known, row); }))
      rows.push_back(std::move(row));
  rows = joined(std::move(rows));
  std::stable_sort(rows.begin(), rows.end(), before);
  return rows;
}

std::string columns_text(const TensorMemoryRow& row) {
  if (placed(row)) return fmt::format("{}–{}", *row.first, *row.first + *row.columns - 1);
  if (row.first) return fmt::format("from {}", *row.first);
  return row.columns ? fmt::format("? ({})", *row.columns) : "?";
}

std::string shares_text(const std::vector<TensorMemoryRow>& rows, std::size_t row) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < row; ++i)
    if (overlap(rows[i], rows[row])) out.push_back(std::string(trim(split(rows[i].name, ',').front())));
  return join(out, ", ");
}

std::vector<std::size_t> widest(const std::vector<TensorMemoryRow>& rows, std::size_t most) {
  std::vector<std::size_t> out(rows.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    return rows[a].columns.value_or(0) > rows[b].columns.value_or(0);
  });
  if (out.size() > most) out.resize(most);
  std::sort(out.begin(), out.end());
  return out;
}

MemoryMap tensor_memory_map(const KernelModel& model) {
  MemoryMap map;
  const auto columns = parse_integer(model.tensor_memory_columns);
  if (!columns || *columns <= 0 || *columns > all_columns) return map;
  map.used = *columns * column_bytes;
  map.total = all_columns * column_bytes;
  map.extent = fmt::format("{} of {} columns allocated", *columns, all_columns);
  std::vector<const TensorMemoryRow*> open;
  for (const TensorMemoryRow& row : model.tensor_memory)
    if (placed(row) && *row.first + *row.columns <= *columns &&
        (row.of_allocation || *columns == all_columns))
      open.push_back(&row);
  const bool told = !open.empty();
  std::int64_t at = 0;
  const auto fill = [&](std::int64_t to) {
    if (to > at)
      map.shares.push_back({"no tensor told", (to - at) * column_bytes, MemoryShare::Kind::rest, 0,
                            fmt::format("{}–{}", at, to - 1)});
    at = to;
  };
  for (const TensorMemoryRow* row : lowest_level(open)) {
    fill(*row->first);
    map.shares.push_back(
        {row->name, *row->columns * column_bytes, MemoryShare::Kind::member, row->fact, columns_text(*row)});
    at = *row->first + *row->columns;
  }
  if (told)
    fill(*columns);
  else
    map.shares.push_back({fmt::format("{} columns allocated", *columns), map.used, MemoryShare::Kind::member,
                          model.tensor_memory_fact, ""});
  if (map.total > map.used)
    map.shares.push_back({fmt::format("{} free", all_columns - *columns), map.total - map.used,
                          MemoryShare::Kind::free, 0, ""});
  for (int level = 1; !open.empty(); ++level)
    for (const TensorMemoryRow* row : lowest_level(open))
      map.over.push_back({row->name, columns_text(*row), *row->first * column_bytes,
                          *row->columns * column_bytes, level, row->fact});
  return map;
}

}  // namespace cutelab::report
