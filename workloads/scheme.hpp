#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"
#include "workloads/layer.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {

/// Axis of a tensor along which the groups of n:m run.
enum class GroupAxis : std::uint8_t { c_in, c_out, tokens };

/// What choosing the elements to keep takes.
struct PruningCost {
  /// Vector operations per element.
  double ops = 8;
  /// One choice serves both orientations of a matrix.
  bool one_mask = false;
  /// What is kept is scaled by sums over the tensor, in a second pass.
  bool rescales = false;
};

/// What a scheme prunes for one phase.
struct PhaseSparsity {
  Tensor tensor = Tensor::weight;
  GroupAxis axis = GroupAxis::c_in;
  Pattern pattern{2, 4};
  /// How it is pruned: a scheme of the pruning library. Matters only where values travel.
  std::string prune = "magnitude";
  /// What to keep is chosen anew in every so many steps, never if 0. Unless it is 1, a mask is kept
  /// in between.
  std::int64_t mask_every = 1;
  PruningCost cost = {};
};

/// What a scheme does in one phase: an optional sparse operand and an optional data type that
/// replaces the experiment's.
struct PhaseRule {
  std::optional<PhaseSparsity> sparsity;
  std::optional<DataType> dtype;
  /// Why the product runs a dense kernel although the operand could be sparse; "" if it does not.
  /// Weights are pruned all the same, as the training wants it; gradients and activations are not.
  std::string dense_because = {};
};

/// Whether products that can run sparse do so always, or where that is faster than dense.
enum class SparseWhere : std::uint8_t { always, faster };

/// Which layers a scheme touches. Empty lists and zeros mean "no restriction".
struct LayerFilter {
  std::vector<LayerKind> kinds;
  std::vector<LayerRole> roles;
  std::int64_t min_in_channels = 0;
  /// Weight rows (C_out) and the input channels each row sees (C_in per group, the axis weights are
  /// pruned along) must be multiples of these.
  std::int64_t rows_multiple_of = 1;
  std::int64_t reduction_multiple_of = 1;
  /// Only layers with fewer output than input channels, as an FFN's second product.
  bool narrowing = false;

  /// bmm layers have no weight and never match.
  [[nodiscard]] bool matches(const Layer& layer) const;
};

/// Work of a scheme besides pruning operands, as passes over a tensor: one kernel per layer that it
/// prunes.
struct SchemeWork {
  std::string name;
  /// Charged in this phase.
  Phase phase = Phase::forward;
  Tensor tensor = Tensor::weight;
  /// Passes over the whole tensor and over what is kept of it (with metadata).
  double reads = 0;
  double writes = 0;
  double compressed_reads = 0;
  double compressed_writes = 0;
  /// Vector operations per element.
  double ops = 0;
  /// Done once in so many training steps.
  std::int64_t every = 1;
};

/// Where the dense steps of a training are.
enum class DenseSteps : std::uint8_t {
  last,   // behind the sparse ones
  first,  // before them
  before  // a dense training of its own comes before
};

/// What a scheme says of training alone: no kernel takes longer for it.
struct SchemeTraining {
  /// Adam's second moments stay as they are from the first sparse step on.
  bool freezes_variance = false;
  /// Strength of the decay of pruned weights (Scheme::decay).
  double decay_strength = 2e-4;
  /// s-ste: its scale; nothing: computed of the first weights and then frozen.
  std::optional<double> scale;

  friend bool operator==(const SchemeTraining&, const SchemeTraining&) = default;
};

/// Name of the scheme that all others are compared with.
inline constexpr const char* kBaselineScheme = "dense";

/// A published way of training with n:m sparsity: which operand of which GEMM is sparse.
struct Scheme {
  std::string name;
  std::string description;
  std::string source;
  LayerFilter layers;
  /// Part of all training steps in which the scheme is sparse, in (0, 1]; the rest runs dense.
  double share_of_training = 1.0;
  std::array<PhaseRule, 3> phases;  // indexed by Phase
  std::vector<SchemeWork> work;
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

  [[nodiscard]] const PhaseRule& rule(Phase phase) const {
    return phases.at(static_cast<std::size_t>(phase));
  }
  /// Replaces the pattern of every phase that has a sparse operand.
  void set_pattern(Pattern pattern);
  [[nodiscard]] bool is_dense() const;
};

/// Whether the operand that the scheme prunes for `phase` is pruned in `layer`: the layer is one of
/// its own, and the groups are of use (see request_for()).
[[nodiscard]] bool prunes(const Scheme& scheme, const Layer& layer, Phase phase);

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

[[nodiscard]] std::string_view to_string(Tensor tensor);
[[nodiscard]] std::string_view to_string(DenseSteps steps);
[[nodiscard]] std::string_view to_string(GroupAxis axis);
[[nodiscard]] std::string_view to_string(SparseWhere where);

}  // namespace stcsim
