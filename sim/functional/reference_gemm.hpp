#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "sim/functional/operands.hpp"

namespace stcsim {

/// Elements [begin, end) of the reduction axis.
struct KRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// In which order a kernel adds up the products of one element of C. Floating-point sums depend on
/// it. Within a range k ascends; the ranges' sums are added in the order given.
struct AccumulationOrder {
  std::vector<KRange> splits;
  /// With warps_k > 1, every k-step of step_k elements (counted from the split's start) is cut into
  /// warps_k equal slices; slice i of all steps is summed apart, and the slices' sums are added in
  /// ascending order.
  std::int64_t step_k = 1;
  std::int64_t warps_k = 1;
};

/// The whole reduction axis in one ascending sum.
[[nodiscard]] AccumulationOrder ascending_order(const GemmProblem& problem);

/// Whether an element of C is of interest.
using IsAsked = std::function<bool(std::int64_t batch, std::int64_t row, std::int64_t column)>;

/// C = A * B by plain loops over plain numbers, zeros included: fp32 sums with one rounding per
/// product added, or wrapping 32-bit integer sums for int8 and int4, then rounded to the output
/// type.
///
/// Shares nothing with the machine's datapath but the number formats, so that the two can check
/// each other.
/// @param is_asked  by default all; of sixteen columns side by side all are computed if one is
[[nodiscard]] PlainMatrix reference_gemm(const GemmProblem& problem, const PlainOperands& operands,
                                         const AccumulationOrder& order,
                                         const IsAsked& is_asked = {});

/// An element in which a result differs from the reference.
struct ElementMismatch {
  std::int64_t batch = 0;
  std::int64_t row = 0;
  std::int64_t column = 0;
  float got = 0;
  float expected = 0;
};

struct MatrixComparison {
  std::int64_t checked = 0;
  std::int64_t mismatches = 0;
  std::optional<ElementMismatch> first;  // in row order

  [[nodiscard]] bool passed() const { return mismatches == 0; }
  /// One line: "all 64 elements match" or the number of mismatches and the first one.
  [[nodiscard]] std::string to_string() const;
};

/// Compares bit by bit, except that -0 equals +0 (a skipped zero may decide a zero sum's sign); a
/// NaN is always a mismatch. Throws ConfigError if the shapes differ.
/// @param is_asked  by default all
[[nodiscard]] MatrixComparison compare(const PlainMatrix& got, const PlainMatrix& expected,
                                       const IsAsked& is_asked = {});

}  // namespace stcsim
