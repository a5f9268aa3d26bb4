#include "sim/sweep/sweep_store.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/sha256.hpp"
#include "sim/job/behaviour_version.hpp"

namespace stcsim {
namespace {

/// PRAGMA application_id: "stcs".
constexpr std::int64_t kApplication = 0x73746373;
/// PRAGMA user_version: of the tables below, and of what is kept in them.
constexpr std::int64_t kFormat = 4;

struct TableOf {
  const char* name;
  /// What a row has beside its key and its checksum.
  std::array<const char*, 2> columns;
};
constexpr std::array<TableOf, 3> kTables{{
    {"points", {"axes", "figures"}},
    {"failures", {"axes", "message"}},
    {"runs", {"kind", "bytes"}},
}};
/// runs.kind: there is one.
constexpr const char* kRun = "run";

const TableOf& table_named(std::string_view name) {
  for (const TableOf& table : kTables) {
    if (table.name == name) return table;
  }
  throw SimulationError("no table " + std::string(name));
}

std::string checksum_of(std::string_view table, std::string_view key, std::string_view first,
                        std::string_view second) {
  return sha256_hex(fmt::format("{}\n{}\n{}\n{}\n{}", table, key, first.size(), first, second));
}

std::string select_from(const TableOf& table) {
  return fmt::format("SELECT key, {}, {}, checksum FROM {}", table.columns[0], table.columns[1],
                     table.name);
}

/// A row of a table, as the statement of select_from() has it now.
struct Row {
  std::string key;
  std::string first;
  std::string second;

