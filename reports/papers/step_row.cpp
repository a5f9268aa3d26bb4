#include "reports/papers/step_row.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "common/io/catalog.hpp"
#include "common/io/suggestion.hpp"
#include "common/phase.hpp"
#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

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
  const QuantityInfo& info = info_of(row.quantity);
  const auto refuse = [&](const char* key, const char* needs) {
    map.fail(key, fmt::format("'{}' has no effect on {}, {}", key, info.name, needs));
  };
  for (const char* const key : {"layers", "products", "each"}) {
    if (map.has(key) && info.scope != Scope::layers) {
      refuse(key, "which is of a whole step or pass");
    }
  }
  if (row.against.has_value() != (info.scope == Scope::two_steps)) {
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
  return info_of(quantity).scope == Scope::inference ||
         (products.size() == 1 && products.front() == kInferenceName);
}

std::vector<StepRow> read_step_rows(MapReader& map) {
  StepRow row;
  row.network_file = file_named_by(map, ConfigKind::network, "network");
  row.scheme = read_scheme_name(map);
  row.quantity =
      read_quantity(map, {Scope::layers, Scope::step, Scope::inference, Scope::two_steps});
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

}  // namespace stcsim
