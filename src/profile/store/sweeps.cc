#include "profile/store.h"
#include "profile/store/statement.h"

namespace cutelab::profile {
namespace {

SweepPoint point_of(const Statement& row) {
  return {static_cast<int>(row.number(0)), row.text(1), row.text(2) == "done", row.number(3)};
}

}  // namespace

Result<std::int64_t> Store::begin_sweep(const std::string& key, const std::string& command,
                                        const std::vector<std::string>& problems, const std::string& time_utc,
                                        bool again) {
  Transaction transaction(db_.get());
  if (!transaction.begun()) return error("begin a sweep");
  if (!again) {
    Statement unfinished(db_.get(),
                         "SELECT id FROM sweeps WHERE key = ? AND EXISTS (SELECT 1 FROM sweep_points WHERE"
                         " sweep = id AND state <> 'done') ORDER BY id DESC LIMIT 1");
    if (!unfinished.prepared()) return error("look for an unfinished sweep");
    if (unfinished.with(key).step() == SQLITE_ROW) {
      const std::int64_t sweep = unfinished.number(0);
      unfinished.reset();
      Statement reopen(db_.get(),
                       "UPDATE sweep_points SET state = 'open' WHERE sweep = ? AND state = 'claimed'");
      if (!reopen.with(sweep).done() || !transaction.commit()) return error("resume a sweep");
      return sweep;
    }
  }
  Statement insert(db_.get(), "INSERT INTO sweeps(key, command, time_utc) VALUES(?,?,?)");
  if (!insert.prepared() || !insert.with(key, command, time_utc).done()) return error("begin a sweep");
  const std::int64_t sweep = sqlite3_last_insert_rowid(db_.get());
  Statement point(db_.get(), "INSERT INTO sweep_points(sweep, number, problem) VALUES(?,?,?)");
  std::int64_t number = 0;
  for (const std::string& problem : problems) {
    if (!point.prepared() || !point.with(sweep, number++, problem).done()) return error("begin a sweep");
    point.reset();
  }
  if (!transaction.commit()) return error("begin a sweep");
  return sweep;
}

Result<std::optional<SweepPoint>> Store::claim_point(std::int64_t sweep) {
  Transaction transaction(db_.get());
  Statement next(db_.get(),
                 "SELECT number, problem, state, run FROM sweep_points WHERE sweep = ? AND state = 'open'"
                 " ORDER BY number LIMIT 1");
  if (!transaction.begun() || !next.prepared()) return error("take a point of the sweep");
  if (next.with(sweep).step() != SQLITE_ROW) return std::optional<SweepPoint>();
  const SweepPoint point = point_of(next);
  next.reset();
  Statement claim(db_.get(), "UPDATE sweep_points SET state = 'claimed' WHERE sweep = ? AND number = ?");
  if (!claim.with(sweep, std::int64_t{point.number}).done() || !transaction.commit())
    return error("take a point of the sweep");
  return std::optional<SweepPoint>(point);
}

Result<std::int64_t> Store::finish_point(std::int64_t sweep, int point, const evidence::Run& run) {
  Transaction transaction(db_.get());
  if (!transaction.begun()) return error("keep a point of the sweep");
  auto id = add(run);
  if (!id) return id.error();
  Statement done(db_.get(), "UPDATE sweep_points SET state = 'done', run = ? WHERE sweep = ? AND number = ?");
  if (!done.prepared() || !done.with(*id, sweep, std::int64_t{point}).done() || !transaction.commit())
    return error("keep a point of the sweep");
  return *id;
}

Result<std::vector<SweepPoint>> Store::points(std::int64_t sweep) const {
  Statement rows(db_.get(),
                 "SELECT number, problem, state, run FROM sweep_points WHERE sweep = ? ORDER BY number");
  if (!rows.prepared()) return error("list a sweep's points");
  rows.with(sweep);
  std::vector<SweepPoint> points;
  while (rows.step() == SQLITE_ROW) points.push_back(point_of(rows));
  return points;
}

}  // namespace cutelab::profile
