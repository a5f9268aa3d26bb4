#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workloads/layer.hpp"

namespace stcsim {

/// Writes ONNX files, byte by byte from the field numbers of onnx.proto: nothing of the reader's.
class OnnxWriter {
 public:
  using Dims = std::vector<std::int64_t>;

  explicit OnnxWriter(std::int64_t opset = 13) : opset_(opset) {}

  static std::string varint(std::uint64_t value) {
    std::string text;
    for (; value >= 0x80U; value >>= 7U) text += static_cast<char>(value | 0x80U);
    return text + static_cast<char>(value);
  }
  static std::string number(int field, std::int64_t value) {
    return varint(static_cast<std::uint64_t>(field) << 3U) +
           varint(static_cast<std::uint64_t>(value));
  }
  static std::string bytes(int field, const std::string& value) {
    return varint(static_cast<std::uint64_t>(field) << 3U | 2U) + varint(value.size()) + value;
  }

  static std::string tensor(const std::string& name, const Dims& dims, int type,
                            const Dims& values = {}) {
    std::string text;
    for (const std::int64_t size : dims) text += number(1, size);
    text += number(2, type);
    for (const std::int64_t value : values) text += number(7, value);
    return text + bytes(8, name);
  }
  static std::string ints(const std::string& name, const Dims& values) {
    std::string text = bytes(1, name);
    for (const std::int64_t value : values) text += number(8, value);
    return text + number(20, 7);
  }
  static std::string integer(const std::string& name, std::int64_t value) {
    return bytes(1, name) + number(3, value) + number(20, 2);
  }

  /// A weight without its numbers.
  std::string weight(const Dims& dims) {
    const std::string name = "w" + std::to_string(++names_);
    graph_ += bytes(5, tensor(name, dims, 1));
    return name;
  }
  std::string shape(const Dims& values) {
    const std::string name = "s" + std::to_string(++names_);
    graph_ += bytes(5, tensor(name, {static_cast<std::int64_t>(values.size())}, 7, values));
    return name;
  }
  /// Dimensions of 0 are named "N"; those of -1 have neither size nor name.
  std::string input(const std::string& name, const Dims& dims, int type = 1) {
    std::string shape;
    for (const std::int64_t size : dims) {
      const std::string text = size == 0 ? bytes(2, "N") : number(1, size);
      shape += bytes(1, size < 0 ? "" : text);
    }
    graph_ += bytes(11, bytes(1, name) + bytes(2, bytes(1, number(1, type) + bytes(2, shape))));
    return name;
  }
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& attributes = {}, const std::string& name = "") {
    const std::string output = "v" + std::to_string(++names_);
    std::string text;
    for (const std::string& input : inputs) text += bytes(1, input);
    text += bytes(2, output) + bytes(3, name.empty() ? output : name) + bytes(4, op);
    for (const std::string& attribute : attributes) text += bytes(5, attribute);
    graph_ += bytes(1, text);
    return output;
  }

  [[nodiscard]] std::string text() const {
    return number(1, 8) + bytes(7, graph_) + bytes(8, bytes(1, "") + number(2, opset_));
  }

 private:
  std::int64_t opset_;
  int names_ = 0;
  std::string graph_;
};

/// Writes one of the project's networks of convolutions as PyTorch exports them: a layer's repeats
/// follow each other, residuals and pools between them as `after` says. Layers of another input
/// size than the one before read what came before that one (a shortcut's convolution).
inline std::string onnx_of_convolutions(const Network& network, std::int64_t opset) {
  OnnxWriter writer(opset);
  const Layer& first = network.layers.front();
  std::string value = writer.input("image", {0, first.in_channels, first.height, first.width});
  std::string before = value;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> sizes;  // channels and rows
  sizes[value] = {first.in_channels, first.height};
  for (const Layer& layer : network.layers) {
    for (std::int64_t repeat = 0; repeat < layer.repeat; ++repeat) {
      const std::pair wanted(layer.in_channels, layer.height);
      std::string data = value;
      if (layer.kind == LayerKind::conv && sizes[value] != wanted) {
        data = writer.input("in" + layer.name + std::to_string(repeat),
                            {0, layer.in_channels, layer.height, layer.width});
        // Something that learns stands before it.
        data = writer.node("BatchNormalization", {data, writer.weight({layer.in_channels}),
                                                  writer.weight({layer.in_channels}), "", ""});
      }
      before = data;
      if (layer.kind == LayerKind::conv) {
        const std::string weight = writer.weight({layer.out_channels, layer.in_channels_per_group(),
                                                  layer.kernel_height, layer.kernel_width});
        value = writer.node("Conv", {data, weight},
                            {OnnxWriter::ints("strides", {layer.stride, layer.stride}),
                             OnnxWriter::ints("pads", {layer.pad, layer.pad, layer.pad, layer.pad}),
                             OnnxWriter::integer("group", layer.groups)});
      } else {
        value = writer.node("Flatten", {value});
        value = writer.node("Gemm",
                            {value, writer.weight({layer.out_channels, layer.in_channels}),
                             writer.weight({layer.out_channels})},
                            {OnnxWriter::integer("transB", 1)});
      }
      std::pair size(layer.out_channels, layer.out_height());
      for (const StreamOp op : layer.after) {
        if (op == StreamOp::batch_norm) {
          value = writer.node("BatchNormalization",
                              {value, writer.weight({layer.out_channels}),
                               writer.weight({layer.out_channels}), "mean", "var"});
        }
        if (op == StreamOp::relu) value = writer.node("Relu", {value});
        if (op == StreamOp::softmax) value = writer.node("Softmax", {value});
        if (op == StreamOp::max_pool) {
          value = writer.node(
              "MaxPool", {value},
              {OnnxWriter::ints("kernel_shape", {3, 3}), OnnxWriter::ints("strides", {2, 2}),
               OnnxWriter::ints("pads", {1, 1, 1, 1})});
          size.second = (size.second + 1) / 2;
        }
        if (op == StreamOp::avg_pool) value = writer.node("GlobalAveragePool", {value});
      }
      sizes[value] = size;
    }
  }
  return writer.text();
}

