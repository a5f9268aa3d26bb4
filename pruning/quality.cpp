#include "pruning/quality.hpp"

#include <cmath>
#include <cstddef>

namespace stcsim::pruning {
namespace {

std::optional<double> ratio(double part, double whole) {
  if (whole == 0) return std::nullopt;
  return part / whole;
}

double square_sum(const std::vector<float>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

}  // namespace

Quality compare(const Tensor& original, const Tensor& pruned) {
  Quality quality;
  quality.elements = std::ssize(original.values);
  double x_sum = 0;
  double y_sum = 0;
  double x_square = 0;
  double y_square = 0;
  double product = 0;
  double error = 0;
  for (std::size_t i = 0; i < original.values.size(); ++i) {
    const double x = original.values[i];
    const double y = pruned.values[i];
    if (y != 0) ++quality.nonzeros;
    if (!std::isfinite(x)) continue;
    x_sum += std::abs(x);
    y_sum += std::abs(y);
    x_square += x * x;
    y_square += y * y;
    product += x * y;
    error += (y - x) * (y - x);
  }
  quality.l1_retained = ratio(y_sum, x_sum);
  quality.l2_retained = ratio(std::sqrt(y_square), std::sqrt(x_square));
  quality.mean_square_error = error / static_cast<double>(quality.elements);
  quality.cosine = ratio(product, std::sqrt(x_square) * std::sqrt(y_square));
  return quality;
}

DrawStatistics::DrawStatistics(const Tensor& original)
    : original_(original), sums_(original.values.size()), squares_(original.values.size()) {}

void DrawStatistics::add(const Tensor& draw) {
  ++draws_;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const double error = static_cast<double>(draw.values[i]) - original_.values[i];
    sums_[i] += error;
    squares_[i] += error * error;
  }
}

EstimatorQuality DrawStatistics::quality() const {
  const auto draws = static_cast<double>(draws_);
  double bias_square = 0;
  double variance = 0;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const double mean = sums_[i] / draws;
    bias_square += mean * mean;
    variance += (squares_[i] - draws * mean * mean) / (draws - 1);
  }
  const auto elements = static_cast<double>(sums_.size());
  EstimatorQuality quality;
  quality.draws = draws_;
  quality.bias_rms = std::sqrt(bias_square / elements);
  quality.unbiased_rms = std::sqrt(variance / elements / draws);
  quality.relative_variance = ratio(variance, square_sum(original_.values));
  return quality;
}

}  // namespace stcsim::pruning
