#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/attention.hpp"
#include "common/config_field.hpp"
#include "workloads/kernel_recipe.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// Operations that follow one another: "batch_norm+relu".
struct SequenceText {
  [[nodiscard]] static std::optional<std::vector<StreamOp>> read(std::string_view text);
  [[nodiscard]] static std::string write(const std::vector<StreamOp>& operations);
};

/// Kernels in the order in which they run.
struct Directions {
  std::vector<KernelRecipe> forward;
  std::vector<KernelRecipe> backward;
  /// More of them where the layer multiplies a packed weight, whose result is another tensor in
  /// memory than a dense product's: transposed, without its bias.
  std::vector<KernelRecipe> packed_forward;
  std::vector<KernelRecipe> packed_backward;

  friend bool operator==(const Directions&, const Directions&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::list("forward", "kernels of the forward pass, in order").omitted("none"),
                  self.forward, {});
    visitor.field(field::list("backward", "kernels of the backward pass, in order").omitted("none"),
                  self.backward, {});
    visitor.field(field::list("packed_forward",
                              "more of the forward pass where the product's weight is packed, or "
                              "the scores are")
                      .omitted("none"),
                  self.packed_forward, {});
    visitor.field(field::list("packed_backward",
                              "more of the backward pass where the weight of dgrad is packed")
                      .omitted("none"),
                  self.packed_backward, {});
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

  static void visit_fields(auto& self, auto& visitor) {
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
  /// Only after layers of this kind, and of this role.
  std::optional<LayerKind> layers;
  std::optional<LayerRole> role;
  OperationKernels kernels;

  friend bool operator==(const OperationRecipe&, const OperationRecipe&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.text(field::text("operations", "operations that follow one another, with + between"),
                 self.operations, SequenceText());
    visitor.field(field::one_of("layers", "only after these", LayerKind::embedding).optional("all"),
                  self.layers);
    visitor.field(field::one_of("role", "only after those that have it", LayerRole::classifier)
                      .optional("any"),
                  self.role);
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

  static void visit_fields(auto& self, auto& visitor) {
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
  /// Of linear layers also: those that open a branch (no residual_add follows), of these the ones
  /// that make queries, keys and values at once, and classifiers.
  Directions opening;
  Directions merged;
  Directions head;
  /// Of each product of a linear layer whose kernel has more CTAs than the machine runs at a time.
  Directions waves;
  /// Batched products that a softmax follows (attention scores), and others.
  Directions scores;
  Directions context;
  /// Looking up the rows of an embedding, and their gradients.
  Directions embedding;
  /// For every layer with weights, in training only.
  Directions weights;

  friend bool operator==(const LayerKernels&, const LayerKernels&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    const auto around = [&](std::string_view key, std::string_view help, auto& kernels) {
      visitor.field(field::map(key, help).omitted("none"), kernels, {});
    };
    around("conv", "around the products of a convolution", self.conv);
    around("linear", "around those of a linear layer", self.linear);
    around("opening", "also around those of a linear layer that opens a branch", self.opening);
    around("merged", "also of one that makes queries, keys and values at once", self.merged);
    around("head", "also around those of a classifier", self.head);
    around("waves",
           "of each product of a linear layer whose kernel has more CTAs than run at a time",
           self.waves);
    around("scores", "around those of a batched product that a softmax follows", self.scores);
    around("context", "around those of another batched product", self.context);
    around("embedding", "looking up the rows of an embedding, and their gradients", self.embedding);
    around("weights", "once per step for the weights of a layer, in training", self.weights);
  }
};

/// Kernels of an update, by Optimizer.
struct OptimizerKernels : std::array<std::vector<KernelRecipe>, kOptimizers> {
  static void visit_fields(auto& self, auto& visitor) {
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
  /// Host time per product on sparse tensor cores beside that: descriptors and plans made anew.
  double sparse_product_us = 0;

  friend bool operator==(const LaunchCosts&, const LaunchCosts&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(
        field::of("host_us", "us", "host time per launch: the GPU waits where it has less to do")
            .from(0, 1'000'000)
            .optional(),
        self.host_us);
    visitor.field(field::flag("host_read_before_optimizer",
                              "the host waits for the gradients before it launches the optimizer")
                      .optional(),
                  self.host_read_before_optimizer);
    visitor.field(field::of("sparse_product_us", "us",
                            "host time per product on sparse tensor cores beside that, as for "
                            "descriptors that every call makes anew")
                      .from(0, 1'000'000)
                      .optional(),
                  self.sparse_product_us);
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
  /// Queries and keys of a block that attention leaves out if its mask hides all of it; 0: the full
  /// matrix is multiplied.
  std::int64_t attention_block = 0;
  /// Whose kernel computes attention where scores stay on chip and have 16 bits.
  AttentionKernel attention = AttentionKernel::products;
  /// That kernel prunes scores where a scheme's product would; nobody has such a kernel.
  bool prunes_on_chip = false;
  /// It adds a mask of padding to the scores; where it does not, no sample has any.
  bool adds_padding_mask = false;

  friend bool operator==(const Framework&, const Framework&) = default;

  static void visit_fields(auto& self, auto& visitor) {
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
    visit_attention(self, visitor);
  }

 private:
  static void visit_attention(auto& self, auto& visitor) {
    visitor.field(field::not_negative("attention_block",
                                      "queries and keys of a block that causal attention leaves "
                                      "out if nothing in it is seen; 0: it multiplies all")
                      .omitted("0"),
                  self.attention_block, 0);
    visitor.field(
        field::one_of("attention",
                      "whose kernel computes attention where a rule keeps scores `on_chip` and "
                      "types have 16 bits: FlashAttention-2's; cuDNN's on machines with wgmma, "
                      "FlashAttention-2's elsewhere. `products`: batched products, scores free",
                      AttentionKernel::cudnn)
            .omitted("`products`"),
        self.attention, AttentionKernel::products);
    visitor.field(field::flag("prunes_on_chip",
                              "that kernel prunes scores that a scheme has their product prune "
                              "(hypothetical); false: these go through memory")
                      .omitted("false"),
                  self.prunes_on_chip, false);
    visitor.field(
        field::flag("adds_padding_mask",
                    "attention of `padded` layers reads a mask of queries x keys for each "
                    "sample and adds it to the scores; false: none is passed")
            .omitted("false"),
        self.adds_padding_mask, false);
  }
};

}  // namespace stcsim
