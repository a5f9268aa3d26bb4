#include "pruning/prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "pruning/schemes.hpp"

namespace stcsim::pruning {
namespace {

/// Stands for NaN and infinities where only the order of magnitudes matters: larger than what
/// people prune, and sums of a block of them stay finite.
constexpr float kStandIn = std::numeric_limits<float>::max() / (1 << 16);

void check_pattern(const Scheme& scheme, Pattern pattern) {
  if (pattern.n < 1 || pattern.n >= pattern.m || pattern.m > kMaxGroup) {
    throw ConfigError(fmt::format("the pattern is {}:{}, must be n:m with 1 <= n < m <= {}",
                                  pattern.n, pattern.m, kMaxGroup));
  }
  if (pattern.is_composed()) {
    throw ConfigError(
        fmt::format("{} is composed of two patterns, which no scheme prunes", pattern.to_string()));
  }
  if (pattern.granule > 1 && !scheme.keeps_pairs) {
    throw ConfigError(fmt::format("the scheme {} keeps and drops single elements, not {}",
                                  scheme.name, pattern.to_string()));
  }
  if (pattern.selects_columns() && !scheme.selects_columns) {
    throw ConfigError(fmt::format("the scheme {} chooses in each row for itself, not as {} does",
                                  scheme.name, pattern.to_string()));
  }
  if (scheme.only && pattern != *scheme.only) {
    throw ConfigError(fmt::format("the scheme {} is for {} only, not for {}", scheme.name,
                                  scheme.only->to_string(), pattern.to_string()));
  }
}

Axes axes_of(const Scheme& scheme, const Tensor& tensor, const PruneOptions& options) {
  const std::size_t rank = tensor.shape.size();
  if (options.axis >= rank) {
    throw ConfigError(
        fmt::format("the tensor has no axis {}, its {} axes count from 0", options.axis, rank));
  }
  Axes axes{options.axis, {}};
  if (scheme.kind == Kind::groups) return axes;
  if (rank < 2) {
    throw ConfigError(
        fmt::format("the scheme {} prunes blocks of two axes, the tensor has one", scheme.name));
  }
  axes.rows = options.rows_axis.value_or(options.axis == 0 ? 1 : 0);
  if (*axes.rows >= rank || *axes.rows == axes.columns) {
    throw ConfigError(
        fmt::format("the second axis is {}, must be one of the tensor's {} axes, "
                    "which count from 0, and not the pruned one, {}",
                    *axes.rows, rank, axes.columns));
  }
  return axes;
}

void check_shape(const Scheme& scheme, Pattern pattern, const Tensor& tensor) {
  if (pattern.selects_columns() && tensor.shape.size() != 2) {
    throw ConfigError(fmt::format("{} is for matrices, the tensor has the shape {}",
                                  pattern.to_string(), shape_text(tensor.shape)));
  }
  if (!scheme.heeds(Setting::samples) || tensor.shape.size() == 2) return;
  throw ConfigError(fmt::format("the scheme {} is for matrices, the tensor has the shape {}",
                                scheme.name, shape_text(tensor.shape)));
}

/// The input as schemes see it: all elements finite.
Tensor finite_input(const Scheme& scheme, const Tensor& tensor, const PruneOptions& options) {
  if (options.allow_non_finite && !scheme.copies_values) {
    throw ConfigError(
        fmt::format("the scheme {} computes with the values, so NaN and infinities "
                    "cannot pass",
                    scheme.name));
  }
  Tensor finite = tensor;
  for (float& value : finite.values) {
    if (std::isfinite(value)) continue;
    if (!options.allow_non_finite) {
      throw ConfigError(fmt::format("element {} of {} is {}, must be a finite number",
                                    position_text(tensor.shape, &value - finite.values.data()),
                                    options.name,
                                    std::isnan(value) ? "nan" : fmt::to_string(value)));
    }
    value = std::copysign(kStandIn, value);
  }
  return finite;
}

/// Puts what is not finite back where it was kept.
void restore_non_finite(const Tensor& original, Tensor& pruned) {
  for (std::size_t i = 0; i < original.values.size(); ++i) {
    if (pruned.values[i] != 0 && !std::isfinite(original.values[i])) {
      pruned.values[i] = original.values[i];
    }
  }
}

void check_result(const Scheme& scheme, const Tensor& result) {
  const auto found =
      std::ranges::find_if_not(result.values, [](float value) { return std::isfinite(value); });
  if (found == result.values.end()) return;
  throw ConfigError(fmt::format(
      "element {} of the tensor leaves fp32's range under the scheme {}; scale the tensor down",
      position_text(result.shape, found - result.values.begin()), scheme.name));
}

std::int64_t sample_count(const Tensor& tensor, std::size_t axis) {
  return tensor.shape.size() >= 3 && axis != 0 ? tensor.shape.front() : 1;
}

std::optional<Tensor> optional_tensor(const std::vector<Matrix>& planes, const Tensor& like,
                                      Axes axes) {
  if (planes.empty()) return std::nullopt;
  return from_planes(planes, like.shape, axes);
}

}  // namespace

Pruned prune(const Tensor& tensor, std::string_view scheme_name, const PruneOptions& options) {
  validate(tensor);
  const Scheme& scheme = find_scheme(scheme_name);
  check_pattern(scheme, options.pattern);
  check_shape(scheme, options.pattern, tensor);
  const Axes axes = axes_of(scheme, tensor, options);
  const Tensor finite = finite_input(scheme, tensor, options);
  SchemeOutput output;
  scheme.run({to_planes(finite, axes), sample_count(tensor, axes.columns), options}, output);
  Pruned result{from_planes(output.values, tensor.shape, axes),
                axes,
                std::move(output.order),
                optional_tensor(output.backward, tensor, axes),
                std::move(output.rows_order),
                output.beta,
                optional_tensor(output.decay, tensor, axes)};
  if (options.allow_non_finite) {
    restore_non_finite(tensor, result.values);
    if (result.backward) restore_non_finite(tensor, *result.backward);
  }
  if (!scheme.copies_values) check_result(scheme, result.values);
  return result;
}

Tensor prune(const Tensor& tensor, std::string_view scheme, Pattern pattern, std::size_t axis,
             std::uint64_t seed) {
  PruneOptions options;
  options.pattern = pattern;
  options.axis = axis;
  options.seed = seed;
  return prune(tensor, scheme, options).values;
}

}  // namespace stcsim::pruning
