#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"
#include "pruning/schemes.hpp"
#include "reports/evidence/verdict.hpp"

namespace stcsim {

/// Which numbers guarantee is looked for in.
enum class MaskInput : std::uint8_t {
  normal,
  tight  // a block that the greedy method is worst at
};

/// What of AdaPrune.
enum class AdaPruneStage : std::uint8_t {
  masked,    // the mask alone
  absorbed,  // kept weights have taken up pruned ones
  trained
};

/// A row of a paper about masks: the map `mask` of its file.
struct MaskRow {
  Quantity quantity = Quantity::mask_retained;
  /// A scheme of the pruning library, or "unstructured": the largest magnitudes of the whole
  /// tensor.
  std::string method;
  Pattern pattern{2, 4};
  /// Rows and columns of the tensor.
  std::int64_t size = 0;
  /// The tensors are drawn from seed, seed + 1, ...
  std::int64_t seed = 1;
  std::int64_t seeds = 1;
  /// Of methods that prune twice, what the pruning for dgrad keeps.
  bool is_dgrad = false;
  MaskInput input = MaskInput::normal;
  /// AdaPrune: share of the weights, the smallest, that are zero before.
  double zeros = 0;
  AdaPruneStage stage = AdaPruneStage::trained;
};

/// Reads all keys of the map. docs/evidence.md lists them by quantity.
/// @throws ConfigError with file:line:column
[[nodiscard]] MaskRow read_mask_row(MapReader& map);

/// The column "computed".
[[nodiscard]] PaperAnswer answer_of(const MaskRow& row);

/// Of a tensor of normal numbers (mean 0, variance 1), rows x columns, groups along the columns:
/// sum of the magnitudes that row.method keeps / sum of all, or of the optimum's for of_optimum.
[[nodiscard]] double kept_share(const MaskRow& row, std::int64_t seed);

/// How much worse than the optimum a greedy method is: Quantity::mask_guarantee.
struct GreedyFactor {
  double worst = 0;
  double mean = 0;
  std::int64_t blocks = 0;
};
[[nodiscard]] GreedyFactor greedy_factor(const MaskRow& row);

/// Mean square of X (W' - W)^T / mean square of X W^T, on other inputs X than AdaPrune was given.
/// W is `size` x `size` normal, its smallest `zeros` zeroed; inputs are max(0, F z), z normal, F a
/// fixed normal size x size/4 matrix: correlated and not negative, as activations are. Random
/// numbers are those of the seed for the purposes input (W), permutation (F), samples (z of the 500
/// inputs that AdaPrune is given) and batches (z of the 500 others).
[[nodiscard]] double output_error(const MaskRow& row);

/// Most rows and columns of tensors that are generated for a row, the largest seed, and how many.
inline constexpr std::int64_t kMostRowSize = 4096;
inline constexpr std::int64_t kMostRowSeed = 1'000'000'000;
inline constexpr std::int64_t kMostRowSeeds = 1000;

/// The key `pattern` of a row: sparse, and not composed, which no method prunes to.
/// @throws ConfigError at it
[[nodiscard]] Pattern read_sparse_pattern(MapReader& map);

/// The key `method` of a row: a scheme of the pruning library that `suits`, and that can prune to
/// the pattern; or `besides`.
/// @throws ConfigError at it, which lists the names
[[nodiscard]] std::string read_pruning_method(MapReader& map, Pattern pattern,
                                              bool (*suits)(const pruning::Scheme&),
                                              std::string_view besides = "");

}  // namespace stcsim
