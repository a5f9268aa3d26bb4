#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config_field.hpp"
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

/// What `saved` says if nothing is.
inline constexpr const char* kNothingSaved = "none";

/// Texts of a framework's file (config_field.hpp).
struct PassText {
  [[nodiscard]] static auto read(std::string_view text) { return passes_from_string(text); }
  [[nodiscard]] static auto write(const std::vector<Pass>& passes) { return to_string(passes); }
};
struct SavedText {
  [[nodiscard]] static std::optional<std::vector<Pass>> read(std::string_view text) {
    return text == kNothingSaved ? std::vector<Pass>() : passes_from_string(text);
  }
  [[nodiscard]] static std::string write(const std::optional<std::vector<Pass>>& saved) {
    if (!saved) return "";
    return saved->empty() ? kNothingSaved : to_string(*saved);
  }
};
/// Operations that follow one another: "batch_norm+relu".
struct SequenceText {
  [[nodiscard]] static std::optional<std::vector<StreamOp>> read(std::string_view text);
  [[nodiscard]] static std::string write(const std::vector<StreamOp>& operations);
};

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

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    constexpr std::int64_t kMostOps = 1'000'000;
    const auto ops = [](std::string_view key, std::string_view help) {
      return field::of(key, "ops/element", help).from(0, kMostOps).omitted("0");
    };
    visitor.field(field::text("name", "what its rows are called"), self.name);
    visitor.field(field::one_of("kind", "what it is there for", StreamKind::launches)
                      .optional("that of the first operation; `layout` around layers, `casts` of "
                                "weights, `optimizer` of an optimizer"),
                  self.kind);
    visitor.text(field::optional_text("reads", "passes over what it reads"), self.reads,
                 PassText());
    visitor.text(field::optional_text("writes", "passes over what it writes"), self.writes,
                 PassText());
    visitor.field(ops("ops", "vector operations per element of x, or per parameter"), self.ops,
                  0.0);
    visitor.field(ops("ops_per_output", "vector operations per element of y"), self.ops_per_output,
                  0.0);
    visit_launch(self, visitor);
  }

 private:
  template <class Self, class Visitor>
  static void visit_launch(Self& self, Visitor& visitor) {
    visitor.field(field::of("tensors_per_launch", "tensors",
                            "optimizers: parameter tensors one launch handles at most; 0 for all")
                      .from(0, 1'000'000)
                      .omitted("0"),
                  self.tensors_per_launch, 0);
    visitor.field(field::of("parameters_per_launch", "parameters",
                            "optimizers: parameters one launch handles at most; 0 for all")
                      .from(0, 1'000'000'000'000)
                      .omitted("0"),
                  self.parameters_per_launch, 0);
    visitor.field(field::of("channels_per_cta", "channels",
                            "of operations: one CTA for so many channels, over the whole batch; 0: "
                            "as many CTAs as the bytes ask for")
                      .from(0, 65536)
                      .omitted("0"),
                  self.channels_per_cta, 0);
    visitor.field(field::of("cta_threads", "threads", "of such a CTA, a multiple of 32")
                      .from(32, 1024)
                      .omitted("512"),
                  self.cta_threads, 512);
    visitor.field(field::of("elements_in_flight", "elements",
                            "of every tensor that it reads: how many each of its threads has under "
                            "way at a time")
                      .from(1, 64)
                      .omitted("1"),
                  self.elements_in_flight, 1);
  }
};

/// Kernels in the order in which they run.
struct Directions {
  std::vector<KernelRecipe> forward;
  std::vector<KernelRecipe> backward;

  friend bool operator==(const Directions&, const Directions&) = default;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(field::list("forward", "kernels of the forward pass, in order").omitted("none"),
                  self.forward, {});
    visitor.field(field::list("backward", "kernels of the backward pass, in order").omitted("none"),
                  self.backward, {});
  }
};

/// Kernels of operations after a layer.
struct OperationKernels : Directions {
  /// The tensors (x, y, z, mask) that stay in memory until backward, a tensor for every time;
  /// nothing: those that the backward kernels read.
  std::optional<std::vector<Pass>> saved;
  /// y is never in memory, whoever reads it.
  bool on_chip = false;

  friend bool operator==(const OperationKernels&, const OperationKernels&) = default;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    Directions::visit_fields(self, visitor);
    visitor.text(field::text("saved",
                             "what stays in memory until backward, over x, z, y and mask; `none`: "
                             "nothing does")
                     .omitted("what the backward kernels read of them"),
                 self.saved, SavedText());
    visitor.field(field::flag("on_chip", "y is never in memory").omitted("false"), self.on_chip,
                  false);
  }
};

/// What runs for a sequence of operations after a layer.
struct OperationRecipe {
  std::vector<StreamOp> operations;
  /// Only after layers of this kind.
  std::optional<LayerKind> layers;
  OperationKernels kernels;

