#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/config_field.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"
#include "workloads/network_parts.hpp"
#include "workloads/operation.hpp"

namespace stcsim {

/// An embedding is looked up: it has a weight, and no matrix product.
enum class LayerKind : std::uint8_t { conv, linear, bmm, embedding };

/// What a layer is in its network; schemes select layers by it.
enum class LayerRole : std::uint8_t { stem, body, attention, ffn, classifier };

/// What a bmm is in self-attention: scores of queries against keys, or the values mixed by them.
enum class Attention : std::uint8_t { scores, values };

[[nodiscard]] std::string_view to_string(LayerKind kind);
[[nodiscard]] std::string_view to_string(Attention attention);
[[nodiscard]] std::string_view to_string(LayerRole role);

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
  /// Of columns where they differ from those of rows.
  std::optional<std::int64_t> stride_columns;
  std::optional<std::int64_t> pad_columns;
  /// Pixels from one tap of the kernel to the next.
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool bias = false;
  /// Shares its weight with another layer (tied embeddings): counts no parameters of its own.
  bool tied = false;
  /// The weights already have this pattern along C_in, whatever the scheme (a network pruned
  /// beforehand): forward runs sparse where the scheme would leave it dense.
  std::optional<Pattern> weight_pattern;
  /// Its weights are never updated, and pruned before a step.
  bool frozen = false;
  /// One of two products of low rank beside a frozen layer.
  bool adapter = false;

  /// linear: weights of which each token is multiplied with `experts_per_token`, spread evenly.
  std::int64_t experts = 1;
  std::int64_t experts_per_token = 1;

  /// embedding: all samples look up the same rows, as those of positions.
  bool same_rows = false;

  // bmm: C[m x n] = A[m x k] * B[k x n], `count` matrices per sample (heads).
  std::int64_t bmm_m = 0;
  std::int64_t bmm_n = 0;
  std::int64_t bmm_k = 0;
  std::int64_t count = 1;
  /// So many matrices B in a row share one A (queries that share keys and values).
  std::int64_t shared_by = 1;

  /// False for the first layer: nothing needs the gradient of the network's input.
  bool needs_dgrad = true;
  /// The only ones that it has a product in; empty: all.
  std::vector<Phase> phases;
  /// Where a trace says so; what is simulated does not depend on it.
  std::optional<MeasuredTimes> measured;
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
  /// The second of these two, whose result adapter_add takes.
  [[nodiscard]] bool ends_adapter() const { return adapter && in_channels < out_channels; }
  /// Elements of the input tensor per sample and repeat (bmm: the first operand, embedding: a row's
  /// number per token).
  [[nodiscard]] std::int64_t input_elements() const;
  /// Weights of one repeat, without bias; 0 for bmm and tied layers.
  [[nodiscard]] std::int64_t weight_elements() const;
  /// Weights and biases of one repeat.
  [[nodiscard]] std::int64_t parameters() const;
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
  /// bmm: a query meets itself and the keys before it only (scores and values: n queries).
  bool causal = false;
  /// bmm: samples differ in length, and a mask hides what fills them up.
  bool padded = false;
  /// Causal: the last so many keys of these; 0: all.
  std::int64_t window = 0;
  /// Queries and keys of a block that the framework's kernel leaves out if nothing in it is seen;
  /// 0: it multiplies the full matrix. No file says it (with_skipped_blocks()).
  std::int64_t skipped_block = 0;

  [[nodiscard]] std::int64_t column_stride() const { return stride_columns.value_or(stride); }
  [[nodiscard]] std::int64_t column_pad() const { return pad_columns.value_or(pad); }
  /// The product of queries and keys: a softmax follows, or `attention` says so.
  [[nodiscard]] bool is_scores() const;
  /// Keys that a query meets, blocks left out: the mean, rounded up; all of a bmm that is not
  /// causal.
  [[nodiscard]] std::int64_t keys_met() const;

