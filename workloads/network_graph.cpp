#include "workloads/network_graph.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "common/counts.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kInputName = "input";
constexpr std::string_view kEmbedding = "embedding";

/// What find_graph_fault() answers.
struct GraphFault {
  std::string text;
};

[[noreturn]] void fail(const Layer& layer, const std::string& what) {
  throw GraphFault{fmt::format("layer '{}': {}", layer.name, what)};
}

std::string text_of(const ActivationShape& shape) {
  return fmt::format("{} channels of {}x{}", shape.channels, shape.height, shape.width);
}

const std::vector<StreamOp>& operations_at(const Network& network, int layer) {
  return layer == Place::kInput ? network.input->after : network.layers[as_size(layer)].after;
}

/// The layer before `user` of that name, or the input.
int find_layer(const Network& network, std::size_t user, std::string_view name) {
  if (name == kInputName) return Place::kInput;
  const std::span<const Layer> before(network.layers.data(), user);
  const auto found = std::ranges::find(before, name, &Layer::name);
  if (found == before.end()) {
    fail(network.layers[user], fmt::format("'{}' is no layer before it, nor 'input'", name));
  }
  return static_cast<int>(found - before.begin());
}

Place find_place(const Network& network, std::size_t user, const std::string& text) {
  const std::size_t slash = text.find('/');
  const int layer = find_layer(network, user, std::string_view(text).substr(0, slash));
  const std::vector<StreamOp>& operations = operations_at(network, layer);
  if (slash == std::string::npos) return {layer, operations.size()};
  const std::string_view name = std::string_view(text).substr(slash + 1);
  if (layer == Place::kInput && name == kEmbedding) return {layer, 0};
  const auto found = std::ranges::find_if(
      operations, [name](StreamOp operation) { return to_string(operation) == name; });
  if (found == operations.end()) {
    fail(network.layers[user], fmt::format("'{}' names no operation after that layer", text));
  }
  return {layer, static_cast<std::size_t>(found - operations.begin()) + 1};
}

std::vector<Place> inputs_of(const Network& network, std::size_t index) {
  const Layer& layer = network.layers[index];
  if (layer.inputs.empty()) {
    const int before = static_cast<int>(index) - 1;
    return {{before, operations_at(network, before).size()}};
  }
  std::vector<Place> places;
  for (const std::string& text : layer.inputs) places.push_back(find_place(network, index, text));
  return places;
}

void check_weighted(const Network& network, const Layer& layer, const LayerEdges& edges) {
  if (edges.inputs.size() != 1) fail(layer, "it takes one input");
  if (layer.experts > 1) fail(layer, "layers of experts are not trained here");
  if (layer.dilation > 1 || layer.stride_columns || layer.pad_columns) {
    fail(layer, "convolutions that are trained have no dilation, and treat rows as columns");
  }
  const ActivationShape got = shape_at(network, edges.inputs.front());
  const ActivationShape wanted{layer.in_channels, layer.height, layer.width};
  const bool flattens = layer.kind == LayerKind::linear && layer.height == 1 &&
                        got.channels * got.height * got.width == layer.in_channels;
  const bool rows = layer.kind == LayerKind::linear && got.channels == layer.in_channels &&
                    got.height * got.width == layer.height;
  if (got != wanted && !flattens && !rows) {
    fail(layer, fmt::format("it takes {}, but its input has {}", text_of(wanted), text_of(got)));
  }
}

void check_attention(const Network& network, const Layer& layer, const LayerEdges& edges) {
  if (layer.shared_by > 1 || layer.window > 0) {
    fail(layer, "attention that is trained has neither grouped queries nor a window");
  }
  if (!layer.attention) fail(layer, "'attention' must say whether it is scores or values");
  if (edges.inputs.size() != 2) fail(layer, "it takes two inputs");
  const auto expect = [&](Place place, std::int64_t tokens, std::int64_t channels) {
    const ActivationShape got = shape_at(network, place);
    const ActivationShape wanted{channels, tokens, 1};
    if (got == wanted) return;
    fail(layer, fmt::format("it takes {}, but an input has {}", text_of(wanted), text_of(got)));
  };
  if (*layer.attention == Attention::scores) {
    expect(edges.inputs[0], layer.bmm_n, layer.bmm_k * layer.count);
    expect(edges.inputs[1], layer.bmm_m, layer.bmm_k * layer.count);
    if (std::ranges::count(layer.after, StreamOp::softmax) != 1) {
      fail(layer, "scores need a softmax after them");
    }
    if (layer.causal && layer.bmm_m != layer.bmm_n) fail(layer, "causal scores are square");
    return;
  }
  expect(edges.inputs[0], layer.bmm_n, layer.bmm_k * layer.count);
  expect(edges.inputs[1], layer.bmm_k, layer.bmm_m * layer.count);
  const int scores = edges.inputs[0].layer;
  if (scores == Place::kInput || network.layers[as_size(scores)].attention != Attention::scores) {
    fail(layer, "its first input must be scores");
  }
}

