#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/layer.hpp"

namespace stcsim {

/// A place in a network that a value is taken from.
struct Place {
  static constexpr int kInput = -1;

  /// Index of the layer, or kInput.
  int layer = kInput;
  /// How many of its operations (`after`) have been done.
  std::size_t operations = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
};

/// Where the values that a layer works on come from.
struct LayerEdges {
  /// One of a conv or linear; queries and keys, or scores and values, of a bmm.
  std::vector<Place> inputs;
  /// What its residual_add adds.
  std::optional<Place> shortcut;
};

/// What a sample's value at some place is like: images, or tokens (height; width 1) of so many
/// channels.
struct ActivationShape {
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;

  friend auto operator<=>(const ActivationShape&, const ActivationShape&) = default;
};

/// Why the layers of `network` do not hang together, as one sentence; "" if they do. A network that
/// states no input must have no edges, and is not looked at any further.
[[nodiscard]] std::string find_graph_fault(const Network& network);

/// The edges of every layer. The network has an input and no fault.
[[nodiscard]] std::vector<LayerEdges> edges_of(const Network& network);

/// Of the value at `place`. max_pool halves height and width (rounded up), avg_pool leaves one
/// pixel.
[[nodiscard]] ActivationShape shape_at(const Network& network, Place place);

}  // namespace stcsim
