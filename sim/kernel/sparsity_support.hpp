#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "common/gemm.hpp"
#include "common/pattern.hpp"
#include "models/base/mma_instruction.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor_config.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// The way the kernel of a GEMM is picked, and is simulated.
struct KernelPolicy {
  /// "auto", or the name of a kernel of the machine.
  std::string kernel = "auto";
  /// The number of best-ranked kernels that `auto` simulates; none given: as kernel_choice.hpp
  /// says.
  std::optional<std::int64_t> candidates = {};
  /// Whose kernels `auto` chooses from, and how: a stack of the machine; "" is its default one.
  std::string stack = kBestStack;
  /// A part of a kernel's grid may stand for all of it (sim/run/sampling.hpp).
  bool sampled = false;

  friend auto operator<=>(const KernelPolicy&, const KernelPolicy&) = default;
};

/// The GEMM that a sparse one is compared with.
[[nodiscard]] GemmProblem dense_of(GemmProblem gemm);
/// The policy for its kernel: a kernel that is named is the sparse GEMM's.
[[nodiscard]] KernelPolicy policy_of_dense(const KernelPolicy& policy);

/// True if a sparse GEMM runs dense where that is faster: with the machine's best kernels only. The
/// software of a stack that names its libraries runs what it is asked for.
[[nodiscard]] bool may_run_dense(const MachineConfig& machine, const KernelPolicy& policy);

/// The instructions kernels may use for `dtype` on hardware pattern `pattern`, the one with the
/// longest k first. Of those listed with the usual accumulator (accumulator_of) that is the longest
/// only. For a native pattern without a listed instruction they are derived from the longest dense
/// one: whole groups of the pattern, at most as many kept values of a row of A as that has (but at
/// least one group), in equal parts of this, and a logical k not below the dense one's. Their
/// latency is that of the shortest dense instruction listed that has as many values. Of outputs, it
/// is the longest dense one with so many more columns of B, but at most 256. None if the
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