  friend auto operator<=>(const Layer&, const Layer&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("name", "differs from the others'"), self.name);
    visitor.field(
        field::one_of(
            "type",
            "bmm: a batched product of activations; embedding: rows of a table are looked up",
            LayerKind::embedding),
        self.kind);
    visitor.field(
        field::one_of("role", "by which schemes select layers", LayerRole::classifier).optional(),
        self.role);
    visitor.field(field::positive("repeat", "identical layers").optional(), self.repeat);
    visitor.only(self.has_product(), "all but embeddings", [&] {
      visitor.field(field::flag("dgrad", "false of the first: nothing needs it").optional(),
                    self.needs_dgrad);
    });
    visitor.field(field::some_of("after", "operations on its output, in order", kLastStreamOp)
                      .optional("none"),
                  self.after);
    visitor.only(self.kind == LayerKind::conv, "conv", [&] { visit_conv(self, visitor); });
    visitor.only(self.kind == LayerKind::linear, "linear", [&] { visit_linear(self, visitor); });
    visitor.only(self.kind == LayerKind::embedding, "embedding",
                 [&] { visit_embedding(self, visitor); });
    visitor.only(self.kind == LayerKind::bmm, "bmm", [&] { visit_bmm(self, visitor); });
    visitor.only(self.kind != LayerKind::bmm, "all but bmm", [&] {
      visitor.field(field::flag("tied", "shares the weight of another layer").optional(),
                    self.tied);
      visitor.field(field::flag("frozen", "no wgrad, no update").omitted("false"), self.frozen,
                    false);
      visitor.field(field::flag("adapter", "no scheme prunes it").omitted("false"), self.adapter,
                    false);
    });
    visitor.only(self.multiplies_weight(), "conv, linear", [&] { visit_weights(self, visitor); });
    visit_edges(self, visitor);
  }

 private:
  static void visit_weights(auto& self, auto& visitor) {
    visitor.field(
        field::flag("bias", "counts as parameters; `after: [bias]` is its traffic").optional(),
        self.bias);
    visitor.field(field::pattern("weight_pattern", "the weights have it already, along c_in")
                      .optional("none"),
                  self.weight_pattern);
  }

  static void visit_embedding(auto& self, auto& visitor) {
    visit_features(self, visitor, "vocabulary", "features");
    visitor.field(
        field::flag("same_rows", "all samples look up the same: positions").omitted("false"),
        self.same_rows, false);
  }
  static void visit_conv(auto& self, auto& visitor) {
    visitor.field(field::positive("in_channels", "of its input"), self.in_channels);
    visitor.field(field::positive("out_channels", "of its output"), self.out_channels);
    visitor.field(field::positive("input", "pixels, `[rows, columns]` or one number").or_one(),
                  std::tie(self.height, self.width));
    visitor.field(field::positive("kernel", "pixels, as `input`").or_one().optional(),
                  std::tie(self.kernel_height, self.kernel_width));
    visitor.field(field::positive("stride", "pixels").optional(), self.stride);
    visitor.field(field::not_negative("pad", "pixels of zeros around the input").optional(),
                  self.pad);
    visitor.field(field::positive("stride_columns", "pixels").optional("`stride`"),
                  self.stride_columns);
    visitor.field(field::not_negative("pad_columns", "pixels").optional("`pad`"), self.pad_columns);
    visitor.field(field::positive("dilation", "pixels between taps").omitted("1"), self.dilation,
                  1);
    visitor.field(field::positive("groups", "of channels, must divide both counts").optional(),
                  self.groups);
  }
  static void visit_features(auto& self, auto& visitor, const char* in, const char* out) {
    visitor.field(field::positive(in, "of a token, or rows of the table"), self.in_channels);
    visitor.field(field::positive(out, "of a token's output"), self.out_channels);
    visitor.field(field::positive("tokens", "of a sample").optional(), self.height);
  }
  /// C[m x n] = A[m x k] B[k x n].
  static void visit_bmm(auto& self, auto& visitor) {
    visitor.field(field::positive("m", "rows of C"), self.bmm_m);
    visitor.field(field::positive("n", "columns of C"), self.bmm_n);
    visitor.field(field::positive("k", "of the reduction"), self.bmm_k);
    visitor.field(field::positive("count", "matrices a sample (heads)").optional(), self.count);
    visitor.field(field::one_of("attention",
                                "inputs: queries and keys, scaled by k^-1/2; or scores and values",
                                Attention::values)
                      .optional("none"),
                  self.attention);
    visitor.field(
        field::positive("shared_by", "matrices B that share one A: grouped queries").omitted("1"),
        self.shared_by, 1);
    visitor.field(field::flag("causal",
                              "attention of a token to itself and those before it only; kernels "
                              "that keep scores on chip skip the blocks that nothing sees")
                      .omitted("false"),
                  self.causal, false);
    visitor.field(field::flag("padded",
                              "samples are filled up to the longest, which a mask hides where the "
                              "framework passes one")
                      .omitted("false"),
                  self.padded, false);
    visitor.field(
        field::not_negative("window", "causal: to so many tokens only, itself included; 0: to all")
            .omitted("0"),
        self.window, 0);
  }
  static void visit_linear(auto& self, auto& visitor) {
    visit_features(self, visitor, "in_features", "out_features");
    visitor.field(
        field::positive("experts", "weights like it, of which a token has some").omitted("1"),
        self.experts, 1);
    visitor.field(
        field::positive("experts_per_token", "that a token is multiplied with").omitted("1"),
        self.experts_per_token, 1);
  }
  static void visit_edges(auto& self, auto& visitor) {
    visitor.field(
        field::some_of("phases", "the only ones with a product", Phase::wgrad).omitted("all"),
        self.phases, {});
    visitor.field(field::map("measured", "kernel times from a profile").optional("none"),
                  self.measured);
    visitor.field(field::list("inputs", "places that operands come from, two of a bmm")
                      .omitted("the layer before"),
                  self.inputs, {});
    visitor.field(field::optional_text("shortcut", "the place whose value residual_add adds"),
                  self.shortcut, "");
  }
};

