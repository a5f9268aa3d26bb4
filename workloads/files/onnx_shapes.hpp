#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/files/onnx_graph.hpp"

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

/// Sizes of every operand that this knows the rules of (opsets 6 to 23): those of the outputs of
/// `node` join `shapes`; an output is left out if its size is not known.
/// @return false if the operator is not known
bool infer_shapes(const OnnxNode& node, OnnxShapes& shapes);

/// Most elements of a tensor, and most dimensions.
inline constexpr std::int64_t kMostOnnxElements = std::int64_t{1} << 53;
inline constexpr std::size_t kMostOnnxRank = 16;

}  // namespace stcsim
