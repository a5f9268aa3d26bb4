#pragma once

#include <cstdint>
#include <optional>

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// Keeps the n largest magnitudes of every group of m, of equal ones the lower index, and zeroes
/// the rest (Mishra et al., "Accelerating Sparse Deep Neural Networks", arXiv:2104.08378, 2021).
/// NaN counts as larger than every number. Where pairs are kept together, those n/2 of a group
/// whose sums of magnitudes are largest, of equal ones the first. Of V:2:m as prune_to_columns().
/// @param out of the shape of `in`
void prune_by_magnitude(const Matrix& in, Pattern pattern, int threads, Matrix& out);

/// Keeps n of every m positions (or n/2 of m/2 pairs), every choice as likely, and zeroes the rest;
/// nothing is rescaled, so that the mean is n/m of the input (McDanel et al., "Accelerating DNN
/// Training with Structured Data Gradient Pruning", 2022).
void prune_at_random(const Matrix& in, Pattern pattern, std::uint64_t seed, std::uint32_t draw,
                     int threads, Matrix& out);

/// Over which elements rescaling preserves the sum of magnitudes. The publication of structured
/// data gradient pruning (as above) can be read in three ways.
enum class RescaleSet : std::uint8_t {
  /// All elements of one sample and one channel (an index of the pruned axis): the authors' code.
  sample_channel,
  channel,  ///< all elements of a channel: their Fig. 4
  group,    ///< the m elements of a group: their formula
};

/// prune_by_magnitude(), then every set of elements is multiplied by what it takes for its sum of
/// magnitudes to be that of the input; where nothing but zeros is left, by 1.
/// @param samples the rows of the first sample come first, then as many of each of the others
void prune_rescaled(const Matrix& in, Pattern pattern, RescaleSet set, std::int64_t samples,
                    int threads, Matrix& out);

/// The term that SR-STE adds to the gradient of the dense weights: lambda * (1 - E) * W, E the mask
/// of magnitude pruning (Zhou et al., "Learning N:M Fine-grained Structured Sparse Neural Networks
/// From Scratch", ICLR 2021; lambda = 2e-4 there).
/// @param pruned the weights as prune_by_magnitude() left them
[[nodiscard]] Matrix sr_ste_decay(const Matrix& weights, const Matrix& pruned, float lambda);

/// S-STE (Hu et al., "S-STE: Continuous Pruning Function for Efficient 2:4 Sparse Pre-training",
/// NeurIPS 2024): out = beta * S(w), S(w) = sign(w) * max(|w| - t, 0), where t is the largest
/// magnitude of the group that must go, the (n+1)-th largest. At most n elements are left, fewer
/// where magnitudes are equal; the function is continuous.
void soft_threshold(const Matrix& in, Pattern pattern, float beta, int threads, Matrix& out);

/// The scale that brings beta * S(w) closest to w: <w, S(w)> / |S(w)|^2, once per tensor at the
/// start of training and then frozen (as above). 1 if S(w) is all zeros. The sums are those of the
/// rows in order, so the number of threads makes no difference.
[[nodiscard]] float soft_threshold_scale(const Matrix& in, Pattern pattern, int threads);

}  // namespace stcsim::pruning