/// Most multiply-accumulates, or elements of one tensor, that one layer may have in a training step
/// (repeats included): 2^53, a minute's work of the fastest GPU. Sums over a network's layers then
/// stay far from the 63-bit limit.
inline constexpr std::int64_t kMaxLayerCount = std::int64_t{1} << 53;

/// What makes `layer` impossible (a size below 1, groups that do not divide the channels, a kernel
/// larger than the padded input, more than kMaxLayerCount), as one sentence without a full stop; ""
/// if nothing does. All other functions of this folder require layers without a fault.
[[nodiscard]] std::string find_fault(const Layer& layer, std::int64_t batch);

enum class Optimizer : std::uint8_t {
  sgd_momentum,
  adam,
  lamb,
  /// Adam in one kernel (PyTorch's fused=True).
  adam_fused
};

inline constexpr Optimizer kLastOptimizer = Optimizer::adam_fused;
inline constexpr std::size_t kOptimizers = 4;

[[nodiscard]] std::string_view to_string(Optimizer optimizer);

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
  /// Further ones of no layer that are never updated.
  std::int64_t frozen_parameters = 0;
  /// What a file asks for: its reader replaces it by layers.
  std::optional<Lora> lora = {};
  /// Nobody says what runs beside the products (a list of GEMMs): they alone count, without
  /// optimizer, casts, memory and what schemes do themselves.
  bool products_only = false;
  std::vector<Layer> layers;
  /// What was measured of the step keeps its time; what a scheme touches is a ratio of simulations.
  std::optional<MeasuredStep> measured_step = {};
  /// Stated by networks that can be run; their layers then hang together (network_graph.hpp).
  std::optional<NetworkInput> input;

  /// Forward multiply-accumulates per sample, repeats included.
  [[nodiscard]] std::int64_t forward_macs() const;
  /// Weights and biases of the layers, other_parameters and frozen_parameters.
  [[nodiscard]] std::int64_t parameters() const;
  /// Those of them that a step updates.
  [[nodiscard]] std::int64_t trained_parameters() const;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("name", "what results are filed under: no `/`, not `.` or `..`"),
                  self.name);
    visitor.field(field::optional_text("description", "one line, for `stcsim list workloads`"),
                  self.description, "");
    visitor.field(field::optional_text(
                      "note", "a line that `run`, `record` and `check` print on standard error"),
                  self.note, "");
    visitor.field(field::positive("batch", "samples of a training step"), self.batch);
    visitor.field(
        field::one_of("optimizer", "that updates its parameters", kLastOptimizer).optional(),
        self.optimizer);
    visitor.field(
        field::positive("accumulation", "steps whose gradients one update adds up").omitted("1"),
        self.accumulation, 1);
    visitor.field(field::not_negative("other_parameters",
                                      "of no layer (embeddings, normalisation): they cost "
                                      "optimizer traffic only")
                      .optional("what the normalisations in `after` have"),
                  self.other_parameters);
    visitor.field(
        field::not_negative("frozen_parameters", "of no layer, and never updated").omitted("0"),
        self.frozen_parameters, 0);
    visitor.field(field::map("lora", "adapters, beside which all is frozen").optional("none"),
                  self.lora);
    visitor.field(field::flag("products_only",
                              "the products of the layers are all there is: no optimizer, casts, "
                              "memory, pruning; an experiment that names its framework has them")
                      .omitted("false"),
                  self.products_only, false);
    visitor.field(field::list("layers", "at least one"), self.layers);
    visitor.field(field::map("measured_step", "a step as a profile has it, whose times stay")
                      .optional("none"),
                  self.measured_step);
    visitor.field(field::map("input", "what goes in: layers then have edges, and can be trained")
                      .optional("none"),
                  self.input);
  }
};

}  // namespace stcsim
