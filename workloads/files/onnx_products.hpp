#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/files/onnx_graph.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// Gives a convolution the strides, pads and dilation of its node. False if they are not possible.
[[nodiscard]] bool set_window(const OnnxNode& node, const std::vector<std::int64_t>& output,
                              Layer& layer);

/// Products of an Einsum of two operands: how many, and m, n and k of each; nothing if it is none.
[[nodiscard]] std::optional<std::array<std::int64_t, 4>> einsum_sizes(
    std::string text, const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b);

/// Linear layers of a network with attention that are not part of it are its feed-forward ones;
/// the last layer classifies.
void settle_roles(std::vector<Layer>& layers);

}  // namespace stcsim
