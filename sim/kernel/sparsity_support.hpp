#pragma once

#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "common/gemm.hpp"
#include "common/pattern.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/kernel_policy.hpp"

namespace stcsim {

/// How a machine treats a tensor with some n:m pattern.
struct SparsitySupport {
  /// The native patterns the tensor fits inside, the one that saves most first; of those that save
  /// the same the tensor's own first, then in the order of the machine file. Of V:2:m first those
  /// that a kernel runs it as that gathers columns, then those that 2:m fits inside.
  std::vector<Pattern> patterns = {};
  /// Why it runs dense, or that the hardware gains less than the pattern allows; "" otherwise.
  std::string reason = {};

  /// The pattern that saves most; dense if none fits.
  [[nodiscard]] Pattern hardware() const { return patterns.empty() ? kDense : patterns.front(); }
};

/// With any of the machine's kernels: its own and those of its libraries.
[[nodiscard]] SparsitySupport sparsity_support(const MachineConfig& machine, DataType dtype,
                                               Pattern pattern);

/// Of the problem's A, with the kernels that the policy chooses sparse ones from.
[[nodiscard]] SparsitySupport sparsity_support(const MachineConfig& machine,
                                               const GemmProblem& problem,
                                               const KernelPolicy& policy);

/// What there is to say about a tensor with `pattern` that ran as `chosen`: one of
/// `support.patterns`, or dense. "" if nothing.
/// @param is_measured  the pattern that saves most was simulated too
[[nodiscard]] std::string reason_for(const SparsitySupport& support, Pattern pattern,
                                     Pattern chosen, bool is_measured);

}  // namespace stcsim
