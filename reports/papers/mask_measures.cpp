#include "reports/papers/mask_measures.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "pruning/adaprune.hpp"
#include "pruning/prune.hpp"
#include "pruning/random_stream.hpp"
#include "pruning/transposable.hpp"

namespace stcsim {
namespace {

using pruning::Matrix;
using pruning::Purpose;
using pruning::Tensor;

constexpr std::string_view kOptimal = "transposable";
constexpr std::string_view kGreedyKeep = "transposable-greedy";

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

/// A block that misleads the method; what it says of elements differs by a part in a million.
/// Keeping from the largest down keeps the corner of n x n, after which nothing else fits into its
/// rows and columns, where the optimum has n elements in each of them: min(2, m / n) times as much.
/// Pruning from the smallest up, with z = m - n, prunes the corner of z x z and then all of its
/// rows and columns for the sake of the others, (2 m - z) z elements where m z would do: 1 + n / m.
std::vector<float> tight_block(const MaskRow& row) {
  const float slightly_more = 1 + std::ldexp(1.0F, -20);
  const std::int64_t m = row.pattern.m;
  const bool keeps = row.method == kGreedyKeep;
  const std::int64_t corner = keeps ? row.pattern.n : m - row.pattern.n;
  std::vector<float> block;
  for (std::int64_t i = 0; i < m * m; ++i) {
    const int inside = static_cast<int>(i / m < corner) + static_cast<int>(i % m < corner);
    if (keeps) {
      block.push_back(inside == 2 ? slightly_more : static_cast<float>(inside));
    } else {
      block.push_back(inside == 0 ? slightly_more * slightly_more
                                  : (inside == 1 ? slightly_more : 1.0F));
    }
  }
  return block;
}

/// Sum of the magnitudes of a block that a mask keeps.
double masked_sum(std::span<const float> block, std::span<const std::uint8_t> keep) {
  double sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) sum += keep[i] * std::abs(double{block[i]});
  return sum;
}

/// The factor in one block.
double factor_in(const MaskRow& row, std::span<const float> block,
                 pruning::TransposableSolver& optimal, pruning::GreedySolver& greedy) {
  std::vector<std::uint8_t> best(block.size());
  std::vector<std::uint8_t> found(block.size());
  optimal.solve(block, best);
  const double most = masked_sum(block, best);
  if (row.method == kGreedyKeep) {
    greedy.keep_largest(block, found);
    return most / masked_sum(block, found);
  }
  greedy.prune_smallest(block, found);
  const double all = magnitudes_of(block);
  return (all - masked_sum(block, found)) / (all - most);
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

}  // namespace

double kept_share(const MaskRow& row, std::int64_t seed) {
  const Tensor tensor = normal_numbers(row.size, row.size, seed);
  const double kept = kept_magnitudes(row, tensor, seed);
  if (row.quantity != MaskQuantity::of_optimum) return kept / magnitudes_of(tensor.values);
  return kept / magnitudes_of(pruned_by(kOptimal, row, tensor, seed).values.values);
}

GreedyFactor greedy_factor(const MaskRow& row) {
  pruning::TransposableSolver optimal(row.pattern);
  pruning::GreedySolver greedy(row.pattern);
  const std::int64_t elements = row.pattern.m * row.pattern.m;
  if (row.input == MaskInput::tight) {
    const double factor = factor_in(row, tight_block(row), optimal, greedy);
    return {factor, factor, 1};
  }
  const std::int64_t blocks = row.size * row.size / elements;
  const Tensor tensor = normal_numbers(blocks, elements, row.seed);
  GreedyFactor result{0, 0, blocks};
  for (std::int64_t block = 0; block < blocks; ++block) {
    const auto values = std::span(tensor.values)
                            .subspan(static_cast<std::size_t>(block * elements),
                                     static_cast<std::size_t>(elements));
    const double factor = factor_in(row, values, optimal, greedy);
    result.worst = std::max(result.worst, factor);
    result.mean += factor / static_cast<double>(blocks);
  }
  return result;
}

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

}  // namespace stcsim
