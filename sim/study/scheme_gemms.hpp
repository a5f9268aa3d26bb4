#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/gemm.hpp"
#include "common/phase.hpp"
#include "sim/config/experiment.hpp"
#include "sim/job/job.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/result.hpp"
#include "workloads/layer.hpp"
#include "workloads/pruning_kernels.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// The GEMMs of one repeat of a layer in a phase, as a scheme asks a machine for them.
struct SchemeGemms {
  /// As the dense baseline runs them: in the data type of the experiment.
  std::vector<GemmProblem> dense;
  /// As they run: data type and pattern of the scheme, transposed where the right operand is
  /// sparse. Patterns that the machine has no use for are left out. Channels that stay dense
  /// (PhaseSparsity::dense_share) are the second of two.
  std::vector<GemmProblem> gemms;
  SparsityRequest request;
  /// Nothing where a dense kernel runs (PhaseRule::dense_because).
  SparsitySupport support;
  /// The pattern in which the machine can store the operand, whatever kernel runs.
  Pattern storable = kDense;
  /// Why they differ from what the scheme asks for; "" if they do not.
  std::string reason;
};

/// Empty where the phase does not exist (dgrad of the first layer).
/// @param batch samples per step
/// @param dtype of the experiment
/// @param policy that chooses the kernels: not every one's gather columns
[[nodiscard]] SchemeGemms scheme_gemms(const MachineSpec& machine, const Scheme& scheme,
                                       const Layer& layer, Phase phase, std::int64_t batch,
                                       DataType dtype, const KernelPolicy& policy = {});

/// Says in the row of these what is asked for, and of which hardware.
void describe_sparsity(const SchemeGemms& gemms, ResultRow& row);

/// Of the scores that `layer` writes in the phase, in dgrad their gradients, those that are left
/// where the product that writes them prunes them (reader_of_pruned_scores()), in the pattern of
/// the hardware; dense: all.
[[nodiscard]] Pattern kept_scores(const MachineSpec& machine, const Experiment& experiment,
                                  const Network& network, const Scheme& scheme, const Layer& layer,
                                  Phase phase);

/// A pass of attention that a kernel does which keeps scores on chip.
struct AttentionWorks {
  std::vector<Work> dense;
  /// Where scores are pruned that kernel, if it prunes them itself; else in its place, in order:
  /// products, which multiply what a mask hides too, and between them what the framework runs
  /// where scores are packed; backward what the scheme does for dense products too.
  std::vector<Work> own;
  /// "" if they do not differ.
  std::string reason;
};
/// @param scores  the layer, which the values' is after
[[nodiscard]] AttentionWorks attention_works(const MachineSpec& machine,
                                             const Experiment& experiment, const Network& network,
                                             const Scheme& scheme, const Layer& scores,
                                             const AttentionWork& kernel);

/// Whether the dense operand of the layer's product is another packed product's result
/// (layer_that_hands_on), which the framework leaves transposed (Directions::packed_forward).
[[nodiscard]] bool meets_transposed(const Framework& framework, const Network& network,
                                    const Scheme& scheme, const Layer& layer, Phase phase);

/// How the GEMMs of one repeat of a layer take what the scheme prunes.
/// @param phases those that are run
[[nodiscard]] PruningContext pruning_context(const MachineSpec& machine, const Scheme& scheme,
                                             const Layer& layer, const std::vector<Phase>& phases,
                                             std::int64_t batch, const Experiment& experiment);

/// Appends to what is said already: "a; b".
void add_reason(std::string& reasons, const std::string& reason);

/// Results by point; null where the point failed or was not asked for.
using PointResults = std::vector<std::shared_ptr<const GemmRun>>;

/// Layers of which some products run dense kernels although the scheme and the machine would let
/// them run sparse, by scheme, layer and pass.
class DenseChoices {
 public:
  /// PhaseRule::dense_because of each phase.
  using Reasons = std::array<std::string, 3>;

  void set(const std::string& scheme, const std::string& layer, bool is_inference,
           Reasons reasons) {
    reasons_[{scheme, layer, is_inference}] = std::move(reasons);
  }
  [[nodiscard]] bool empty() const { return reasons_.empty(); }
  /// The scheme as it is for that layer.
  [[nodiscard]] Scheme apply(const Scheme& scheme, const Layer& layer, bool is_inference) const;

 private:
  std::map<std::tuple<std::string, std::string, bool>, Reasons> reasons_;
};

/// Phases of a layer that run sparse together or not at all: each by itself, but for those that
/// share one choice of what to keep.
using PhaseUnit = std::vector<Phase>;
/// @param sparse  phases whose products could run sparse
[[nodiscard]] std::vector<PhaseUnit> phase_units(const Scheme& scheme,
                                                 const std::vector<Phase>& sparse);

/// Of these phases of a layer those whose products the machine runs sparse.
[[nodiscard]] std::vector<Phase> sparse_phases(const MachineSpec& machine,
                                               const Experiment& experiment, const Network& network,
                                               const Scheme& scheme, const Layer& layer,
                                               const std::vector<Phase>& phases);
/// The scheme with those units left dense whose bit of `option` is set, bit u unit u's.
[[nodiscard]] Scheme with_dense_units(Scheme scheme, const std::vector<PhaseUnit>& units,
                                      std::size_t option);

/// A part of what a layer costs.
struct CostTerm {
  std::int64_t point = 0;
  /// A GEMM that runs so where it is faster; -1: it does not.
  std::int64_t dense_point = -1;
  double times = 1;
};

/// What a layer costs under a scheme with each set of units left dense: bit u of the index of
/// `options` is unit u.
struct LayerOptions {
  std::string scheme;
  std::string layer;
  bool is_inference = false;
  std::vector<PhaseUnit> units;
  std::vector<std::vector<CostTerm>> options;
};

/// Of every layer the set that takes least time, pruning charged, where the time of each sparse
/// product counts 1 + gain_error times: sparse only where it gains more than gains are off, for the
/// larger of two predictions is too large in the mean. Layers of which a point failed stay as they
/// are.
[[nodiscard]] DenseChoices choose_dense(const std::vector<LayerOptions>& layers,
                                        const PointResults& results, double gain_error);

/// How the experiment's kernels are picked on a machine: with the stack that it names, else with
/// that of its framework.
[[nodiscard]] KernelPolicy policy_of(const Experiment& experiment, const MachineConfig& machine);

}  // namespace stcsim
