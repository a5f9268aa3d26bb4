#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config_field.hpp"
#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"
#include "workloads/layer.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {

/// Axis of a tensor along which the groups of n:m run.
enum class GroupAxis : std::uint8_t { c_in, c_out, tokens };

[[nodiscard]] std::string_view to_string(Tensor tensor);
[[nodiscard]] std::string_view to_string(GroupAxis axis);

/// What choosing the elements to keep takes.
struct PruningCost {
  /// Vector operations per element.
  double ops = 8;
  /// One choice serves both orientations of a matrix.
  bool one_mask = false;
  /// What is kept is scaled by sums over the tensor, in a second pass.
  bool rescales = false;
  /// The largest of each group are kept: a unit of the epilogue can choose them.
  bool keeps_largest = false;

  friend bool operator==(const PruningCost&, const PruningCost&) = default;
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
  /// Of the channels that the tensor has beside the groups' axis, the share that stays as it is:
  /// those that are dense most often, which a dense product of their own multiplies.
  double dense_share = 0;
  /// The kernel before, which writes the tensor, prunes it: nothing reads it for that.
  bool fused = false;
  PruningCost cost = {};

  friend bool operator==(const PhaseSparsity&, const PhaseSparsity&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(
        field::one_of("tensor", "what is pruned: an operand of the phase", Tensor::output_gradient),
        self.tensor);
    visitor.field(field::one_of("axis",
                                "along which groups run: the one the phase reduces over, c_in in "
                                "forward, c_out in dgrad, tokens in wgrad",
                                GroupAxis::tokens),
                  self.axis);
    visitor.field(field::pattern("pattern", "n kept of m"), self.pattern);
    visitor.field(
        field::text("prune", "how: a scheme of `stcsim prune`; cycles do not depend on it")
            .optional("magnitude"),
        self.prune);
    visitor.field(field::not_negative("mask_every",
                                      "steps for which a choice of what to keep holds; 0: it never "
                                      "changes")
                      .omitted("1"),
                  self.mask_every, 1);
    visitor.field(field::real("dense_share",
                              "of the channels across the groups, what stays dense: a dense "
                              "product of its own, of the next multiple of 16")
                      .from(0, 1)
                      .omitted("0"),
                  self.dense_share, 0.0);
    visitor.field(field::flag("fused",
                              "the kernel that writes the tensor prunes and packs it, as a "
                              "product's epilogue may; false: as `pruning_kernels` says")
                      .omitted("false"),
                  self.fused, false);
  }
};

/// What a scheme does in one phase: an optional sparse operand and an optional data type that
/// replaces the experiment's.
struct PhaseRule {
  std::optional<PhaseSparsity> sparsity;
  /// Of wgrad: the results that are wanted, those of the weights that forward's mask keeps along
  /// c_in. Hardware that has such outputs leaves out the others.
  std::optional<Pattern> output;
  std::optional<DataType> dtype;
  /// Operands of `dtype` have a scale for each row instead of one for all: a row stays on chip
  /// until its largest magnitude is known, and what is pruned is cast in the same kernel.
  bool has_row_scales = false;
  /// Why the product runs a dense kernel although the operand could be sparse; "" if it does not.
  /// Weights are pruned all the same, as the training wants it; gradients and activations are not.
  std::string dense_because = {};

  friend bool operator==(const PhaseRule&, const PhaseRule&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.together(self.sparsity);
    visitor.field(field::pattern("output",
                                 "of wgrad, in the place of a sparse operand: the gradients that "
                                 "are wanted are those of weights that forward's mask keeps, which "
                                 "has this pattern and holds for several steps")
                      .optional("all are"),
                  self.output);
    visitor.field(
        field::type("dtype", "of the operands, instead of the experiment's", operand_data_types())
            .optional("the experiment's"),
        self.dtype);
    visitor.field(field::flag("row_scales",
                              "operands of `dtype` have a scale a row, not one in all: cast in "
                              "one pass, and pruned in the same")
                      .omitted("false"),
                  self.has_row_scales, false);
  }
};

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

  /// A bmm matches only if `kinds` names it.
  [[nodiscard]] bool matches(const Layer& layer) const;

  friend bool operator==(const LayerFilter&, const LayerFilter&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(
        field::some_of("types", "only layers of these; bmm: attention, whose scores are pruned",
                       LayerKind::bmm)
            .optional("all with weights"),
        self.kinds);
    visitor.field(
        field::some_of("roles", "only layers with these", LayerRole::classifier).optional("all"),
        self.roles);
    visitor.field(
        field::not_negative("min_in_channels", "only with at least so many C_in").optional(),
        self.min_in_channels);
    visitor.field(field::positive("rows_multiple_of", "only where this divides the output channels")
                      .optional(),
                  self.rows_multiple_of);
    visitor.field(field::positive("reduction_multiple_of",
                                  "only where this divides the input channels of a group")
                      .optional(),
                  self.reduction_multiple_of);
    visitor.field(
        field::flag("narrowing", "only with fewer output than input channels").omitted("false"),
        self.narrowing, false);
  }
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

  friend bool operator==(const SchemeWork&, const SchemeWork&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    constexpr std::int64_t kMost = 1'000'000;
    const auto passes = [](std::string_view key, std::string_view help) {
      return field::of(key, "passes", help).from(0, kMost).optional();
    };
    visitor.field(field::text("name", "what its rows are called"), self.name);
    visitor.field(field::one_of("phase", "charged if the study has it", Phase::wgrad), self.phase);
    visitor.field(field::one_of("tensor", "of the layer, in 16 bits", Tensor::output_gradient),
                  self.tensor);
    visitor.field(passes("reads", "over the whole tensor"), self.reads);
    visitor.field(passes("writes", "over the whole tensor"), self.writes);
    visitor.field(passes("compressed_reads", "over what is kept of it, and metadata"),
                  self.compressed_reads);
    visitor.field(passes("compressed_writes", "over what is kept of it, and metadata"),
                  self.compressed_writes);
    visitor.field(field::of("ops", "ops/element", "vector operations").from(0, kMost).optional(),
                  self.ops);
    visitor.field(field::positive("every", "done once in so many steps").optional(), self.every);
  }
};

/// What is pruned of some layers, and what is done for it.
struct LayerRules {
  LayerFilter layers;
  std::array<PhaseRule, 3> phases;  // indexed by Phase
  std::vector<SchemeWork> work;

  [[nodiscard]] const PhaseRule& rule(Phase phase) const {
    return phases.at(static_cast<std::size_t>(phase));
  }
  /// No phase keeps fewer elements than there are.
  [[nodiscard]] bool is_dense() const;

  friend bool operator==(const LayerRules&, const LayerRules&) = default;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::map("layers", "the ones it touches").optional("all with weights"),
                  self.layers);
    visit_phases(self, visitor);
    visit_work(self, visitor);
  }
  static void visit_phases(auto& self, auto& visitor) {
    for (const Phase phase : kPhases) {
      visitor.field(field::map(to_string(phase), "what it prunes for this phase").optional("dense"),
                    self.phases.at(static_cast<std::size_t>(phase)));
    }
  }
  static void visit_work(auto& self, auto& visitor) {
    visitor.field(field::list("work", "of its own besides pruning: a kernel per layer it prunes")
                      .omitted("none"),
                  self.work, {});
  }
};

}  // namespace stcsim
