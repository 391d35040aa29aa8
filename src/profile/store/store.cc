#include "profile/store.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/sha256.h"
#include "evidence/json.h"
#include "profile/store/statement.h"

namespace cutelab::profile {
namespace {

constexpr int schema_version = 2;
constexpr int wait_for_writers_ms = 10'000;

Result<StoredRun> stored_run(const Statement& row) {
  auto run = evidence::run_from_json(row.text(1));
  if (!run) return run.error();
  return StoredRun{row.number(0), std::move(*run)};
}

/// What is the same for a run wherever it is kept.
std::string uid_of(const evidence::Run& run) { return sha256(evidence::identity_text(run)).substr(0, 32); }

constexpr char version_1[] =
    "CREATE TABLE IF NOT EXISTS runs(id INTEGER PRIMARY KEY AUTOINCREMENT, time_utc TEXT NOT NULL, kernel "
    "TEXT NOT NULL,"
    " version TEXT NOT NULL, prof_type TEXT NOT NULL, device TEXT NOT NULL, source_hash TEXT NOT NULL,"
    " json TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS runs_by_kernel ON runs(kernel, device);";

constexpr char version_2[] =
    "ALTER TABLE runs ADD COLUMN uid TEXT NOT NULL DEFAULT '';"
    "CREATE INDEX runs_by_uid ON runs(uid);"
    "CREATE TABLE sweeps(id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, command TEXT NOT NULL,"
    " time_utc TEXT NOT NULL);"
    "CREATE TABLE sweep_points(sweep INTEGER NOT NULL, number INTEGER NOT NULL, problem TEXT NOT NULL,"
    " state TEXT NOT NULL DEFAULT 'open', run INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(sweep, number));"
    "CREATE TABLE tuned(kernel TEXT, version TEXT, device TEXT, driver TEXT, compiler TEXT, source_hash TEXT,"
    " problem TEXT, l2 TEXT, config TEXT NOT NULL, duration_us REAL NOT NULL, candidates INTEGER NOT NULL,"
    " rejected INTEGER NOT NULL, failed INTEGER NOT NULL, time_utc TEXT NOT NULL,"
    " PRIMARY KEY(kernel, version, device, driver, compiler, source_hash, problem, l2));";

int stored_version(sqlite3* db) {
  Statement ask(db, "PRAGMA user_version");
  return ask.prepared() && ask.step() == SQLITE_ROW ? static_cast<int>(ask.number(0)) : -1;
}

}  // namespace

void Store::Closer::operator()(sqlite3* db) const { sqlite3_close(db); }

Error Store::error(const std::string& asked) const {
  return Error{ErrorKind::input, asked, db_ ? sqlite3_errmsg(db_.get()) : "cannot be opened", path_,
               "check the file's permissions and free space; XDG_DATA_HOME names another folder"};
}

Status Store::execute(const char* sql) const {
  if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return error("use the store of runs");
  return {};
}

Status Store::prepare_schema() const {
  sqlite3_busy_timeout(db_.get(), wait_for_writers_ms);
  // Two processes that make the same file: the second's change to WAL is refused at once, whatever the
  // timeout says, because both may hold a lock that the other wants.
  for (int waited = 0; sqlite3_exec(db_.get(), "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
                                    nullptr, nullptr, nullptr) != SQLITE_OK;
       waited += 5) {
    if (sqlite3_errcode(db_.get()) != SQLITE_BUSY || waited >= wait_for_writers_ms)
      return error("use the store of runs");
    sqlite3_sleep(5);
  }
  const int version = stored_version(db_.get());
  if (version < 0) return error("read the store's version");
  if (version > schema_version)
    return Error{ErrorKind::input, "open the store of runs",
                 fmt::format("it has version {}, this program knows {}", version, schema_version), path_,
                 "update cutelab, or name another folder in XDG_DATA_HOME"};
  return version == schema_version ? Status() : upgrade();
}

Status Store::upgrade() const {
  Transaction transaction(db_.get());
  if (!transaction.begun()) return error("bring the store of runs up to date");
  const int version = stored_version(db_.get());  // another process may have been first
  if (version < 1)
    if (auto s = execute(version_1); !s) return s;
  if (version < 2) {
    if (auto s = execute(version_2); !s) return s;
    Statement rows(db_.get(), "SELECT id, json FROM runs");
    Statement set(db_.get(), "UPDATE runs SET uid = ? WHERE id = ?");
    while (rows.step() == SQLITE_ROW) {
      const auto stored = stored_run(rows);
      if (!stored) continue;  // list() says what is wrong with it
      if (!set.with(uid_of(stored->run), stored->id).done()) return error("name the stored runs");
      set.reset();
    }
  }
  if (auto s = execute("PRAGMA user_version = 2"); !s) return s;
  return transaction.commit() ? Status() : error("bring the store of runs up to date");
}

Result<Store> Store::open(const std::string& path) {
  Store store;
  store.path_ = path;
  std::error_code code;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), code);
  sqlite3* db = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  store.db_.reset(db);
  if (opened != SQLITE_OK) return store.error("open the store of runs");
  if (auto s = store.prepare_schema(); !s) return s.error();
  return Result<Store>(std::move(store));
}

