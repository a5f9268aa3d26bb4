#include "reports/papers/mask_row.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "pruning/mask_counts.hpp"
#include "pruning/schemes.hpp"
#include "reports/papers/mask_counts.hpp"
#include "reports/papers/paper_methods.hpp"

namespace stcsim {
namespace {

template <class Value, std::size_t kCount>
using Names = std::array<std::pair<std::string_view, Value>, kCount>;

constexpr Names<MaskQuantity, 10> kMaskQuantities{{
    {"diversity", MaskQuantity::diversity},
    {"diversity_log10", MaskQuantity::diversity_log10},
    {"diversity_published", MaskQuantity::diversity_published},
    {"diversity_published_log10", MaskQuantity::diversity_published_log10},
    {"retained", MaskQuantity::retained},
    {"of_optimum", MaskQuantity::of_optimum},
    {"guarantee", MaskQuantity::guarantee},
    {"work", MaskQuantity::work},
    {"adaprune", MaskQuantity::adaprune},
}};

constexpr Names<MaskFreedom, 4> kFreedoms{{
    {"unstructured", MaskFreedom::unstructured},
    {"groups", MaskFreedom::groups},
    {"sequential", MaskFreedom::sequential},
    {"transposable", MaskFreedom::transposable},
}};
constexpr Names<MaskFreedom, 1> kPublishedFreedom{{{"transposable", MaskFreedom::transposable}}};

constexpr Names<MaskInput, 2> kInputs{{{"normal", MaskInput::normal}, {"tight", MaskInput::tight}}};
constexpr Names<bool, 2> kPhases{{{"forward", false}, {"dgrad", true}}};
constexpr Names<AdaPruneStage, 3> kStages{{
    {"masked", AdaPruneStage::masked},
    {"absorbed", AdaPruneStage::absorbed},
    {"trained", AdaPruneStage::trained},
}};

constexpr std::int64_t kMostLayer = 1024;
/// A double holds numbers up to 1.8e308.
constexpr double kMostDigits = 300;
constexpr std::string_view kUnstructured = "unstructured";

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

void check_counted(const MapReader& map, const MaskRow& row) {
  if (row.pattern == row.pattern.of_granules() && row.pattern.m <= pruning::kMostCountedRows)
    return;
  map.fail("pattern", fmt::format("transposable masks are counted of n:m with m up to {}, the "
                                  "pattern is {}",
                                  pruning::kMostCountedRows, row.pattern.to_string()));
}

void read_diversity(MapReader& map, MaskRow& row) {
  row.freedom = is_published(row.quantity)
                    ? map.get_enum_or("method", MaskFreedom::transposable, kPublishedFreedom)
                    : map.get_enum("method", kFreedoms);
  read_size(map, row, 0, kMostRowSize);
  map.finish();
  if (row.freedom == MaskFreedom::transposable && !is_published(row.quantity)) {
    check_counted(map, row);
  }
  if (row.pattern.selects_columns()) {
    map.fail("pattern",
             fmt::format("masks are counted of n:m, the pattern is {}", row.pattern.to_string()));
  }
  if (row.size % row.pattern.m != 0) {
    map.fail("size",
             fmt::format("'size' is {}, must be a multiple of {}", row.size, row.pattern.m));
  }
  if (!is_log10(row.quantity) && log10_of_masks(row) > kMostDigits) {
    map.fail("quantity",
             fmt::format("there are 10^{:.0f} masks, more than a number can hold: ask "
                         "for '{}_log10'",
                         log10_of_masks(row),
                         is_published(row.quantity) ? "diversity_published" : "diversity"));
  }
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
  if (row.quantity == MaskQuantity::of_optimum && row.pattern != row.pattern.of_granules()) {
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

void read_work(MapReader& map, MaskRow& row) {
  row.method =
      read_method_of(map, {"transposable", "transposable-greedy", "transposable-exhaustive"});
  map.finish();
  if (row.method == "transposable-exhaustive") check_counted(map, row);
}

void read_rest(MapReader& map, MaskRow& row) {
  switch (row.quantity) {
    case MaskQuantity::retained:
    case MaskQuantity::of_optimum:
      return read_retained(map, row);
    case MaskQuantity::guarantee:
      return read_guarantee(map, row);
    case MaskQuantity::work:
      return read_work(map, row);
    case MaskQuantity::adaprune:
      return read_adaprune(map, row);
    default:
      return read_diversity(map, row);
  }
}

}  // namespace

MaskRow read_mask_row(MapReader& map) {
  MaskRow row;
  row.quantity = map.get_enum("quantity", kMaskQuantities);
  row.pattern = read_sparse_pattern(map);
  read_rest(map, row);
  return row;
}

PaperQuantity quantity_of(const MaskRow& row) {
  switch (row.quantity) {
    case MaskQuantity::diversity:
      return {"masks", PaperUnit::count, {}};
    case MaskQuantity::diversity_log10:
      return {"masks (log10)", PaperUnit::value, {}};
    case MaskQuantity::diversity_published:
      return {"masks by the published formula", PaperUnit::count, {}};
    case MaskQuantity::diversity_published_log10:
      return {"masks by the published formula (log10)", PaperUnit::value, {}};
    case MaskQuantity::retained:
      return {"magnitude kept", PaperUnit::percent, {}};
    case MaskQuantity::of_optimum:
      return {"magnitude kept of what the best transposable mask keeps", PaperUnit::percent, {}};
    case MaskQuantity::guarantee:
      return {"how much worse than the optimum, worst block", PaperUnit::ratio, 1};
    case MaskQuantity::work:
      return {"steps per element to find a mask", PaperUnit::count, {}};
    case MaskQuantity::adaprune:
      break;
  }
  return {"error of the layer's output", PaperUnit::percent, {}};
}

}  // namespace stcsim
