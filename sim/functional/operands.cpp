#include "sim/functional/operands.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "models/functional/number_format.hpp"
#include "sim/functional/pruned_operands.hpp"

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
  prune_by_magnitude(operands.a, problem.a_pattern);
  return operands;
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
  return make_operands(kernel, std::move(a), std::move(b));
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

void flip_metadata_bit(FunctionalOperands& operands, std::int64_t batch, std::int64_t row,
                       std::int64_t group, std::int64_t bit) {
  const auto inside = [](std::int64_t value, std::int64_t limit) {
    return value >= 0 && value < limit;
  };
  if (!inside(batch, std::ssize(operands.compressed_a))) {
    throw ConfigError("A has no metadata in batch entry " + std::to_string(batch));
  }
  CompressedMatrix& a = operands.compressed_a[static_cast<std::size_t>(batch)];
  if (!inside(row, a.rows()) || !inside(group, a.groups_per_row()) ||
      !inside(bit, metadata_bits_per_group(a.pattern(), a.format()))) {
    throw ConfigError("A's metadata has no bit " + std::to_string(bit) + " in row " +
                      std::to_string(row) + ", group " + std::to_string(group));
  }
  a.flip_metadata_bit(row, group, bit);
}

}  // namespace stcsim