  Row(const Database& database, const TableOf& table, const Statement& statement)
      : key(statement.text(0)), first(statement.text(1)), second(statement.text(2)) {
    if (checksum_of(table.name, key, first, second) == statement.text(3)) return;
    database.fail_as_damaged(fmt::format("a row of '{}' is not what was written", table.name));
  }
};

void insert(Database& database, std::string_view name, const std::string& key,
            const std::string& first, const std::string& second) {
  const TableOf& table = table_named(name);
  Statement statement =
      database.prepare(fmt::format("INSERT OR REPLACE INTO {} (key, {}, {}, checksum) VALUES (?, "
                                   "?, ?, ?)",
                                   table.name, table.columns[0], table.columns[1]));
  statement.bind(key).bind(first);
  if (name == "runs") {
    statement.bind_bytes(second);
  } else {
    statement.bind(second);
  }
  statement.bind(checksum_of(name, key, first, second)).run();
}

}  // namespace

SweepStore::SweepStore(const std::filesystem::path& path, Database::Access access)
    : database_(path, access) {
  const bool is_new = database_.number("PRAGMA application_id") == 0 &&
                      database_.number("SELECT count(*) FROM sqlite_master") == 0;
  if (is_new && access == Database::Access::write) make();
  if (is_new && access == Database::Access::read) {
    throw ConfigError(
        fmt::format("'{}' is empty: a sweep was ended before it kept anything, and "
                    "'stcsim sweep run' with this file goes on",
                    path.string()));
  }
  check_kind();
  database_.check_integrity();
  check_rows();
}

void SweepStore::make() {
  Transaction transaction(database_);
  for (const TableOf& table : kTables) {
    database_.execute(
        fmt::format("CREATE TABLE IF NOT EXISTS {} (key TEXT PRIMARY KEY NOT NULL, "
                    "{} TEXT NOT NULL, {} NOT NULL, checksum TEXT NOT NULL)",
                    table.name, table.columns[0], table.columns[1]));
  }
  database_.execute(
      "CREATE TABLE IF NOT EXISTS program (behaviour INTEGER NOT NULL);"
      "DELETE FROM program;" +
      fmt::format("INSERT INTO program VALUES ({}); PRAGMA application_id={}; PRAGMA "
                  "user_version={}",
                  kBehaviourVersion, kApplication, kFormat));
  transaction.commit();
}

void SweepStore::check_kind() const {
  if (database_.number("PRAGMA application_id") != kApplication) {
    throw ConfigError(
        fmt::format("'{}' is no file of stcsim sweep, or its head is damaged", path().string()));
  }
  if (const std::int64_t format = database_.number("PRAGMA user_version"); format != kFormat) {
    throw ConfigError(
        fmt::format("'{}' has format {}, this program reads format {}: make it anew with 'stcsim "
                    "sweep run SPACE --results FILE'",
                    path().string(), format, kFormat));
  }
  const std::int64_t behaviour = database_.number("SELECT behaviour FROM program");
  if (behaviour == kBehaviourVersion) return;
  throw ConfigError(
      fmt::format("'{}' is of a stcsim with other results (behaviour {}, this one "
                  "has {}): sweep into another file",
                  path().string(), behaviour, kBehaviourVersion));
}

void SweepStore::check_rows() const {
  for (const TableOf& table : kTables) {
    Statement statement = database_.prepare(select_from(table));
    while (statement.next()) static_cast<void>(Row(database_, table, statement));
  }
}

std::optional<std::pair<std::string, std::string>> SweepStore::find(const std::string& name,
                                                                    const std::string& key) const {
  const TableOf& table = table_named(name);
  Statement statement = database_.prepare(select_from(table) + " WHERE key = ?");
  if (!statement.bind(key).next()) return std::nullopt;
  Row row(database_, table, statement);
  return std::pair(std::move(row.first), std::move(row.second));
}

std::optional<std::string> SweepStore::find_run(const std::string& key) const {
  auto found = find("runs", key);
  if (!found) return std::nullopt;
  return std::move(found->second);
}

void SweepStore::put_run(const std::string& key, const std::string& bytes) {
  insert(database_, "runs", key, kRun, bytes);
}

void SweepStore::put_point(const std::string& key, const StoredPoint& point) {
  Transaction transaction(database_);
  insert(database_, "points", key, point.axes, point.figures);
  database_.prepare("DELETE FROM failures WHERE key = ?").bind(key).run();
  transaction.commit();
}

void SweepStore::put_failure(const std::string& key, const StoredFailure& failure) {
  insert(database_, "failures", key, failure.axes, failure.message);
}

std::optional<StoredPoint> SweepStore::find_point(const std::string& key) const {
  auto found = find("points", key);
  if (!found) return std::nullopt;
  return StoredPoint{std::move(found->first), std::move(found->second)};
}

std::optional<StoredFailure> SweepStore::find_failure(const std::string& key) const {
  auto found = find("failures", key);
  if (!found) return std::nullopt;
  return StoredFailure{std::move(found->first), std::move(found->second)};
}

std::unordered_map<std::string, StoredPoint> SweepStore::points() const {
  std::unordered_map<std::string, StoredPoint> points;
  const TableOf& table = table_named("points");
  Statement statement = database_.prepare(select_from(table));
  while (statement.next()) {
    Row row(database_, table, statement);
    points[row.key] = {std::move(row.first), std::move(row.second)};
  }
  return points;
}

std::unordered_map<std::string, StoredFailure> SweepStore::failures() const {
  std::unordered_map<std::string, StoredFailure> failures;
  const TableOf& table = table_named("failures");
  Statement statement = database_.prepare(select_from(table));
  while (statement.next()) {
    Row row(database_, table, statement);
    failures[row.key] = {std::move(row.first), std::move(row.second)};
  }
  return failures;
}

std::unordered_set<std::string> SweepStore::keys_of(const std::string& table) const {
  std::unordered_set<std::string> keys;
  Statement statement = database_.prepare(fmt::format("SELECT key FROM {}", table));
  while (statement.next()) keys.insert(statement.text(0));
  return keys;
}

void SweepStore::absorb(const SweepStore& other) {
  Transaction transaction(database_);
  for (const TableOf& table : kTables) absorb_table(other, table.name);
  database_.execute("DELETE FROM failures WHERE key IN (SELECT key FROM points)");
  transaction.commit();
}

void SweepStore::absorb_table(const SweepStore& other, const std::string& name) {
  const TableOf& table = table_named(name);
  const bool may_differ = name == "failures";  // what killed a process is not the same each time
  Statement statement = other.database_.prepare(select_from(table));
  while (statement.next()) {
    const Row row(other.database_, table, statement);
    const auto own = find(name, row.key);
    if (!own) insert(database_, name, row.key, row.first, row.second);
    if (!own || may_differ || *own == std::pair(row.first, row.second)) continue;
    throw ConfigError(
        fmt::format("'{}' and '{}' have different results of one point ({}): they "
                    "are not of the same program",
                    path().string(), other.path().string(), row.key));
  }
}

}  // namespace stcsim
