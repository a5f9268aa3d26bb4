#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// The part of a tensor that pruning left.
struct Quality {
  std::int64_t elements = 0;
  std::int64_t nonzeros = 0;          // of the pruned tensor
  std::optional<double> l1_retained;  // sum |y| / sum |x|; nothing if x is all zeros
  std::optional<double> l2_retained;  // |y| / |x|, Euclidean; likewise
  double mean_square_error = 0;       // mean (y - x)^2
  std::optional<double> cosine;       // <x, y> / (|x| |y|); nothing if either is all zeros

  [[nodiscard]] double kept() const {
    return static_cast<double>(nonzeros) / static_cast<double>(elements);
  }
};

/// Compares tensors of the same shape. Sums are in fp64, in order. Elements that are not finite are
/// left out of all sums.
[[nodiscard]] Quality compare(const Tensor& original, const Tensor& pruned);

/// Bias and variance of a random estimator, from several draws.
struct EstimatorQuality {
  std::int64_t draws = 0;
  /// Root of the mean square, over the elements, of (mean over the draws) - x.
  double bias_rms = 0;
  /// The error of an unbiased estimator of that variance: sqrt(mean variance / draws).
  double unbiased_rms = 0;
  /// Sum over the elements of the variance (over draws - 1) / sum x^2; nothing if x is all zeros.
  std::optional<double> relative_variance;
};

/// Takes draws of an estimator one after the other.
class DrawStatistics {
 public:
  explicit DrawStatistics(const Tensor& original);

  void add(const Tensor& draw);
  /// Needs at least two draws.
  [[nodiscard]] EstimatorQuality quality() const;

 private:
  const Tensor& original_;
  std::int64_t draws_ = 0;
  std::vector<double> sums_;     // of draw - x, per element
  std::vector<double> squares_;  // of the same
};

}  // namespace stcsim::pruning
