#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"
#include "common/pattern.hpp"
#include "pruning/matrix.hpp"
#include "sim/functional/operands.hpp"
#include "sim/functional/plain_matrix.hpp"

namespace stcsim {

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
