#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "common/gemm.hpp"
#include "common/pattern.hpp"
#include "models/base/mma_instruction.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor_config.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/library.hpp"

namespace stcsim {

/// The instructions kernels may use for `dtype` on hardware pattern `pattern`, the one with the
/// longest k first. Of those listed with the usual accumulator (accumulator_of) that is the longest
/// only. For a native pattern without a listed instruction they are derived from the longest dense
/// one: whole groups of the pattern, at most as many kept values of a row of A as that has (but at
/// least one group), in equal parts of this, and a logical k not below the dense one's. Their
/// latency is that of the shortest dense instruction listed that has as many values. None if the
/// machine does not multiply this type or has no such pattern.
[[nodiscard]] std::vector<MmaInstruction> instructions_for(const StreamingMultiprocessorConfig& sm,
                                                           DataType dtype, Pattern pattern);

/// The first of them.
[[nodiscard]] std::optional<MmaInstruction> instruction_for(const StreamingMultiprocessorConfig& sm,
                                                            DataType dtype, Pattern pattern);

/// The treatment that a machine has for a tensor with some n:m pattern.
struct SparsitySupport {
  /// The native patterns the tensor fits inside, the one that saves most first; of those that save
  /// the same the tensor's own first, then in the order of the machine file. Of V:2:m first those
  /// that a kernel runs it as that gathers columns, then those that 2:m fits inside.
  std::vector<Pattern> patterns = {};
  /// Why it runs dense, or that the hardware gains less than the pattern allows; "" otherwise.
  std::string reason = {};

  /// The pattern that saves most; dense if none fits.
  [[nodiscard]] Pattern hardware() const { return patterns.empty() ? kDense : patterns.front(); }
  /// Whether a tensor of `pattern` runs as windows of it (common/gemm.hpp).
  [[nodiscard]] bool is_in_windows(Pattern pattern) const {
    return slides(pattern) && !patterns.empty() && !fits(pattern, hardware());
  }
};

/// With any of the machine's kernels: its own and those of its libraries.
[[nodiscard]] SparsitySupport sparsity_support(const MachineConfig& machine, DataType dtype,
                                               Pattern pattern);

/// Support of the problem's A, with the kernels that the policy chooses sparse ones from.
[[nodiscard]] SparsitySupport sparsity_support(const MachineConfig& machine,
                                               const GemmProblem& problem,
                                               const KernelPolicy& policy);

/// The problem that kernels run: of a pattern (2N-2):2N, where the machine has nothing closer than
/// 2:4, that of its windows (common/gemm.hpp); else itself.
[[nodiscard]] GemmProblem in_windows(const MachineConfig& machine, const GemmProblem& problem);

/// The remark about a tensor with `pattern` that ran as `chosen`: one of `support.patterns`, or
/// dense. "" if nothing.
/// @param is_measured  the pattern that saves most was simulated too
[[nodiscard]] std::string reason_for(const SparsitySupport& support, Pattern pattern,
                                     Pattern chosen, bool is_measured);

}  // namespace stcsim
