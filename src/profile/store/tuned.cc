#include <fmt/format.h>

#include "base/text.h"
#include "profile/store.h"
#include "profile/store/statement.h"

namespace cutelab::profile {
namespace {

/// "a=1 b=2", as Config::text() writes it.
std::string text_of(const std::map<std::string, std::int64_t>& values) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) parts.push_back(fmt::format("{}={}", name, value));
  return join(parts, " ");
}

std::map<std::string, std::int64_t> values_of(const std::string& text) {
  std::map<std::string, std::int64_t> values;
  for (const auto part : split(text, ' ')) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    if (const auto value = parse_integer(part.substr(equals + 1)))
      values[std::string(part.substr(0, equals))] = *value;
  }
  return values;
}

}  // namespace

Status Store::keep_tuned(const TunedKey& key, const Tuned& tuned) {
  Statement insert(db_.get(), "INSERT OR REPLACE INTO tuned VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!insert.prepared() ||
      !insert
           .with(key.kernel, key.version, key.device, key.driver, key.compiler, key.source_hash, key.problem,
                 key.l2, text_of(tuned.values), tuned.duration_us, std::int64_t{tuned.candidates},
                 std::int64_t{tuned.rejected}, std::int64_t{tuned.failed}, tuned.time_utc)
           .done())
    return error("keep a tuned configuration");
  return {};
}

Result<std::optional<Tuned>> Store::find_tuned(const TunedKey& key) const {
  Statement select(db_.get(),
                   "SELECT config, duration_us, candidates, rejected, failed, time_utc FROM tuned WHERE"
                   " kernel = ? AND version = ? AND device = ? AND driver = ? AND compiler = ?"
                   " AND source_hash = ? AND problem = ? AND l2 = ?");
  if (!select.prepared()) return error("look for a tuned configuration");
  select.with(key.kernel, key.version, key.device, key.driver, key.compiler, key.source_hash, key.problem,
              key.l2);
  if (select.step() != SQLITE_ROW) return std::optional<Tuned>();
  return std::optional<Tuned>({values_of(select.text(0)), select.real(1), static_cast<int>(select.number(2)),
                               static_cast<int>(select.number(3)), static_cast<int>(select.number(4)),
                               select.text(5)});
}

Status Store::merge_tuned(const Store& other) {
  Statement rows(other.db_.get(), "SELECT * FROM tuned");
  Statement insert(db_.get(), "INSERT OR IGNORE INTO tuned VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!rows.prepared() || !insert.prepared()) return other.error("read the other store");
  while (rows.step() == SQLITE_ROW) {
    for (int column = 0; column < 9; ++column) insert.bind(column + 1, rows.text(column));
    insert.bind(10, rows.real(9));
    for (int column = 10; column < 13; ++column) insert.bind(column + 1, rows.number(column));
    insert.bind(14, rows.text(13));
    if (!insert.done()) return error("keep a tuned configuration");
    insert.reset();
  }
  return {};
}

}  // namespace cutelab::profile
