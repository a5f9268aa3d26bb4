#include "reports/papers/mask_counts.hpp"

#include <cmath>

#include "pruning/mask_counts.hpp"

namespace stcsim {
namespace {

/// The smallest part of a tensor whose masks are counted, and how many elements it has.
struct CountedUnit {
  pruning::MaskCount masks;
  std::int64_t elements = 0;
};

CountedUnit unit_counted(const MaskRow& row) {
  const Pattern pattern = row.pattern;
  switch (row.freedom) {
    case MaskFreedom::unstructured: {
      const std::int64_t elements = row.size * row.size;
      return {pruning::unstructured_masks(elements, elements * pattern.n / pattern.m), elements};
    }
    case MaskFreedom::groups:
      return {pruning::group_masks(pattern), pattern.m};
    case MaskFreedom::sequential:
      return {pruning::sequential_masks(pattern), pattern.m};
    case MaskFreedom::transposable:
      break;
  }
  if (is_published(row.quantity)) {
    return {pruning::published_transposable_masks(pattern), pattern.m * pattern.m};
  }
  return {*pruning::transposable_masks(pattern), pattern.m * pattern.m};
}

}  // namespace

bool is_published(MaskQuantity quantity) {
  return quantity == MaskQuantity::diversity_published ||
         quantity == MaskQuantity::diversity_published_log10;
}

bool is_log10(MaskQuantity quantity) {
  return quantity == MaskQuantity::diversity_log10 ||
         quantity == MaskQuantity::diversity_published_log10;
}

std::string masks_of(const MaskRow& row) {
  const CountedUnit unit = unit_counted(row);
  return pruning::repeated(unit.masks, row.size * row.size / unit.elements).exact;
}

double log10_of_masks(const MaskRow& row) {
  if (row.freedom == MaskFreedom::unstructured) {
    const std::int64_t elements = row.size * row.size;
    return pruning::unstructured_diversity(elements, elements * row.pattern.n / row.pattern.m);
  }
  const CountedUnit unit = unit_counted(row);
  return pruning::tensor_diversity(unit.masks, unit.elements, row.size * row.size);
}

double steps_per_element(const MaskRow& row) {
  const auto n = static_cast<double>(row.pattern.n);
  const auto m = static_cast<double>(row.pattern.m);
  if (row.method == "transposable-exhaustive") {
    return std::stod(pruning::transposable_masks(row.pattern)->exact);
  }
  if (row.method == "transposable-greedy") return 2 * std::log2(m);
  return n * (m + 2);
}

}  // namespace stcsim
