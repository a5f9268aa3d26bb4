#pragma once

#include <cstdint>
#include <vector>

#include "pruning/matrix.hpp"
#include "pruning/parallel.hpp"

namespace stcsim::pruning {

/// An order of the columns in which 2:4 keeps more magnitude (Pool and Yu, "Channel Permutations
/// for N:M Sparsity", NeurIPS 2021): column i of the reordered matrix is column order[i].
///
/// Stripes of four columns are regrouped in pairs, by the best of the 35 ways to share eight
/// columns out to two stripes; the pairs that gain most come first, until none gains. Then
/// `escapes` times two random columns are swapped and pairs regrouped again; what is worse than the
/// best so far is taken back. Columns of a last, shorter stripe stay where they are.
[[nodiscard]] std::vector<std::int64_t> find_channel_order(const Matrix& weights, int escapes,
                                                           std::uint64_t seed,
                                                           const Execution& how);

/// The matrix with column order[i] as column i, and back again.
[[nodiscard]] Matrix reordered(const Matrix& matrix, const std::vector<std::int64_t>& order);
[[nodiscard]] Matrix restored(const Matrix& matrix, const std::vector<std::int64_t>& order);

}  // namespace stcsim::pruning
