#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"
#include "workloads/framework.hpp"
#include "workloads/scheme.hpp"
#include "workloads/scheme_work.hpp"

namespace stcsim {

/// How a layer's GEMM of one phase takes what a scheme prunes.
struct OperandUse {
  /// The phase is run, and the layer has it.
  bool exists = false;
  /// The scheme's operand of this phase is pruned: prunes().
  bool pruned = false;
  /// The pattern in which it is stored: the machine's; dense where zeros are multiplied; its own
  /// where windows hold it.
  Pattern stored = kDense;
  /// The pattern in which weights that are updated are kept, whatever kernel multiplies them.
  Pattern kept = kDense;
  /// Type of the operands.
  DataType dtype = DataType::fp16;
  /// How often the product reads each row of the other operand, in the mean: copies of it.
  double copies = 1;
};

struct PruningContext {
  std::array<OperandUse, 3> uses;  // indexed by Phase
  /// Samples per step, and the type of the dense step's operands.
  std::int64_t batch = 1;
  DataType dtype = DataType::fp16;
  PruningKernels kernels = PruningKernels::separate;
  /// What the epilogue's unit that prunes takes for an element, in operations of the vector lanes;
  /// 0: it has none.
  double unit_ops = 0;

  [[nodiscard]] const OperandUse& use(Phase phase) const {
    return uses.at(static_cast<std::size_t>(phase));
  }
};

/// What pruning the operands of one repeat of `layer` takes. One rule for all schemes:
///
/// - Pruning reads the dense tensor once and writes what the products take of it: for each
///   orientation that a sparse product uses the kept values and their metadata, and the tensor with
///   its zeros where a dense product multiplies it. Of channels that stay dense
///   (PhaseSparsity::dense_share) it writes all.
/// - A weight is pruned in all products that take it: where forward takes it pruned and dgrad has
///   no sparse operand of it, dgrad multiplies forward's weight, zeros included. Gradients and
///   activations are pruned for the phase that says so; others take them dense.
/// - A weight is pruned once per update, gradients and activations in every step.
/// - A mask that is kept (PhaseSparsity::mask_every) has Scheme::mask_bits per element, one
///   if that says none: choosing it reads the dense tensor and writes the mask, pruning reads it
///   too. A choice that serves both orientations is made once.
/// - Scaling by sums over the tensor reads and writes the kept values once more.
/// - Operands of a phase in an 8-bit type of its own are cast with one scale per tensor: dense ones
///   are read twice (largest magnitude, cast), pruned ones once, as pruning finds the largest. With
///   a scale a row (PhaseRule::has_row_scales) all are read once, and pruning casts what it keeps.
/// - Where windows hold the pruned operand, the cast of the other one writes its rows as often as
///   they are read; a copy does where nothing is cast.
/// - Decay and masking of gradients read and write the weights' gradients (Scheme).
///   With Scheme::updates_kept gradients are compressed, and forward's weights need no
///   pruning: the update writes them.
///
/// Where the rule says `fused`, pruning reads nothing dense, whatever the framework's kernels do.
/// It is part of the kernel that writes the tensor, and a launch of its own where none of the
/// layer's is known to, which is more than an epilogue takes. Where the largest are kept, a unit of
/// the epilogue chooses them (assumed: what comes between the product and what is pruned is part of
/// that epilogue). Scores are pruned by the product
/// before (GemmProblem::c_pattern): no kernel is left. As parts of the kernels that produce the
/// tensor (SchemeKernel::part_of) they read nothing dense, and casts find the largest magnitude in
/// the kernel before.
[[nodiscard]] std::vector<SchemeKernel> pruning_kernels(const Scheme& scheme, const Layer& layer,
                                                        const PruningContext& context);

/// The share of its weights that one repeat of `layer` updates: less than 1 without dense weights.
[[nodiscard]] double kept_weights(const Scheme& scheme, const PruningContext& context);

/// Whether the product of `phase` multiplies a weight that the scheme packed.
[[nodiscard]] bool packs_weight(const Scheme& scheme, const PruningContext& context, Phase phase);

}  // namespace stcsim