Result<std::int64_t> Store::add(const evidence::Run& run) {
  Statement insert(db_.get(),
                   "INSERT INTO runs(time_utc, kernel, version, prof_type, device, source_hash, json, uid)"
                   " VALUES(?,?,?,?,?,?,?,?)");
  const std::string json = evidence::json_text(run);
  const auto& from = run.provenance;
  if (!insert.prepared() || !insert
                                 .with(from.time_utc, run.kernel, run.version, run.prof_type, from.device,
                                       from.source_hash, json, uid_of(run))
                                 .done())
    return error("keep a run");
  return sqlite3_last_insert_rowid(db_.get());
}

Result<bool> Store::add_if_new(const evidence::Run& run) {
  Transaction transaction(db_.get());
  if (!transaction.begun()) return error("keep a run");
  {
    Statement same(db_.get(), "SELECT id FROM runs WHERE uid = ?");
    if (!same.prepared()) return error("keep a run");
    if (same.with(uid_of(run)).step() == SQLITE_ROW) return false;
  }
  if (auto id = add(run); !id) return id.error();
  return transaction.commit() ? Result<bool>(true) : error("keep a run");
}

Result<int> Store::merge(const Store& other) {
  Statement rows(other.db_.get(), "SELECT id, json FROM runs ORDER BY id");
  if (!rows.prepared()) return other.error("read the other store");
  int added = 0;
  int code = 0;
  while ((code = rows.step()) == SQLITE_ROW) {
    auto stored = stored_run(rows);
    if (!stored) return stored.error();
    auto is_new = add_if_new(stored->run);
    if (!is_new) return is_new.error();
    added += *is_new ? 1 : 0;
  }
  if (code != SQLITE_DONE) return other.error("read the other store");
  if (auto s = merge_tuned(other); !s) return s.error();
  return added;
}

Result<std::vector<StoredRun>> Store::list(const RunFilter& filter) const {
  Statement select(db_.get(),
                   "SELECT id, json FROM runs WHERE (?1 = '' OR kernel = ?1) AND (?2 = '' OR device = ?2)"
                   " ORDER BY id DESC LIMIT ?3");
  if (!select.prepared()) return error("list runs");
  select.with(filter.kernel, filter.device, std::int64_t{filter.most});
  return rows_of(select);
}

Result<std::vector<StoredRun>> Store::rows_of(Statement& select) const {
  std::vector<StoredRun> runs;
  int code = 0;
  while ((code = select.step()) == SQLITE_ROW) {
    auto run = stored_run(select);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  if (code != SQLITE_DONE) return error("list runs");
  return runs;
}

Result<std::vector<StoredRun>> Store::compiled_alike(const evidence::Run& run) const {
  // Configurations are objects whose members are in order, so that equal ones are equal texts.
  constexpr char alike[] =
      "SELECT max(id), json FROM runs WHERE kernel = ?1 AND version = ?2"
      " AND json_extract(runs.json, '$.provenance.arch') = json_extract(?3, '$.provenance.arch')"
      " AND json_extract(runs.json, '$.provenance.configuration') = json_extract(?3, "
      "'$.provenance.configuration')"
      " AND EXISTS (SELECT 1 FROM json_each(runs.json, '$.metrics') AS row WHERE json_extract(row.value, "
      "'$.tag') = 'stack_bytes' AND json_extract(row.value, '$.value') IS NOT NULL)"
      " GROUP BY json_extract(json, '$.provenance.compiler'), source_hash ORDER BY max(id) DESC";
  Statement select(db_.get(), alike);
  if (!select.prepared()) return error("list runs");
  select.with(run.kernel, run.version, evidence::json_text(run));
  return rows_of(select);
}

Result<StoredRun> Store::get(std::int64_t id) const {
  Statement select(db_.get(), "SELECT id, json FROM runs WHERE id = ?");
  if (!select.prepared()) return error("show a run");
  const int code = select.with(id).step();
  if (code == SQLITE_ROW) return stored_run(select);
  if (code != SQLITE_DONE) return error("show a run");
  return Error{ErrorKind::input, fmt::format("show run {}", id), "there is no such run", path_,
               "`cutelab runs list` shows what is there"};
}

Result<int> Store::collect(int keep, bool dry) {
  // A run's configuration is inside its JSON; SQLite reads it there.
  constexpr char old_runs[] =
      "SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY kernel, version, prof_type, device,"
      " json_extract(json, '$.provenance.configuration') ORDER BY id DESC) AS age FROM runs) WHERE age > ?";
  std::vector<std::int64_t> going;
  {
    Transaction transaction(db_.get());
    Statement select(db_.get(), old_runs);
    if (!transaction.begun() || !select.prepared()) return error("remove old runs");
    select.with(std::int64_t{keep});
    while (select.step() == SQLITE_ROW) going.push_back(select.number(0));
    if (dry) return static_cast<int>(going.size());
    Statement remove(db_.get(), "DELETE FROM runs WHERE id = ?");
    for (const std::int64_t id : going) {
      if (!remove.prepared() || !remove.with(id).done()) return error("remove old runs");
      remove.reset();
    }
    if (!transaction.commit()) return error("remove old runs");
  }
  if (auto s = execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"); !s) return s.error();
  return static_cast<int>(going.size());
}

}  // namespace cutelab::profile
