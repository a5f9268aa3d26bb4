#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// Minimum-variance unbiased estimators of a group by n of its m elements (Chmiel et al., "Minimum
/// Variance Unbiased N:M Sparsity for the Neural Gradients", ICLR 2023).
///
/// Element i is kept with probability p_i as a_i / p_i, so its mean is a_i and the variance of the
/// group is the sum of a_i^2 (1/p_i - 1). It is smallest for p_i = min(1, lambda |a_i|) with lambda
/// such that the p_i add up to n. All functions read m elements and write m.

/// The p_i above; 1 for every non-zero element where there are at most n of them, 0 for zeros.
void inclusion_probabilities(std::span<const float> group, std::int64_t n,
                             std::span<double> probabilities);

/// The smallest variance above.
[[nodiscard]] double mvue_variance(std::span<const float> group, std::int64_t n);

/// One estimate: certain elements stay as they are, of the others as many as are missing are drawn
/// by systematic sampling (one uniform number and the numbers a whole number above it, compared
/// with the prefix sums of p).
/// @param uniform in (0, 1)
void mvue_group(std::span<const float> group, std::int64_t n, double uniform, std::span<float> out);

/// mvue_group() for every group; the uniform number of group g (row after row) is number g of
/// RandomStream(seed, Purpose::pruning, draw).
void prune_mvue(const Matrix& in, Pattern pattern, std::uint64_t seed, std::uint32_t draw,
                int threads, Matrix& out);

/// The approximate estimator for 2:4 that training runs use (Hu et al., "Accelerating Transformer
/// Pre-training with 2:4 Sparsity", ICML 2024, and its code): two elements are drawn one after the
/// other with probability proportional to |x| + 1.19e-7, and divided by their exact probability to
/// be among the two, p_i = t_i + a_i * sum over j != i of t_j / (S - a_j), t_i = a_i / S. Unbiased,
/// up to twice the least variance.
/// The two uniform numbers of group g are those at 2g and 2g + 1 of the stream above.
void prune_approximate_mvue(const Matrix& in, std::uint64_t seed, std::uint32_t draw, int threads,
                            Matrix& out);

/// The probabilities p_i of that.
[[nodiscard]] std::array<double, 4> approximate_inclusion_probabilities(
    std::span<const float, 4> group);

/// Total variance over all groups of prune_mvue(), and of prune_approximate_mvue().
[[nodiscard]] double mvue_variance(const Matrix& in, Pattern pattern);
[[nodiscard]] double approximate_mvue_variance(const Matrix& in);

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
