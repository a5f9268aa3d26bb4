#include "pruning/groups.hpp"

#include <bit>
#include <numeric>

namespace stcsim::pruning {
namespace {

/// Up to so many elements, counting who comes before whom is faster than sorting.
constexpr std::size_t kMostCounted = 128;

inline std::int32_t magnitude_bits(float value) {
  return std::bit_cast<std::int32_t>(value) & 0x7fffffff;
}

/// Adds to each rank the elements that come before it: no branches, so the loops vectorise.
STCSIM_CLONES
void count_ranks(const float* values, std::int32_t count, std::int32_t* ranks) {
  std::int32_t keys[kMostCounted];
  for (std::int32_t i = 0; i < count; ++i) {
    keys[i] = magnitude_bits(values[i]);
    ranks[i] = 0;
  }
  for (std::int32_t other = 0; other < count; ++other) {
    const std::int32_t key = keys[other];
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t larger = key > keys[i];
      const std::int32_t equal_before = std::int32_t{key == keys[i]} & std::int32_t{other < i};
      ranks[i] += larger | equal_before;
    }
  }
}

void sort_ranks(std::span<const float> values, std::span<std::int32_t> ranks) {
  std::vector<std::int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::int32_t index) {
    return magnitude_bits(values[static_cast<std::size_t>(index)]);
  });
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    ranks[static_cast<std::size_t>(order[rank])] = static_cast<std::int32_t>(rank);
  }
}

}  // namespace

void magnitude_ranks(std::span<const float> values, std::span<std::int32_t> ranks) {
  if (values.size() <= kMostCounted) {
    count_ranks(values.data(), static_cast<std::int32_t>(values.size()), ranks.data());
  } else {
    sort_ranks(values, ranks);
  }
}

}  // namespace stcsim::pruning
