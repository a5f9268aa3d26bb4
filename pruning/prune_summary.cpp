#include "pruning/prune_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "pruning/adaprune.hpp"
#include "pruning/channel_permutation.hpp"
#include "pruning/double_pruning.hpp"
#include "pruning/mask_counts.hpp"
#include "pruning/mvue.hpp"
#include "pruning/schemes.hpp"

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

Matrix lines_along(const Tensor& tensor, std::size_t axis) {
  return to_planes(tensor, {axis, {}}).front();
}

AxisFigures axis_figures(const Tensor& values, std::size_t axis,
                         const std::vector<std::int64_t>& order, Pattern pattern) {
  Matrix lines = lines_along(values, axis);
  if (!order.empty()) lines = reordered(lines, order);
  return {axis, lines.rows * groups_per_row(lines, pattern.m), count_violations(lines, pattern)};
}

/// AdaPrune's (Hubara et al., NeurIPS 2021).
constexpr double kConfidence = 0.95;

InputFit input_fit(const Tensor& tensor, std::size_t axis, Pattern pattern) {
  pattern = pattern.of_rows();
  const AxisFigures groups = axis_figures(tensor, axis, {}, pattern);
  InputFit fit;
  fit.zeros = static_cast<double>(std::ranges::count(tensor.values, 0.0F)) /
              static_cast<double>(tensor.values.size());
  fit.fitting = 1 - static_cast<double>(groups.violations) / static_cast<double>(groups.groups);
  fit.probability = fit_probability(pattern, fit.zeros);
  fit.likely_zeros = most_likely_zeros(pattern.m, fit.zeros, kConfidence);
  return fit;
}

Diversity diversity_of(const Tensor& tensor, Pattern pattern, bool transposable) {
  const auto elements = std::ssize(tensor.values);
  pattern = pattern.of_rows();
  Diversity diversity;
  diversity.unstructured = unstructured_diversity(elements, elements * pattern.n / pattern.m);
  diversity.pattern = tensor_diversity(group_masks(pattern), pattern.m, elements);
  diversity.sequential = tensor_diversity(sequential_masks(pattern), pattern.m, elements);
  if (!transposable) return diversity;
  const std::int64_t block = pattern.m * pattern.m;
  diversity.transposable_published =
      tensor_diversity(published_transposable_masks(pattern), block, elements);
  if (const auto counted = transposable_masks(pattern)) {
    diversity.transposable = tensor_diversity(*counted, block, elements);
  }
  return diversity;
}

EstimatorQuality estimator_quality(const Tensor& tensor, const Pruned& pruned,
                                   std::string_view scheme, PruneOptions options,
                                   std::int64_t draws) {
  DrawStatistics statistics(tensor);
  statistics.add(pruned.values);
  for (std::int64_t draw = 1; draw < draws; ++draw) {
    options.draw = static_cast<std::uint32_t>(draw);
    statistics.add(prune(tensor, scheme, options).values);
    if (options.how.progress) options.how.progress(draw + 1, draws);
  }
  return statistics.quality();
}

std::optional<double> closed_form_variance(const Tensor& tensor, std::string_view scheme,
                                           const PruneOptions& options) {
  const double square = square_sum(tensor.values);
  if (square == 0) return std::nullopt;
  const Matrix lines = lines_along(tensor, options.axis);
  if (scheme == "mvue-approximate") return approximate_mvue_variance(lines) / square;
  if (scheme == "mvue" || scheme == "mvue-pairs") {
    return mvue_variance(lines, options.pattern) / square;
  }
  return std::nullopt;
}

double magnitude_sum(const Tensor& tensor) {
  double sum = 0;
  for (const float value : tensor.values) sum += std::abs(static_cast<double>(value));
  return sum;
}

/// Magnitude kept over that of the optimum; nothing if there is none.
std::optional<double> optimum_ratio(const Tensor& tensor, const Pruned& pruned,
                                    std::string_view scheme, const PruneOptions& options) {
  constexpr std::string_view kOptimal = "transposable";
  const double optimum = scheme == kOptimal
                             ? magnitude_sum(pruned.values)
                             : magnitude_sum(prune(tensor, kOptimal, options).values);
  if (optimum == 0 || !std::isfinite(optimum)) return std::nullopt;
  return magnitude_sum(pruned.values) / optimum;
}

BackwardFigures backward_figures(const Pruned& pruned, Pattern pattern) {
  const auto zeros = [](const Tensor& tensor) {
    return static_cast<double>(std::ranges::count(tensor.values, 0.0F)) /
           static_cast<double>(tensor.values.size());
  };
  const double backward = zeros(*pruned.backward);
  return {1 - backward, backward - zeros(pruned.values), expected_extra_zeros(pattern)};
}

CalibrationFigures calibration_figures(const Tensor& tensor, const Pruned& pruned,
                                       const PruneOptions& options) {
  const Matrix weights = lines_along(tensor, options.axis);
  const Matrix samples = lines_along(*options.samples, 1);
  Matrix masked(weights.rows, weights.columns);
  prune_by_magnitude(weights, options.pattern, options.how.threads, masked);
  const Matrix start = absorbed(weights, masked, options.pattern);
  const Matrix trained = lines_along(pruned.values, options.axis);
  return {calibration_error(weights, masked, samples), calibration_error(weights, start, samples),
          calibration_error(weights, trained, samples)};
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

PruneSummary summarise(const Tensor& tensor, const Pruned& pruned, std::string_view name,
                       const PruneOptions& options, const SummaryOptions& what) {
  const Scheme& scheme = find_scheme(name);
  const Pattern pattern = options.pattern;
  const bool transposable = scheme.kind == Kind::transposable;
  PruneSummary summary;
  summary.scheme = scheme.name;
  summary.pattern = pattern;
  summary.shape = tensor.shape;
  summary.quality = compare(tensor, pruned.values);
  summary.axes.push_back(axis_figures(pruned.values, pruned.axes.columns, pruned.order, pattern));
  if (pruned.axes.rows) {
    const Tensor& second = pruned.backward ? *pruned.backward : pruned.values;
    summary.axes.push_back(axis_figures(second, *pruned.axes.rows, pruned.rows_order, pattern));
  }
  summary.fit = input_fit(tensor, options.axis, pattern);
  summary.diversity = diversity_of(tensor, pattern, transposable);
  if (scheme.random && !options.allow_non_finite) {
    summary.estimator = estimator_quality(tensor, pruned, name, options, what.draws);
    summary.closed_form_variance = closed_form_variance(tensor, name, options);
  }
  if (transposable && what.optimum) {
    summary.optimum_ratio = optimum_ratio(tensor, pruned, name, options);
  }
  if (pruned.backward) summary.backward = backward_figures(pruned, pattern);
  if (scheme.heeds(Setting::samples)) {
    summary.calibration = calibration_figures(tensor, pruned, options);
  }
  if (pruned.beta) summary.beta = *pruned.beta;
  return summary;
}

}  // namespace stcsim::pruning