void check_operations(const Network& network, std::size_t index, const LayerEdges& edges) {
  const Layer& layer = network.layers[index];
  const auto adds = std::ranges::count(layer.after, StreamOp::residual_add);
  if (adds > 1) fail(layer, "it adds a residual twice");
  if ((adds == 1) != edges.shortcut.has_value()) {
    fail(layer, adds == 1 ? "'shortcut' must say what residual_add adds"
                          : "it has a 'shortcut', but no residual_add after it");
  }
  if (adds == 1) {
    const auto at = std::ranges::find(layer.after, StreamOp::residual_add) - layer.after.begin();
    const Place here{static_cast<int>(index), static_cast<std::size_t>(at)};
    const ActivationShape own = shape_at(network, here);
    const ActivationShape added = shape_at(network, *edges.shortcut);
    if (own != added) {
      fail(layer, fmt::format("its shortcut has {}, it has {}", text_of(added), text_of(own)));
    }
  }
}

void check_layer(const Network& network, std::size_t index, const LayerEdges& edges) {
  const Layer& layer = network.layers[index];
  if (layer.repeat != 1) fail(layer, "a network that states its input names each layer by itself");
  if (!layer.has_product()) fail(layer, "the network's input embeds its tokens already");
  if (layer.kind != LayerKind::bmm && (layer.attention || layer.causal)) {
    fail(layer, "only a bmm is part of attention");
  }
  layer.kind == LayerKind::bmm ? check_attention(network, layer, edges)
                               : check_weighted(network, layer, edges);
  check_operations(network, index, edges);
}

LayerEdges edges_at(const Network& network, std::size_t index) {
  LayerEdges edges{inputs_of(network, index), {}};
  const std::string& shortcut = network.layers[index].shortcut;
  if (!shortcut.empty()) edges.shortcut = find_place(network, index, shortcut);
  return edges;
}

void check_input(const NetworkInput& input) {
  for (const StreamOp operation : input.after) {
    if (operation != StreamOp::layer_norm) {
      throw GraphFault{"only layer_norm can be done on the input"};
    }
  }
}

void refuse_edges(const Network& network) {
  for (const Layer& layer : network.layers) {
    if (layer.inputs.empty() && layer.shortcut.empty() && !layer.attention) continue;
    fail(layer, "it has edges, but the network does not state its 'input'");
  }
}

}  // namespace

std::string find_graph_fault(const Network& network) {
  try {
    if (!network.input) {
      refuse_edges(network);
      return "";
    }
    check_input(*network.input);
    for (std::size_t index = 0; index < network.layers.size(); ++index) {
      check_layer(network, index, edges_at(network, index));
    }
  } catch (const GraphFault& fault) {
    return fault.text;
  }
  return "";
}

std::vector<LayerEdges> edges_of(const Network& network) {
  std::vector<LayerEdges> edges;
  for (std::size_t index = 0; index < network.layers.size(); ++index) {
    edges.push_back(edges_at(network, index));
  }
  return edges;
}

ActivationShape shape_at(const Network& network, Place place) {
  if (place.layer == Place::kInput) {
    return {network.input->channels, network.input->height, network.input->width};
  }
  const Layer& layer = network.layers[as_size(place.layer)];
  ActivationShape shape{layer.out_channels, layer.out_height(), layer.out_width()};
  if (layer.kind == LayerKind::bmm) shape = {layer.bmm_m * layer.count, layer.bmm_n, 1};
  for (std::size_t i = 0; i < place.operations; ++i) {
    if (layer.after[i] == StreamOp::avg_pool) shape.height = shape.width = 1;
    if (layer.after[i] == StreamOp::max_pool) {
      shape.height = ceil_div(shape.height, 2);
      shape.width = ceil_div(shape.width, 2);
    }
  }
  return shape;
}

}  // namespace stcsim
