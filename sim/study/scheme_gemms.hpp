#pragma once

#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "common/phase.hpp"
#include "sim/config/experiment.hpp"
#include "sim/kernel/sparsity_support.hpp"
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

/// How the GEMMs of one repeat of a layer take what the scheme prunes.
/// @param phases those that are run
[[nodiscard]] PruningContext pruning_context(const MachineSpec& machine, const Scheme& scheme,
                                             const Layer& layer, const std::vector<Phase>& phases,
                                             std::int64_t batch, const Experiment& experiment);

/// Appends to what is said already: "a; b".
void add_reason(std::string& reasons, const std::string& reason);

}  // namespace stcsim
