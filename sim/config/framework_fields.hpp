#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/config_field.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

// A framework's file as it is written: what each key is called, may be and means. Passes, kinds and
// sequences of operations are texts here; framework_config.hpp reads them.

namespace field {

/// A list of kernels that may be left out.
constexpr Field kernels(std::string_view key, std::string_view help) {
  return list(key, help).omitted("none");
}
constexpr Field optional_text(std::string_view key, std::string_view help) {
  return text(key, help).omitted("none");
}

}  // namespace field

struct KernelFields {
  std::string name;
  std::string kind;
  std::string reads;
  std::string writes;
  double ops = 0;
  double ops_per_output = 0;
  std::int64_t tensors_per_launch = 0;
  std::int64_t parameters_per_launch = 0;
  std::int64_t channels_per_cta = 0;
  std::int64_t cta_threads = 512;
  std::int64_t elements_in_flight = 1;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    constexpr std::int64_t kMostOps = 1'000'000;
    constexpr std::int64_t kMostElements = 1'000'000'000'000;
    visitor.field(field::text("name", "what its rows are called"), self.name);
    visitor.field(field::text("kind", "what it is there for: a kind of the table of kinds")
                      .omitted("that of the first operation; `layout` around layers, `casts` of "
                               "weights, `optimizer` of an optimizer"),
                  self.kind, "");
    visitor.field(field::optional_text("reads", "passes over what it reads"), self.reads, "");
    visitor.field(field::optional_text("writes", "passes over what it writes"), self.writes, "");
    visitor.field(
        field::of("ops", "ops/element", "vector operations per element of x, or per parameter")
            .from(0, kMostOps)
            .omitted("0"),
        self.ops, 0.0);
    visitor.field(field::of("ops_per_output", "ops/element", "vector operations per element of y")
                      .from(0, kMostOps)
                      .omitted("0"),
                  self.ops_per_output, 0.0);
    visitor.field(field::of("tensors_per_launch", "tensors",
                            "optimizers: parameter tensors one launch handles at most; 0 for all")
                      .from(0, kMostOps)
                      .omitted("0"),
                  self.tensors_per_launch, 0);
    visitor.field(field::of("parameters_per_launch", "parameters",
                            "optimizers: parameters one launch handles at most; 0 for all")
                      .from(0, kMostElements)
                      .omitted("0"),
                  self.parameters_per_launch, 0);
    visit_grid(self, visitor);
  }
  friend bool operator==(const KernelFields&, const KernelFields&) = default;

 private:
  /// Kernels whose CTAs loop.
  template <class Self, class Visitor>
  static void visit_grid(Self& self, Visitor& visitor) {
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

struct DirectionFields {
  std::vector<KernelFields> forward;
  std::vector<KernelFields> backward;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(field::kernels("forward", "kernels of the forward pass, in order"), self.forward,
                  {});
    visitor.field(field::kernels("backward", "kernels of the backward pass, in order"),
                  self.backward, {});
  }
  friend bool operator==(const DirectionFields&, const DirectionFields&) = default;
};

/// What stays of operations until backward, the keys of rules and of operations.
struct SavedFields {
  template <class Visitor>
  static void visit(Visitor& visitor, auto& saved, auto& on_chip) {
    visitor.field(field::text("saved",
                              "what stays in memory until backward, over x, z, y and mask; `none`: "
                              "nothing does")
                      .omitted("what the backward kernels read of them"),
                  saved, "");
    visitor.field(field::flag("on_chip", "y is never in memory").omitted("false"), on_chip, false);
  }
};

struct OperationFields {
  std::vector<KernelFields> forward;
  std::vector<KernelFields> backward;
  std::string saved;
  bool on_chip = false;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(field::kernels("forward", "kernels of the forward pass, in order"), self.forward,
                  {});
    visitor.field(field::kernels("backward", "kernels of the backward pass, in order"),
                  self.backward, {});
    SavedFields::visit(visitor, self.saved, self.on_chip);
  }
  friend bool operator==(const OperationFields&, const OperationFields&) = default;
};

struct RuleFields {
  std::string operations;
  std::string layers;
  std::vector<KernelFields> forward;
  std::vector<KernelFields> backward;
  std::string saved;
  bool on_chip = false;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(field::text("operations", "operations that follow one another, with + between"),
                  self.operations);
    visitor.field(
        field::text("layers", "only after these: conv, linear, bmm or embedding").omitted("all"),
        self.layers, "");
    visitor.field(field::kernels("forward", "kernels of the forward pass, in order"), self.forward,
                  {});
    visitor.field(field::kernels("backward", "kernels of the backward pass, in order"),
                  self.backward, {});
    SavedFields::visit(visitor, self.saved, self.on_chip);
  }
  friend bool operator==(const RuleFields&, const RuleFields&) = default;
};

