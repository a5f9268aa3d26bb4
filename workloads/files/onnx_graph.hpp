#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/io/problems.hpp"

namespace stcsim {

struct OnnxGraph;

/// What of an ONNX file (onnx.proto) says what is computed; weights are passed over, so that a file
/// takes no memory for them.
struct OnnxTensor {
  std::string name;
  std::vector<std::int64_t> dims;
  bool is_float = false;
  /// Of small tensors: shapes, axes, conditions; of at most 16 real numbers. Empty where it is not
  /// known.
  std::optional<std::vector<double>> values;
};

struct OnnxAttribute {
  std::int64_t number = 0;
  std::string text;
  std::vector<std::int64_t> numbers;
  std::vector<double> reals;
  std::optional<OnnxTensor> tensor;
  /// A branch or body.
  std::shared_ptr<const OnnxGraph> graph;
};

struct OnnxNode {
  std::string name;
  std::string op;
  std::string domain;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, OnnxAttribute> attributes;

  /// As messages call it: "MatMul 'name'".
  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] const OnnxAttribute* find(const char* attribute) const;
  [[nodiscard]] std::int64_t number(const char* attribute, std::int64_t fallback) const;
  /// Empty where the attribute is not there.
  [[nodiscard]] std::vector<std::int64_t> numbers(const char* attribute) const;
  [[nodiscard]] std::string text(const char* attribute) const;
};

/// A dimension: a size, or a name for one, or neither.
struct OnnxDim {
  std::int64_t size = 0;
  std::string name;
};

struct OnnxValue {
  std::string name;
  bool has_shape = false;
  std::vector<OnnxDim> dims;
};

struct OnnxGraph {
  std::int64_t opset = 0;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxValue> inputs;
  std::vector<OnnxValue> outputs;
  /// Shapes that the exporter knew of values in between.
  std::vector<OnnxValue> values;
};

/// At most 200,000 nodes, 1,000,000 tensors, names of 64 KiB and 32 graphs within each other.
/// @throws ConfigError for what is malformed, cut off or more than that
[[nodiscard]] OnnxGraph read_onnx_graph(const std::filesystem::path& path, Problems& problems);

}  // namespace stcsim
