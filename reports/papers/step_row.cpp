#include "reports/papers/step_row.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "common/io/named_file.hpp"
#include "common/io/suggestion.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

struct StepText {
  std::string_view name;
  std::string_view title;
  PaperUnit unit;
  std::optional<double> neutral;
};
constexpr std::array<StepText, kStepQuantities> kStepTexts{{
    {"share", "share of the GEMMs' time", PaperUnit::percent, std::nullopt},
    {"share_of_dense", "part of the dense GEMMs' time", PaperUnit::percent, std::nullopt},
    {"gemm_gain", "gain of the GEMMs", PaperUnit::ratio, 1},
    {"gemm_saved", "GEMM time saved", PaperUnit::percent, 0},
    {"block_gain", "gain of the layers with all else", PaperUnit::ratio, 1},
    {"step_gain", "gain of the step", PaperUnit::ratio, 1},
    {"step_saved", "step time saved", PaperUnit::percent, 0},
    {"inference_gain", "gain of inference", PaperUnit::ratio, 1},
    {"gemm_ms", "time of the GEMMs", PaperUnit::ms, std::nullopt},
    {"step_ms", "time of the step", PaperUnit::ms, std::nullopt},
    {"inference_ms", "time of inference", PaperUnit::ms, std::nullopt},
    {"step_ratio", "step against the other's", PaperUnit::ratio, 1},
    {"memory_share", "memory against the other's", PaperUnit::percent, 100},
}};

std::array<std::pair<std::string_view, StepQuantity>, kStepQuantities> step_quantities() {
  std::array<std::pair<std::string_view, StepQuantity>, kStepQuantities> names;
  for (std::size_t i = 0; i < kStepQuantities; ++i) {
    names.at(i) = {kStepTexts.at(i).name, static_cast<StepQuantity>(i)};
  }
  return names;
}

bool is_of_layers(StepQuantity quantity) {
  switch (quantity) {
    case StepQuantity::share:
    case StepQuantity::share_of_dense:
    case StepQuantity::gemm_gain:
    case StepQuantity::gemm_saved:
    case StepQuantity::block_gain:
    case StepQuantity::gemm_ms:
      return true;
    default:
      return false;
  }
}

bool compares_schemes(StepQuantity quantity) {
  return quantity == StepQuantity::step_ratio || quantity == StepQuantity::memory_share;
}

StepScheme read_scheme_name(MapReader& map) {
  StepScheme scheme;
  scheme.file = map.has("scheme")
                    ? file_named_by(map, ConfigKind::scheme, "scheme")
                    : resolve_config(ConfigKind::scheme, kBaselineScheme, "").string();
  scheme.name = scheme.file.empty() ? "" : load_scheme(scheme.file).name;
  if (map.has("pattern")) scheme.pattern = map.get_pattern("pattern").to_string();
  return scheme;
}

std::vector<std::string> all_products() {
  std::vector<std::string> products;
  for (const Phase phase : kPhases) products.emplace_back(to_string(phase));
  return products;
}

std::vector<std::string> read_products(MapReader& map) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kProducts{
      {{"forward", "forward"}, {"dgrad", "dgrad"}, {"wgrad", "wgrad"}, {"inference", "inference"}}};
  if (!map.has("products")) return all_products();
  std::vector<std::string> products;
  for (const std::string_view name : map.get_enum_list("products", kProducts)) {
    products.emplace_back(name);
  }
  const bool has_inference =
      std::find(products.begin(), products.end(), kInferenceName) != products.end();
  if (products.empty() || (has_inference && products.size() > 1)) {
    map.fail("products",
             "'products' must name some of forward, dgrad and wgrad, or inference alone");
  }
  return products;
}

void check_layers(const MapReader& map, const std::vector<std::string>& layers,
                  const Network& network) {
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) names.push_back(layer.name);
  for (const std::string& layer : layers) {
    if (std::find(names.begin(), names.end(), layer) != names.end()) continue;
    const std::string hint = did_you_mean(layer, names);
    map.fail("layers", fmt::format("{} has no layer '{}'{}", network.name, layer,
                                   hint.empty() ? "; 'stcsim list layers' lists them" : hint));
  }
}

void read_comparison(MapReader& map, StepRow& row) {
  if (!map.has("against")) return;
  MapReader against = map.get_map("against");
  row.against = read_scheme_name(against);
  against.finish();
}

void check_keys(MapReader& map, const StepRow& row) {
  const auto refuse = [&](const char* key, const char* needs) {
    map.fail(key, fmt::format("'{}' has no effect on {}, {}", key,
                              kStepTexts.at(static_cast<std::size_t>(row.quantity)).name, needs));
  };
  for (const char* const key : {"layers", "products", "each"}) {
    if (map.has(key) && !is_of_layers(row.quantity)) {
      refuse(key, "which is of a whole step or pass");
    }
  }
  if (row.against.has_value() != compares_schemes(row.quantity)) {
    if (row.against) refuse("against", "must be with step_ratio or memory_share");
    map.fail("quantity", "'quantity' compares two schemes, must have 'against' beside it");
  }
}

/// One of every layer and product.
std::vector<StepRow> rows_of_layers(const StepRow& all, const Network& network) {
  std::vector<StepRow> rows;
  for (const Layer& layer : network.layers) {
    if (!layer.has_product()) continue;
    for (const std::string& product : all.products) {
      if (product == to_string(Phase::dgrad) && !layer.needs_dgrad) continue;
      StepRow row = all;
      row.layers = {layer.name};
      row.products = {product};
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

bool StepRow::is_inference() const {
  return quantity == StepQuantity::inference_gain || quantity == StepQuantity::inference_ms ||
         (products.size() == 1 && products.front() == kInferenceName);
}

std::vector<StepRow> read_step_rows(MapReader& map) {
  StepRow row;
  row.network_file = file_named_by(map, ConfigKind::network, "network");
  row.scheme = read_scheme_name(map);
  row.quantity = map.get_enum("quantity", step_quantities());
  if (map.has("batch")) row.batch = map.get_int("batch", {1, 1'000'000});
  if (map.has("dtype")) row.dtype = to_string(map.get_dtype("dtype"));
  if (map.has("layers")) row.layers = map.get_string_list("layers");
  row.products = read_products(map);
  const bool is_each = map.has("each");
  if (is_each && map.get_string("each") != "layer") map.fail("each", "'each' must be layer");
  read_comparison(map, row);
  check_keys(map, row);
  map.finish();
  const Network network = load_network(row.network_file);
  row.network = network.name;
  check_layers(map, row.layers, network);
  if (!is_each) return {row};
  return rows_of_layers(row, network);
}

PaperQuantity quantity_of(const StepRow& row) {
  const StepText& text = kStepTexts.at(static_cast<std::size_t>(row.quantity));
  return {std::string(text.title), text.unit, text.neutral};
}

}  // namespace stcsim
