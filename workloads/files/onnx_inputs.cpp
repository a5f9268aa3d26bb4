#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "workloads/files/onnx_shapes.hpp"

namespace stcsim {
namespace {

/// What --size calls dimensions that the file has no name for, all of them.
constexpr const char* kUnnamed = "?";

/// Inputs of recurrent cells: their first dimension counts steps, the second samples.
std::set<std::string> sequences_of(const OnnxGraph& graph) {
  std::set<std::string> sequences;
  for (const OnnxNode& node : graph.nodes) {
    const bool is_cell = node.op == "LSTM" || node.op == "GRU" || node.op == "RNN";
    if (is_cell && !node.inputs.empty() && node.number("layout", 0) == 0) {
      sequences.insert(node.inputs[0]);
    }
  }
  return sequences;
}

/// Files without parameters have them as inputs: operands at which operators take weights, and what
/// PyTorch's exporters call so ("encoder.layers.0.in_proj_weight").
std::set<std::string> weights_of(const OnnxGraph& graph) {
  const auto is_called_so = [](std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const std::string_view last = dot == std::string_view::npos ? "" : name.substr(dot + 1);
    return last.ends_with("weight") || last.ends_with("bias") ||
           name.starts_with("onnx::MatMul_");  // a weight that it turned
  };
  std::set<std::string> weights;
  for (const OnnxValue& input : graph.inputs) {
    if (is_called_so(input.name)) weights.insert(input.name);
  }
  constexpr std::string_view kWithWeights =
      "Conv ConvTranspose Gemm BatchNormalization LayerNormalization InstanceNormalization";
  const auto operators = words_in(kWithWeights);
  for (const OnnxNode& node : graph.nodes) {
    if (std::ranges::find(operators, node.op) == operators.end()) continue;
    for (std::size_t at = 1; at < node.inputs.size(); ++at) weights.insert(node.inputs[at]);
  }
  return weights;
}

/// @param samples the dimension that counts them: the second of a sequence, else the first
OnnxShape shape_of_input(const OnnxValue& input, std::size_t samples, const ImportOptions& options,
                         Problems& problems) {
  OnnxShape shape;
  for (std::size_t at = 0; at < input.dims.size(); ++at) {
    const OnnxDim& dim = input.dims[at];
    const std::string place = fmt::format("{}:{}", input.name, at);
    auto size = size_of(dim, at < 2 && samples == 1 ? 1 - at : at, input.dims.size(), options);
    if (dim.size <= 0) size = options.size(place).has_value() ? options.size(place) : size;
    if (!size && dim.name.empty()) {
      problems.add(
          fmt::format("dimension {} of input '{}' has no size: --size '{}'=N (or --size "
                      "'{}'=N for all without a name)",
                      at, input.name, place, kUnnamed));
    } else if (!size) {
      problems.add(fmt::format("dimension '{0}' of input '{1}' has no size: --size {0}=N", dim.name,
                               input.name));
    }
    shape.dims.push_back(size.value_or(1));
  }
  if (!shape.dims.empty()) return shape;
  if (const auto value = options.size(input.name)) shape.values = {static_cast<double>(*value)};
  return shape;
}

}  // namespace

void take_initializers(const OnnxGraph& graph, Problems& problems, OnnxShapes& shapes) {
  for (const OnnxTensor& tensor : graph.initializers) {
    OnnxShape shape{tensor.dims, tensor.values, tensor.is_float ? tensor.name : "", true,
                    tensor.is_float};
    if (!shape.is_possible()) {
      problems.add(fmt::format("tensor '{}' has impossible dimensions", tensor.name));
      continue;
    }
    shapes[tensor.name] = std::move(shape);
  }
}

std::optional<std::int64_t> size_of(const OnnxDim& dim, std::size_t place, std::size_t rank,
                                    const ImportOptions& options) {
  if (dim.size > 0) return dim.size;
  if (!dim.name.empty() && options.size(dim.name)) return options.size(dim.name);
  if (place == 0) return 1;
  if (place == 1 && rank <= 3 && options.tokens) return options.tokens;
  return dim.name.empty() ? options.size(kUnnamed) : std::nullopt;
}

std::int64_t read_inputs(const OnnxGraph& graph, const ImportOptions& options, Problems& problems,
                         OnnxShapes& shapes) {
  take_initializers(graph, problems, shapes);
  std::int64_t batch = 0;
  const std::set<std::string> sequences = sequences_of(graph);
  const std::set<std::string> weights = weights_of(graph);
  for (const OnnxValue& input : graph.inputs) {
    if (shapes.contains(input.name)) continue;  // before IR 4 initializers are inputs, too
    const std::size_t samples = sequences.contains(input.name) ? 1 : 0;
    OnnxShape shape = shape_of_input(input, samples, options, problems);
    if (!shape.is_possible()) {
      problems.add(fmt::format("input '{}' has impossible dimensions", input.name));
      continue;
    }
    if (weights.contains(input.name)) {
      shape.weight = input.name;
      shape.is_constant = true;
    } else if (shape.dims.size() > samples && batch == 0) {
      batch = shape.dims[samples];
    }
    shapes[input.name] = std::move(shape);
  }
  return std::max<std::int64_t>(1, batch);
}

}  // namespace stcsim
