#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "common/io/sqlite.hpp"

namespace stcsim {

/// A point's row: its axes and its figures, both as JSON objects.
struct StoredPoint {
  std::string axes;
  std::string figures;

  friend bool operator==(const StoredPoint&, const StoredPoint&) = default;
};

/// A point that could not be simulated, and why.
struct StoredFailure {
  std::string axes;
  std::string message;

  friend bool operator==(const StoredFailure&, const StoredFailure&) = default;
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
  void put_failure(const std::string& key, const StoredFailure& failure);

  [[nodiscard]] std::optional<StoredPoint> find_point(const std::string& key) const;
  [[nodiscard]] std::optional<StoredFailure> find_failure(const std::string& key) const;
  [[nodiscard]] std::unordered_map<std::string, StoredPoint> points() const;
  [[nodiscard]] std::unordered_map<std::string, StoredFailure> failures() const;
  [[nodiscard]] std::unordered_set<std::string> point_keys() const { return keys_of("points"); }
  [[nodiscard]] std::unordered_set<std::string> failure_keys() const { return keys_of("failures"); }

  /// Takes over what `other` has and this has not. A point that is done anywhere has not failed.
  /// @throws ConfigError if both have a point or a run, with different results
  void absorb(const SweepStore& other);

  [[nodiscard]] const std::filesystem::path& path() const { return database_.path(); }

 private:
  void make();
  void check_kind() const;
  void check_rows() const;
  [[nodiscard]] std::unordered_set<std::string> keys_of(const std::string& table) const;
  /// The two texts of a row; nothing if there is no row.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>> find(
      const std::string& name, const std::string& key) const;
  void absorb_table(const SweepStore& other, const std::string& name);

  Database database_;
};

}  // namespace stcsim
