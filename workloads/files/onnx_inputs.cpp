#include "workloads/files/onnx_inputs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace stcsim {
namespace {

/// What --size calls dimensions that the file has no name for, all of them.
constexpr const char* kUnnamed = "?";

}  // namespace

void OnnxInputs::take_initializers(OnnxShapes& shapes) {
  for (const OnnxTensor& tensor : graph_.initializers) {
    OnnxShape shape{tensor.dims, tensor.values, tensor.is_float ? tensor.name : "", true};
    if (!shape.is_possible()) {
      problems_.add(fmt::format("tensor '{}' has impossible dimensions", tensor.name));
      continue;
    }
    shapes[tensor.name] = std::move(shape);
  }
}

void OnnxInputs::find_sequences() {
  for (const OnnxNode& node : graph_.nodes) {
    if ((node.op == "LSTM" || node.op == "GRU") && !node.inputs.empty())
      sequences_.insert(node.inputs[0]);
  }
}

std::optional<std::int64_t> OnnxInputs::size_of(const OnnxDim& dim, std::size_t place,
                                                std::size_t rank) const {
  if (dim.size > 0) return dim.size;
  const auto stated = options_.sizes.find(dim.name);
  if (!dim.name.empty() && stated != options_.sizes.end()) return stated->second;
  if (place == 0) return 1;
  if (place == 1 && rank <= 3 && options_.tokens) return options_.tokens;
  const auto unnamed = options_.sizes.find(kUnnamed);
  if (dim.name.empty() && unnamed != options_.sizes.end()) return unnamed->second;
  return std::nullopt;
}

void OnnxInputs::find_weights() {
  const auto is_called_so = [](std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const std::string_view last = dot == std::string_view::npos ? "" : name.substr(dot + 1);
    return last.ends_with("weight") || last.ends_with("bias") ||
           name.starts_with("onnx::MatMul_");  // a weight that it turned
  };
  for (const OnnxValue& input : graph_.inputs) {
    if (is_called_so(input.name)) weights_.insert(input.name);
  }
  constexpr std::string_view kWithWeights =
      "Conv ConvTranspose Gemm BatchNormalization LayerNormalization InstanceNormalization";
  const auto operators = words_in(kWithWeights);
  for (const OnnxNode& node : graph_.nodes) {
    if (std::ranges::find(operators, node.op) == operators.end()) continue;
    for (std::size_t at = 1; at < node.inputs.size(); ++at) weights_.insert(node.inputs[at]);
  }
}

std::int64_t OnnxInputs::read(OnnxShapes& shapes) {
  take_initializers(shapes);
  std::int64_t batch = 0;
  find_sequences();
  find_weights();
  for (const OnnxValue& input : graph_.inputs) {
    if (shapes.contains(input.name)) continue;  // before IR 4 initializers are inputs, too
    OnnxShape shape;
    for (std::size_t at = 0; at < input.dims.size(); ++at) {
      const OnnxDim& dim = input.dims[at];
      const bool turns = sequences_.contains(input.name) && at < 2;
      const auto size = size_of(dim, turns ? 1 - at : at, input.dims.size());
      if (!size) {
        problems_.add(fmt::format("dimension '{}' of input '{}' has no size: --size {}=N",
                                  dim.name.empty() ? kUnnamed : dim.name, input.name,
                                  dim.name.empty() ? "'?'" : dim.name));
      }
      shape.dims.push_back(size.value_or(1));
    }
    if (!shape.is_possible()) {
      problems_.add(fmt::format("input '{}' has impossible dimensions", input.name));
      continue;
    }
    const std::size_t samples = sequences_.contains(input.name) ? 1 : 0;
    if (weights_.contains(input.name)) {
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
