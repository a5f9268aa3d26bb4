#include "reports/papers/mask_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "curves/statistics.hpp"
#include "pruning/adaprune.hpp"
#include "pruning/generated_input.hpp"
#include "pruning/prune.hpp"
#include "pruning/schemes.hpp"

namespace stcsim {
namespace {

template <class Value, std::size_t kCount>
using Names = std::array<std::pair<std::string_view, Value>, kCount>;

constexpr Names<bool, 2> kPhases{{{"forward", false}, {"dgrad", true}}};
constexpr Names<AdaPruneStage, 3> kStages{{
    {"masked", AdaPruneStage::masked},
    {"absorbed", AdaPruneStage::absorbed},
    {"trained", AdaPruneStage::trained},
}};

/// Most rows and columns of tensors that are generated for a row, the largest seed, and how many.
constexpr std::int64_t kMostRowSize = 4096;
constexpr std::int64_t kMostRowSeed = 1'000'000'000;
constexpr std::int64_t kMostRowSeeds = 1000;
constexpr std::int64_t kMostLayer = 1024;
constexpr std::string_view kUnstructured = "unstructured";

/// Why a scheme of the pruning library cannot prune to the pattern; "" if it can.
std::string find_method_fault(const pruning::Scheme& scheme, Pattern pattern) {
  if (scheme.only && pattern != *scheme.only) {
    return fmt::format("'{}' is for {} only, the pattern is {}", scheme.name,
                       scheme.only->to_string(), pattern.to_string());
  }
  if (pattern.granule > 1 && !scheme.keeps_pairs) {
    return fmt::format("'{}' keeps and drops single elements, the pattern is {}", scheme.name,
                       pattern.to_string());
  }
  if (pattern.selects_columns() && !scheme.selects_columns) {
    return fmt::format("'{}' chooses in each row for itself, the pattern is {}", scheme.name,
                       pattern.to_string());
  }
  return "";
}

/// The key `method` of a row: a scheme of the pruning library that copies what it keeps and that
/// can prune to the pattern; or `besides`.
/// @throws ConfigError at it, which lists the names
std::string read_pruning_method(MapReader& map, Pattern pattern, std::string_view besides = "") {
  std::vector<std::string_view> names;
  if (!besides.empty()) names.push_back(besides);
  for (const pruning::Scheme& scheme : pruning::schemes()) {
    if (scheme.copies_values) names.push_back(scheme.name);
  }
  std::string method = map.get_string("method");
  if (std::ranges::find(names, method) == names.end()) {
    map.fail("method",
             fmt::format("'method' is '{}', must be one of {}", method, fmt::join(names, ", ")));
  }
  if (method == besides) return method;
  const std::string fault = find_method_fault(pruning::find_scheme(method), pattern);
  if (!fault.empty()) map.fail("method", fault);
  return method;
}

/// The key `pattern` of a row: sparse, and not composed, which no method prunes to.
Pattern read_sparse_pattern(MapReader& map) {
  const Pattern pattern = map.get_pattern("pattern");
  if (pattern.is_dense() || pattern.is_composed()) {
    map.fail("pattern",
             fmt::format("'pattern' is {}, must be n:m with n < m", pattern.to_string()));
  }
  return pattern;
}

void read_size(MapReader& map, MaskRow& row, std::int64_t fallback, std::int64_t most) {
  row.size = map.get_int_or("size", std::max(fallback, row.pattern.m), {1, most});
  if (row.size < row.pattern.m) {
    map.fail("size", fmt::format("'size' is {}, must be at least one group of {}", row.size,
                                 row.pattern.m));
  }
}

void read_seed(MapReader& map, MaskRow& row) {
  row.seed = map.get_int_or("seed", 1, {0, kMostRowSeed});
}

void read_retained(MapReader& map, MaskRow& row) {
  row.method = read_pruning_method(map, row.pattern, kUnstructured);
  read_size(map, row, 256, kMostRowSize);
  read_seed(map, row);
  row.seeds = map.get_int_or("seeds", 5, {1, kMostRowSeeds});
  row.is_dgrad = map.get_enum_or("phase", false, kPhases);
  map.finish();
  const bool prunes_twice = row.method != kUnstructured &&
                            pruning::find_scheme(row.method).kind == pruning::Kind::two_prunings;
  if (row.is_dgrad && !prunes_twice) {
    map.fail("phase", fmt::format("'{}' has no pruning of its own for dgrad", row.method));
  }
  if (row.quantity == Quantity::mask_of_optimum && row.pattern != row.pattern.of_granules()) {
    map.fail("pattern", fmt::format("the best transposable mask is known of n:m, the pattern is {}",
                                    row.pattern.to_string()));
  }
}

void read_adaprune(MapReader& map, MaskRow& row) {
  row.method = read_pruning_method(map, row.pattern);
  read_size(map, row, 64, kMostLayer);
  read_seed(map, row);
  row.zeros = map.get_double_or("zeros", 0, {.min = 0, .max = 0.99});
  row.stage = map.get_enum_or("stage", AdaPruneStage::trained, kStages);
  map.finish();
  if (row.pattern != row.pattern.of_granules()) {
    map.fail("pattern", fmt::format("AdaPrune takes weights to n:m, the pattern is {}",
                                    row.pattern.to_string()));
  }
}

using pruning::Matrix;
using pruning::Purpose;
using pruning::Tensor;

constexpr std::string_view kOptimal = "transposable";

Tensor normal_numbers(std::int64_t rows, std::int64_t columns, std::int64_t seed,
                      Purpose purpose = Purpose::input) {
  return pruning::generated_input(fmt::format("normal:{}x{}", rows, columns),
                                  static_cast<std::uint64_t>(seed), purpose);
}

double magnitudes_of(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += std::abs(static_cast<double>(value));
  return sum;
}

pruning::Pruned pruned_by(std::string_view method, const MaskRow& row, const Tensor& tensor,
                          std::int64_t seed) {
  pruning::PruneOptions options;
  options.pattern = row.pattern;
  options.axis = 1;
  options.seed = static_cast<std::uint64_t>(seed);
  return pruning::prune(tensor, method, options);
}

/// The largest magnitude that is among the `count` smallest.
float smallest_end(std::span<const float> values, std::int64_t count) {
  std::vector<float> magnitudes;
  for (const float value : values) magnitudes.push_back(std::abs(value));
  const auto end = magnitudes.begin() + (count - 1);
  std::ranges::nth_element(magnitudes, end);
  return *end;
}

/// Zeroes so many of the smallest magnitudes; of equal ones all or none.
void zero_smallest(std::span<float> values, std::int64_t count) {
  if (count == 0) return;
  const float end = smallest_end(values, count);
  for (float& value : values) {
    if (std::abs(value) <= end) value = 0;
  }
}

double kept_magnitudes(const MaskRow& row, const Tensor& tensor, std::int64_t seed) {
  if (row.method == "unstructured") {
    Tensor kept = tensor;
    const std::int64_t elements = std::ssize(kept.values);
    zero_smallest(kept.values, elements - elements * row.pattern.n / row.pattern.m);
    return magnitudes_of(kept.values);
  }
  const pruning::Pruned pruned = pruned_by(row.method, row, tensor, seed);
  return magnitudes_of(row.is_dgrad ? pruned.backward->values : pruned.values.values);
}

Matrix matrix_of(Tensor tensor) {
  Matrix matrix(tensor.shape[0], tensor.shape[1]);
  matrix.values = std::move(tensor.values);
  return matrix;
}

/// max(0, F z) for `count` z.
Matrix layer_inputs(const MaskRow& row, std::int64_t count, Purpose purpose) {
  const std::int64_t features = std::max<std::int64_t>(row.size / 4, 1);
  const Matrix shared =
      matrix_of(normal_numbers(row.size, features, row.seed, Purpose::permutation));
  const Matrix hidden = matrix_of(normal_numbers(count, features, row.seed, purpose));
  Matrix inputs(count, row.size);
  for (std::int64_t sample = 0; sample < count; ++sample) {
    for (std::int64_t input = 0; input < row.size; ++input) {
      float sum = 0;
      for (std::int64_t i = 0; i < features; ++i) sum += shared.at(input, i) * hidden.at(sample, i);
      inputs.at(sample, input) = std::max(0.0F, sum);
    }
  }
  return inputs;
}

/// Of a tensor of normal numbers (mean 0, variance 1), rows x columns, groups along the columns:
/// sum of the magnitudes that row.method keeps / sum of all, or of the optimum's for of_optimum.
double kept_share(const MaskRow& row, std::int64_t seed) {
  const Tensor tensor = normal_numbers(row.size, row.size, seed);
  const double kept = kept_magnitudes(row, tensor, seed);
  if (row.quantity != Quantity::mask_of_optimum) return kept / magnitudes_of(tensor.values);
  return kept / magnitudes_of(pruned_by(kOptimal, row, tensor, seed).values.values);
}

/// Mean square of X (W' - W)^T / mean square of X W^T, on other inputs X than AdaPrune was given.
/// W is `size` x `size` normal, its smallest `zeros` zeroed; inputs are max(0, F z), z normal, F a
/// fixed normal size x size/4 matrix: correlated and not negative, as activations are. Random
/// numbers are those of the seed for the purposes input (W), permutation (F), samples (z of the 500
/// inputs that AdaPrune is given) and batches (z of the 500 others).
double output_error(const MaskRow& row) {
  constexpr std::int64_t kSamples = 500;
  Tensor weights = normal_numbers(row.size, row.size, row.seed);
  const auto zeros = std::llround(row.zeros * static_cast<double>(weights.values.size()));
  zero_smallest(weights.values, zeros);
  Matrix changed = matrix_of(pruned_by(row.method, row, weights, row.seed).values);
  const Matrix dense = matrix_of(std::move(weights));
  if (row.stage == AdaPruneStage::absorbed) {
    changed = pruning::absorbed(dense, changed, row.pattern);
  }
  if (row.stage == AdaPruneStage::trained) {
    pruning::AdaPruneOptions options;
    options.seed = static_cast<std::uint64_t>(row.seed);
    changed = pruning::adaprune(dense, changed, row.pattern,
                                layer_inputs(row, kSamples, Purpose::samples), options, {});
  }
  const Matrix others = layer_inputs(row, kSamples, Purpose::batches);
  return pruning::calibration_error(dense, changed, others) /
         pruning::calibration_error(Matrix(row.size, row.size), dense, others);
}

/// An answer without an interval.
PaperAnswer computed(double value, std::string where) {
  return {"computed", std::move(where), value, value, value, ""};
}

PaperAnswer share_over_seeds(const MaskRow& row) {
  std::vector<double> shares;
  for (std::int64_t i = 0; i < row.seeds; ++i) {
    shares.push_back(100 * kept_share(row, row.seed + i));
  }
  const curves::Spread spread = curves::spread_of(shares, static_cast<std::uint64_t>(row.seed));
  PaperAnswer answer = computed(spread.mean, fmt::format("normal {0}x{0}, {1} seed{2}", row.size,
                                                         row.seeds, row.seeds == 1 ? "" : "s"));
  if (spread.interval) {
    answer.low = spread.interval->low;
    answer.high = spread.interval->high;
  }
  return answer;
}

}  // namespace

MaskRow read_mask_row(MapReader& map) {
  MaskRow row;
  row.quantity = read_quantity(map, {Scope::mask});
  row.pattern = read_sparse_pattern(map);
  if (row.quantity == Quantity::mask_adaprune) {
    read_adaprune(map, row);
  } else {
    read_retained(map, row);
  }
  return row;
}

PaperAnswer answer_of(const MaskRow& row) {
  if (row.quantity != Quantity::mask_adaprune) return share_over_seeds(row);
  return computed(100 * output_error(row),
                  fmt::format("layer of {0}x{0}, {1:g} % of it zero before; inputs that AdaPrune "
                              "was not given",
                              row.size, 100 * row.zeros));
}

}  // namespace stcsim
