#include "reports/papers/mask_row.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "curves/spread.hpp"

namespace stcsim {
namespace {

template <class Value, std::size_t kCount>
using Names = std::array<std::pair<std::string_view, Value>, kCount>;

constexpr Names<MaskInput, 2> kInputs{{{"normal", MaskInput::normal}, {"tight", MaskInput::tight}}};
constexpr Names<bool, 2> kPhases{{{"forward", false}, {"dgrad", true}}};
constexpr Names<AdaPruneStage, 3> kStages{{
    {"masked", AdaPruneStage::masked},
    {"absorbed", AdaPruneStage::absorbed},
    {"trained", AdaPruneStage::trained},
}};

constexpr std::int64_t kMostLayer = 1024;
constexpr std::string_view kUnstructured = "unstructured";

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

/// The key `method` of a row, one of `names`.
/// @throws ConfigError at it, which lists the names
std::string read_method_of(MapReader& map, const std::vector<std::string_view>& names) {
  std::string method = map.get_string("method");
  if (std::ranges::find(names, method) == names.end()) {
    map.fail("method",
             fmt::format("'method' is '{}', must be one of {}", method, fmt::join(names, ", ")));
  }
  return method;
}

bool copies_values(const pruning::Scheme& scheme) {
  return scheme.copies_values;
}

void read_size(MapReader& map, MaskRow& row, std::int64_t fallback, std::int64_t most) {
  row.size = map.get_int_or("size", std::max(fallback, row.pattern.m), {1, most});
  if (row.size < row.pattern.m) {
    map.fail("size", fmt::format("'size' is {}, must be at least one group of {}", row.size,
                                 row.pattern.m));
  }
}

void read_seed(MapReader& map, MaskRow& row) {
  row.seed = map.get_int_or("seed", 1, {0, kMostRowSeed});
}

void read_retained(MapReader& map, MaskRow& row) {
  row.method = read_pruning_method(map, row.pattern, &copies_values, kUnstructured);
  read_size(map, row, 256, kMostRowSize);
  read_seed(map, row);
  row.seeds = map.get_int_or("seeds", 5, {1, kMostRowSeeds});
  row.is_dgrad = map.get_enum_or("phase", false, kPhases);
  map.finish();
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

void read_guarantee(MapReader& map, MaskRow& row) {
  row.method = read_method_of(map, {"transposable-greedy", "transposable-greedy-published"});
  if (row.pattern != row.pattern.of_granules()) {
    map.fail("pattern",
             fmt::format("greedy masks are of n:m, the pattern is {}", row.pattern.to_string()));
  }
  row.input = map.get_enum_or("on", MaskInput::normal, kInputs);
  row.size = row.pattern.m;
  if (row.input == MaskInput::normal) {
    read_size(map, row, 256, kMostRowSize);
    read_seed(map, row);
  }
  map.finish();
}

void read_adaprune(MapReader& map, MaskRow& row) {
  row.method = read_pruning_method(map, row.pattern, &copies_values);
  read_size(map, row, 64, kMostLayer);
  read_seed(map, row);
  row.zeros = map.get_double_or("zeros", 0, {.min = 0, .max = 0.99});
  row.stage = map.get_enum_or("stage", AdaPruneStage::trained, kStages);
  map.finish();
  if (row.pattern != row.pattern.of_granules()) {
    map.fail("pattern", fmt::format("AdaPrune takes weights to n:m, the pattern is {}",
                                    row.pattern.to_string()));
  }
}

void read_rest(MapReader& map, MaskRow& row) {
  if (row.quantity == Quantity::mask_guarantee) return read_guarantee(map, row);
  if (row.quantity == Quantity::mask_adaprune) return read_adaprune(map, row);
  read_retained(map, row);
}

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

PaperAnswer find_worst(const MaskRow& row) {
  const GreedyFactor factor = greedy_factor(row);
  if (row.input == MaskInput::tight) return computed(factor.worst, "a block that misleads it");
  return computed(factor.worst, fmt::format("{} normal blocks", factor.blocks),
                  fmt::format("the worst block; {:.3f} in the mean", factor.mean));
}

}  // namespace

Pattern read_sparse_pattern(MapReader& map) {
  const Pattern pattern = map.get_pattern("pattern");
  if (pattern.is_dense() || pattern.is_composed()) {
    map.fail("pattern",
             fmt::format("'pattern' is {}, must be n:m with n < m", pattern.to_string()));
  }
  return pattern;
}

std::string read_pruning_method(MapReader& map, Pattern pattern,
                                bool (*suits)(const pruning::Scheme&), std::string_view besides) {
  std::vector<std::string_view> names;
  if (!besides.empty()) names.push_back(besides);
  for (const pruning::Scheme& scheme : pruning::schemes()) {
    if (suits(scheme)) names.push_back(scheme.name);
  }
  std::string method = read_method_of(map, names);
  if (method == besides) return method;
  const std::string fault = find_method_fault(pruning::find_scheme(method), pattern);
  if (!fault.empty()) map.fail("method", fault);
  return method;
}

MaskRow read_mask_row(MapReader& map) {
  MaskRow row;
  row.quantity = read_quantity(map, {Scope::mask});
  row.pattern = read_sparse_pattern(map);
  read_rest(map, row);
  return row;
}

PaperAnswer answer_of(const MaskRow& row) {
  if (row.quantity == Quantity::mask_guarantee) return find_worst(row);
  if (row.quantity != Quantity::mask_adaprune) return share_over_seeds(row);
  return computed(100 * output_error(row),
                  fmt::format("layer of {0}x{0}, {1:g} % of it zero before; inputs that AdaPrune "
                              "was not given",
                              row.size, 100 * row.zeros));
}

}  // namespace stcsim
