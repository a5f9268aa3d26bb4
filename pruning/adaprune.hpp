#pragma once

#include <cstdint>

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"
#include "pruning/parallel.hpp"

namespace stcsim::pruning {

/// AdaPrune's training; the defaults are the authors'.
struct AdaPruneOptions {
  int iterations = 1000;
  int batch = 50;  // calibration samples per iteration
  double learning_rate = 1e-3;
  std::uint64_t seed = 1;
};

/// AdaPrune (Hubara et al., "Accelerated Sparse Neural Training", NeurIPS 2021): prunes a layer to
/// n:m, from dense or unstructured weights, with a few inputs instead of retraining.
///
/// The mask is that of prune_by_magnitude(). Each kept weight takes up absorbed(); then Adam
/// (Kingma and Ba, ICLR 2015; 0.9, 0.999, 1e-8) minimises the mean square of X (W' - W)^T over
/// batches of samples, with the mask applied in every step. Batches go through the samples in a new
/// random order each time. Biases and batch normalisation are left alone.
/// @param weights outputs x inputs
/// @param samples calibration inputs X, samples x inputs
[[nodiscard]] Matrix adaprune(const Matrix& weights, Pattern pattern, const Matrix& samples,
                              const AdaPruneOptions& options, const Execution& how);

/// Adds to every kept weight the sum of its group's pruned weights over the number of kept ones.
[[nodiscard]] Matrix absorbed(const Matrix& weights, const Matrix& pruned, Pattern pattern);

/// Mean square of X (changed - weights)^T.
[[nodiscard]] double calibration_error(const Matrix& weights, const Matrix& changed,
                                       const Matrix& samples);

}  // namespace stcsim::pruning
