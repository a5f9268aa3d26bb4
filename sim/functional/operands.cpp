#include "sim/functional/operands.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "models/functional/number_format.hpp"
#include "pruning/column_selection.hpp"
#include "pruning/prune.hpp"
#include "pruning/schemes.hpp"

namespace stcsim {
namespace {

/// The engine's sequence is fixed by the C++ standard; the standard library's distributions are
/// not, so the numbers are made from its bits directly.
double random_number(std::mt19937_64& engine, DataType type) {
  const std::uint64_t bits = engine();
  if (accumulator_of(type) == DataType::int32) return static_cast<double>(bits % 5) - 2.0;
  constexpr double kMean = 4 * 65535 / 2.0;
  constexpr double kDeviation = 37837.0;  // of a sum of four uniform 16-bit integers
  const std::uint64_t sum =
      (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
  return (static_cast<double>(sum) - kMean) / kDeviation;
}

void fill_random(PlainMatrix& matrix, std::mt19937_64& engine, DataType type) {
  for (float& value : matrix.values) {
    value = static_cast<float>(decode(type, encode(type, random_number(engine, type))));
  }
}

/// The elements of the granule that starts at `first`; the last one of a row may be cut short.
std::span<float> granule_at(std::span<float> group, std::size_t first, Pattern pattern) {
  return group.subspan(first, std::min(group.size() - first, as_size(pattern.granule)));
}

float magnitude_of(std::span<const float> granule) {
  return std::transform_reduce(granule.begin(), granule.end(), 0.0F, std::plus<>(),
                               [](float value) { return std::abs(value); });
}

/// Keeps the `pattern.n / granule` granules with the largest sums of magnitudes.
/// `order`: scratch space for as many indices as the group has granules.
void prune_granules(std::span<float> group, Pattern pattern, std::vector<std::size_t>& order) {
  order.clear();
  for (std::size_t at = 0; at < group.size(); at += as_size(pattern.granule)) order.push_back(at);
  std::ranges::sort(order, [&](std::size_t x, std::size_t y) {
    const float magnitude_x = magnitude_of(granule_at(group, x, pattern));
    const float magnitude_y = magnitude_of(granule_at(group, y, pattern));
    return magnitude_x != magnitude_y ? magnitude_x > magnitude_y : x < y;
  });
  for (std::size_t rank = as_size(pattern.of_granules().n); rank < order.size(); ++rank) {
    std::ranges::fill(granule_at(group, order[rank], pattern), 0.0F);
  }
}

/// Prunes to a composed pattern first the elements of each block, then the blocks.
void prune_group(std::span<float> group, Pattern pattern, std::vector<std::size_t>& order) {
  if (pattern.is_composed()) {
    const Pattern inside{pattern.kept_of_block, pattern.granule};
    for (std::size_t at = 0; at < group.size(); at += as_size(pattern.granule)) {
      prune_granules(granule_at(group, at, pattern), inside, order);
    }
  }
  prune_granules(group, pattern, order);
}

/// Calls visit(batch, row, column) for every element in the order of the memory layout.
template <typename Visit>
void in_memory_order(const PlainMatrix& matrix, bool columns_contiguous, Visit visit) {
  const std::int64_t outer = columns_contiguous ? matrix.rows : matrix.columns;
  const std::int64_t inner = columns_contiguous ? matrix.columns : matrix.rows;
  for (std::int64_t batch = 0; batch < matrix.batch_count; ++batch) {
    for (std::int64_t i = 0; i < outer; ++i) {
      for (std::int64_t j = 0; j < inner; ++j) {
        if (columns_contiguous) {
          visit(batch, i, j);
        } else {
          visit(batch, j, i);
        }
      }
    }
  }
}

void encode_into(GlobalTensor& tensor, const PlainMatrix& matrix, bool columns_contiguous) {
  auto word = tensor.bits.begin();
  in_memory_order(matrix, columns_contiguous,
                  [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
                    *word++ = encode(tensor.type, matrix.at(batch, row, column));
                  });
}

void require_shape(const PlainMatrix& matrix, const GlobalTensor& tensor, const std::string& name) {
  if (matrix.batch_count == tensor.batch_count && matrix.rows == tensor.rows &&
      matrix.columns == tensor.columns) {
    return;
  }
  throw ConfigError("operand " + name + " has the wrong shape, must be " +
                    std::to_string(tensor.batch_count) + " x " + std::to_string(tensor.rows) +
                    " x " + std::to_string(tensor.columns));
}

}  // namespace

PlainOperands random_operands(const GemmProblem& problem, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  PlainOperands operands{PlainMatrix(problem.batch_count, problem.m, problem.k),
                         PlainMatrix(problem.batch_count, problem.k, problem.n)};
  fill_random(operands.a, engine, problem.dtype);
  fill_random(operands.b, engine, problem.dtype);
  prune_by_magnitude(operands.a, problem.a_pattern.of_a());
  return operands;
}

PlainMatrix random_mask(const GemmProblem& problem, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  PlainMatrix mask(problem.batch_count, problem.m, problem.n);
  fill_random(mask, engine, DataType::fp16);
  prune_by_magnitude(mask, problem.a_pattern);
  for (float& value : mask.values) value = value == 0 ? 0 : 1;
  return mask;
}

void prune_by_magnitude(PlainMatrix& matrix, Pattern pattern) {
  if (pattern.is_dense()) return;
  if (pattern.selects_columns()) return prune_to_columns(matrix, pattern);
  std::vector<std::size_t> order;
  for (std::int64_t batch = 0; batch < matrix.batch_count; ++batch) {
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      for (std::int64_t begin = 0; begin < matrix.columns; begin += pattern.m) {
        const std::int64_t length = std::min(pattern.m, matrix.columns - begin);
        prune_group({&matrix.at(batch, row, begin), static_cast<std::size_t>(length)}, pattern,
                    order);
      }
    }
  }
}

FunctionalOperands to_machine(const FunctionalKernel& kernel, const PlainOperands& operands) {
  const GemmProblem& problem = kernel.problem;
  GlobalTensor a = make_a_tensor(problem);
  GlobalTensor b = make_b_tensor(kernel.b_problem());
  require_shape(operands.a, a, "A");
  require_shape(operands.b, b, "B");
  encode_into(a, operands.a, problem.a_layout == OperandLayout::k_major);
  encode_into(b, operands.b, problem.b_layout == OperandLayout::mn_major);
  FunctionalOperands in_memory = make_operands(kernel, std::move(a), std::move(b));
  if (!kernel.pattern.of_outputs) return in_memory;
  GemmProblem of_mask = problem;
  of_mask.k = problem.n;
  of_mask.a_layout = OperandLayout::k_major;
  GlobalTensor mask = make_a_tensor(of_mask);
  require_shape(operands.mask, mask, "C's mask");
  encode_into(mask, operands.mask, true);
  for (std::int64_t batch = 0; batch < mask.batch_count; ++batch) {
    in_memory.c_masks.push_back(compress(mask, batch, kernel.pattern, kernel.metadata));
  }
  return in_memory;
}

PlainMatrix from_machine(const GemmProblem& problem, const GlobalTensor& c) {
  PlainMatrix matrix(problem.batch_count, problem.m, problem.n);
  auto word = c.bits.begin();
  in_memory_order(matrix, problem.c_layout == OutputLayout::row_major,
                  [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
                    matrix.at(batch, row, column) = static_cast<float>(decode(c.type, *word++));
                  });
  return matrix;
}

namespace {

pruning::Matrix one_matrix(const PlainMatrix& matrix, std::int64_t batch) {
  pruning::Matrix one(matrix.rows, matrix.columns);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    std::ranges::copy(matrix.row(batch, row), one.row(row).begin());
  }
  return one;
}

pruning::Tensor entry_of(const PlainMatrix& matrix, std::int64_t batch) {
  const auto size = static_cast<std::ptrdiff_t>(matrix.rows * matrix.columns);
  const auto begin = matrix.values.begin() + static_cast<std::ptrdiff_t>(batch) * size;
  return {{matrix.rows, matrix.columns}, {begin, begin + size}};
}

/// Rounds to the operand type.
float rounded(DataType type, float value) {
  return static_cast<float>(decode(type, encode(type, value)));
}

/// Column (of A) and row (of B) `order[i]` comes to place i; an empty order leaves all in place.
std::int64_t source_of(const std::vector<std::int64_t>& order, std::int64_t place) {
  return order.empty() ? place : order[static_cast<std::size_t>(place)];
}

/// The columns of B, as inputs of a layer whose weights are A: one sample in each.
pruning::Tensor columns_of(const PlainMatrix& b, std::int64_t batch) {
  pruning::Tensor samples{{b.columns, b.rows}, {}};
  samples.values.reserve(static_cast<std::size_t>(b.rows * b.columns));
  for (std::int64_t column = 0; column < b.columns; ++column) {
    for (std::int64_t row = 0; row < b.rows; ++row) {
      samples.values.push_back(b.at(batch, row, column));
    }
  }
  return samples;
}

void prune_entry(const GemmProblem& problem, PlainOperands& operands, std::int64_t batch,
                 std::uint64_t seed, std::string_view scheme) {
  constexpr std::size_t kAxisOfK = 1;
  constexpr int kIterations = 100;  // of training; the pattern is there after any number
  pruning::PruneOptions options;
  options.pattern = problem.a_pattern;
  options.axis = kAxisOfK;
  options.seed = seed;
  if (pruning::find_scheme(scheme).heeds(pruning::Setting::samples)) {
    options.samples = columns_of(operands.b, batch);
    options.iterations = kIterations;
  }
  const pruning::Pruned pruned = pruning::prune(entry_of(operands.a, batch), scheme, options);
  for (std::int64_t row = 0; row < problem.m; ++row) {
    for (std::int64_t k = 0; k < problem.k; ++k) {
      const std::int64_t from = row * problem.k + source_of(pruned.order, k);
      operands.a.at(batch, row, k) =
          rounded(problem.dtype, pruned.values.values[static_cast<std::size_t>(from)]);
    }
  }
  const pruning::Tensor b = entry_of(operands.b, batch);
  for (std::int64_t k = 0; k < problem.k; ++k) {
    const auto from =
        b.values.begin() + static_cast<std::ptrdiff_t>(source_of(pruned.order, k) * problem.n);
    std::copy_n(from, problem.n, &operands.b.at(batch, k, 0));
  }
}

PlainOperands dense_operands(const GemmProblem& problem, std::uint64_t seed) {
  GemmProblem dense = problem;
  dense.a_pattern = kDense;
  return random_operands(dense, seed);
}

void prune(const GemmProblem& problem, PlainOperands& operands, std::uint64_t seed,
           std::string_view scheme) {
  if (problem.a_pattern.of_outputs) {
    throw ConfigError(fmt::format("{} leave A dense: there is nothing that '{}' could prune",
                                  problem.a_pattern.to_string(), scheme));
  }
  for (std::int64_t batch = 0; batch < problem.batch_count; ++batch) {
    prune_entry(problem, operands, batch, seed + static_cast<std::uint64_t>(batch), scheme);
  }
}

/// A matrix that satisfies its pattern is one that pruning leaves as it is.
void require_pattern(const PlainMatrix& a, Pattern pattern) {
  PlainMatrix pruned = a;
  prune_by_magnitude(pruned, pattern);
  const auto [kept, first] = std::ranges::mismatch(pruned.values, a.values);
  if (first == a.values.end()) return;
  const std::int64_t place = first - a.values.begin();
  const std::int64_t column = place % a.columns;
  throw ConfigError(fmt::format(
      "A does not satisfy {}: batch {}, row {}, the group from k = {} on has too many non-zeros; "
      "it can be pruned first (--prune, or 'stcsim prune')",
      pattern.to_string(), place / (a.rows * a.columns), place / a.columns % a.rows,
      column - column % pattern.m));
}

/// Of the window that begins at `to` in the stretched K, where it begins in K: two elements after
/// the one before it in the same group.
std::int64_t first_of_window(const GemmProblem& problem, std::int64_t to) {
  const std::int64_t windows = problem.a_pattern.m / 2 - 1;
  const std::int64_t window = to / kOfWindows.m;
  return window / windows * problem.a_pattern.m + 2 * (window % windows);
}

/// Moves the first values of four elements, as many as a window keeps.
void move_window(PlainMatrix& left, std::int64_t batch, std::int64_t row, std::int64_t from,
                 std::int64_t to, PlainMatrix& window) {
  std::int64_t kept = 0;
  for (std::int64_t at = 0; at < kOfWindows.m && from + at < left.columns; ++at) {
    float& value = left.at(batch, row, from + at);
    if (value == 0.0F || kept == kOfWindows.n) continue;
    window.at(batch, row, to + at) = std::exchange(value, 0.0F);
    ++kept;
  }
}

}  // namespace

