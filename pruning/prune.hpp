#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/pattern.hpp"
#include "pruning/magnitude.hpp"
#include "pruning/matrix.hpp"
#include "pruning/parallel.hpp"

namespace stcsim::pruning {

/// The pattern to prune to, and the settings of the schemes that have some.
struct PruneOptions {
  /// n kept of m, not dense.
  Pattern pattern{2, 4};
  /// Groups run along this axis: the reduction axis of the GEMM.
  std::size_t axis = 0;
  /// The second axis of schemes that have one; without it axis 0, or 1 if `axis` is 0.
  std::optional<std::size_t> rows_axis;
  /// Keys all random numbers; `draw` tells estimates of the same tensor apart.
  std::uint64_t seed = 1;
  std::uint32_t draw = 0;
  /// Let NaN and infinities pass; they count as magnitudes of about 5e33. Only schemes that copy
  /// values can. Otherwise they are an error.
  bool allow_non_finite = false;
  /// The tensor's name in messages.
  std::string name = "the tensor";

  RescaleSet rescale = RescaleSet::sample_channel;  // rescaled-magnitude
  std::optional<double> beta;                       // s-ste: a scale frozen earlier
  double decay = 2e-4;                              // sr-ste: lambda
  int candidates = 100;                             // bi-mask, asp-permuted: random tries
  std::optional<Tensor> samples;  // adaprune: calibration inputs, samples x inputs
  int iterations = 1000;          // adaprune

  Execution how;
};

/// A pruned tensor.
struct Pruned {
  /// Every value at its place in the original.
  Tensor values;
  /// The axes it was looked at along; `rows` only for schemes with a second axis.
  Axes axes;
  /// The pattern holds once the pruned axis is in this order (element i is element order[i]); empty
  /// if it holds as it is.
  std::vector<std::int64_t> order;
  /// For schemes with a pruning of its own for dgrad: its values; the pattern holds along the
  /// second axis once that is in `rows_order`.
  std::optional<Tensor> backward;
  std::vector<std::int64_t> rows_order;
  /// s-ste: the scale.
  std::optional<float> beta;
  /// sr-ste: what is added to the gradient.
  std::optional<Tensor> decay;
};

/// Prunes by the scheme of that name (schemes.hpp). The same bytes for the same input and options,
/// whatever the number of threads. All-zero groups stay zero.
/// Throws ConfigError if the scheme is unknown or does not fit pattern, shape or settings, if the
/// input is not finite (naming the first such element), or if the result leaves fp32's range.
[[nodiscard]] Pruned prune(const Tensor& tensor, std::string_view scheme,
                           const PruneOptions& options);

/// The short form: what is left of a tensor.
[[nodiscard]] Tensor prune(const Tensor& tensor, std::string_view scheme, Pattern pattern,
                           std::size_t axis, std::uint64_t seed);

}  // namespace stcsim::pruning
