#include "profile/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "evidence/json.h"

namespace cutelab::profile {
namespace {

constexpr int schema_version = 1;
constexpr int wait_for_writers_ms = 10'000;

/// A prepared statement; finalized with the object.
class Statement {
 public:
  Statement(sqlite3* db, const char* sql) { code_ = sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  bool prepared() const { return code_ == SQLITE_OK; }
  void bind(int at, const std::string& text) {
    sqlite3_bind_text(statement_, at, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void bind(int at, std::int64_t number) { sqlite3_bind_int64(statement_, at, number); }
  int step() { return sqlite3_step(statement_); }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const {
    const unsigned char* bytes = sqlite3_column_text(statement_, column);
    if (!bytes) return "";
    return std::string(reinterpret_cast<const char*>(bytes),
                       static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int code_ = SQLITE_ERROR;
};

Result<StoredRun> stored_run(const Statement& row) {
  auto run = evidence::run_from_json(row.text(1));
  if (!run) return run.error();
  return StoredRun{row.number(0), std::move(*run)};
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
  if (auto s = execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"); !s) return s;
  int version = 0;
  {
    Statement ask(db_.get(), "PRAGMA user_version");
    if (!ask.prepared() || ask.step() != SQLITE_ROW) return error("read the store's version");
    version = static_cast<int>(ask.number(0));
  }
  if (version > schema_version)
    return Error{ErrorKind::input, "open the store of runs",
                 fmt::format("it has version {}, this program knows {}", version, schema_version), path_,
                 "update cutelab, or name another folder in XDG_DATA_HOME"};
  if (version == schema_version) return {};
  // IMMEDIATE takes the write lock first, so two first starts do not both make the table.
  return execute(
      "BEGIN IMMEDIATE;"
      "CREATE TABLE IF NOT EXISTS runs(id INTEGER PRIMARY KEY AUTOINCREMENT, time_utc TEXT NOT NULL, kernel "
      "TEXT NOT NULL,"
      " version TEXT NOT NULL, prof_type TEXT NOT NULL, device TEXT NOT NULL, source_hash TEXT NOT NULL,"
      " json TEXT NOT NULL);"
      "CREATE INDEX IF NOT EXISTS runs_by_kernel ON runs(kernel, device);"
      "PRAGMA user_version = 1;"
      "COMMIT");
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
                   "INSERT INTO runs(time_utc, kernel, version, prof_type, device, source_hash, json)"
                   " VALUES(?,?,?,?,?,?,?)");
  if (!insert.prepared()) return error("keep a run");
  const std::string* texts[] = {
      &run.provenance.time_utc,   &run.kernel, &run.version, &run.prof_type, &run.provenance.device,
      &run.provenance.source_hash};
  int at = 1;
  for (const std::string* text : texts) insert.bind(at++, *text);
  insert.bind(at, evidence::json_text(run));
  if (insert.step() != SQLITE_DONE) return error("keep a run");
  return sqlite3_last_insert_rowid(db_.get());
}

Result<std::vector<StoredRun>> Store::list(const RunFilter& filter) const {
  Statement select(db_.get(),
                   "SELECT id, json FROM runs WHERE (?1 = '' OR kernel = ?1) AND (?2 = '' OR device = ?2)"
                   " ORDER BY id DESC LIMIT ?3");
  if (!select.prepared()) return error("list runs");
  select.bind(1, filter.kernel);
  select.bind(2, filter.device);
  select.bind(3, std::int64_t{filter.most});
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

Result<StoredRun> Store::get(std::int64_t id) const {
  Statement select(db_.get(), "SELECT id, json FROM runs WHERE id = ?");
  if (!select.prepared()) return error("show a run");
  select.bind(1, id);
  const int code = select.step();
  if (code == SQLITE_ROW) return stored_run(select);
  if (code != SQLITE_DONE) return error("show a run");
  return Error{ErrorKind::input, fmt::format("show run {}", id), "there is no such run", path_,
               "`cutelab runs list` shows what is there"};
}

}  // namespace cutelab::profile
