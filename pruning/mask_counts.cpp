#include "pruning/mask_counts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "common/io/csv_table.hpp"

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

namespace {

using boost::multiprecision::cpp_int;

MaskCount count_of(const cpp_int& value) {
  MaskCount count{value.str(), 0};
  // Leading digits and their place: a double cannot hold the number itself.
  constexpr std::size_t kDigits = 17;
  const std::size_t digits = std::min(count.exact.size(), kDigits);
  count.log10 = std::log10(to_number(count.exact.substr(0, digits)).value()) +
                static_cast<double>(count.exact.size() - digits);
  return count;
}

cpp_int binomial(std::int64_t count, std::int64_t chosen) {
  cpp_int value = 1;
  for (std::int64_t i = 1; i <= std::min(chosen, count - chosen); ++i) {
    value = value * (count - i + 1) / i;
  }
  return value;
}

cpp_int factorial(std::int64_t count) {
  cpp_int value = 1;
  for (std::int64_t i = 2; i <= count; ++i) value *= i;
  return value;
}

/// columns[need]: how many columns still need so many ones. Their order does not matter.
using Needs = std::vector<std::int64_t>;

/// Calls visit(needs after a row of `ones` more, in how many ways), choosing among columns that
/// need at least `need`.
void for_each_row(const Needs& before, Needs& after, std::size_t need, std::int64_t ones,
                  const cpp_int& ways, const std::function<void(const cpp_int&)>& visit) {
  if (need == before.size()) {
    if (ones == 0) visit(ways);
    return;
  }
  for (std::int64_t taken = 0; taken <= std::min(ones, before[need]); ++taken) {
    after[need] -= taken;
    after[need - 1] += taken;
    for_each_row(before, after, need + 1, ones - taken, ways * binomial(before[need], taken),
                 visit);
    after[need] += taken;
    after[need - 1] -= taken;
  }
}

}  // namespace

MaskCount unstructured_masks(std::int64_t elements, std::int64_t kept) {
  return count_of(binomial(elements, kept));
}

MaskCount group_masks(Pattern pattern) {
  const Pattern granules = pattern.of_granules();
  return unstructured_masks(granules.m, granules.n);
}

MaskCount sequential_masks(Pattern pattern) {
  return count_of(pattern.of_granules().n + 1);
}

std::optional<MaskCount> transposable_masks(Pattern pattern) {
  if (pattern.m > kMostCountedRows) return std::nullopt;
  Needs start(static_cast<std::size_t>(pattern.n + 1));
  start.back() = pattern.m;
  std::map<Needs, cpp_int> ways{{start, 1}};
  for (std::int64_t row = 0; row < pattern.m; ++row) {
    std::map<Needs, cpp_int> next;
    for (const auto& [needs, count] : ways) {
      Needs after = needs;
      for_each_row(needs, after, 1, pattern.n, count,
                   [&](const cpp_int& product) { next[after] += product; });
    }
    ways = std::move(next);
  }
  Needs done(start.size());
  done.front() = pattern.m;
  return count_of(ways.at(done));
}

MaskCount published_transposable_masks(Pattern pattern) {
  cpp_int value = 1;
  for (std::int64_t i = pattern.n + 1; i <= pattern.m; ++i) value *= factorial(i);
  return count_of(value);
}

double tensor_diversity(const MaskCount& count, std::int64_t per_unit, std::int64_t elements) {
  const std::int64_t units = elements / per_unit;
  return static_cast<double>(units) * count.log10;
}

double unstructured_diversity(std::int64_t elements, std::int64_t kept) {
  const auto log_factorial = [](std::int64_t count) {
    return std::lgamma(static_cast<double>(count) + 1);
  };
  return (log_factorial(elements) - log_factorial(kept) - log_factorial(elements - kept)) /
         std::log(10.0);
}

}  // namespace stcsim::pruning
