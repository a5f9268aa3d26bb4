#include <cstddef>

#include "pruning/blocks.hpp"
#include "pruning/groups.hpp"
#include "pruning/transposable.hpp"

namespace stcsim::pruning {

GreedySolver::GreedySolver(Pattern pattern) : pattern_(pattern) {
  const std::int64_t size = pattern.m * pattern.m;
  ranks_.resize(static_cast<std::size_t>(size));
  order_.resize(ranks_.size());
  for (std::int64_t i = 0; i < size; ++i) {
    rows_.push_back(static_cast<std::uint8_t>(i / pattern.m));
    columns_.push_back(static_cast<std::uint8_t>(i % pattern.m));
  }
}

void GreedySolver::sort(std::span<const float> block) {
  magnitude_ranks(block, ranks_);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    order_[static_cast<std::size_t>(ranks_[i])] = static_cast<std::uint32_t>(i);
  }
  in_row_.fill(0);
  in_column_.fill(0);
}

void GreedySolver::keep_largest(std::span<const float> block, std::span<std::uint8_t> keep) {
  sort(block);
  const auto most = static_cast<std::uint8_t>(pattern_.n);
  for (const std::uint32_t index : order_) {
    std::uint8_t& row = in_row_[rows_[index]];
    std::uint8_t& column = in_column_[columns_[index]];
    const auto kept =
        static_cast<std::uint8_t>(std::uint8_t{row < most} & std::uint8_t{column < most});
    keep[index] = kept;
    row = static_cast<std::uint8_t>(row + kept);
    column = static_cast<std::uint8_t>(column + kept);
  }
}

void GreedySolver::prune_smallest(std::span<const float> block, std::span<std::uint8_t> keep) {
  sort(block);
  const auto wanted = static_cast<std::uint8_t>(pattern_.m - pattern_.n);
  for (auto index = order_.rbegin(); index != order_.rend(); ++index) {
    std::uint8_t& row = in_row_[rows_[*index]];
    std::uint8_t& column = in_column_[columns_[*index]];
    const auto pruned =
        static_cast<std::uint8_t>(std::uint8_t{row < wanted} | std::uint8_t{column < wanted});
    keep[*index] = static_cast<std::uint8_t>(1 - pruned);
    row = static_cast<std::uint8_t>(row + pruned);
    column = static_cast<std::uint8_t>(column + pruned);
  }
}

void prune_greedy_keep(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out) {
  transform_blocks(in, pattern.m, how, out, [&] {
    return [solver = GreedySolver(pattern)](std::span<const float> block,
                                            std::span<std::uint8_t> keep) mutable {
      solver.keep_largest(block, keep);
    };
  });
}

void prune_greedy_prune(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out) {
  transform_blocks(in, pattern.m, how, out, [&] {
    return [solver = GreedySolver(pattern)](std::span<const float> block,
                                            std::span<std::uint8_t> keep) mutable {
      solver.prune_smallest(block, keep);
    };
  });
}

}  // namespace stcsim::pruning
