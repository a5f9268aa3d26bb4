#include "sim/functional/reference_gemm.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "common/error.hpp"
#include "models/functional/number_format.hpp"

namespace stcsim {
namespace {

void add_product(float& sum, float a, float b) {
  sum = std::fma(a, b, sum);
}

/// Operands of int8 GEMMs are small whole numbers; unsigned arithmetic wraps without overflow.
void add_product(std::uint32_t& sum, float a, float b) {
  sum += static_cast<std::uint32_t>(static_cast<std::int32_t>(a) * static_cast<std::int32_t>(b));
}

double value_of(float sum) {
  return sum;
}
double value_of(std::uint32_t sum) {
  return static_cast<std::int32_t>(sum);
}

template <typename Sum>
void add_row(std::vector<Sum>& total, const std::vector<Sum>& part) {
  for (std::size_t column = 0; column < total.size(); ++column) total[column] += part[column];
}

/// One row of C over the k of slice `slice` within `range`.
template <typename Sum>
std::vector<Sum> slice_sum(const PlainOperands& operands, const AccumulationOrder& order,
                           KRange range, std::int64_t slice, std::int64_t batch, std::int64_t row) {
  const PlainMatrix& b = operands.b;
  const std::int64_t slice_k = order.step_k / order.warps_k;
  std::vector<Sum> sums(static_cast<std::size_t>(b.columns));
  for (std::int64_t k = range.begin; k < range.end; ++k) {
    if (order.warps_k > 1 && (k - range.begin) % order.step_k / slice_k != slice) continue;
    const float a_value = operands.a.at(batch, row, k);
    for (std::int64_t column = 0; column < b.columns; ++column) {
      add_product(sums[static_cast<std::size_t>(column)], a_value, b.at(batch, k, column));
    }
  }
  return sums;
}

template <typename Sum>
std::vector<Sum> split_sum(const PlainOperands& operands, const AccumulationOrder& order,
                           KRange range, std::int64_t batch, std::int64_t row) {
  std::vector<Sum> total = slice_sum<Sum>(operands, order, range, 0, batch, row);
  for (std::int64_t slice = 1; slice < order.warps_k; ++slice) {
    add_row(total, slice_sum<Sum>(operands, order, range, slice, batch, row));
  }
  return total;
}

template <typename Sum>
PlainMatrix multiply(const GemmProblem& problem, const PlainOperands& operands,
                     const AccumulationOrder& order) {
  const DataType output = output_of(problem.dtype);
  PlainMatrix c(problem.batch_count, problem.m, problem.n);
  for (std::int64_t batch = 0; batch < problem.batch_count; ++batch) {
    for (std::int64_t row = 0; row < problem.m; ++row) {
      std::vector<Sum> total = split_sum<Sum>(operands, order, order.splits.at(0), batch, row);
      for (std::size_t split = 1; split < order.splits.size(); ++split) {
        add_row(total, split_sum<Sum>(operands, order, order.splits[split], batch, row));
      }
      for (std::int64_t column = 0; column < problem.n; ++column) {
        const double sum = value_of(total[static_cast<std::size_t>(column)]);
        c.at(batch, row, column) = static_cast<float>(decode(output, encode(output, sum)));
      }
    }
  }
  return c;
}

/// Shortest text that reads back as the same number.
std::string shortest(float value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

AccumulationOrder ascending_order(const GemmProblem& problem) {
  return {{{0, problem.k}}, problem.k, 1};
}

PlainMatrix reference_gemm(const GemmProblem& problem, const PlainOperands& operands,
                           const AccumulationOrder& order) {
  return accumulator_of(problem.dtype) == DataType::int32
             ? multiply<std::uint32_t>(problem, operands, order)
             : multiply<float>(problem, operands, order);
}

std::string MatrixComparison::to_string() const {
  if (passed()) return "all " + std::to_string(checked) + " elements match";
  std::string text = std::to_string(mismatches) + " of " + std::to_string(checked) +
                     " elements differ; first at batch " + std::to_string(first->batch) + ", row " +
                     std::to_string(first->row) + ", column " + std::to_string(first->column);
  return text + ": got " + shortest(first->got) + ", expected " + shortest(first->expected);
}

MatrixComparison compare(const PlainMatrix& got, const PlainMatrix& expected) {
  if (got.batch_count != expected.batch_count || got.rows != expected.rows ||
      got.columns != expected.columns) {
    throw ConfigError("cannot compare results of different shapes");
  }
  MatrixComparison comparison;
  for (std::int64_t batch = 0; batch < got.batch_count; ++batch) {
    for (std::int64_t row = 0; row < got.rows; ++row) {
      for (std::int64_t column = 0; column < got.columns; ++column) {
        const float now = got.at(batch, row, column);
        const float wanted = expected.at(batch, row, column);
        ++comparison.checked;
        if (now == wanted) continue;
        if (comparison.mismatches++ == 0) comparison.first = {batch, row, column, now, wanted};
      }
    }
  }
  return comparison;
}

}  // namespace stcsim
