#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/format.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// What a golden figure is of. The order of members is the order in files and tables.
struct GoldenKey {
  std::string machine;
  std::string network;
  std::string layer;
  std::string phase;
  std::string scheme;
  std::string op;
  std::string metric;  // "cycles"

  friend auto operator<=>(const GoldenKey&, const GoldenKey&) = default;
};

struct GoldenEntry {
  GoldenKey key;
  std::int64_t value = 0;

  friend bool operator==(const GoldenEntry&, const GoldenEntry&) = default;
};

/// Where a recorded experiment came from, so that it can be read again as it is now.
struct GoldenSource {
  /// A shipped experiment's name, or a path relative to the golden file's folder; "" if unknown.
  std::string experiment;
  std::vector<std::string> overrides;  // --set, in order
  /// Of an experiment without a file: what its file would say if it lay beside the golden file, as
  /// JSON. "" otherwise.
  std::string question = {};

  friend bool operator==(const GoldenSource&, const GoldenSource&) = default;
};

/// Recorded figures of an experiment, with all that is needed to run it again.
struct Golden {
  std::string version;  // of the program that recorded it
  std::string config_hash;
  /// The experiment as the program resolved it, for the program's own config reader.
  std::string experiment;
  /// Sorted by key.
  std::vector<GoldenEntry> entries;
  GoldenSource source;

  friend bool operator==(const Golden&, const Golden&) = default;
};

/// Records the cycles of every row.
/// @throws SimulationError if the study has failures or no rows: it would hide them for good
[[nodiscard]] Golden make_golden(const StudyResult& study, std::string experiment,
                                 GoldenSource source = {});

/// A figure that changed, disappeared (no `now`) or appeared (no `golden`).
struct GoldenDifference {
  GoldenKey key;
  std::optional<std::int64_t> golden;
  std::optional<std::int64_t> now;
  /// (now - golden) / golden; infinite if golden is 0 or one of the two is missing.
  double relative = 0;

  friend bool operator==(const GoldenDifference&, const GoldenDifference&) = default;
};

/// Differences with |now - golden| > rtol * |golden|, and all missing and new figures; largest
/// |relative| first (so missing and new ones lead), then by key. Empty means equal. Rows of the
/// same key are compared in their order.
/// @param rtol 0 compares exactly
/// @throws ConfigError unless rtol is finite and not negative
[[nodiscard]] std::vector<GoldenDifference> compare(const Golden& golden, const StudyResult& now,
                                                    double rtol = 0.0);

/// Table layer | phase | scheme | metric | golden | now | Δ%, with columns for machine, network and
/// op where they are not all the same, in so many columns. "" if there are no differences.
[[nodiscard]] std::string differences_table(const std::vector<GoldenDifference>& differences,
                                            std::size_t width = kAnyWidth);

inline constexpr std::string_view kGoldenSchema = "stcsim.golden/1";

/// A golden file: one line per entry, so that a change of one figure changes one line.
[[nodiscard]] std::string golden_to_json(const Golden& golden);

/// Reads a golden file back; entries are sorted, however the file had them.
/// @param file name for error messages
/// @throws ConfigError naming what is malformed, missing or of the wrong type, or if there are no
///   entries: such a file could not fail
[[nodiscard]] Golden golden_from_json(std::string_view text, const std::string& file);

}  // namespace stcsim