SelectedColumns select_columns(const PlainMatrix& a, Pattern pattern) {
  const std::int64_t width = ceil_div(a.columns, pattern.m) * kOfSelectedColumns.m;
  SelectedColumns selected{PlainMatrix(a.batch_count, a.rows, width), {}};
  for (std::int64_t batch = 0; batch < a.batch_count; ++batch) {
    const std::vector<std::int64_t> columns =
        pruning::select_columns(one_matrix(a, batch), pattern);
    for (std::int64_t row = 0; row < a.rows; ++row) {
      const std::int64_t first = row / pattern.block_rows * width;
      for (std::int64_t at = 0; at < width; ++at) {
        const std::int64_t column = columns[as_size(first + at)];
        if (column != pruning::kNoColumn) selected.a.at(batch, row, at) = a.at(batch, row, column);
      }
    }
    selected.rows_of_b.insert(selected.rows_of_b.end(), columns.begin(), columns.end());
  }
  return selected;
}

PlainOperands to_windows(const GemmProblem& problem, const PlainOperands& operands) {
  const GemmProblem windows = of_windows(problem);
  PlainOperands stretched{PlainMatrix(windows.batch_count, windows.m, windows.k),
                          PlainMatrix(windows.batch_count, windows.k, windows.n)};
  PlainMatrix left = operands.a;
  for (std::int64_t batch = 0; batch < windows.batch_count; ++batch) {
    for (std::int64_t to = 0; to < windows.k; to += kOfWindows.m) {
      const std::int64_t from = first_of_window(problem, to);
      for (std::int64_t row = 0; row < windows.m; ++row) {
        move_window(left, batch, row, from, to, stretched.a);
      }
      for (std::int64_t at = 0; at < kOfWindows.m && from + at < problem.k; ++at) {
        for (std::int64_t column = 0; column < windows.n; ++column) {
          stretched.b.at(batch, to + at, column) = operands.b.at(batch, from + at, column);
        }
      }
    }
  }
  return stretched;
}

