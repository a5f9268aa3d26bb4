#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "common/io/sqlite.hpp"

namespace stcsim {

/// A point's row: its axes, a JSON object, and its figures, another, or why it failed.
struct StoredPoint {
  std::string axes;
  std::string result;

  friend bool operator==(const StoredPoint&, const StoredPoint&) = default;
};

/// The results of sweeps in one SQLite file, which other programs may read while it is written:
///
///   points    key, axes, figures      one row per point that is done
///   failures  key, axes, message      points that failed
///   runs      key, bytes              simulated GEMMs and stream kernels, for the points to come
///
/// each row with a SHA-256 of itself. A row is there completely or not at all, whenever the program
/// is killed. Rows are found by their keys: a file serves any number of spaces.
/// Everything that is wrong with a file is a ConfigError that names it.
class SweepStore {
 public:
  /// Reads the whole file and checks it.
  /// @param access  to write makes the file if there is none
  SweepStore(const std::filesystem::path& path, Database::Access access);

  [[nodiscard]] std::optional<std::string> find_run(const std::string& key) const;
  void put_run(const std::string& key, const std::string& bytes);
  /// Replaces the point's failure, if there is one.
  void put_point(const std::string& key, const StoredPoint& point);
  void put_failure(const std::string& key, const StoredPoint& failure);

  /// Of the table `points` or `failures`.
  [[nodiscard]] std::optional<StoredPoint> find(std::string_view table,
                                                const std::string& key) const;
  [[nodiscard]] std::unordered_map<std::string, StoredPoint> rows(std::string_view table) const;
  [[nodiscard]] std::unordered_set<std::string> keys(std::string_view table) const;

  /// Takes over what `other` has and this has not. A point that is done anywhere has not failed.
  /// @throws ConfigError if both have a point or a run, with different results
  void absorb(const SweepStore& other);

  [[nodiscard]] const std::filesystem::path& path() const { return database_.path(); }

 private:
  void make();
  void check_kind() const;
  /// Passes each row, checked, or that of a key.
  void each_row(std::string_view name,
                const std::function<void(const std::string& key, StoredPoint row)>& take,
                const std::string* key = nullptr) const;
  void insert(std::string_view name, const std::string& key, const StoredPoint& row);

  Database database_;
};

}  // namespace stcsim
