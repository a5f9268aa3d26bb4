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

std::string checksum_of(std::string_view table, std::string_view key, const StoredPoint& row) {
  return sha256_hex(
      fmt::format("{}\n{}\n{}\n{}\n{}", table, key, row.axes.size(), row.axes, row.result));
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
  for (const TableOf& table : kTables) each_row(table.name, [](const auto&, const auto&) {});
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

void SweepStore::each_row(std::string_view name,
                          const std::function<void(const std::string&, StoredPoint)>& take,
                          const std::string* key) const {
  const TableOf& table = table_named(name);
  Statement statement = database_.prepare(
      fmt::format("SELECT key, {}, {}, checksum FROM {}{}", table.columns[0], table.columns[1],
                  table.name, key == nullptr ? "" : " WHERE key = ?"));
  if (key != nullptr) statement.bind(*key);
  while (statement.next()) {
    const std::string own = statement.text(0);
    StoredPoint row{statement.text(1), statement.text(2)};
    if (checksum_of(table.name, own, row) != statement.text(3)) {
      database_.fail_as_damaged(fmt::format("a row of '{}' is not what was written", table.name));
    }
    take(own, std::move(row));
  }
}

void SweepStore::insert(std::string_view name, const std::string& key, const StoredPoint& row) {
  const TableOf& table = table_named(name);
  Statement statement =
      database_.prepare(fmt::format("INSERT OR REPLACE INTO {} (key, {}, {}, checksum) VALUES (?, "
                                    "?, ?, ?)",
                                    table.name, table.columns[0], table.columns[1]));
  statement.bind(key).bind(row.axes);
  if (name == "runs") {
    statement.bind_bytes(row.result);
  } else {
    statement.bind(row.result);
  }
  statement.bind(checksum_of(name, key, row)).run();
}

std::optional<StoredPoint> SweepStore::find(std::string_view table, const std::string& key) const {
  std::optional<StoredPoint> found;
  each_row(
      table, [&](const auto&, StoredPoint row) { found = std::move(row); }, &key);
  return found;
}

std::optional<std::string> SweepStore::find_run(const std::string& key) const {
  auto found = find("runs", key);
  return found ? std::optional(std::move(found->result)) : std::nullopt;
}

void SweepStore::put_run(const std::string& key, const std::string& bytes) {
  insert("runs", key, {kRun, bytes});
}

void SweepStore::put_point(const std::string& key, const StoredPoint& point) {
  Transaction transaction(database_);
  insert("points", key, point);
  database_.prepare("DELETE FROM failures WHERE key = ?").bind(key).run();
  transaction.commit();
}

void SweepStore::put_failure(const std::string& key, const StoredPoint& failure) {
  insert("failures", key, failure);
}

std::unordered_map<std::string, StoredPoint> SweepStore::rows(std::string_view table) const {
  std::unordered_map<std::string, StoredPoint> all;
  each_row(table, [&](const std::string& key, StoredPoint row) { all[key] = std::move(row); });
  return all;
}

std::unordered_set<std::string> SweepStore::keys(std::string_view table) const {
  std::unordered_set<std::string> keys;
  Statement statement = database_.prepare(fmt::format("SELECT key FROM {}", table));
  while (statement.next()) keys.insert(statement.text(0));
  return keys;
}

void SweepStore::absorb(const SweepStore& other) {
  Transaction transaction(database_);
  for (const TableOf& table : kTables) {
    other.each_row(table.name, [&](const std::string& key, const StoredPoint& row) {
      const auto own = find(table.name, key);
      if (!own) insert(table.name, key, row);
      // What killed a process is not the same each time.
      if (!own || *own == row || std::string_view(table.name) == "failures") return;
      throw ConfigError(
          fmt::format("'{}' and '{}' have different results of one point ({}): they "
                      "are not of the same program",
                      path().string(), other.path().string(), key));
    });
  }
  database_.execute("DELETE FROM failures WHERE key IN (SELECT key FROM points)");
  transaction.commit();
}

}  // namespace stcsim
