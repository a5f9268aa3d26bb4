#include "reports/papers/mask_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "curves/statistics.hpp"
#include "pruning/prune.hpp"
#include "pruning/random_stream.hpp"
#include "pruning/schemes.hpp"

namespace stcsim {
namespace {

using pruning::Tensor;

constexpr std::array<std::pair<std::string_view, bool>, 2> kPhases{
    {{"forward", false}, {"dgrad", true}}};
constexpr std::string_view kUnstructured = "unstructured";
constexpr std::string_view kOptimal = "transposable";

/// Why a scheme of the pruning library cannot prune to the pattern; "" if it can.
std::string find_method_fault(const pruning::Scheme& scheme, Pattern pattern) {
  if (scheme.only && pattern != *scheme.only) {
    return fmt::format("'{}' is for {} only, the pattern is {}", scheme.name,
                       scheme.only->to_string(), pattern.to_string());
  }
  if (pattern.granule > 1 && !scheme.keeps_pairs) {
    return fmt::format("'{}' keeps and drops single elements, the pattern is {}", scheme.name,
                       pattern.to_string());
  }
  if (pattern.selects_columns() && !scheme.selects_columns) {
    return fmt::format("'{}' chooses in each row for itself, the pattern is {}", scheme.name,
                       pattern.to_string());
  }
  return "";
}

/// The key `method` of a row: a scheme of the pruning library that copies what it keeps and that
/// can prune to the pattern; or `besides`.
/// @throws ConfigError at it, which lists the names
std::string read_pruning_method(MapReader& map, Pattern pattern, std::string_view besides) {
  std::vector<std::string_view> names;
  if (!besides.empty()) names.push_back(besides);
  for (const pruning::Scheme& scheme : pruning::schemes()) {
    if (scheme.copies_values) names.push_back(scheme.name);
  }
  std::string method = map.get_string("method");
  if (std::ranges::find(names, method) == names.end()) {
    map.fail("method",
             fmt::format("'method' is '{}', must be one of {}", method, fmt::join(names, ", ")));
  }
  if (method == besides) return method;
  const std::string fault = find_method_fault(pruning::find_scheme(method), pattern);
  if (!fault.empty()) map.fail("method", fault);
  return method;
}

/// The key `pattern` of a row: sparse, and not composed, which no method prunes to.
Pattern read_sparse_pattern(MapReader& map) {
  const Pattern pattern = map.get_pattern("pattern");
  if (pattern.is_dense() || pattern.is_composed()) {
    map.fail("pattern",
             fmt::format("'pattern' is {}, must be n:m with n < m", pattern.to_string()));
  }
  return pattern;
}

double magnitudes_of(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += std::abs(static_cast<double>(value));
  return sum;
}

/// Sum of the magnitudes of the largest so many; of equal ones all or none.
double largest_of(std::span<const float> values, std::int64_t kept) {
  if (kept == std::ssize(values)) return magnitudes_of(values);
  std::vector<float> magnitudes;
  for (const float value : values) magnitudes.push_back(std::abs(value));
  const auto end = magnitudes.begin() + (std::ssize(values) - kept - 1);
  std::ranges::nth_element(magnitudes, end);
  double sum = 0;
  for (const float value : values) {
    if (std::abs(value) > *end) sum += std::abs(static_cast<double>(value));
  }
  return sum;
}

pruning::Pruned pruned_by(std::string_view method, const MaskRow& row, const Tensor& tensor,
                          std::int64_t seed) {
  pruning::PruneOptions options;
  options.pattern = row.pattern;
  options.axis = 1;
  options.seed = static_cast<std::uint64_t>(seed);
  return pruning::prune(tensor, method, options);
}

double kept_magnitudes(const MaskRow& row, const Tensor& tensor, std::int64_t seed) {
  if (row.method == kUnstructured) {
    return largest_of(tensor.values, std::ssize(tensor.values) * row.pattern.n / row.pattern.m);
  }
  const pruning::Pruned pruned = pruned_by(row.method, row, tensor, seed);
  return magnitudes_of(row.is_dgrad ? pruned.backward->values : pruned.values.values);
}

/// Share of a tensor of normal numbers (mean 0, variance 1), groups along its columns:
/// sum of the magnitudes that row.method keeps / sum of all, or of the optimum's for of_optimum.
double kept_share(const MaskRow& row, std::int64_t seed) {
  const Tensor tensor = pruning::generated_input(fmt::format("normal:{0}x{0}", row.size),
                                                 static_cast<std::uint64_t>(seed));
  const double kept = kept_magnitudes(row, tensor, seed);
  if (row.quantity != Quantity::mask_of_optimum) return kept / magnitudes_of(tensor.values);
  return kept / magnitudes_of(pruned_by(kOptimal, row, tensor, seed).values.values);
}

void check(const MapReader& map, const MaskRow& row) {
  if (row.size < row.pattern.m) {
    map.fail("size", fmt::format("'size' is {}, must be at least one group of {}", row.size,
                                 row.pattern.m));
  }
  const bool prunes_twice = row.method != kUnstructured &&
                            pruning::find_scheme(row.method).kind == pruning::Kind::two_prunings;
  if (row.is_dgrad && !prunes_twice) {
    map.fail("phase", fmt::format("'{}' has no pruning of its own for dgrad", row.method));
  }
  if (row.quantity == Quantity::mask_of_optimum && row.pattern != row.pattern.of_granules()) {
    map.fail("pattern", fmt::format("the best transposable mask is known of n:m, the pattern is {}",
                                    row.pattern.to_string()));
  }
}

}  // namespace

MaskRow read_mask_row(MapReader& map) {
  MaskRow row;
  row.quantity = read_quantity(map, {Scope::mask});
  row.pattern = read_sparse_pattern(map);
  row.method = read_pruning_method(map, row.pattern, kUnstructured);
  row.size = map.get_int_or("size", std::max<std::int64_t>(256, row.pattern.m), {1, 4096});
  row.seed = map.get_int_or("seed", 1, {0, 1'000'000'000});
  row.seeds = map.get_int_or("seeds", 5, {1, 1000});
  row.is_dgrad = map.get_enum_or("phase", false, kPhases);
  map.finish();
  check(map, row);
  return row;
}

PaperAnswer answer_of(const MaskRow& row) {
  std::vector<double> shares;
  for (std::int64_t i = 0; i < row.seeds; ++i) {
    shares.push_back(100 * kept_share(row, row.seed + i));
  }
  const curves::Spread spread = curves::spread_of(shares, static_cast<std::uint64_t>(row.seed));
  const auto interval = spread.interval.value_or(curves::Interval{spread.mean, spread.mean});
  return {
      "computed",
      fmt::format("normal {0}x{0}, {1} seed{2}", row.size, row.seeds, row.seeds == 1 ? "" : "s"),
      spread.mean,
      interval.low,
      interval.high,
      ""};
}

}  // namespace stcsim
