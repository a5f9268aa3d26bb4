#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// Probabilities of the six pairs of a group of four, magnitudes ascending: 12, 13, 14, 23, 24, 34.
using PairLaw = std::array<double, 6>;

/// The minimum-variance unbiased 2:4 estimator by a law for pairs (Chmiel et al., "Minimum Variance
/// Unbiased N:M Sparsity for the Neural Gradients", ICLR 2023, three cases; with the values of its
/// third case, the largest unchanged and the other the sum of the three smaller, for which it is
/// unbiased). Elements have the same probabilities and values as in mvue_group(); which two come
/// together differs.
/// @param ascending magnitudes, not all zero
[[nodiscard]] PairLaw pair_law(std::span<const double, 4> ascending);

/// @param uniform in (0, 1): picks the pair, in the order above
void mvue_pair_group(std::span<const float, 4> group, double uniform, std::span<float, 4> out);

/// mvue_pair_group() for every group; the uniform number of group g (row after row) is number g of
/// RandomStream(seed, Purpose::pruning, draw).
void prune_mvue_pairs(const Matrix& in, std::uint64_t seed, std::uint32_t draw, int threads,
                      Matrix& out);

}  // namespace stcsim::pruning
