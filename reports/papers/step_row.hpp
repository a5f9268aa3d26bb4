#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/yaml_reader.hpp"
#include "common/phase.hpp"
#include "reports/evidence/paper_answer.hpp"
#include "reports/papers/paper_column.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// What of a study a row shows. GEMM times are those of the row's layers and products, without what
/// the scheme spends itself; dense ones are those of the same products of the same layers.
enum class StepQuantity : std::uint8_t {
  /// In percent: of the GEMMs of all three products as the scheme runs them; of the dense ones.
  share,
  share_of_dense,
  /// Dense time / time, and what is saved of the dense time, in percent.
  gemm_gain,
  gemm_saved,
  /// The gain with everything else that belongs to these layers, and what the scheme spends itself.
  block_gain,
  /// Of the whole training step with what the scheme spends itself.
  step_gain,
  step_saved,
  /// Of the whole pass after training.
  inference_gain,
  /// Times of a sample batch.
  gemm_ms,
  step_ms,
  /// Of the whole pass after training.
  inference_ms,
  /// Time of a step of `against` / time of this one.
  step_ratio,
  /// DRAM that a step needs, in percent of what one of `against` needs.
  memory_share
};
inline constexpr std::size_t kStepQuantities = 13;

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

/// Some layers and products of a network under a scheme.
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
  StepQuantity quantity = StepQuantity::gemm_gain;
  std::optional<StepScheme> against;

  [[nodiscard]] bool is_inference() const;
};

/// Reads the map `step` of a row. A row whose map says `each: layer` stands for one of every layer
/// and product.
/// @throws ConfigError for layers that the network does not have, and for keys that do not go
///         together
[[nodiscard]] std::vector<StepRow> read_step_rows(MapReader& map);

[[nodiscard]] PaperQuantity quantity_of(const StepRow& row);

/// @param study has simulated the row's network under its schemes on the column's machine
/// @return nothing if some of it could not be simulated
[[nodiscard]] std::optional<PaperAnswer> answer_of(const StepRow& row, const PaperColumn& column,
                                                   const StudyResult& study);

}  // namespace stcsim
