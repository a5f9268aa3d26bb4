#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pruning/prune.hpp"

namespace stcsim::pruning {

/// Settings of PruneOptions that some schemes heed and others do not.
enum class Setting : std::uint8_t { seed, rescale, beta, decay, candidates, samples };

/// The input a scheme is run on.
struct SchemeInput {
  std::vector<Matrix> planes;
  /// Rows of plane 0 belong to so many samples, all to one unless axis 0 numbers samples.
  std::int64_t samples = 1;
  const PruneOptions& options;
};

/// The output it gives: matrices like the planes, and the other members of Pruned.
struct SchemeOutput {
  std::vector<Matrix> values;
  std::vector<Matrix> backward;
  std::vector<std::int64_t> order;
  std::vector<std::int64_t> rows_order;
  std::optional<float> beta;
  std::vector<Matrix> decay;
};

/// The nature of a scheme.
enum class Kind : std::uint8_t {
  groups,        // one axis
  transposable,  // the pattern holds along both axes
  two_prunings,  // one pruning per axis
};

/// A way of pruning, by name.
struct Scheme {
  std::string_view name;
  std::string_view description;
  Kind kind = Kind::groups;
  /// Draws an estimate that differs with the seed.
  bool random = false;
  /// Values that are kept stay as they are.
  bool copies_values = true;
  /// It can keep and drop pairs of neighbours.
  bool keeps_pairs = false;
  /// It can keep columns that blocks of rows share (V:2:m), of matrices.
  bool selects_columns = false;
  /// The only pattern it is defined for.
  std::optional<Pattern> only;
  std::vector<Setting> settings;
  void (*run)(const SchemeInput&, SchemeOutput&) = nullptr;
  /// Vector operations per element that choosing what to keep and packing it takes a GPU: of the
  /// plain algorithm, of transposable-greedy as measured (see docs/reference/pruning.md).
  double ops = 0;

  /// Scales what it keeps by sums over more than its group: a second pass.
  [[nodiscard]] bool rescales() const { return heeds(Setting::rescale); }
  [[nodiscard]] bool heeds(Setting setting) const;
};

/// All schemes in the order users read them.
[[nodiscard]] std::span<const Scheme> schemes();

/// @throws ConfigError that lists the names if there is no such scheme
[[nodiscard]] const Scheme& find_scheme(std::string_view name);

}  // namespace stcsim::pruning
