#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/io/yaml_reader.hpp"

namespace stcsim {

/// Unit of a figure of a paper, and of ours beside it. `ratio` is how many times as fast,
/// `points` are percentage points of difference.
enum class PaperUnit : std::uint8_t { ratio, percent, points, ms, us, tflops, cycles, value };

/// "ratio", "TFLOP/s", ...
[[nodiscard]] std::string_view to_string(PaperUnit unit);

/// "1.44x", "16.6 %", "+0.4 points", "1.23 ms", "120 TFLOP/s", "73728 cycles".
[[nodiscard]] std::string format_figure(PaperUnit unit, double value);
/// "15.0 % to 25.0 %", or one figure where both ends read alike.
[[nodiscard]] std::string format_range(PaperUnit unit, double least, double most);

/// Subject of a figure.
enum class Scope : std::uint8_t {
  /// Everything: GEMMs, memory-bound kernels and, in training, the optimizer. Of training under a
  /// scheme that is sparse for a share of all steps only, this and the next are averages.
  step,
  /// The same without the optimizer.
  passes,
  /// The GEMMs that run sparse.
  sparse_gemms,
  /// All GEMMs of the layers of which one runs sparse: in training, the dense phases too.
  sparse_layers,
  /// The layer that gains most.
  best_layer,
  /// The scheme's own work; dense time is that of copying once the tensors it works on.
  scheme_work,
  /// Some layers and products, without what the scheme spends itself.
  layers,
  /// The whole pass after training.
  inference,
  /// A step, and one under another scheme.
  two_steps,
  gemm,
  /// A whole training with what a scheme trains before it is sparse.
  training,
  mask,
  estimate,
  /// Our own small trainings.
  trained
};

/// Parts of a network's run as tables of measurements name them.
inline constexpr std::array<std::pair<std::string_view, Scope>, 6> kNetworkScopes{
    {{"step", Scope::step},
     {"passes", Scope::passes},
     {"sparse_gemms", Scope::sparse_gemms},
     {"sparse_layers", Scope::sparse_layers},
     {"best_layer", Scope::best_layer},
     {"scheme_work", Scope::scheme_work}}};
/// Name of one of them.
[[nodiscard]] std::string_view to_string(Scope scope);

/// Figures that stand beside published ones. Times are those of dense and sparse GEMMs of the same
/// layers and products; a gain is dense time / time, a saving in percent of the dense time.
enum class Quantity : std::uint8_t {
  none,
  /// In percent: of the GEMMs of all three products as the scheme runs them; of the dense ones.
  share,
  share_of_dense,
  gemm_gain,
  gemm_saved,
  gemm_ms,
  /// The gain with everything else that belongs to these layers, and what the scheme spends itself.
  block_gain,
  step_gain,
  step_saved,
  step_ms,
  inference_gain,
  inference_ms,
  /// Time of a step of the other scheme / time of this one.
  step_ratio,
  /// DRAM that a step needs, in percent of what one of the other scheme needs.
  memory_share,
  /// Time of what a GEMM is held against / its time; dense multiplications, two operations each.
  kernel_gain,
  kernel_tflops,
  kernel_us,
  kernel_cycles,
  training_hours,
  training_gain,
  /// Share of the magnitudes that a method keeps of normal numbers, in percent: of all, and of what
  /// the best transposable mask keeps.
  mask_retained,
  mask_of_optimum,
  /// Errors of an estimate y of x, with Euclidean norms over the whole tensor, as parts of |x|^2:
  /// |E y - x|^2, E |y - E y|^2, and their sum E |y - x|^2.
  estimate_bias,
  estimate_variance,
  estimate_error,
  /// Share of the magnitudes that y has, sum |y| / sum |x|, in percent. By magnitude 0.745 of
  /// normal numbers at 2:4; the more, the fewer of each group matter.
  estimate_retained,
  /// In percent; of two schemes, in points.
  accuracy,
  accuracy_difference
};

struct QuantityInfo {
  Quantity quantity;
  Scope scope;
  /// As files write it, once for each scope; as people read it.
  std::string_view name;
  std::string_view title;
  PaperUnit unit;
  /// The figure of no effect: 1 of a gain, 0 of a saving or a difference. Nothing if it has no
  /// direction, as a time.
  std::optional<double> neutral;
};
[[nodiscard]] const QuantityInfo& info_of(Quantity quantity);

/// The key `quantity` of a map, one of these scopes.
/// @throws ConfigError at it, which lists their names, or has today's for a former one
[[nodiscard]] Quantity read_quantity(MapReader& map, std::initializer_list<Scope> scopes);

}  // namespace stcsim
