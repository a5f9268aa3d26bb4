#pragma once

#include <string>

#include "reports/papers/mask_row.hpp"

namespace stcsim {

[[nodiscard]] bool is_published(MaskQuantity quantity);
[[nodiscard]] bool is_log10(MaskQuantity quantity);

/// How many masks the tensor of a diversity has, all digits.
[[nodiscard]] std::string masks_of(const MaskRow& row);
/// log10 of that, for tensors of any size.
[[nodiscard]] double log10_of_masks(const MaskRow& row);

/// Steps per element that finding a transposable mask takes:
/// - transposable-exhaustive: each mask times each element (Hu et al., "Accelerating Transformer
///   Pre-training with 2:4 Sparsity", ICML 2024: 90 multiply-adds per weight);
/// - transposable-greedy: comparisons of a sort of the block, log2(m^2);
/// - transposable: n m shortest paths over the m^2 + 2m edges of the published network (Hubara et
///   al., "Accelerated Sparse Neural Training", NeurIPS 2021, Fig. 4).
[[nodiscard]] double steps_per_element(const MaskRow& row);

}  // namespace stcsim
