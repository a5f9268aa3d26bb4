#include "pruning/block_probability.hpp"

#include <cmath>

namespace stcsim::pruning {

double binomial_probability(std::int64_t count, std::int64_t hits, double p) {
  double probability = 1;
  for (std::int64_t i = 1; i <= hits; ++i) {
    probability *= static_cast<double>(count - hits + i) / static_cast<double>(i) * p;
  }
  return probability * std::pow(1 - p, static_cast<double>(count - hits));
}

double fit_probability(Pattern pattern, double zeros) {
  const Pattern granules = pattern.of_granules();
  const double zero_granule = pattern.granule == 1 ? zeros : zeros * zeros;
  double sum = 0;
  for (std::int64_t hits = granules.m - granules.n; hits <= granules.m; ++hits) {
    sum += binomial_probability(granules.m, hits, zero_granule);
  }
  return sum;
}

std::int64_t most_likely_zeros(std::int64_t m, double zeros, double confidence) {
  std::int64_t count = m;
  while (count > 0 && fit_probability({m - count, m}, zeros) <= confidence) --count;
  return count;
}

}  // namespace stcsim::pruning
