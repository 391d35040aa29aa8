#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <string>

namespace cutelab::profile {

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
  void bind(int at, double number) { sqlite3_bind_double(statement_, at, number); }
  /// All parameters from the first on.
  template <class... Values>
  Statement& with(const Values&... values) {
    int at = 1;
    (bind(at++, values), ...);
    return *this;
  }
  int step() { return sqlite3_step(statement_); }
  void reset() { sqlite3_reset(statement_); }
  bool done() { return prepared() && step() == SQLITE_DONE; }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
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

/// BEGIN IMMEDIATE takes the write lock first, so that two writers never both read before they write.
class Transaction {
 public:
  explicit Transaction(sqlite3* db) : db_(db) { open_ = run("BEGIN IMMEDIATE"); }
  ~Transaction() {
    if (open_) run("ROLLBACK");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  bool begun() const { return open_; }
  bool commit() {
    const bool done = open_ && run("COMMIT");
    open_ = open_ && !done;
    return done;
  }

 private:
  bool run(const char* sql) { return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK; }
  sqlite3* db_;
  bool open_ = false;
};

}  // namespace cutelab::profile
