#include "common/io/sqlite.hpp"

#include <system_error>

#include <fmt/format.h>
#include <sqlite3.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

/// The time another process may hold the file.
constexpr int kBusyMilliseconds = 60'000;
/// Extended codes have the plain one in their last byte.
constexpr int kPlainCode = 0xff;

bool is_damage(int code) {
  switch (code & kPlainCode) {
    case SQLITE_ERROR:
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  ::sqlite3_finalize(statement);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_->fail(code);
}

Statement& Statement::bind(std::string_view text) {
  check(::sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(),
                              SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_bytes(std::string_view bytes) {
  check(::sqlite3_bind_blob64(statement_.get(), ++bound_, bytes.data(), bytes.size(),
                              SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(std::int64_t number) {
  check(::sqlite3_bind_int64(statement_.get(), ++bound_, number));
  return *this;
}

bool Statement::next() {
  const int code = ::sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code);
  return false;
}

void Statement::run() {
  while (next()) {
  }
  reset();
}

void Statement::reset() {
  ::sqlite3_reset(statement_.get());
  bound_ = 0;
}

std::string Statement::text(int column) const {
  const void* const bytes = ::sqlite3_column_blob(statement_.get(), column);
  const int size = ::sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr || size <= 0) return "";
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

std::int64_t Statement::number(int column) const {
  return ::sqlite3_column_int64(statement_.get(), column);
}

void Database::Close::operator()(sqlite3* handle) const {
  ::sqlite3_close_v2(handle);
}

Database::Database(const std::filesystem::path& path, Access access) : path_(path) {
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(path, ignored);
  if (access == Access::read && is_new) {
    throw ConfigError(fmt::format("there is no file '{}'", path.string()));
  }
  // Who only reads may write too where the system lets it: the log of a program that was killed is
  // then cleared away.
  const int creates = access == Access::write ? SQLITE_OPEN_CREATE : 0;
  sqlite3* handle = nullptr;
  const int code =
      ::sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | creates, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  ::sqlite3_extended_result_codes(handle, 1);
  ::sqlite3_busy_timeout(handle, kBusyMilliseconds);
  execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");
  if (access == Access::read) return;
  try {
    execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
  } catch (const ConfigError&) {
    // On a full disk not even a head was written.
    if (is_new && std::filesystem::is_empty(path, ignored)) std::filesystem::remove(path, ignored);
    throw;
  }
}

void Database::execute(const std::string& sql) {
  const int code = ::sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

Statement Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = ::sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                        &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return {*this, statement};
}

std::int64_t Database::number(std::string_view sql) const {
  Statement statement = prepare(sql);
  return statement.next() ? statement.number(0) : 0;
}

void Database::check_integrity() const {
  Statement statement = prepare("PRAGMA integrity_check(1)");
  if (!statement.next()) fail_as_damaged("its check says nothing");
  if (const std::string found = statement.text(0); found != "ok") fail_as_damaged(found);
}

void Database::fail_as_damaged(std::string_view how) const {
  throw ConfigError(fmt::format("'{}' is damaged: {}", path_.string(), how));
}

void Database::fail(int code) const {
  const char* const why = handle_ ? ::sqlite3_errmsg(handle_.get()) : ::sqlite3_errstr(code);
  if (is_damage(code)) fail_as_damaged(why);
  throw ConfigError(fmt::format("cannot use '{}': {}", path_.string(), why));
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!is_open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const ConfigError&) {
    // SQLite has rolled back by itself
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  is_open_ = false;
}

}  // namespace stcsim
