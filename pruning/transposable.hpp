#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"
#include "pruning/parallel.hpp"

namespace stcsim::pruning {

/// Transposable masks: in every aligned m x m block at most n elements of each row and of each
/// column are kept, so that a matrix and its transpose both have the pattern (Hubara et al.,
/// "Accelerated Sparse Neural Training: A Provable and Efficient Method to Find N:M Transposable
/// Masks", NeurIPS 2021). Blocks are true rows x columns of the matrix; at the edges they count as
/// filled up with zeros.

/// The number of elements of a row and of a column that a mask keeps.
enum class Kept : std::uint8_t { at_most_n, exactly_n };

/// Finds masks that keep the largest sum of magnitudes, as minimum-cost flows (as above, Fig. 4):
/// source -> rows -> columns -> sink, where a unit from row i to column j keeps element (i, j), at
/// the cost of what it lacks to the block's largest. With at_most_n, units may also go from a row
/// straight to the sink at the cost of keeping a zero: that a row and a column keep fewer than n
/// can save more elsewhere. With exactly_n and n > m/2 what flows are the elements to prune, at
/// the cost of their magnitude.
///
/// Costs are whole numbers in units of the last bit of the block's smallest magnitude, as wide as
/// that takes, so that no sum is rounded: the mask is optimal whatever magnitudes a block spans.
class TransposableSolver {
 public:
  explicit TransposableSolver(Pattern pattern, Kept kept = Kept::at_most_n);
  ~TransposableSolver();
  TransposableSolver(TransposableSolver&&) noexcept;

  /// @param block m * m elements, row after row
  /// @param keep as many: 1 for those to keep, else 0
  void solve(std::span<const float> block, std::span<std::uint8_t> keep);

 private:
  class Networks;
  std::unique_ptr<Networks> networks_;
};

/// Finds masks one element after the other; of equal magnitudes the lower index is preferred.
/// Blocks and masks as for TransposableSolver.
class GreedySolver {
 public:
  explicit GreedySolver(Pattern pattern);

  /// From the largest magnitude down, keeps what leaves its row and its column with at most n: the
  /// authors' code. Some rows may end up with fewer. At least half of the optimum.
  void keep_largest(std::span<const float> block, std::span<std::uint8_t> keep);

  /// From the smallest magnitude up, prunes what its row or its column still needs to reach m - n
  /// pruned: Algorithm 1 as published. The sum of what it prunes is less than twice the least.
  void prune_smallest(std::span<const float> block, std::span<std::uint8_t> keep);

 private:
  void sort(std::span<const float> block);

  Pattern pattern_;
  std::vector<std::uint8_t> rows_;  // of every element
  std::vector<std::uint8_t> columns_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::uint32_t> order_;              // indices from the largest magnitude down
  std::array<std::uint8_t, kMaxGroup> in_row_{};  // elements counted so far
  std::array<std::uint8_t, kMaxGroup> in_column_{};
};

/// Finds masks by the dual of the flow with entropy added (Meng et al., "TSENOR: Highly-Efficient
/// Algorithm for Finding Transposable N:M Sparse Masks", 2025): a plan of shares between 0 and 1,
/// whose rows and columns sum to n, by Dykstra's projections; the largest shares are kept, and
/// elements exchanged where a row and a column still lack one. Blocks and masks as for
/// TransposableSolver; the sum of magnitudes is published as 1 to 10 % below the optimum.
class TransportSolver {
 public:
  /// Rounds of projections at most.
  static constexpr int kRounds = 100;

  explicit TransportSolver(Pattern pattern);
  void solve(std::span<const float> block, std::span<std::uint8_t> keep);

 private:
  void find_plan(std::span<const float> block);
  /// Scale sums to n; @return how far the furthest was from it, or `furthest`
  double scale_rows();
  double scale_columns(double furthest);
  void round_plan(std::span<const float> block, std::span<std::uint8_t> keep);
  /// @return whether it found one that keeps no less
  bool exchange_once(std::span<const float> block, std::span<std::uint8_t> keep);

  Pattern pattern_;
  std::vector<double> plan_;
  std::vector<double> excess_;  // that has been cut off, as a factor
  std::vector<double> sums_;
  std::vector<std::uint32_t> order_;  // indices from the largest share down
  std::vector<std::int64_t> in_row_;  // elements kept
  std::vector<std::int64_t> in_column_;
};

/// The above for every block of a matrix. `out` has the shape of `in`.
void prune_transposable(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out);
void prune_transposable_exactly(const Matrix& in, Pattern pattern, const Execution& how,
                                Matrix& out);
void prune_greedy_keep(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out);
void prune_greedy_prune(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out);
void prune_by_transport(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out);

/// The best of the 90 masks of a 4x4 block with two in each row and column (Hu et al.,
/// "Accelerating Transformer Pre-training with 2:4 Sparsity", ICML 2024). Sums of magnitudes are in
/// fp32, (row 0 + row 1) + (row 2 + row 3); of equal ones the mask counts that keeps the lower
/// indices.
void prune_exhaustively(const Matrix& in, const Execution& how, Matrix& out);

/// Masks of a 4x4 block that prune_exhaustively() chooses from.
inline constexpr int kTransposableMasks = 90;

}  // namespace stcsim::pruning
