#pragma once

#include <cstdint>
#include <vector>

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// Patterns V:2:m: blocks of V rows that share the columns they keep (Castro et al., "VENOM: A
/// Vectorized N:M Format for Unleashing the Power of Sparse Tensor Cores", SC 2023). The last block
/// of rows and the last group of columns may be short.

/// Stands for a column that a group with fewer than four of them does not have.
inline constexpr std::int64_t kNoColumn = -1;

/// The four columns, of every block of rows and every group of columns, with the largest sums of
/// magnitudes, of equal ones the first, in ascending order: block after block, group after group,
/// counted from the matrix's first column; kNoColumn where there is none left. The publication
/// looks for the four that keep most once each row has kept two.
[[nodiscard]] std::vector<std::int64_t> select_columns(const Matrix& in, Pattern pattern);

/// Keeps of every row the two largest magnitudes of the four columns of each group that its block
/// has selected, of equal ones the lower index, and zeroes the rest.
/// @param out of the shape of `in`
void prune_to_columns(const Matrix& in, Pattern pattern, int threads, Matrix& out);

}  // namespace stcsim::pruning
