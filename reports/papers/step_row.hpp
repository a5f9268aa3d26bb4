#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/io/yaml_reader.hpp"
#include "reports/evidence/verdict.hpp"
#include "reports/papers/paper_column.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// A scheme as a study names it.
struct StepScheme {
  /// Its file, and its own name.
  std::string file;
  std::string name;
  /// That it is asked for; "" for its own.
  std::string pattern;

  /// "sdgp-1:4"
  [[nodiscard]] std::string full_name() const {
    return pattern.empty() ? name : name + "-" + pattern;
  }
  friend bool operator==(const StepScheme&, const StepScheme&) = default;
};

/// Some layers and products of a network under a scheme. GEMM times are those of the row's layers
/// and products, without what the scheme spends itself; dense ones are those of the same products
/// of the same layers.
struct StepRow {
  /// The network's file, its own name, and its batch if that is not the file's.
  std::string network_file;
  std::string network;
  std::optional<std::int64_t> batch;
  StepScheme scheme;
  /// As an experiment has it; "" for its default.
  std::string dtype;
  /// Names of layers; empty: all.
  std::vector<std::string> layers;
  /// "forward", "dgrad", "wgrad", or "inference" alone.
  std::vector<std::string> products;
  Quantity quantity = Quantity::gemm_gain;
  std::optional<StepScheme> against;

  [[nodiscard]] bool is_inference() const;
};

/// Reads the map `step` of a row. A row whose map says `each: layer` stands for one of every layer
/// and product.
/// @throws ConfigError for layers that the network does not have, and for keys that do not go
///         together
[[nodiscard]] std::vector<StepRow> read_step_rows(MapReader& map);

/// @param study has simulated the row's network under its schemes on the column's machine
/// @return nothing if some of it could not be simulated
[[nodiscard]] std::optional<PaperAnswer> answer_of(const StepRow& row, const PaperColumn& column,
                                                   const StudyResult& study);

}  // namespace stcsim
