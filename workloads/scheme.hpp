#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/phase.hpp"
#include "workloads/scheme_parts.hpp"

namespace stcsim {

/// Whether products that can run sparse do so always, or where that is faster than dense.
enum class SparseWhere : std::uint8_t { always, faster };

[[nodiscard]] std::string_view to_string(SparseWhere where);

/// Where the dense steps of a training are.
enum class DenseSteps : std::uint8_t {
  last,   // behind the sparse ones
  first,  // before them
  before  // a dense training of its own comes before
};

[[nodiscard]] std::string_view to_string(DenseSteps steps);

/// What a scheme says of training alone: no kernel takes longer for it.
struct SchemeTraining {
  /// Adam's second moments stay as they are from the first sparse step on.
  bool freezes_variance = false;
  /// Strength of the decay of pruned weights (Scheme::decay).
  double decay_strength = 2e-4;
  /// s-ste: its scale; nothing: computed of the first weights and then frozen.
  std::optional<double> scale;

  friend bool operator==(const SchemeTraining&, const SchemeTraining&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(
        field::flag("freeze_variance",
                    "Adam's second moments stay as they are from the first sparse step on")
            .optional(),
        self.freezes_variance);
    visitor.field(
        field::real("decay_strength", "of the decay of pruned weights").from(0, 1).optional(),
        self.decay_strength);
    visitor.field(
        field::real("scale", "of s-ste").from(0, 1000).optional("computed of the first weights"),
        self.scale);
  }
};

/// Name of the scheme that all others are compared with.
inline constexpr const char* kBaselineScheme = "dense";

/// The pattern of layers by name, in every phase that the scheme prunes.
struct LayerPattern {
  /// Of a layer, with * for any part of it.
  std::string layers;
  Pattern pattern{2, 4};

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("layers", "of these names, `*` for any part of one"), self.layers);
    visitor.field(field::pattern("pattern", "n kept of m, or dense"), self.pattern);
  }
  friend bool operator==(const LayerPattern&, const LayerPattern&) = default;
};

/// A published way of training with n:m sparsity: which operand of which GEMM is sparse.
struct Scheme : LayerRules {
  std::string name;
  std::string description;
  std::string source;
  /// Of layers that its own `layers` leave out: the first of these that match.
  std::vector<LayerRules> others;
  /// In the place of the phases' patterns; of several that match a layer, the last.
  std::vector<LayerPattern> layer_patterns;
  /// Part of all training steps in which the scheme is sparse, in (0, 1]; the rest runs dense.
  double share_of_training = 1.0;
  /// Pruned weights decay: a term is added to their gradients.
  bool decay = false;
  /// Gradients of pruned weights are set to zero before the update.
  bool masks_gradients = false;
  /// Only kept weights are updated: gradients, optimizer states and weights have the pattern.
  bool updates_kept = false;
  /// Tensors that come pruned and stored as products need them, at no cost: for_inference().
  std::vector<Tensor> pruned_before;
  /// Bits that stay for every weight of its layers from step to step, beside the metadata of
  /// compressed weights: where it prunes.
  std::int64_t mask_bits = 0;
  /// When in the training it is sparse for its share; matters to time to accuracy alone.
  DenseSteps dense_steps = DenseSteps::last;
  /// Which of its products run sparse; none: as the experiment says.
  std::optional<SparseWhere> where;
  SchemeTraining training;

