#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stcsim {

/// Memory-bound work done on a layer's output tensor.
enum class StreamOp : std::uint8_t {
  bias,
  batch_norm,
  layer_norm,
  relu,
  gelu,
  softmax,
  dropout,
  residual_add,
  max_pool,
  avg_pool,
  rms_norm,
  silu,
  gelu_tanh,
  /// Halves the features: SiLU (GELU) of the first half, times the second.
  swiglu,
  geglu,
  /// Rotates pairs of features by a token's position.
  rope,
  /// Times another tensor as large.
  mul,
  /// Tokens are given to their experts, whose outputs are weighted and added up.
  combine,
  /// The square of what ReLU leaves.
  relu_squared,
  /// gelu_tanh composed of operators, as Hugging Face's NewGELUActivation.
  gelu_new,
  /// Softmax and loss of logits that are made fp32 first, as Hugging Face's language models do.
  softmax_fp32,
  /// Queries, keys and values are unbound from one tensor, whose gradients are stacked (timm).
  unbind,
  /// An adapter's result is scaled and added.
  adapter_add
};

/// What a kernel beside the matrix products is there for.
enum class StreamKind : std::uint8_t {
  normalisation,
  activation,
  softmax,
  dropout,
  residual,
  pooling,
  bias,
  loss,
  casts,
  /// Transposes, copies between layouts, zero fills.
  layout,
  optimizer,
  /// What schemes spend themselves.
  pruning,
  /// Time in which the GPU waits for the host to launch, and to call the library of sparse
  /// products.
  launches,
  sparse_calls
};

inline constexpr std::size_t kStreamKinds = 14;

/// "normalisation", ...
[[nodiscard]] std::string_view to_string(StreamKind kind);

/// All that is known of an operation but its kernels, which frameworks have (configs/frameworks),
/// and its arithmetic in trainings (python/stcsim/training/model.py).
struct Operation {
  StreamOp op;
  std::string_view name;
  StreamKind kind;
  /// Whether `stcsim train` computes it.
  bool trains = false;
  /// Parameters of a channel: a scale, and a shift.
  std::int64_t parameters = 0;
  /// Elements of its input for one of its output, whatever the layer.
  std::int64_t inputs = 1;
  /// Operators of ONNX that are it, and names of the activation in a Hugging Face config.json:
  /// words of one text.
  std::string_view onnx = "";
  std::string_view hugging_face = "";
  /// Whose kernels run for it where a framework has none of its own.
  std::optional<StreamOp> otherwise = std::nullopt;
};

/// One row an operation, in the order of the enumeration.
inline constexpr auto kOperations = [] {
  using enum StreamKind;
  using Op = StreamOp;
  return std::to_array<Operation>({
      {Op::bias, "bias", bias, true},
      {Op::batch_norm, "batch_norm", normalisation, true, 2, 1, "BatchNormalization"},
      // Sqrt: of a normalisation that is composed of operators.
      {Op::layer_norm, "layer_norm", normalisation, true, 2, 1, "LayerNormalization Sqrt"},
      {Op::relu, "relu", activation, true, 0, 1, "Relu", "relu"},
      {Op::gelu, "gelu", activation, true, 0, 1, "Gelu Erf", "gelu"},
      {Op::softmax, "softmax", softmax, true, 0, 1, "Softmax"},
      {Op::dropout, "dropout", dropout, false, 0, 1, "Dropout"},
      {Op::residual_add, "residual_add", residual, true},
      {Op::max_pool, "max_pool", pooling, true, 0, 4, "MaxPool"},
      {Op::avg_pool, "avg_pool", pooling, true, 0, 1, "GlobalAveragePool"},
      {Op::rms_norm, "rms_norm", normalisation, false, 1, 1, "RMSNormalization"},
      {Op::silu, "silu", activation, false, 0, 1, "Sigmoid Swish HardSwish", "silu swish"},
      {Op::gelu_tanh, "gelu_tanh", activation},
      {Op::swiglu, "swiglu", activation, false, 0, 2},
      {Op::geglu, "geglu", activation, false, 0, 2},
      {Op::rope, "rope", activation, false, 0, 1, "RotaryEmbedding"},
      {Op::mul, "mul", activation},
      {Op::combine, "combine", layout},
      {Op::relu_squared, "relu_squared", activation, true, 0, 1, "", "relu2"},
      {Op::gelu_new, "gelu_new", activation, false, 0, 1, "", "gelu_new gelu_fast", Op::gelu_tanh},
      {Op::softmax_fp32, "softmax_fp32", loss, false, 0, 1, "", "", Op::softmax},
      {Op::unbind, "unbind", layout},
      {Op::adapter_add, "adapter_add", residual, false, 0, 1, "", "", Op::residual_add},
  });
}();

inline constexpr std::size_t kStreamOps = kOperations.size();
inline constexpr StreamOp kLastStreamOp = kOperations.back().op;
static_assert(std::ranges::all_of(kOperations, [](const Operation& row) {
  return &row == &kOperations[static_cast<std::size_t>(row.op)];
}));

[[nodiscard]] constexpr const Operation& operation_of(StreamOp op) {
  return kOperations.at(static_cast<std::size_t>(op));
}
[[nodiscard]] constexpr std::string_view to_string(StreamOp op) {
  return operation_of(op).name;
}

/// The operation one of whose names in `column` is `name`; null if there is none.
[[nodiscard]] const Operation* find_operation(std::string_view Operation::*column,
                                              std::string_view name);

}  // namespace stcsim
