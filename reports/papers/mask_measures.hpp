#pragma once

#include <cstdint>
#include <string>

#include "common/pattern.hpp"
#include "reports/papers/mask_row.hpp"

namespace stcsim {

/// What methods of pruning do to tensors of normal numbers (mean 0, variance 1), rows x columns,
/// groups along the columns.

/// Sum of the magnitudes that row.method keeps / sum of all, or of the optimum's for of_optimum.
[[nodiscard]] double kept_share(const MaskRow& row, std::int64_t seed);

/// How much worse than the optimum a greedy method is: MaskQuantity::guarantee.
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

}  // namespace stcsim