  /// As one layer has it: the rules that are the layer's, with its pattern, and no others.
  [[nodiscard]] Scheme of(const Layer& layer) const;
  /// Replaces the pattern of every phase that has a sparse operand, of all layers.
  void set_pattern(Pattern pattern);
  [[nodiscard]] bool is_dense() const;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::text("name", "what results are filed under: no `/`, not `.` or `..`"),
                  self.name);
    visitor.field(field::optional_text("description", "one line, for `stcsim list schemes`"),
                  self.description, "");
    visitor.field(field::optional_text("source", "who published it"), self.source, "");
    visitor.field(field::map("layers", "the ones it touches").optional("all with weights"),
                  self.layers);
    visitor.field(field::list("layer_patterns",
                              "other patterns of some layers, as models have them whose layers "
                              "differ in what they stand; of several that match one, the last")
                      .omitted("none"),
                  self.layer_patterns, {});
    visitor.field(field::real("share_of_training", "the part that is sparse; the rest runs dense")
                      .above(0, 1)
                      .optional(),
                  self.share_of_training);
    visit_phases(self, visitor);
    visitor.field(field::list("others",
                              "rules of layers that `layers` leaves out; of several that match "
                              "one, the first")
                      .omitted("none"),
                  self.others, {});
    visit_training(self, visitor);
  }

 private:
  static void visit_training(auto& self, auto& visitor) {
    visitor.field(
        field::flag("decay", "pruned weights decay: a term joins their gradients").omitted("false"),
        self.decay, false);
    visitor.field(
        field::flag("mask_gradients", "those of pruned weights are set to zero").omitted("false"),
        self.masks_gradients, false);
    visitor.field(field::flag("updates_kept",
                              "only kept weights are updated, and have optimizer states; needs a "
                              "mask that never changes")
                      .omitted("false"),
                  self.updates_kept, false);
    visit_work(self, visitor);
    visitor.field(field::of("mask_bits", "bits", "that stay for each weight from step to step")
                      .from(0, 64)
                      .omitted("0"),
                  self.mask_bits, 0);
    visitor.field(field::one_of("dense_steps",
                                "when it is not sparse; before: a dense training of its own comes "
                                "first, no part of `share_of_training`",
                                DenseSteps::before)
                      .omitted("last"),
                  self.dense_steps, DenseSteps::last);
    visitor.field(field::one_of("where",
                                "which of its products run sparse: all that can, or those that "
                                "gain by it",
                                SparseWhere::faster)
                      .optional("the experiment's `sparse_where`"),
                  self.where);
    visitor.field(field::map("training", "what matters to `stcsim train` alone").omitted("none"),
                  self.training, {});
  }
};

/// Whether the operand that the scheme prunes for `phase` is pruned in `layer`: the layer is one of
/// its own, and the groups are of use (see request_for()).
[[nodiscard]] bool prunes(const Scheme& scheme, const Layer& layer, Phase phase);

/// The layer whose product of the phase multiplies the scores that `layer` writes in it, in dgrad
/// their gradients, if the scheme prunes them there and the product that writes them does it
/// (PhaseSparsity::fused); null: all scores are written.
/// @param layer  of `network`
[[nodiscard]] const Layer* reader_of_pruned_scores(const Network& network, const Scheme& scheme,
                                                   const Layer& layer, Phase phase);

/// Of so many channels across the groups, those that stay dense: the next multiple of 16.
[[nodiscard]] std::int64_t dense_channels(double dense_share, std::int64_t channels);

/// Why a scheme with a pattern for a phase does not ask it of a layer's GEMM.
enum class NotAsked : std::uint8_t {
  none,      // it does, or has no pattern
  left_out,  // the layer is none of its own
  illegal    // the operand or the groups do not fit the GEMM
};

/// What a scheme asks of one layer's GEMM in one phase, before the machine is asked.
struct SparsityRequest {
  /// The pattern wanted, or dense.
  Pattern pattern = kDense;
  Tensor tensor = Tensor::weight;
  /// True if the sparse tensor is the GEMM's right operand: state the GEMM transposed.
  bool on_right = false;
  std::optional<DataType> dtype;
  /// How the tensor is pruned, see PhaseSparsity; "" if it is not.
  std::string prune;
  double dense_share = 0;
  /// Why the GEMM stays dense although the scheme is not, and that in words ("" if it is sparse or
  /// meant dense).
  NotAsked not_asked = NotAsked::none;
  std::string reason;
  /// PhaseRule::dense_because: the pattern is asked for, a dense kernel runs.
  std::string dense_because;
};

/// Decides legality: the tensor must be an operand of that phase and the groups must run along the
/// GEMM's reduction axis (C_in in forward, C_out in dgrad, tokens in wgrad). Channel groups of a
/// convolution must not straddle filter taps or convolution groups: unless it is 1x1 and ungrouped,
/// the channels per convolution group must be a multiple of m.
/// Where the scheme leaves forward dense, the layer's own weight_pattern is asked for instead.
[[nodiscard]] SparsityRequest request_for(const Scheme& scheme, const Layer& layer, Phase phase);

/// The network as it is run after training: without dropout, and with batch normalisations folded
/// into the weights and biases of the layers before them, which leaves a bias (Jacob et al.,
/// "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference",
/// CVPR 2018, section 3.2).
[[nodiscard]] Network for_inference(Network network);

/// The scheme as its forward pass is run after training: its weights are pruned and compressed
/// beforehand, so work on weights is not done, and it is sparse whatever share of training it was.
[[nodiscard]] Scheme for_inference(Scheme scheme);

}  // namespace stcsim
