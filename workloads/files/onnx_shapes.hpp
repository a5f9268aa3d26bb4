#pragma once

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
  /// Of small tensors, such as the shapes that graphs compute.
  std::optional<std::vector<double>> values;
  /// The weight that it is, or is a view of; "" for activations.
  std::string weight;
  /// Computed from weights and constants alone.
  bool is_constant = false;
  /// Floating point: division has no remainder.
  bool is_real = false;

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

/// Sizes of a graph's weights.
void take_initializers(const OnnxGraph& graph, Problems& problems, OnnxShapes& shapes);

/// Sizes of what goes into a graph: its weights and inputs.
/// @return the samples of the first input that has some; 1 if none has
[[nodiscard]] std::int64_t read_inputs(const OnnxGraph& graph, const ImportOptions& options,
                                       Problems& problems, OnnxShapes& shapes);

/// Sizes of every operand that this knows the rules of (opsets 6 to 24): those of the outputs of
/// `node` join `shapes`; an output is left out if its size is not known.
/// @return false if the operator is not known
bool infer_shapes(const OnnxNode& node, OnnxShapes& shapes);

/// Most elements of a tensor, and most dimensions.
inline constexpr std::int64_t kMostOnnxElements = std::int64_t{1} << 53;
inline constexpr std::size_t kMostOnnxRank = 16;

/// The products of one node.
struct OnnxProduct {
  /// Of a sample; their names are what follows the node's.
  std::vector<Layer> layers;
  /// The value that a weight is multiplied with, and the weight; "" where there is none.
  std::string data;
  std::string weight;
  bool is_read = false;
  /// Why it is not, to be put behind the node's name; "" where its sizes are not known or possible.
  std::string fault;
  /// How the layers say it, where they say it another way.
  std::string note;
};

/// What a node multiplies or looks up; nothing if its operator never does.
[[nodiscard]] std::optional<OnnxProduct> product_of(const OnnxNode& node, const OnnxShapes& shapes,
                                                    std::int64_t batch);

/// Linear layers of a network with attention that are not part of it are its feed-forward ones;
/// the last layer classifies.
void settle_roles(std::vector<Layer>& layers);

}  // namespace stcsim
