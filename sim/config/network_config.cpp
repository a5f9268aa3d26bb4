#include "sim/config/network_config.hpp"

#include <set>

#include "common/io/catalog.hpp"
#include "sim/config/workload_names.hpp"
#include "workloads/network_graph.hpp"

namespace stcsim {
namespace {

void read_conv(MapReader& map, Layer& layer) {
  layer.in_channels = map.get_int("in_channels", kPositive);
  layer.out_channels = map.get_int("out_channels", kPositive);
  const auto input = map.get_int_or_pair("input", kPositive);
  layer.height = input[0];
  layer.width = input[1];
  if (map.has("kernel")) {
    const auto kernel = map.get_int_or_pair("kernel", kPositive);
    layer.kernel_height = kernel[0];
    layer.kernel_width = kernel[1];
  }
  layer.stride = map.get_int_or("stride", 1, kPositive);
  layer.pad = map.get_int_or("pad", 0, kNotNegative);
  layer.groups = map.get_int_or("groups", 1, kPositive);
}

void read_linear(MapReader& map, Layer& layer) {
  layer.in_channels = map.get_int("in_features", kPositive);
  layer.out_channels = map.get_int("out_features", kPositive);
  layer.height = map.get_int_or("tokens", 1, kPositive);
}

void read_weights(MapReader& map, Layer& layer) {
  layer.bias = map.get_bool_or("bias", false);
  layer.tied = map.get_bool_or("tied", false);
  if (map.has("weight_pattern")) layer.weight_pattern = map.get_pattern("weight_pattern");
}

void read_bmm(MapReader& map, Layer& layer) {
  layer.bmm_m = map.get_int("m", kPositive);
  layer.bmm_n = map.get_int("n", kPositive);
  layer.bmm_k = map.get_int("k", kPositive);
  layer.count = map.get_int_or("count", 1, kPositive);
  if (map.has("attention"))
    layer.attention = map.get_enum("attention", names_until(Attention::values));
  layer.causal = map.get_bool_or("causal", false);
}

void read_edges(MapReader& map, Layer& layer) {
  if (map.has("inputs")) layer.inputs = map.get_string_list("inputs");
  layer.shortcut = map.get_string_or("shortcut", "");
}

NetworkInput read_input(MapReader map) {
  NetworkInput input;
  if (map.has("vocabulary")) {
    input.vocabulary = map.get_int("vocabulary", {1, NetworkInput::kMostSize});
    input.height = map.get_int("tokens", {1, NetworkInput::kMostSize});
    input.channels = map.get_int("features", {1, NetworkInput::kMostSize});
    if (map.has("after")) input.after = map.get_enum_list("after", names_until(StreamOp::avg_pool));
  } else {
    input.channels = map.get_int("channels", {1, NetworkInput::kMostSize});
    const auto pixels = map.get_int_or_pair("pixels", {1, NetworkInput::kMostSize});
    input.height = pixels[0];
    input.width = pixels[1];
  }
  map.finish();
  return input;
}

void read_embedding(MapReader& map, Layer& layer) {
  layer.in_channels = map.get_int("vocabulary", kPositive);
  layer.out_channels = map.get_int("features", kPositive);
  layer.height = map.get_int_or("tokens", 1, kPositive);
  layer.tied = map.get_bool_or("tied", false);
  layer.needs_dgrad = false;
}

Layer read_layer(MapReader& map) {
  Layer layer;
  layer.name = map.get_string("name");
  layer.kind = map.get_enum("type", names_until(LayerKind::embedding));
  layer.role = map.get_enum_or("role", LayerRole::body, names_until(LayerRole::classifier));
  layer.repeat = map.get_int_or("repeat", 1, kPositive);
  if (layer.has_product()) layer.needs_dgrad = map.get_bool_or("dgrad", true);
  if (map.has("after")) layer.after = map.get_enum_list("after", names_until(StreamOp::avg_pool));
  if (layer.kind == LayerKind::bmm) {
    read_bmm(map, layer);
  } else if (layer.kind == LayerKind::embedding) {
    read_embedding(map, layer);
  } else {
    layer.kind == LayerKind::conv ? read_conv(map, layer) : read_linear(map, layer);
    read_weights(map, layer);
  }
  read_edges(map, layer);
  map.finish();
  return layer;
}

void check_layer(const MapReader& map, const Layer& layer, std::int64_t batch) {
  const std::string fault = find_fault(layer, batch);
  if (!fault.empty()) throw ConfigError(map.location(), "layer '" + layer.name + "': " + fault);
}

}  // namespace

Network read_network(MapReader& map) {
  Network network;
  network.name = read_file_name(map);
  network.description = map.get_string_or("description", "");
  network.note = map.get_string_or("note", "");
  network.batch = map.get_int("batch", kPositive);
  network.optimizer =
      map.get_enum_or("optimizer", Optimizer::sgd_momentum, names_until(Optimizer::lamb));
  network.accumulation = map.get_int_or("accumulation", 1, kPositive);
  network.other_parameters = map.get_int_or("other_parameters", 0, kNotNegative);
  std::set<std::string> names;
  for (MapReader& layer_map : map.get_maps("layers")) {
    const Layer layer = read_layer(layer_map);
    check_layer(layer_map, layer, network.batch);
    if (!names.insert(layer.name).second) {
      layer_map.fail(
          "name", "layer '" + layer.name + "' is there twice; use 'repeat' for identical layers");
    }
    network.layers.push_back(layer);
  }
  if (network.layers.empty()) map.fail("layers", "a network needs at least one layer");
  if (map.has("input")) network.input = read_input(map.get_map("input"));
  map.finish();
  const std::string fault = find_graph_fault(network);
  if (!fault.empty()) map.fail("layers", fault);
  return network;
}

}  // namespace stcsim