void prune_to_columns(PlainMatrix& matrix, Pattern pattern) {
  for (std::int64_t batch = 0; batch < matrix.batch_count; ++batch) {
    pruning::Matrix pruned(matrix.rows, matrix.columns);
    pruning::prune_to_columns(one_matrix(matrix, batch), pattern, 1, pruned);
    std::ranges::copy(pruned.values, &matrix.at(batch, 0, 0));
  }
}

PlainOperands pruned_operands(const GemmProblem& problem, std::uint64_t seed,
                              std::string_view scheme) {
  PlainOperands operands = dense_operands(problem, seed);
  prune(problem, operands, seed, scheme);
  return operands;
}

void take_b(const GemmProblem& problem, PlainMatrix b, PlainOperands& operands) {
  if (b.batch_count != problem.batch_count || b.rows != problem.k || b.columns != problem.n) {
    throw ConfigError(fmt::format("B is {} x {} x {}, the GEMM asks for {} x {} x {}",
                                  b.batch_count, b.rows, b.columns, problem.batch_count, problem.k,
                                  problem.n));
  }
  operands.b = std::move(b);
  for (float& value : operands.b.values) value = rounded(problem.dtype, value);
}

void make_zeros(PlainMatrix& matrix, double share, std::uint64_t seed) {
  if (share <= 0) return;
  constexpr double kWords = 4294967296.0;
  std::mt19937_64 engine(seed);
  for (float& value : matrix.values) {
    const bool is_drawn = static_cast<double>(engine() >> 32U) < share * kWords;
    if (is_drawn) value = 0;
  }
}

PlainOperands given_operands(const GemmProblem& problem, PlainMatrix a, std::uint64_t seed,
                             std::string_view scheme) {
  PlainOperands operands = dense_operands(problem, seed);
  if (a.batch_count != problem.batch_count || a.rows != problem.m || a.columns != problem.k) {
    throw ConfigError(fmt::format("A is {} x {} x {}, the GEMM asks for {} x {} x {}",
                                  a.batch_count, a.rows, a.columns, problem.batch_count, problem.m,
                                  problem.k));
  }
  operands.a = std::move(a);
  for (float& value : operands.a.values) value = rounded(problem.dtype, value);
  if (scheme.empty()) {
    require_pattern(operands.a, problem.a_pattern.of_a());
  } else {
    prune(problem, operands, seed, scheme);
  }
  return operands;
}

PlainMatrix::PlainMatrix(std::int64_t batches, std::int64_t row_count, std::int64_t column_count)
    : batch_count(batches),
      rows(row_count),
      columns(column_count),
      values(static_cast<std::size_t>(batches * row_count * column_count)) {}

}  // namespace stcsim
