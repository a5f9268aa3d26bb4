#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/io/problems.hpp"
#include "workloads/files/import.hpp"
#include "workloads/files/onnx_graph.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// What is known of a tensor of a graph.
struct OnnxShape {
  std::vector<std::int64_t> dims;
  /// Of small integer tensors, such as the shapes that graphs compute.
  std::optional<std::vector<std::int64_t>> values;
  /// The weight that it is, or is a view of; "" for activations.
  std::string weight;
  /// Computed from weights and constants alone.
  bool is_constant = false;

  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] bool is_possible() const;
};

using OnnxShapes = std::map<std::string, OnnxShape>;

/// What is known of an input; null where it is left out, or nothing is.
[[nodiscard]] const OnnxShape* find_shape(const OnnxShapes& shapes, const OnnxNode& node,
                                          std::size_t index);

/// The size of a dimension that the file has, or else the options; nothing if neither has.
[[nodiscard]] std::optional<std::int64_t> size_of(const OnnxDim& dim, std::size_t place,
                                                  std::size_t rank, const ImportOptions& options);

/// Sizes of what goes into a graph: its weights and inputs.
/// @return the samples of the first input that has some; 1 if none has
[[nodiscard]] std::int64_t read_inputs(const OnnxGraph& graph, const ImportOptions& options,
                                       Problems& problems, OnnxShapes& shapes);

/// Sizes of every operand that this knows the rules of (opsets 6 to 23): those of the outputs of
/// `node` join `shapes`; an output is left out if its size is not known.
/// @return false if the operator is not known
bool infer_shapes(const OnnxNode& node, OnnxShapes& shapes);

/// Most elements of a tensor, and most dimensions.
inline constexpr std::int64_t kMostOnnxElements = std::int64_t{1} << 53;
inline constexpr std::size_t kMostOnnxRank = 16;

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
