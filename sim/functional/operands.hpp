#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"
#include "common/pattern.hpp"
#include "models/functional/functional_kernel.hpp"
#include "pruning/compressed.hpp"
#include "pruning/matrix.hpp"

namespace stcsim {

/// `batch_count` matrices as plain numbers, row after row: what the check computes with, free of
/// number formats, layouts, tiles and compression. Every number is exactly representable in the
/// type it stands for (all operand and output types are subsets of fp32).
struct PlainMatrix {
  std::int64_t batch_count = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> values;

  PlainMatrix() = default;
  PlainMatrix(std::int64_t batches, std::int64_t row_count, std::int64_t column_count);

  [[nodiscard]] float& at(std::int64_t batch, std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>((batch * rows + row) * columns + column)];
  }
  [[nodiscard]] float at(std::int64_t batch, std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>((batch * rows + row) * columns + column)];
  }
  [[nodiscard]] std::span<const float> row(std::int64_t batch, std::int64_t row) const {
    return std::span(values).subspan(static_cast<std::size_t>((batch * rows + row) * columns),
                                     static_cast<std::size_t>(columns));
  }
};

/// The numbers of one GEMM: A (M x K, already pruned) and B (K x N), and where only outputs of a
/// pattern are computed M x N flags, 1 for those that are wanted.
struct PlainOperands {
  PlainMatrix a;
  PlainMatrix b;
  PlainMatrix mask = {};
};

/// Random operands of `problem`, the same for the same seed everywhere: integers from -2 to 2 for
/// int8 (so that int8 results rarely saturate) and int4, else roughly normal with mean 0 and
/// variance 1 (a sum of four uniforms), rounded to the operand type. A is pruned to
/// problem.a_pattern.
[[nodiscard]] PlainOperands random_operands(const GemmProblem& problem, std::uint64_t seed);

/// Flags of a problem's outputs, n of every aligned group of m of a row of C.
[[nodiscard]] PlainMatrix random_mask(const GemmProblem& problem, std::uint64_t seed);

/// Keeps the n largest magnitudes of every aligned group of m elements of a row, the lower index
/// where magnitudes are equal, and zeroes the rest. Of pairs, the n/2 with the largest sums of
/// magnitudes stay; of blocks, once their elements are pruned, those with the largest. A last,
/// shorter group keeps n as well. Of V:2:m as the pruning library does
/// (pruning/column_selection.hpp).
void prune_by_magnitude(PlainMatrix& matrix, Pattern pattern);

/// C as the epilogue of a product whose c_pattern is sparse writes it, one matrix of the batch: of
/// every aligned group along the axis that is contiguous in memory the n largest, the lower index
/// where they are equal, and where in the group each stood. A last, shorter group is filled up with
/// what is less than any number. Masked elements are -inf.
[[nodiscard]] pruning::Compressed pruned_result(const GemmProblem& problem, const PlainMatrix& c,
                                                std::int64_t batch);

/// The operands as the machine holds them: encoded, laid out in memory and compressed if the
/// kernel's hardware is sparse. Throws ConfigError if A does not satisfy the hardware's pattern.
[[nodiscard]] FunctionalOperands to_machine(const FunctionalKernel& kernel,
                                            const PlainOperands& operands);

/// The numbers in a result tensor of the machine for `problem`.
[[nodiscard]] PlainMatrix from_machine(const GemmProblem& problem, const GlobalTensor& c);

/// The operand that a kernel that gathers columns is given instead of an A with a pattern V:2:m.
struct SelectedColumns {
  /// M x (4 * ceil(K / m)): of each row the columns its block has selected, 0 where a short group
  /// has none.
  PlainMatrix a;
  /// The column of A that every batch entry, block of rows and column of `a` is, which is the row
  /// of B that it is multiplied by; -1 if none.
  std::vector<std::int64_t> rows_of_b;
};

/// @param a  satisfies `pattern`, V:2:m
[[nodiscard]] SelectedColumns select_columns(const PlainMatrix& a, Pattern pattern);

/// The operands of of_windows(problem), with the same product: of every group of A its windows of
/// four one after the other, each with at most two values; of B the rows they are multiplied by.
/// Values stay in the order of k.
/// @param operands  of `problem`, whose A satisfies its (2N-2):2N
[[nodiscard]] PlainOperands to_windows(const GemmProblem& problem, const PlainOperands& operands);

/// Prunes `matrix` to V:2:m by magnitude (pruning/column_selection.hpp).
void prune_to_columns(PlainMatrix& matrix, Pattern pattern);

/// Random operands of `problem` like those of random_operands(), but A pruned along K to
/// problem.a_pattern by a scheme of the pruning library, each batch entry with a seed of its own,
/// and rounded to the operand type. B's columns calibrate a scheme that trains. A scheme that
/// permutes K permutes the rows of B with it, so that C is that of the pruned operands either way.
/// Throws ConfigError if the scheme is unknown or does not fit the problem.
[[nodiscard]] PlainOperands pruned_operands(const GemmProblem& problem, std::uint64_t seed,
                                            std::string_view scheme);

/// Like random_operands(), but A is `a`, rounded to the operand type, and pruned by `scheme` unless
/// that is "". Throws ConfigError if `a` is not batch x M x K, if it is not to be pruned and does
/// not satisfy problem.a_pattern, and as pruned_operands().
[[nodiscard]] PlainOperands given_operands(const GemmProblem& problem, PlainMatrix a,
                                           std::uint64_t seed, std::string_view scheme);

/// Takes `b`, rounded to the operand type. Throws ConfigError if it is not batch x K x N.
void take_b(const GemmProblem& problem, PlainMatrix b, PlainOperands& operands);

/// Makes values zeros, each with the probability `share`.
void make_zeros(PlainMatrix& matrix, double share, std::uint64_t seed);

}  // namespace stcsim
