#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "common/io/problems.hpp"
#include "workloads/files/import.hpp"
#include "workloads/files/onnx_graph.hpp"
#include "workloads/files/onnx_shapes.hpp"

namespace stcsim {

/// Sizes of what goes into a graph: its weights and inputs. They must outlive this.
class OnnxInputs {
 public:
  OnnxInputs(const OnnxGraph& graph, const ImportOptions& options, Problems& problems)
      : graph_(graph), options_(options), problems_(problems) {}

  /// @return the samples of the first input that has some; 1 if none has
  [[nodiscard]] std::int64_t read(OnnxShapes& shapes);
  /// The size of a dimension that the file has, or else the options; nothing if neither has.
  [[nodiscard]] std::optional<std::int64_t> size_of(const OnnxDim& dim, std::size_t place,
                                                    std::size_t rank) const;

 private:
  void take_initializers(OnnxShapes& shapes);
  /// Inputs of recurrent cells: their first dimension counts steps, the second samples.
  void find_sequences();
  /// Files without parameters have them as inputs: operands at which operators take weights, and
  /// what PyTorch's exporters call so ("encoder.layers.0.in_proj_weight").
  void find_weights();

  const OnnxGraph& graph_;
  const ImportOptions& options_;
  Problems& problems_;
  std::set<std::string> sequences_;
  /// Inputs that are parameters.
  std::set<std::string> weights_;
};

}  // namespace stcsim
