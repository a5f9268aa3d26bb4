#include "sim/functional/reference_gemm.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "common/error.hpp"
#include "models/functional/number_format.hpp"

namespace stcsim {
namespace {

/// Columns of C summed side by side.
constexpr std::int64_t kColumns = 16;
template <typename Number>
using Columns = std::array<Number, kColumns>;

/// One rounding per product added, as by std::fma: the product of two operands, of at most 11
/// significant bits each, is exact in double, and a sum of two fp32 numbers rounded to double's 53
/// bits (2 * 24 + 2 would do) and then to fp32 is the one rounded to fp32 at once (Figueroa, "When
/// is double rounding innocuous?", SIGNUM Newsletter 30(3), 1995). Types of 16 bits at most whose
/// exponents fp32 has twice over have exact products in fp32 as well, in less time.
template <typename Number>
struct FloatSums {
  using Sum = float;
  using Factor = Number;
  static void add_product(Sum& sum, Factor a, Factor b) { sum = static_cast<float>(sum + a * b); }
  static double value_of(Sum sum) { return sum; }
};

/// Operands of int8 and int4 GEMMs are small whole numbers; unsigned arithmetic wraps without
/// overflow.
struct IntegerSums {
  using Sum = std::uint32_t;
  using Factor = std::int16_t;
  static void add_product(Sum& sum, Factor a, Factor b) { sum += static_cast<Sum>(a * b); }
  static double value_of(Sum sum) { return static_cast<std::int32_t>(sum); }
};

/// All k of some columns of B, filled up with zeros.
template <typename Factor>
std::vector<Columns<Factor>> columns_of(const PlainMatrix& b, std::int64_t batch,
                                        std::int64_t first_column) {
  std::vector<Columns<Factor>> columns(static_cast<std::size_t>(b.rows));
  const auto first = static_cast<std::size_t>(first_column);
  const auto count = static_cast<std::size_t>(std::min(kColumns, b.columns - first_column));
  for (std::int64_t k = 0; k < b.rows; ++k) {
    std::ranges::transform(b.row(batch, k).subspan(first, count),
                           columns[static_cast<std::size_t>(k)].begin(),
                           [](float value) { return static_cast<Factor>(value); });
  }
  return columns;
}

/// One row of A times some columns of B.
template <typename Arithmetic>
struct RowProduct {
  using Factor = typename Arithmetic::Factor;
  using Sums = Columns<typename Arithmetic::Sum>;

  const AccumulationOrder& order;
  std::span<const float> a;
  const std::vector<Columns<Factor>>& b;

  /// Over the k of slice `slice` within `range`.
  [[nodiscard]] Sums slice_sum(KRange range, std::int64_t slice) const {
    const std::int64_t slice_k = order.step_k / order.warps_k;
    Sums sums{};
    for (std::int64_t k = range.begin; k < range.end; ++k) {
      if (order.warps_k > 1 && (k - range.begin) % order.step_k / slice_k != slice) continue;
      const auto factor = static_cast<Factor>(a[static_cast<std::size_t>(k)]);
      const Columns<Factor>& b_row = b[static_cast<std::size_t>(k)];
      for (std::size_t i = 0; i < sums.size(); ++i) {
        Arithmetic::add_product(sums[i], factor, b_row[i]);
      }
    }
    return sums;
  }

  [[nodiscard]] Sums split_sum(KRange range) const {
    Sums total = slice_sum(range, 0);
    for (std::int64_t slice = 1; slice < order.warps_k; ++slice) {
      add(total, slice_sum(range, slice));
    }
    return total;
  }

  [[nodiscard]] Sums total_sum() const {
    Sums total = split_sum(order.splits.at(0));
    for (std::size_t split = 1; split < order.splits.size(); ++split) {
      add(total, split_sum(order.splits[split]));
    }
    return total;
  }

  static void add(Sums& total, const Sums& part) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
  }
};

float rounded_to(DataType type, double sum) {
  return static_cast<float>(decode(type, encode(type, sum)));
}

bool is_any_asked(const IsAsked& is_asked, std::int64_t batch, std::int64_t row, KRange columns) {
  if (!is_asked) return true;
  for (std::int64_t column = columns.begin; column < columns.end; ++column) {
    if (is_asked(batch, row, column)) return true;
  }
  return false;
}

template <typename Arithmetic>
PlainMatrix multiply(const GemmProblem& problem, const PlainOperands& operands,
                     const AccumulationOrder& order, const IsAsked& is_asked) {
  const DataType output = output_of(problem.dtype);
  PlainMatrix c(problem.batch_count, problem.m, problem.n);
  for (std::int64_t batch = 0; batch < problem.batch_count; ++batch) {
    for (std::int64_t column = 0; column < problem.n; column += kColumns) {
      const auto b = columns_of<typename Arithmetic::Factor>(operands.b, batch, column);
      const std::int64_t count = std::min(kColumns, problem.n - column);
      for (std::int64_t row = 0; row < problem.m; ++row) {
        if (!is_any_asked(is_asked, batch, row, {column, column + count})) continue;
        const RowProduct<Arithmetic> product{order, operands.a.row(batch, row), b};
        const auto sums = product.total_sum();
        std::transform(sums.begin(), sums.begin() + count, &c.at(batch, row, column),
                       [&](auto sum) { return rounded_to(output, Arithmetic::value_of(sum)); });
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
                           const AccumulationOrder& order, const IsAsked& is_asked) {
  if (accumulator_of(problem.dtype) == DataType::int32) {
    return multiply<IntegerSums>(problem, operands, order, is_asked);
  }
  const bool has_wide_exponents =
      problem.dtype == DataType::bf16 || problem.dtype == DataType::tf32;
  return has_wide_exponents ? multiply<FloatSums<double>>(problem, operands, order, is_asked)
                            : multiply<FloatSums<float>>(problem, operands, order, is_asked);
}

std::string MatrixComparison::to_string() const {
  if (passed()) return "all " + std::to_string(checked) + " elements match";
  std::string text = std::to_string(mismatches) + " of " + std::to_string(checked) +
                     " elements differ; first at batch " + std::to_string(first->batch) + ", row " +
                     std::to_string(first->row) + ", column " + std::to_string(first->column);
  return text + ": got " + shortest(first->got) + ", expected " + shortest(first->expected);
}

MatrixComparison compare(const PlainMatrix& got, const PlainMatrix& expected,
                         const IsAsked& is_asked) {
  if (got.batch_count != expected.batch_count || got.rows != expected.rows ||
      got.columns != expected.columns) {
    throw ConfigError("cannot compare results of different shapes");
  }
  MatrixComparison comparison;
  for (std::int64_t batch = 0; batch < got.batch_count; ++batch) {
    for (std::int64_t row = 0; row < got.rows; ++row) {
      for (std::int64_t column = 0; column < got.columns; ++column) {
        if (is_asked && !is_asked(batch, row, column)) continue;
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