/// BERT as both of PyTorch's exporters write it: weights of linear layers transposed, heads split
/// by reshapes and transposes, attention as products, GELU of single operators.
/// @param computes_shapes reshapes by sizes that the graph computes, as TorchScript's exporter does
inline std::string onnx_of_bert(std::int64_t hidden, std::int64_t blocks, std::int64_t tokens,
                                std::int64_t words, bool computes_shapes) {
  OnnxWriter writer(computes_shapes ? 14 : 18);
  const std::int64_t heads = hidden / 64;
  const std::string ids = writer.input("input_ids", {0, tokens}, 7);
  const std::string word = writer.node("Gather", {writer.weight({words, hidden}), ids});
  const std::string positions = writer.shape(OnnxWriter::Dims(static_cast<std::size_t>(tokens), 1));
  const std::string position = writer.node("Gather", {writer.weight({512, hidden}), positions});
  const std::string segment = writer.node("Gather", {writer.weight({2, hidden}), ids});
  const auto norm = [&](const std::string& value) {
    return writer.node("LayerNormalization",
                       {value, writer.weight({hidden}), writer.weight({hidden})});
  };
  const auto linear = [&](const std::string& value, std::int64_t in, std::int64_t out) {
    const std::string weight = computes_shapes
                                   ? writer.weight({in, out})
                                   : writer.node("Transpose", {writer.weight({out, in})},
                                                 {OnnxWriter::ints("perm", {1, 0})});
    return writer.node("Add", {writer.weight({out}), writer.node("MatMul", {value, weight})});
  };
  const auto reshaped = [&](const std::string& value, const OnnxWriter::Dims& dims) {
    if (!computes_shapes) return writer.node("Reshape", {value, writer.shape(dims)});
    const std::string batch =
        writer.node("Gather", {writer.node("Shape", {value}), writer.shape({0})},
                    {OnnxWriter::integer("axis", 0)});
    const OnnxWriter::Dims rest(dims.begin() + 1, dims.end());
    return writer.node("Reshape", {value, writer.node("Concat", {batch, writer.shape(rest)},
                                                      {OnnxWriter::integer("axis", 0)})});
  };
  const auto split = [&](const std::string& value, const OnnxWriter::Dims& order) {
    return writer.node("Transpose", {reshaped(value, {0, tokens, heads, 64})},
                       {OnnxWriter::ints("perm", order)});
  };
  std::string x = norm(writer.node("Add", {writer.node("Add", {word, segment}), position}));
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::string q = split(linear(x, hidden, hidden), {0, 2, 1, 3});
    const std::string k = split(linear(x, hidden, hidden), {0, 2, 3, 1});
    const std::string v = split(linear(x, hidden, hidden), {0, 2, 1, 3});
    std::string scores = writer.node("MatMul", {q, k});
    scores = writer.node("Div", {scores, writer.weight({})});
    const std::string mixed = writer.node("MatMul", {writer.node("Softmax", {scores}), v});
    const std::string joined =
        reshaped(writer.node("Transpose", {mixed}, {OnnxWriter::ints("perm", {0, 2, 1, 3})}),
                 {0, tokens, hidden});
    x = norm(writer.node("Add", {linear(joined, hidden, hidden), x}));
    std::string inner = linear(x, hidden, 4 * hidden);
    const std::string half = writer.node("Mul", {inner, writer.weight({})});
    const std::string erf = writer.node("Erf", {writer.node("Div", {inner, writer.weight({})})});
    inner = writer.node("Mul", {half, writer.node("Add", {erf, writer.weight({})})});
    x = norm(writer.node("Add", {linear(inner, 4 * hidden, hidden), x}));
  }
  return writer.text();
}

}  // namespace stcsim
