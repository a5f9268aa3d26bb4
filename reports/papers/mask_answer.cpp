#include <utility>
#include <vector>

#include <fmt/format.h>

#include "curves/statistics.hpp"
#include "reports/papers/mask_counts.hpp"
#include "reports/papers/mask_measures.hpp"
#include "reports/papers/mask_row.hpp"

namespace stcsim {
namespace {

/// An answer without an interval.
PaperAnswer computed(double value, std::string where, std::string because = "") {
  return {"computed", std::move(where), value, value, value, std::move(because)};
}

PaperAnswer share_over_seeds(const MaskRow& row) {
  std::vector<double> shares;
  for (std::int64_t i = 0; i < row.seeds; ++i) {
    shares.push_back(100 * kept_share(row, row.seed + i));
  }
  const curves::Spread spread = curves::spread_of(shares, static_cast<std::uint64_t>(row.seed));
  PaperAnswer answer = computed(spread.mean, fmt::format("normal {0}x{0}, {1} seed{2}", row.size,
                                                         row.seeds, row.seeds == 1 ? "" : "s"));
  if (spread.interval) {
    answer.low = spread.interval->low;
    answer.high = spread.interval->high;
  }
  return answer;
}

PaperAnswer count_masks(const MaskRow& row) {
  const std::string where = fmt::format("{0}x{0}", row.size);
  if (is_log10(row.quantity)) return computed(log10_of_masks(row), where);
  const std::string masks = masks_of(row);
  return computed(std::stod(masks), where, "exactly " + masks);
}

PaperAnswer find_worst(const MaskRow& row) {
  const GreedyFactor factor = greedy_factor(row);
  if (row.input == MaskInput::tight) return computed(factor.worst, "a block that misleads it");
  return computed(factor.worst, fmt::format("{} normal blocks", factor.blocks),
                  fmt::format("the worst block; {:.3f} in the mean", factor.mean));
}

}  // namespace

PaperAnswer answer_of(const MaskRow& row) {
  switch (row.quantity) {
    case MaskQuantity::retained:
    case MaskQuantity::of_optimum:
      return share_over_seeds(row);
    case MaskQuantity::guarantee:
      return find_worst(row);
    case MaskQuantity::work:
      return computed(steps_per_element(row), "by formula");
    case MaskQuantity::adaprune:
      return computed(100 * output_error(row),
                      fmt::format("layer of {0}x{0}, {1:g} % of it zero before; inputs that "
                                  "AdaPrune was not given",
                                  row.size, 100 * row.zeros));
    default:
      return count_masks(row);
  }
}

}  // namespace stcsim
