#pragma once

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"
#include "pruning/parallel.hpp"

namespace stcsim::pruning {

/// Transposable masks: in every aligned m x m block at most n elements of each row and of each
/// column are kept, so that a matrix and its transpose both have the pattern (Hubara et al.,
/// "Accelerated Sparse Neural Training: A Provable and Efficient Method to Find N:M Transposable
/// Masks", NeurIPS 2021). Blocks are true rows x columns of the matrix; at the edges they count as
/// filled up with zeros. `out` has the shape of `in`.

/// The largest sum of magnitudes that at most, or exactly, n elements of every row and column have.
void prune_transposable(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out);
void prune_transposable_exactly(const Matrix& in, Pattern pattern, const Execution& how,
                                Matrix& out);

/// From the largest magnitude down, keeps what leaves its row and its column with at most n: the
/// authors' code. Some rows may end up with fewer. At least half of the optimum. Here and below the
/// lower index is preferred of equal magnitudes.
void prune_greedy_keep(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out);

/// From the smallest magnitude up, prunes what its row or its column still needs to reach m - n
/// pruned: Algorithm 1 as published. The sum of what it prunes is less than twice the least.
void prune_greedy_prune(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out);

/// By the dual of the flow with entropy added (Meng et al., "TSENOR: Highly-Efficient Algorithm for
/// Finding Transposable N:M Sparse Masks", 2025): a plan of shares between 0 and 1, whose rows and
/// columns sum to n, by Dykstra's projections; the largest shares are kept, and elements exchanged
/// where a row and a column still lack one. The sum of magnitudes is published as 1 to 10 % below
/// the optimum.
void prune_by_transport(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out);
/// Rounds of its projections at most.
inline constexpr int kTransportRounds = 100;

/// The best of the 90 masks of a 4x4 block with two in each row and column (Hu et al.,
/// "Accelerating Transformer Pre-training with 2:4 Sparsity", ICML 2024). Sums of magnitudes are in
/// fp32, (row 0 + row 1) + (row 2 + row 3); of equal ones the mask counts that keeps the lower
/// indices.
void prune_exhaustively(const Matrix& in, const Execution& how, Matrix& out);

/// Masks of a 4x4 block that prune_exhaustively() chooses from.
inline constexpr int kTransposableMasks = 90;

}  // namespace stcsim::pruning