  friend bool operator==(const OperationRecipe&, const OperationRecipe&) = default;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.text(field::text("operations", "operations that follow one another, with + between"),
                 self.operations, SequenceText());
    visitor.field(field::one_of("layers", "only after these", LayerKind::embedding).optional("all"),
                  self.layers);
    OperationKernels::visit_fields(self.kernels, visitor);
  }
};

/// What runs for single operations that no rule fits.
struct SingleOperations {
  /// By StreamOp.
  std::array<std::optional<OperationKernels>, kStreamOps> after;
  /// Instead of a softmax after a classifier, which is the loss.
  OperationKernels loss;

  friend bool operator==(const SingleOperations&, const SingleOperations&) = default;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    for (std::size_t at = 0; at < kStreamOps; ++at) {
      visitor.field(
          field::map(to_string(static_cast<StreamOp>(at)), "after a layer").optional("none"),
          self.after.at(at));
    }
    visitor.field(field::map("loss", "a softmax after a classifier").omitted("none"), self.loss,
                  {});
  }
};

/// What runs around the products of layers.
struct LayerKernels {
  Directions conv;
  Directions linear;
  /// Batched products that a softmax follows (attention scores), and others.
  Directions scores;
  Directions context;
  /// Looking up the rows of an embedding, and their gradients.
  Directions embedding;
  /// For every layer with weights, in training only.
  Directions weights;

  friend bool operator==(const LayerKernels&, const LayerKernels&) = default;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    const auto around = [&](std::string_view key, std::string_view help, auto& kernels) {
      visitor.field(field::map(key, help).omitted("none"), kernels, {});
    };
    around("conv", "around the products of a convolution", self.conv);
    around("linear", "around those of a linear layer", self.linear);
    around("scores", "around those of a batched product that a softmax follows", self.scores);
    around("context", "around those of another batched product", self.context);
    around("embedding", "looking up the rows of an embedding, and their gradients", self.embedding);
    around("weights", "once per step for the weights of a layer, in training", self.weights);
  }
};

/// Kernels of an update, by Optimizer.
struct OptimizerKernels : std::array<std::vector<KernelRecipe>, kOptimizers> {
  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    for (std::size_t at = 0; at < kOptimizers; ++at) {
      visitor.field(
          field::list(to_string(static_cast<Optimizer>(at)), "kernels of an update, in order")
              .omitted("none"),
          self.at(at), {});
    }
  }
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

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(
        field::of("host_us", "us", "host time per launch: the GPU waits where it has less to do")
            .from(0, 1'000'000)
            .optional(),
        self.host_us);
    visitor.field(field::flag("host_read_before_optimizer",
                              "the host waits for the gradients before it launches the optimizer")
                      .optional(),
                  self.host_read_before_optimizer);
  }
};

/// Which kernels run beside the matrix products, and what each of them moves.
struct Framework {
  std::string name;
  std::string description;
  std::string source;
  /// Software that multiplies: the first of these that a machine has; none: the machine's default.
  std::vector<std::string> stacks;
  LaunchCosts launch;
  /// Longest first; of equally long ones the first that fits counts.
  std::vector<OperationRecipe> rules;
  SingleOperations operations;
  LayerKernels layers;
  OptimizerKernels optimizers;
  PruningKernels pruning_kernels = PruningKernels::separate;

  friend bool operator==(const Framework&, const Framework&) = default;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(field::text("name", "what results are filed under"), self.name);
    visitor.field(field::optional_text("description", "one line for `stcsim list`"),
                  self.description, "");
    visitor.field(field::optional_text("source", "where the recipe is from"), self.source, "");
    visitor.field(field::list("stacks",
                              "whose kernels multiply: the first of these stacks that the machine "
                              "has")
                      .omitted("the machine's first"),
                  self.stacks, {});
    visitor.field(field::map("launch", "what launching costs the host").optional("none"),
                  self.launch);
    visitor.field(field::list("rules",
                              "operations that run together, or in another way after some layers: "
                              "the longest sequence that fits counts, of equal ones the first")
                      .omitted("none"),
                  self.rules, {});
    visitor.field(field::map("operations", "operations after a layer that no rule fits, by name")
                      .optional("none"),
                  self.operations);
    visitor.field(field::map("layers", "kernels around the matrix products").optional("none"),
                  self.layers);
    visitor.field(field::map("optimizers", "updates of the parameters").optional("none"),
                  self.optimizers);
    visitor.field(
        field::one_of("pruning_kernels",
                      "`fused`: what a scheme does to a tensor is part of the kernel that "
                      "moves it; `separate`: it is not",
                      PruningKernels::fused)
            .omitted("separate"),
        self.pruning_kernels, PruningKernels::separate);
  }
};

}  // namespace stcsim
