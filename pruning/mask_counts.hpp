#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/pattern.hpp"

namespace stcsim::pruning {

/// C(count, hits) p^hits (1-p)^(count-hits).
[[nodiscard]] double binomial_probability(std::int64_t count, std::int64_t hits, double p);

/// Probability that a group of m elements of which each is zero with probability `zeros`,
/// independently, has the pattern already: at least m - n zeros (Hubara et al., "Accelerated Sparse
/// Neural Training", NeurIPS 2021, Fig. 5); of pairs, at least (m - n) / 2 that are zero.
[[nodiscard]] double fit_probability(Pattern pattern, double zeros);

/// The largest number of zeros per group of m that such a group has with more than `confidence`:
/// how AdaPrune chooses the pattern for an unstructured tensor (as above). 0 if there is none.
[[nodiscard]] std::int64_t most_likely_zeros(std::int64_t m, double zeros, double confidence);

/// A number of masks.
struct MaskCount {
  std::string exact;  // all digits
  double log10 = 0;
};

/// Masks of `elements` with `kept` ones: C(elements, kept).
[[nodiscard]] MaskCount unstructured_masks(std::int64_t elements, std::int64_t kept);
/// Masks of a group with exactly n of m kept: C(m, n); of pairs, C(m/2, n/2).
[[nodiscard]] MaskCount group_masks(Pattern pattern);
/// Masks of a group whose m - n zeros are adjacent: n + 1; of pairs, n/2 + 1.
[[nodiscard]] MaskCount sequential_masks(Pattern pattern);

/// Masks of an m x m block that keep exactly n of every row and column, counted row by row over the
/// columns' needs. Nothing for m above kMostCountedRows, where that takes too long.
[[nodiscard]] std::optional<MaskCount> transposable_masks(Pattern pattern);
inline constexpr std::int64_t kMostCountedRows = 12;

/// The formula for the same that is published, M! (M-1)! ... (M-N+1)! with N = m - n zeros, for
/// comparison: it counts too many, 144 instead of 90 for 2:4 (Hubara et al., "Accelerated Sparse
/// Neural Training", NeurIPS 2021).
[[nodiscard]] MaskCount published_transposable_masks(Pattern pattern);

/// log10 of the masks of a tensor of `elements`: whole groups, or blocks, of `per_unit` elements
/// that each have `count` masks. Rounded to whole ones below.
[[nodiscard]] double tensor_diversity(const MaskCount& count, std::int64_t per_unit,
                                      std::int64_t elements);
/// log10 C(elements, kept) by the log-gamma function, for tensors of any size.
[[nodiscard]] double unstructured_diversity(std::int64_t elements, std::int64_t kept);

}  // namespace stcsim::pruning
