#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/pattern.hpp"

namespace stcsim {

/// An embedding is looked up: it has a weight, and no matrix product.
enum class LayerKind : std::uint8_t { conv, linear, bmm, embedding };

/// What a layer is in its network; schemes select layers by it.
enum class LayerRole : std::uint8_t { stem, body, attention, ffn, classifier };

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
  avg_pool
};

/// What a bmm is in self-attention: scores of queries against keys, or the values mixed by them.
enum class Attention : std::uint8_t { scores, values };

[[nodiscard]] std::string_view to_string(LayerKind kind);
[[nodiscard]] std::string_view to_string(Attention attention);
[[nodiscard]] std::string_view to_string(LayerRole role);
[[nodiscard]] std::string_view to_string(StreamOp op);

/// One weight layer (batched matmul, embedding) of a network, per sample. `repeat` identical layers
/// are stated once. Fields of the other kinds stay at their defaults.
struct Layer {
  std::string name;
  LayerKind kind = LayerKind::conv;
  LayerRole role = LayerRole::body;
  std::int64_t repeat = 1;

  // conv: channels and input size in pixels; linear: features, height = tokens, width = 1;
  // embedding: in_channels = rows of its table, out_channels = features, height = tokens.
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t kernel_height = 1;
  std::int64_t kernel_width = 1;
  std::int64_t stride = 1;
  std::int64_t pad = 0;
  std::int64_t groups = 1;
  bool bias = false;
  /// Shares its weight with another layer (tied embeddings): counts no parameters of its own.
  bool tied = false;
  /// The weights already have this pattern along C_in, whatever the scheme (a network pruned
  /// beforehand): forward runs sparse where the scheme would leave it dense.
  std::optional<Pattern> weight_pattern;

  // bmm: C[m x n] = A[m x k] * B[k x n], `count` matrices per sample (heads).
  std::int64_t bmm_m = 0;
  std::int64_t bmm_n = 0;
  std::int64_t bmm_k = 0;
  std::int64_t count = 1;

  /// False for the first layer: nothing needs the gradient of the network's input.
  bool needs_dgrad = true;
  std::vector<StreamOp> after;

  [[nodiscard]] std::int64_t in_channels_per_group() const { return in_channels / groups; }
  [[nodiscard]] std::int64_t out_channels_per_group() const { return out_channels / groups; }
  /// floor((height + 2 pad - kernel) / stride) + 1; linear: the tokens.
  [[nodiscard]] std::int64_t out_height() const;
  [[nodiscard]] std::int64_t out_width() const;
  /// Elements of the output tensor per sample and repeat.
  [[nodiscard]] std::int64_t output_elements() const;
  /// False of embeddings.
  [[nodiscard]] bool has_product() const { return kind != LayerKind::embedding; }
  /// The right operand of forward is a weight.
  [[nodiscard]] bool multiplies_weight() const {
    return kind == LayerKind::conv || kind == LayerKind::linear;
  }
  /// Elements of the input tensor per sample and repeat (bmm: the first operand, embedding: a row's
  /// number per token).
  [[nodiscard]] std::int64_t input_elements() const;
  /// Weights of one repeat, without bias; 0 for bmm and tied layers.
  [[nodiscard]] std::int64_t weight_elements() const;
  /// Forward multiply-accumulates per sample of one repeat.
  [[nodiscard]] std::int64_t forward_macs() const;

  // How layers hang together in networks that are run (network_graph.hpp); what is timed does not
  // depend on it. A place is "layer" (its output), "layer/operation" (right after that operation),
  // "input" or "input/embedding".

  /// Where the operands come from; empty: the layer before.
  std::vector<std::string> inputs;
  /// What residual_add adds.
  std::string shortcut;
  std::optional<Attention> attention;
  /// Scores: of a token with itself and those before it only.
  bool causal = false;

  friend auto operator<=>(const Layer&, const Layer&) = default;
};

/// Most multiply-accumulates, or elements of one tensor, that one layer may have in a training step
/// (repeats included): 2^53, a minute's work of the fastest GPU. Sums over a network's layers then
/// stay far from the 63-bit limit.
inline constexpr std::int64_t kMaxLayerCount = std::int64_t{1} << 53;

/// What makes `layer` impossible (a size below 1, groups that do not divide the channels, a kernel
/// larger than the padded input, more than kMaxLayerCount), as one sentence without a full stop; ""
/// if nothing does. All other functions of this folder require layers without a fault.
[[nodiscard]] std::string find_fault(const Layer& layer, std::int64_t batch);

enum class Optimizer : std::uint8_t { sgd_momentum, adam, lamb };

inline constexpr std::size_t kOptimizers = 3;

[[nodiscard]] std::string_view to_string(Optimizer optimizer);

/// What goes into a network: images, or tokens that are embedded.
struct NetworkInput {
  /// Most of each of these sizes.
  static constexpr std::int64_t kMostSize = std::int64_t{1} << 20;

  // Images: channels and pixels. Tokens: features of the embedding, height = tokens, width = 1.
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  /// Different tokens there are; 0: images.
  std::int64_t vocabulary = 0;
  /// Operations on the embedded tokens.
  std::vector<StreamOp> after;

  [[nodiscard]] bool is_tokens() const { return vocabulary > 0; }
};

struct Network {
  std::string name;
  std::string description;
  /// What whoever simulates it should know, in one line; empty if there is nothing.
  std::string note;
  /// Samples per training step.
  std::int64_t batch = 1;
  Optimizer optimizer = Optimizer::sgd_momentum;
  /// Steps whose gradients are added up before each update.
  std::int64_t accumulation = 1;
  /// Parameters that belong to no GEMM layer (embeddings, normalisation): they cost optimizer
  /// traffic only.
  std::int64_t other_parameters = 0;
  std::vector<Layer> layers;
  /// Stated by networks that can be run; their layers then hang together (network_graph.hpp).
  std::optional<NetworkInput> input;

  /// Forward multiply-accumulates per sample, repeats included.
  [[nodiscard]] std::int64_t forward_macs() const;
  /// All trainable parameters: weights, biases and other_parameters.
  [[nodiscard]] std::int64_t parameters() const;
};

}  // namespace stcsim
