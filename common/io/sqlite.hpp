#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace stcsim {

class Database;

/// A statement of SQL, made by Database::prepare(). Parameters are bound in their order, from the
/// first again after reset().
class Statement {
 public:
  Statement& bind(std::string_view text);
  Statement& bind_bytes(std::string_view bytes);
  Statement& bind(std::int64_t number);

  /// The next row; false at the end.
  [[nodiscard]] bool next();
  /// For statements without rows.
  void run();
  void reset();

  /// A column of the row, counted from 0: as bytes whatever its type, and as a number.
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t number(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(const Database& database, sqlite3_stmt* statement)
      : database_(&database), statement_(statement) {}
  void check(int code) const;

  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

/// An SQLite file. Every failure is a ConfigError that names the file and says what is wrong with
/// it. SQLite's own errors of SQL count as damage: what is asked is right for a file that is. Not
/// to be used in a forked process.
class Database {
 public:
  enum class Access : std::uint8_t { read, write };

  /// @param access  to write makes the file if there is none, and keeps a write-ahead log beside it
  Database(const std::filesystem::path& path, Access access);

  /// Runs statements without rows.
  void execute(const std::string& sql);
  [[nodiscard]] Statement prepare(std::string_view sql) const;
  /// The number in the first column of the first row; 0 if there is no row.
  [[nodiscard]] std::int64_t number(std::string_view sql) const;
  /// Reads the whole file. @throws ConfigError with the first thing that is wrong with it
  void check_integrity() const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Throws the error that says the file is damaged, and how.
  [[noreturn]] void fail_as_damaged(std::string_view how) const;

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  [[noreturn]] void fail(int code) const;

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Everything until commit() happens, or nothing.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

}  // namespace stcsim
