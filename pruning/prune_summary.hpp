#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"
#include "pruning/prune.hpp"

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

/// Groups along one axis of a tensor.
struct AxisFigures {
  std::size_t axis = 0;
  std::int64_t groups = 0;
  std::int64_t violations = 0;  // groups with more non-zeros than the pattern allows
};

/// The number of masks: log10 of that for the whole tensor.
struct Diversity {
  double unstructured = 0;  // any mask with the pattern's share of ones
  double pattern = 0;       // n:m along one axis
  double sequential = 0;    // the same with the zeros of a group next to each other
  /// Transposable masks: counted, where that does not take too long, and by the published formula.
  std::optional<double> transposable;
  std::optional<double> transposable_published;
};

/// The fit of groups of the input to the pattern before pruning.
struct InputFit {
  double zeros = 0;        // share of the elements
  double fitting = 0;      // share of the groups that have the pattern already
  double probability = 0;  // of the same if zeros were independent: fit_probability()
  /// Zeros a group then has with 95 % confidence: most_likely_zeros(), AdaPrune's choice of
  /// pattern.
  std::int64_t likely_zeros = 0;
};

/// Pruning for the second axis, by schemes that do it apart.
struct BackwardFigures {
  double kept = 0;
  double extra_zeros = 0;     // share of the elements the forward values have and these have not
  double expected_extra = 0;  // for independent uniform masks: expected_extra_zeros()
};

/// Mean square of what AdaPrune minimises, over the calibration inputs.
struct CalibrationFigures {
  double masked = 0;    // magnitude pruning alone
  double absorbed = 0;  // before training
  double trained = 0;
};

/// Everything to say about a tensor that was pruned.
struct PruneSummary {
  std::string scheme;
  Pattern pattern;
  std::string input;
  std::vector<std::int64_t> shape;
  Quality quality;
  std::vector<AxisFigures> axes;  // the pruned one, and the second if the scheme has one
  InputFit fit;
  Diversity diversity;
  std::optional<EstimatorQuality> estimator;   // schemes that draw
  std::optional<double> closed_form_variance;  // relative to sum x^2, where there is a formula
  std::optional<double> optimum_ratio;         // of magnitude kept, transposable schemes
  std::optional<BackwardFigures> backward;
  std::optional<CalibrationFigures> calibration;
  std::optional<double> beta;
  std::vector<std::pair<std::string, std::string>> files;  // what was written: kind, path
  std::string resolved_config;
  std::string config_hash;
};

/// Questions about a pruned tensor beyond comparing it with the original.
struct SummaryOptions {
  std::int64_t draws = 16;  // of schemes that draw, at least 2
  bool optimum = true;      // solve transposable blocks for the optimum
};

/// The figures of `pruned`, which is prune(tensor, name, options). `input`, `files` and the
/// configuration are left to the caller.
[[nodiscard]] PruneSummary summarise(const Tensor& tensor, const Pruned& pruned,
                                     std::string_view name, const PruneOptions& options,
                                     const SummaryOptions& what);

}  // namespace stcsim::pruning
