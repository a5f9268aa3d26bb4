#pragma once

#include <cstdint>
#include <vector>

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"
#include "pruning/parallel.hpp"

namespace stcsim::pruning {

/// A weight pruned for two GEMMs that reduce over different axes.
struct DoublePruned {
  /// For the forward GEMM: the pattern holds along the rows.
  std::vector<Matrix> forward;
  /// For dgrad: part of the former; the pattern holds along the columns once the rows are in
  /// `row_order`.
  std::vector<Matrix> backward;
  /// Row i of the reordered matrices is row row_order[i].
  std::vector<std::int64_t> row_order;
};

/// SLoPe (Mozaffari et al., "SLoPe: Double-Pruned Sparse Plus Lazy Low-rank Adapter Pretraining of
/// LLMs", ICLR 2025): magnitude along the rows, then what is left once more along the columns. Rows
/// stay in their order.
/// @param planes matrices of the same shape
[[nodiscard]] DoublePruned prune_double(const std::vector<Matrix>& planes, Pattern pattern,
                                        const Execution& how);

/// Bi-Mask (Zhang et al., "Bi-directional Masks for Efficient N:M Sparse Training", ICML 2023): as
/// above, but the columns are grouped after a permutation of the rows, common to all planes: of the
/// given order and `candidates` random ones the one that lets the largest sum of magnitudes
/// survive.
[[nodiscard]] DoublePruned prune_bi_mask(const std::vector<Matrix>& planes, Pattern pattern,
                                         int candidates, std::uint64_t seed, const Execution& how);

/// Share of all elements that the second pruning adds to the zeros, for masks that are independent
/// and uniform: sum over j > n of C(m,j) s^j (1-s)^(m-j) (j-n)/m with s = n/m.
[[nodiscard]] double expected_extra_zeros(Pattern pattern);

}  // namespace stcsim::pruning
