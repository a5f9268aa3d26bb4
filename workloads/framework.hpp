#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/layer.hpp"

namespace stcsim {

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
  /// Time in which the GPU waits for the host to launch.
  launches
};

inline constexpr std::size_t kStreamKinds = 13;

/// "normalisation", ...
[[nodiscard]] std::string_view to_string(StreamKind kind);

/// A tensor that a kernel reads or writes; how large it is depends on where the recipe stands.
enum class PassTensor : std::uint8_t {
  /// Of an operation: its input, the gradient of that and a second input as large. Of a layer: its
  /// input (of a batched product: the left operand).
  x,
  dx,
  z,
  dz,
  /// The output and its gradient.
  y,
  dy,
  /// As many elements as x, of one byte if nothing else is said.
  mask,
  /// Of a batched product: its operands.
  a,
  b,
  /// Parameters (of a layer, in an optimizer all of them), their gradients and what the optimizer
  /// keeps beside them.
  w,
  g,
  m,
  v,
  u,
  /// The gradient of the input pixels that a strided convolution's dgrad never reaches.
  untouched
};

[[nodiscard]] std::string_view to_string(PassTensor tensor);

/// One or more passes over a tensor.
struct Pass {
  double times = 1;
  PassTensor tensor = PassTensor::x;
  /// "fp32", "fp16", "int64", "int32", "byte" or "bit"; "" for the type that GEMMs write.
  std::string type;

  friend bool operator==(const Pass&, const Pass&) = default;
};

/// Reads "2 x + dy.fp32 + mask"; "" has none. Nothing if the text is not of that form.
[[nodiscard]] std::optional<std::vector<Pass>> passes_from_string(std::string_view text);
[[nodiscard]] std::string to_string(const std::vector<Pass>& passes);

/// A kernel that a framework launches.
struct KernelRecipe {
  std::string name;
  StreamKind kind = StreamKind::layout;
  std::vector<Pass> reads;
  std::vector<Pass> writes;
  /// Vector operations per element of x (of an optimizer: per parameter) and of y.
  double ops = 0;
  double ops_per_output = 0;
  /// Optimizers: parameter tensors, and parameters, that one launch handles at most; 0 for all.
  std::int64_t tensors_per_launch = 0;
  std::int64_t parameters_per_launch = 0;
  /// One CTA for so many channels, over the whole batch; 0: as many CTAs as the bytes ask for.
  std::int64_t channels_per_cta = 0;
  /// Of such a CTA; and how many elements of every tensor that it reads each of its threads has
  /// under way.
  std::int64_t cta_threads = 512;
  std::int64_t elements_in_flight = 1;

  friend bool operator==(const KernelRecipe&, const KernelRecipe&) = default;
};

/// Kernels in the order in which they run.
struct Directions {
  std::vector<KernelRecipe> forward;
  std::vector<KernelRecipe> backward;
  /// Of operations: the tensors (x, y, z, mask) that stay in memory until backward, a tensor for
  /// every time; nothing: those that the backward kernels read.
  std::optional<std::vector<Pass>> saved;
  /// Of operations: y is never in memory, whoever reads it.
  bool on_chip = false;

  friend bool operator==(const Directions&, const Directions&) = default;
};

/// What runs for a sequence of operations after a layer.
struct OperationRecipe {
  std::vector<StreamOp> operations;
  /// Only after layers of this kind.
  std::optional<LayerKind> layers;
  Directions kernels;

  friend bool operator==(const OperationRecipe&, const OperationRecipe&) = default;
};

/// Whether what a scheme does to a tensor is a part of the kernel that moves it anyway.
enum class PruningKernels : std::uint8_t { separate, fused };

[[nodiscard]] std::string_view to_string(PruningKernels kernels);

/// What launching costs the host.
struct LaunchCosts {
  /// Host time per launch: where the GPU has less to do per launch, it waits.
  double host_us = 0;
  /// The host waits for the gradients before it launches the optimizer.
  bool host_read_before_optimizer = false;

  friend bool operator==(const LaunchCosts&, const LaunchCosts&) = default;
};

/// Which kernels run beside the matrix products, and what each of them moves.
struct Framework {
  std::string name;
  std::string description;
  std::string source;
  /// Software that multiplies: the first of these that a machine has; none: the machine's default.
  std::vector<std::string> stacks;
  LaunchCosts launch;
  /// Longest first; of equally long ones the first that fits counts. One operation each at the end.
  std::vector<OperationRecipe> operations;
  /// Instead of a softmax after a classifier, which is the loss.
  Directions loss;
  /// Around the products of every layer: convolutions, linear layers, batched products that a
  /// softmax follows (attention scores), other batched products (context).
  Directions conv;
  Directions linear;
  Directions scores;
  Directions context;
  /// Looking up the rows of an embedding, and their gradients.
  Directions embedding;
  /// For every layer with weights, in training only.
  Directions weights;
  /// By Optimizer.
  std::vector<std::vector<KernelRecipe>> optimizers =
      std::vector<std::vector<KernelRecipe>>(kOptimizers);
  PruningKernels pruning_kernels = PruningKernels::separate;

  friend bool operator==(const Framework&, const Framework&) = default;
};

}  // namespace stcsim