struct LaunchFields {
  double host_us = 0;
  bool host_read_before_optimizer = false;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    constexpr std::int64_t kMostMicroseconds = 1'000'000;
    visitor.field(field::of("host_us", "us",
                            "host time per launch: the GPU waits where it has "
                            "less to do")
                      .from(0, kMostMicroseconds)
                      .optional(),
                  self.host_us);
    visitor.field(field::flag("host_read_before_optimizer",
                              "the host waits for the gradients before it launches the optimizer")
                      .optional(),
                  self.host_read_before_optimizer);
  }
};

/// A map of maps with one entry per name.
template <class Names, class Entry = DirectionFields>
struct DirectionsByName {
  std::vector<Entry> entries = std::vector<Entry>(Names::kKeys.size());

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    for (std::size_t at = 0; at < Names::kKeys.size(); ++at) {
      const auto& [key, help] = Names::kKeys[at];
      visitor.field(field::map(key, help).omitted("none"), self.entries[at], {});
    }
  }
  friend bool operator==(const DirectionsByName&, const DirectionsByName&) = default;
};

using KeyAndHelp = std::pair<std::string_view, std::string_view>;

/// In the order of StreamOp, then the loss.
struct OperationNames {
  static constexpr std::array<KeyAndHelp, 11> kKeys{
      {{"bias", "adding a bias"},
       {"batch_norm", "batch normalisation"},
       {"layer_norm", "layer normalisation"},
       {"relu", "ReLU"},
       {"gelu", "GELU"},
       {"softmax", "softmax of attention scores"},
       {"dropout", "dropout"},
       {"residual_add", "adding the residual branch"},
       {"max_pool", "maximum of 3x3 pixels, stride 2"},
       {"avg_pool", "mean of all pixels of a channel"},
       {"loss", "softmax after a classifier"}}};
};

struct LayerNames {
  static constexpr std::array<KeyAndHelp, 6> kKeys{
      {{"conv", "around the products of a convolution"},
       {"linear", "around those of a linear layer"},
       {"scores", "around those of a batched product that a softmax follows"},
       {"context", "around those of another batched product"},
       {"embedding", "looking up the rows of an embedding, and their gradients"},
       {"weights", "once per step for the weights of a layer, in training"}}};
};

struct OptimizerFields {
  std::vector<std::vector<KernelFields>> optimizers =
      std::vector<std::vector<KernelFields>>(kOptimizers);

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    for (std::size_t at = 0; at < kOptimizers; ++at) {
      visitor.field(
          field::kernels(to_string(static_cast<Optimizer>(at)), "kernels of an update, in order"),
          self.optimizers[at], {});
    }
  }
};

struct FrameworkFields {
  std::string name;
  std::string description;
  std::string source;
  std::vector<std::string> stacks;
  LaunchFields launch;
  std::vector<RuleFields> rules;
  DirectionsByName<OperationNames, OperationFields> operations;
  DirectionsByName<LayerNames> layers;
  OptimizerFields optimizers;
  std::string pruning_kernels = "separate";

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.field(field::text("name", "what results are filed under"), self.name);
    visitor.field(field::optional_text("description", "one line for `stcsim list`"),
                  self.description, "");
    visitor.field(field::optional_text("source", "where the recipe is from"), self.source, "");
    visitor.field(field::list("stacks",
                              "Whose kernels multiply: the first of these stacks that the machine "
                              "has")
                      .omitted("the machine's first"),
                  self.stacks, {});
    visitor.field(field::map("launch", "What launching costs the host").optional("none"),
                  self.launch);
    visitor.field(field::list("rules",
                              "Operations that run together, or in another way after some layers: "
                              "the longest sequence that fits counts, of equal ones the first")
                      .omitted("none"),
                  self.rules, {});
    visitor.field(field::map("operations", "Operations after a layer that no rule fits, by name")
                      .optional("none"),
                  self.operations);
    visitor.field(field::map("layers", "Kernels around the matrix products").optional("none"),
                  self.layers);
    visitor.field(field::map("optimizers", "Updates of the parameters").optional("none"),
                  self.optimizers);
    visitor.field(field::text("pruning_kernels",
                              "`fused`: what a scheme does to a tensor is part of the kernel that "
                              "moves it; `separate`: it is not")
                      .omitted("separate"),
                  self.pruning_kernels, "separate");
  }
};

}  // namespace stcsim
