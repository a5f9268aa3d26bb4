#pragma once

#include <cstdint>

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

}  // namespace stcsim::pruning
